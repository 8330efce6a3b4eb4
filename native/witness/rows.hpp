// The canonical bytes of constraint rows, over which a constraint system's digest is taken.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sparse/sparse.hpp"

namespace cuzk {

// Writes rows [begin, end) of A, B and C, whose columns are the inputs and then the aux. For each row, for each of A,
// B, C: u32 number of terms, then for each term, inputs first and in ascending order: u8 kind (0 input, 1 aux), u64
// index, 32 bytes coefficient; all little-endian. No entry may be zero and no column may occur twice in a row.
void encode_rows(const std::array<SparseRows, 3>& matrices, u64 num_inputs, std::size_t begin, std::size_t end,
                 std::span<std::uint8_t> out);

}  // namespace cuzk
