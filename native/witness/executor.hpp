// Executes witness programs for all instances of a circuit, straight into the layout of an assignment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "util/limbs.hpp"
#include "witness/program.hpp"

namespace cuzk {

// Where values come from and go to. Field elements are canonical, four words each; `bits` is a bitmap over the aux, all
// zero at first; `inputs` begins with ONE.
struct WitnessBuffers {
  std::span<const u64> data;
  std::span<u64> inputs, values, bits, a, b;
};

// Instances of one program that do not depend on each other.
struct InstanceGroup {
  std::size_t program;
  std::vector<Extent> begins;
  // Of each instance, of each formal: for a bit its number among the aux; for a field element its number among the wide
  // aux, or FROM_INPUT + number of the input.
  std::vector<std::uint32_t> bindings;
};

// A circuit's programs and instances. Instances of a level use only what earlier levels computed.
class WitnessPlan {
 public:
  // `coefficients`: canonical, four words each. `total`: the whole circuit, its inputs counted with ONE.
  WitnessPlan(std::span<const u64> coefficients, Extent total);

  // Both throw InputError unless everything refers to what exists, so that running needs no checks.
  std::size_t add_program(Program program);
  void add_group(std::size_t level, InstanceGroup group);

  // Throws InputError if a buffer has the wrong size or a data element is not canonical. All of values, the inputs but
  // ONE, and a and b on the circuit's own rows are written.
  void run(const WitnessBuffers& buffers, int threads) const;

 private:
  struct Checked {
    Program program;
    Needs needs;
  };

  void run_level(const std::vector<InstanceGroup>& groups, const BlockKernel& field_kernel,
                 const WitnessBuffers& buffers, const Coefficients& coefficients, int threads) const;

  std::vector<u64> coefficients_;
  Extent total_;
  std::vector<Checked> programs_;
  std::vector<std::vector<InstanceGroup>> levels_;
};

}  // namespace cuzk
