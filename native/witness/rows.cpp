#include "witness/rows.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "field/fr.hpp"
#include "util/errors.hpp"

namespace cuzk {
namespace {

constexpr std::size_t COUNT_SIZE = 4;
constexpr std::size_t TERM_SIZE = 1 + 8 + 32;

struct Term {
  std::uint32_t column, coeff;
};

class Writer {
 public:
  explicit Writer(std::uint8_t* out) : out_(out) {}

  void number(u64 value, int bytes) {
    for (int i = 0; i < bytes; ++i) *out_++ = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void term(const Term& term, u64 num_inputs, std::span<const u64> table) {
    const bool is_aux = term.column >= num_inputs;
    number(is_aux, 1);
    number(is_aux ? term.column - num_inputs : term.column, 8);
    for (int limb = 0; limb < Fr::LIMBS; ++limb) number(table[Fr::LIMBS * std::size_t{term.coeff} + limb], 8);
  }

 private:
  std::uint8_t* out_;
};

}  // namespace

void encode_rows(const std::array<SparseRows, 3>& matrices, u64 num_inputs, std::size_t begin, std::size_t end,
                 std::span<std::uint8_t> out) {
  std::size_t size = 0;
  for (const SparseRows& matrix : matrices) {
    require_valid(matrix, std::numeric_limits<std::uint32_t>::max(), 1);
    require(begin <= end && end <= matrix.rows(), "encode_rows: the range is not within the rows");
    size += COUNT_SIZE * (end - begin) + TERM_SIZE * (matrix.row_ptr[end] - matrix.row_ptr[begin]);
  }
  require(out.size() == size, "encode_rows: the buffer has the wrong size");

  Writer writer(out.data());
  std::vector<Term> terms;
  for (std::size_t row = begin; row < end; ++row)
    for (const SparseRows& matrix : matrices) {
      terms.clear();
      for (u64 e = matrix.row_ptr[row]; e < matrix.row_ptr[row + 1]; ++e)
        terms.push_back({matrix.cols[e], matrix.coeff[e]});
      // A template's formals may stand for any columns of the circuit, in any order.
      if (!std::ranges::is_sorted(terms, {}, &Term::column)) std::ranges::sort(terms, {}, &Term::column);
      writer.number(terms.size(), COUNT_SIZE);
      for (const Term& term : terms) writer.term(term, num_inputs, matrix.table);
    }
}

}  // namespace cuzk
