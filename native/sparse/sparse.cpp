#include "sparse/sparse.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "util/errors.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

// A coefficient, in Montgomery form so that its product with a canonical value is canonical. Nearly all coefficients of
// a constraint system are 1 or -1, which need no multiplication.
struct Coefficient {
  enum class Kind { plus_one, minus_one, other } kind;
  Fr factor;

  explicit Coefficient(const Fr& value)
      : kind(value == Fr::one()    ? Kind::plus_one
             : value == -Fr::one() ? Kind::minus_one
                                   : Kind::other),
        factor(value) {}

  // sum + this * value
  Fr accumulate(const Fr& sum, const Fr& value) const {
    switch (kind) {
      case Kind::plus_one:
        return sum + value;
      case Kind::minus_one:
        return sum - value;
      case Kind::other:
        break;
    }
    return sum + factor * value;
  }
};

std::vector<Coefficient> coefficients(const SparseRows& matrix) {
  std::vector<Coefficient> result;
  result.reserve(matrix.table.size() / Fr::LIMBS);
  for (std::size_t i = 0; i < matrix.table.size(); i += Fr::LIMBS)
    result.emplace_back(Fr::from_canonical(load_words<Fr>(&matrix.table[i])));
  return result;
}

// Canonical words, read as the Montgomery form of x / R.
Fr load_checked(const u64* limbs, std::size_t index, const char* name) {
  const Fr value{load_words<Fr>(limbs + index * Fr::LIMBS)};
  if (!Fr::is_canonical(value.words))
    throw InputError(std::string(name) + "[" + std::to_string(index) + "] is not below the field's modulus");
  return value;
}

// The first row of part `part` of `parts`, chosen so that parts have about the same number of entries and rows.
std::size_t first_row_of_part(const SparseRows& matrix, std::size_t part, std::size_t parts) {
  if (part == parts) return matrix.rows();
  const std::size_t target = (matrix.cols.size() + matrix.rows()) * part / parts;
  std::size_t low = 0, high = matrix.rows();
  while (low < high) {  // the first row before which there are at least `target` entries and rows
    const std::size_t middle = (low + high) / 2;
    if (matrix.row_ptr[middle] + middle < target)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

void require_valid(const SparseRows& matrix, std::size_t columns, int threads) {
  require(!matrix.row_ptr.empty() && matrix.row_ptr.front() == 0, "row_ptr does not begin with 0");
  require(matrix.cols.size() == matrix.coeff.size(), "cols and coeff have different lengths");
  require(matrix.row_ptr.back() == matrix.cols.size(), "row_ptr does not end with the number of entries");
  const std::size_t table_size = matrix.table.size() / Fr::LIMBS;
  require_canonical<Fr>(matrix.table.data(), table_size, "table", 1);
  parallel_for(matrix.rows(), threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (matrix.row_ptr[i] > matrix.row_ptr[i + 1]) throw InputError("row_ptr falls after row " + std::to_string(i));
  });
  parallel_for(matrix.cols.size(), threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      if (matrix.cols[e] >= columns)
        throw InputError("cols[" + std::to_string(e) + "] is " + std::to_string(matrix.cols[e]) + ", but there are " +
                         std::to_string(columns) + " columns");
      if (matrix.coeff[e] >= table_size)
        throw InputError("coeff[" + std::to_string(e) + "] is " + std::to_string(matrix.coeff[e]) +
                         ", but the table has " + std::to_string(table_size) + " entries");
    }
  });
}

void sparse_times(const SparseRows& matrix, std::span<const u64> z, u64* out, int threads) {
  const std::vector<Coefficient> table = coefficients(matrix);
  const auto parts = static_cast<std::size_t>(std::max(threads, 1));
  parallel_for(parts, threads, [&](int, std::size_t part, std::size_t) {
    const std::size_t end = first_row_of_part(matrix, part + 1, parts);
    for (std::size_t row = first_row_of_part(matrix, part, parts); row < end; ++row) {
      Fr sum = Fr::zero();
      for (u64 e = matrix.row_ptr[row]; e < matrix.row_ptr[row + 1]; ++e)
        sum = table[matrix.coeff[e]].accumulate(sum, load_checked(z.data(), matrix.cols[e], "z"));
      std::ranges::copy(sum.words, out + row * Fr::LIMBS);
    }
  });
}

void sparse_accumulate_transposed(const SparseRows& matrix, std::span<const u64> weights, u64* out, std::size_t columns,
                                  int threads) {
  const std::vector<Coefficient> table = coefficients(matrix);
  require_canonical<Fr>(weights.data(), matrix.rows(), "weights", threads);
  // Each thread owns a range of columns and passes over all entries, so that no two write to one sum.
  parallel_for(columns, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
      const Fr weight{load_words<Fr>(&weights[row * Fr::LIMBS])};
      for (u64 e = matrix.row_ptr[row]; e < matrix.row_ptr[row + 1]; ++e) {
        const std::size_t column = matrix.cols[e];
        if (column < begin || column >= end) continue;
        const Fr sum = table[matrix.coeff[e]].accumulate(load_checked(out, column, "out"), weight);
        std::ranges::copy(sum.words, out + column * Fr::LIMBS);
      }
    }
  });
}

}  // namespace cuzk
