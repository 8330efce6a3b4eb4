#include "hash/poseidon.hpp"

#include "field/sum_of_products.hpp"
#include "util/errors.hpp"

namespace cuzk {
namespace {

Fr fifth_power(const Fr& x) { return x.squared().squared() * x; }

std::vector<Fr> transposed(const std::vector<Fr>& matrix, std::size_t width) {
  std::vector<Fr> columns(matrix.size());
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j) columns[j * width + i] = matrix[i * width + j];
  return columns;
}

}  // namespace

Poseidon::Poseidon(Shape shape, std::vector<Fr> round_constants, const std::vector<Fr>& mds,
                   const std::vector<Fr>& pre_sparse, std::vector<Fr> sparse)
    : shape_(shape), round_constants_(std::move(round_constants)), sparse_(std::move(sparse)) {
  const auto [width, full_rounds, partial_rounds] = shape;
  require(width >= 2 && width <= MAX_WIDTH, "poseidon: the width is not in 2..64");
  require(full_rounds >= 4 && full_rounds % 2 == 0, "poseidon: the number of full rounds is not even, or below 4");
  require(round_constants_.size() == full_rounds * width + partial_rounds, "poseidon: wrong number of round constants");
  require(mds.size() == width * width && pre_sparse.size() == width * width, "poseidon: a matrix has the wrong size");
  require(sparse_.size() == partial_rounds * (2 * width - 1), "poseidon: wrong number of sparse matrix entries");
  mds_columns_ = transposed(mds, width);
  pre_sparse_columns_ = transposed(pre_sparse, width);
}

Fr Poseidon::hash(const Fr& domain_tag, std::span<const Fr> preimage) const {
  const auto [width, full_rounds, partial_rounds] = shape_;
  const std::size_t half = full_rounds / 2;
  const Fr* constants = round_constants_.data();

  State state;
  state[0] = domain_tag + *constants++;
  for (std::size_t i = 1; i < width; ++i) state[i] = preimage[i - 1] + *constants++;

  for (std::size_t round = 1; round < half; ++round) constants = full_round(state, constants, mds_columns_);
  constants = full_round(state, constants, pre_sparse_columns_);
  for (std::size_t round = 0; round < partial_rounds; ++round) {
    const Fr* column = sparse_.data() + round * (2 * width - 1);
    const Fr* row = column + width - 1;  // row[j] for j >= 1
    const Fr x = fifth_power(state[0]) + *constants++;
    SumOfProducts first;
    first.add(column[0], x);
    for (std::size_t i = 1; i < width; ++i) first.add(column[i], state[i]);
    for (std::size_t j = 1; j < width; ++j) state[j] += row[j] * x;
    state[0] = first.value();
  }
  for (std::size_t round = 1; round < half; ++round) constants = full_round(state, constants, mds_columns_);

  SumOfProducts digest;  // the last round adds no constants, and only its second element is used
  for (std::size_t i = 0; i < width; ++i) digest.add(fifth_power(state[i]), mds_columns_[width + i]);
  return digest.value();
}

// S-boxes, then the constants of the next round (already multiplied by the inverse matrix), then the matrix.
const Fr* Poseidon::full_round(State& state, const Fr* constants, const std::vector<Fr>& matrix) const {
  for (std::size_t i = 0; i < shape_.width; ++i) state[i] = fifth_power(state[i]) + *constants++;
  multiply(state, matrix);
  return constants;
}

// state := state * M with the state as a row vector; `matrix` holds the columns of M one after another.
void Poseidon::multiply(State& state, const std::vector<Fr>& matrix) const {
  State product;
  for (std::size_t j = 0; j < shape_.width; ++j) {
    SumOfProducts sum;
    for (std::size_t i = 0; i < shape_.width; ++i) sum.add(state[i], matrix[j * shape_.width + i]);
    product[j] = sum.value();
  }
  state = product;
}

}  // namespace cuzk
