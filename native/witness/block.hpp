// A block: a few instances of one program, executed side by side by a kernel for some instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "witness/instructions.hpp"

namespace cuzk {

// How much one instance adds to the circuit, or where it begins.
struct Extent {
  std::uint32_t rows, inputs, aux, wide, data;
};

// In bindings of field elements: the number of an input, not of a wide aux.
inline constexpr std::uint32_t FROM_INPUT = std::uint32_t{1} << 31;

// Where values come from and go to: field elements are canonical, four words each; `bits` is a bitmap over the aux,
// zero at first.
struct WitnessArrays {
  const std::uint64_t* data;
  std::uint64_t* inputs;
  std::uint64_t* values;
  std::uint64_t* bits;
  std::uint64_t* a;
  std::uint64_t* b;
};

struct Block {
  const Word* code;
  const Word* code_end;
  const Extent* begins;
  const std::uint32_t* bindings;  // `formals` for each instance
  std::size_t formals;
  int count;  // instances, at most the kernel's lanes
};

// Coefficients of the circuit as a kernel wants them, and as canonical words.
struct Coefficients {
  const void* prepared;
  const std::uint64_t* canonical;
};

struct BlockKernel {
  int lanes;                     // at most 64
  std::size_t register_size;     // bytes of a field register, which is aligned to 64
  std::size_t coefficient_size;  // bytes of a prepared coefficient
  void (*prepare)(const std::uint64_t* canonical, std::size_t count, void* prepared);
  // `fields` and `masks` are the registers; a mask has one bit a lane.
  void (*run)(const Block& block, const WitnessArrays& arrays, const Coefficients& coefficients, void* fields,
              std::uint64_t* masks);
};

extern const BlockKernel BIT_BLOCK_KERNEL;  // for programs without arithmetic on field elements
extern const BlockKernel PORTABLE_BLOCK_KERNEL;
extern const BlockKernel IFMA_BLOCK_KERNEL;  // where CUZK_HAS_IFMA_KERNELS

}  // namespace cuzk
