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

// What a program needs. Of the data: the smallest and one past the largest index that it reads. Arithmetic: products or
// sums of field elements.
struct Needs {
  std::int64_t data_begin = 0, data_end = 0;
  bool arithmetic = false;
};

// Throws InputError unless every register, formal, coefficient and place of the program exists.
Needs require_valid(const Program& program, std::size_t coefficients);

}  // namespace cuzk
