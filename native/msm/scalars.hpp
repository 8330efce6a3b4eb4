// The scalars of a multi-exponentiation, as the caller holds them, and which of them need which work.
#pragma once

#include <cstdint>
#include <vector>

#include "util/limbs.hpp"

namespace cuzk {

// Either `dense` (length x 4 words), or `wide`, `bit` and `values` (an assignment's packed form: scalar i is the next
// of `values` if bit i of `wide` is set, else bit i of `bit`). With `density`, only the scalars whose bit is set
// count; the bases are then those scalars' bases, in order.
struct Scalars {
  std::size_t length = 0;
  const u64* dense = nullptr;
  const u64* wide = nullptr;
  const u64* bit = nullptr;
  const u64* values = nullptr;
  std::size_t num_values = 0;
  const u64* density = nullptr;

  const u64* words(std::uint32_t index) const { return (dense ? dense : values) + 4 * std::size_t{index}; }
};

// A scalar other than 0 and 1: `scalar` is its row in `dense` or `values`.
struct Term {
  std::uint32_t base, scalar;
};

// What is left to do: sum the bases in `ones`, and scalar * base over `terms`.
struct Selection {
  std::vector<std::uint32_t> ones;
  std::vector<Term> terms;
};

// Number of bases that go with `scalars`: its length, or the number of bits set in its density.
std::size_t count_bases(const Scalars& scalars);

// Checks that bitmaps have no bit set beyond the length and agree with num_values, and that every scalar is canonical
// (InputError names the first that is not), and sorts the scalars out.
Selection select(const Scalars& scalars);

}  // namespace cuzk
