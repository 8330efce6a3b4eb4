// Poseidon over lanes (see field/lanes_portable.hpp). Included by one file for each instruction set.
#pragma once

#include "hash/poseidon_kernel.hpp"

namespace cuzk {
namespace {

template <class Lanes>
class PoseidonLanes {
 public:
  using Element = typename Lanes::Element;
  using Constant = typename Lanes::Coefficient;
  static constexpr std::size_t LANES = Lanes::LANES;

  static void prepare(const std::uint64_t* canonical, std::size_t count, void* constants) {
    auto* const out = static_cast<Constant*>(constants);
    for (std::size_t i = 0; i < count; ++i) out[i] = Lanes::prepare(canonical + WORDS * i);
  }

  static void hash(const PoseidonShape& shape, const void* constants, const std::uint64_t* domain_tag,
                   const std::uint64_t* preimages, std::size_t count, std::uint64_t* digests) {
    PoseidonLanes state(shape, static_cast<const Constant*>(constants));
    state.absorb(domain_tag, preimages, count);
    std::uint64_t words[LANES][WORDS];
    Lanes::store(state.permuted(), words);
    for (std::size_t lane = 0; lane < count; ++lane)
      __builtin_memcpy(digests + WORDS * lane, words[lane], sizeof words[lane]);
  }

 private:
  static constexpr std::size_t WORDS = 4;

  PoseidonLanes(const PoseidonShape& shape, const Constant* constants)
      : width_(shape.width),
        half_(shape.full_rounds / 2),
        partial_rounds_(shape.partial_rounds),
        round_constant_(constants),
        mds_columns_(constants + shape.full_rounds * shape.width + shape.partial_rounds),
        pre_sparse_columns_(mds_columns_ + shape.width * shape.width),
        sparse_(pre_sparse_columns_ + shape.width * shape.width) {}

  // The domain tag, then the preimage; the first round's constants are added. Spare lanes repeat the last preimage.
  void absorb(const std::uint64_t* domain_tag, const std::uint64_t* preimages, std::size_t count) {
    for (std::size_t i = 0; i < width_; ++i) {
      std::uint64_t words[LANES][WORDS];
      for (std::size_t lane = 0; lane < LANES; ++lane) {
        const std::size_t preimage = lane < count ? lane : count - 1;
        const std::uint64_t* const from = i == 0 ? domain_tag : preimages + WORDS * (preimage * (width_ - 1) + i - 1);
        __builtin_memcpy(words[lane], from, sizeof words[lane]);
      }
      state_[i] = plus_next_constant(Lanes::load(words));
    }
  }

  Element permuted() {
    for (std::size_t round = 1; round < half_; ++round) full_round(mds_columns_);
    full_round(pre_sparse_columns_);
    for (std::size_t round = 0; round < partial_rounds_; ++round) partial_round(sparse_ + round * (2 * width_ - 1));
    for (std::size_t round = 1; round < half_; ++round) full_round(mds_columns_);
    // The last round adds no constants, and only its second element is used.
    for (std::size_t i = 0; i < width_; ++i) state_[i] = fifth_power(state_[i]);
    return times_column(mds_columns_ + width_);
  }

  // S-boxes, then the constants of the next round (already multiplied by the inverse matrix), then the matrix.
  void full_round(const Constant* columns) {
    for (std::size_t i = 0; i < width_; ++i) state_[i] = plus_next_constant(fifth_power(state_[i]));
    Element product[MAX_POSEIDON_WIDTH];
    for (std::size_t j = 0; j < width_; ++j) product[j] = times_column(columns + j * width_);
    for (std::size_t j = 0; j < width_; ++j) state_[j] = product[j];
  }

  // One S-box, one constant, and a matrix that is the identity but for its first column and first row.
  void partial_round(const Constant* column) {
    const Constant* const row = column + width_ - 1;  // row[j] for j >= 1
    state_[0] = plus_next_constant(fifth_power(state_[0]));
    const Element first = times_column(column);
    for (std::size_t j = 1; j < width_; ++j) {
      typename Lanes::Sum sum;
      sum.add_product(row[j], state_[0]);
      sum.add(state_[j]);
      state_[j] = sum.value();
    }
    state_[0] = first;
  }

  // The state as a row vector times a column.
  Element times_column(const Constant* column) const {
    typename Lanes::Sum sum;
    for (std::size_t i = 0; i < width_; ++i) sum.add_product(column[i], state_[i]);
    return sum.value();
  }

  Element plus_next_constant(const Element& x) {
    typename Lanes::Sum sum(*round_constant_++);
    sum.add(x);
    return sum.value();
  }

  static Element fifth_power(const Element& x) {
    const Element square = Lanes::product(x, x);
    return Lanes::product(Lanes::product(square, square), x);
  }

  std::size_t width_, half_, partial_rounds_;
  const Constant* round_constant_;
  const Constant* mds_columns_;
  const Constant* pre_sparse_columns_;
  const Constant* sparse_;
  Element state_[MAX_POSEIDON_WIDTH];
};

template <class Lanes>
constexpr PoseidonKernel poseidon_kernel() {
  return {Lanes::LANES, sizeof(typename Lanes::Coefficient), &PoseidonLanes<Lanes>::prepare,
          &PoseidonLanes<Lanes>::hash};
}

}  // namespace
}  // namespace cuzk
