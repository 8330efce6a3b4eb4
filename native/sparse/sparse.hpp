// Sparse matrices over Fr in compressed rows, times a vector and transposed.
//
// Entry e of row i (row_ptr[i] <= e < row_ptr[i + 1]) is table[coeff[e]] in column cols[e].
#pragma once

#include <cstdint>
#include <span>

#include "util/limbs.hpp"

namespace cuzk {

struct SparseRows {
  std::span<const u64> row_ptr;  // rows + 1 entries
  std::span<const std::uint32_t> cols;
  std::span<const std::uint32_t> coeff;
  std::span<const u64> table;  // canonical scalars, 4 words each

  std::size_t rows() const { return row_ptr.size() - 1; }
};

// Throws InputError unless row_ptr rises from 0 to the number of entries, columns are below `columns`, coefficients are
// in the table, and the table is canonical.
void require_valid(const SparseRows& matrix, std::size_t columns, int threads);

// out[i] = sum over row i of coefficient * z[column]. The matrix is valid; a value that is not canonical is an
// InputError.
void sparse_times(const SparseRows& matrix, std::span<const u64> z, u64* out, int threads);

// out[column] += coefficient * weights[row] for every entry. The matrix is valid; the same is an error.
void sparse_accumulate_transposed(const SparseRows& matrix, std::span<const u64> weights, u64* out, std::size_t columns,
                                  int threads);

}  // namespace cuzk
