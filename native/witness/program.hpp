// A witness program, and the check that makes its execution safe.
#pragma once

#include <vector>

#include "witness/block.hpp"

namespace cuzk {

struct Program {
  std::vector<Word> code;
  std::uint32_t field_registers, bit_registers;
  std::vector<bool> formal_is_bit;
  Extent extent;
};

// The smallest and one past the largest data index that a program reads.
struct DataRange {
  std::int64_t begin = 0, end = 0;
};

// Throws InputError unless every register, formal, coefficient and place of the program exists.
DataRange require_valid(const Program& program, std::size_t coefficients);

}  // namespace cuzk
