#include "ntt/workspace.hpp"

#include <algorithm>

#include "util/isa.hpp"

namespace cuzk::ntt_detail {
namespace {

const Kernels& active_kernels() {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return IFMA_KERNELS;
#endif
  return PORTABLE_KERNELS;
}

int log2_of_largest_block(const Plan& plan) {
  int log2_slots = plan.log2_row;
  for (const ColumnStage& stage : plan.columns) log2_slots = std::max(log2_slots, stage.log2_slots);
  return log2_slots;
}

void store_canonical(const Fr& value, u64* to) { std::ranges::copy(value.to_canonical(), to); }

}  // namespace

Fr power(const Fr& base, std::size_t exponent) {
  Fr result = Fr::one();
  for (Fr square = base; exponent > 0; exponent >>= 1, square = square.squared())
    if (exponent & 1) result *= square;
  return result;
}

Workspace::Workspace(int log2_size, int threads, int max_log2_slots)
    : plan_(plan_of(log2_size, max_log2_slots)), kernels_(&active_kernels()) {
  const std::size_t slots = std::size_t{1} << log2_of_largest_block(plan_);
  for (int thread = 0; thread < threads; ++thread) scratch_.emplace_back(*kernels_, slots);
  for (const bool inverse : {false, true}) twiddles_[inverse] = twiddle_table(inverse);
}

Fr Workspace::root(bool inverse, int log2_order) {
  static constexpr Fr ROOT = fr_root_of_unity(FR_TWO_ADICITY), INVERSE_ROOT = ROOT.inverse();
  Fr root = inverse ? INVERSE_ROOT : ROOT;
  for (int i = log2_order; i < FR_TWO_ADICITY; ++i) root = root.squared();
  return root;
}

std::vector<u64> Workspace::factors(const Fr& first, const Fr& ratio, std::size_t count) const {
  std::vector<u64> scalars(count * SCALAR_WORDS), prepared(count * kernels_->factor_words);
  Fr factor = first;
  for (std::size_t i = 0; i < count; ++i, factor *= ratio) store_canonical(factor, &scalars[i * SCALAR_WORDS]);
  kernels_->prepare_factors(scalars.data(), count, prepared.data());
  return prepared;
}

// w^reversed(k) for k < 2^(L - 1), w of order 2^L, L the logarithm of the largest block. The same table serves smaller
// blocks, since reversing one bit more, a leading 0, doubles the reversed index and squares the root.
std::vector<u64> Workspace::twiddle_table(bool inverse) const {
  const int log2_count = log2_of_largest_block(plan_) - 1;
  std::vector<Fr> powers{Fr::one()};
  for (int bit = 0; bit < log2_count; ++bit) {
    const Fr step = root(inverse, bit + 2);  // a leading 1 is the lowest bit of the reversed index
    for (std::size_t k = 0; k < std::size_t{1} << bit; ++k) powers.push_back(powers[k] * step);
  }
  std::vector<u64> scalars(powers.size() * SCALAR_WORDS), prepared(powers.size() * kernels_->factor_words);
  for (std::size_t k = 0; k < powers.size(); ++k) store_canonical(powers[k], &scalars[k * SCALAR_WORDS]);
  kernels_->prepare_factors(scalars.data(), powers.size(), prepared.data());
  return prepared;
}

Twists::Twists(const Rule& rule)
    : rule_(rule), root_step_(power(rule.root, LANES)), ratio_step_(power(rule.ratio, LANES)) {}

const Twist& Twists::at(std::size_t column) {
  if (column != next_column_) {
    root_power_ = power(rule_.root, column);
    ratio_power_ = power(rule_.ratio, column);
  }
  Fr ratio = root_power_ * rule_.shift, scale = ratio_power_ * rule_.first;
  for (std::size_t lane = 0; lane < LANES; ++lane, ratio *= rule_.root, scale *= rule_.ratio) {
    store_canonical(ratio, twist_.ratio + lane * SCALAR_WORDS);
    store_canonical(scale, twist_.scale + lane * SCALAR_WORDS);
  }
  root_power_ *= root_step_;
  ratio_power_ *= ratio_step_;
  next_column_ = column + LANES;
  return twist_;
}

}  // namespace cuzk::ntt_detail
