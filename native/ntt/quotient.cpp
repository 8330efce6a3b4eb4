// h from six transforms. A * B modulo X^n - 1 is the inverse transform U of a * b; modulo X^n + 1 it is V, from the
// values of A and B at zeta * w^j with zeta^n = -1. With A * B = low + X^n * h, U = low + h and V = low - h.
//
// Transforms to reversed order are followed by transforms to natural order, so that nothing is reordered before h;
// where the end of one and the start of the next touch the same blocks, they share a pass. Memory: a, b and one vector
// more.
#include "ntt/ntt.hpp"
#include "ntt/passes.hpp"
#include "ntt/reorder.hpp"
#include "ntt/small.hpp"

namespace cuzk {
namespace {

using namespace ntt_detail;

class Quotient {
 public:
  Quotient(u64* a, u64* b, int log2_size, int threads, int max_log2_slots)
      : workspace_(log2_size, threads, max_log2_slots),
        first_(plan_.columns.front()),
        a_(a),
        b_(b),
        c_(plan_.size() * SCALAR_WORDS),
        zeta_(Workspace::root(false, log2_size + 1)),
        inverse_zeta_(Workspace::root(true, log2_size + 1)),
        scale_(power(Fr::from_u64(2), static_cast<std::size_t>(kernels_.product_log2)) *
               Fr::from_u64(2 * plan_.size()).inverse()) {}

  void run(int threads) {
    product_columns();
    inner_columns(true, Fr::one(), {a_, b_, c_.data()});
    shift_rows();
    inner_columns(false, zeta_, {a_, b_});
    shifted_product_columns();
    inner_columns(true, inverse_zeta_, {a_});
    difference_rows();
    exchange_digits(a_, plan_, threads);
  }

 private:
  // c <- a * b; the first columns of the inverse transforms of a, b and c. All are multiplied by scale_, which makes
  // c's transform U / 2; a and b are rid of it in shift_rows().
  void product_columns() {
    Twists::Rule rule = twist_rule(first_, true, Fr::one());
    rule.first = scale_;
    workspace_.for_blocks(plan_.blocks(first_), [&](Scratch& memory, std::size_t begin, std::size_t end) {
      Twists twists(rule);
      for (std::size_t i = begin; i < end; ++i) {
        kernels_.prepare_twist(first_.log2_slots, twists.at(first_.column(i)), memory.tables());
        const auto finish = [&](u64* x) {
          kernels_.transform(memory.slots(), first_.log2_slots, workspace_.twiddles(true));
          kernels_.store_twisted(memory.slots(), first_.block(x, i, true), memory.tables());
        };
        kernels_.load_product(memory.slots(), first_.block(a_, i, false), first_.block(b_, i, false));
        finish(c_.data());
        for (u64* x : {a_, b_}) {
          kernels_.load(memory.slots(), first_.block(x, i, false));
          finish(x);
        }
      }
    });
  }

  // The columns of the middle digit, where there is one.
  void inner_columns(bool inverse, const Fr& shift, std::initializer_list<u64*> vectors) {
    if (plan_.columns.size() == 1) return;
    const ColumnStage& stage = plan_.columns.back();
    const Twists::Rule rule = twist_rule(stage, inverse, shift);
    for (u64* x : vectors) {
      if (inverse)
        columns_to_reversed(workspace_, stage, x, true, rule);
      else
        columns_to_natural(workspace_, stage, x, false, rule);
    }
  }

  // The rows of the inverse transforms of a and b: coefficients, A_i / n each; times zeta^i; the rows of their forward
  // transforms. Of i = ... + 2^(a + b) i_z only i_z's part is done here, the rest by the twists to natural order.
  void shift_rows() {
    const Fr inverse_scale = (scale_ * Fr::from_u64(plan_.size())).inverse();
    const std::vector<u64> factors = row_factors(inverse_scale, zeta_);
    workspace_.for_blocks(plan_.row_blocks(), [&](Scratch& memory, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (u64* x : {a_, b_}) {
          const Block block = plan_.row_block(x, i);
          kernels_.load(memory.slots(), block);
          kernels_.transform(memory.slots(), plan_.log2_row, workspace_.twiddles(true));
          kernels_.scale(memory.slots(), plan_.log2_row, factors.data(), true);
          kernels_.transform(memory.slots(), plan_.log2_row, workspace_.twiddles(false));
          kernels_.store(memory.slots(), block);
        }
      }
    });
  }

  // The last columns of the forward transforms of a and b: values at zeta * w^j; a <- a * b; the first columns of its
  // inverse transform, with index i multiplied by zeta^-i.
  void shifted_product_columns() {
    const Twists::Rule forward = twist_rule(first_, false, zeta_), inverse = twist_rule(first_, true, inverse_zeta_);
    workspace_.for_blocks(plan_.blocks(first_), [&](Scratch& memory, std::size_t begin, std::size_t end) {
      Twists forward_twists(forward), inverse_twists(inverse);
      const int log2_slots = first_.log2_slots;
      for (std::size_t i = begin; i < end; ++i) {
        kernels_.prepare_twist(log2_slots, forward_twists.at(first_.column(i)), memory.tables());
        for (const auto& [slots, x] : {std::pair{memory.slots(), a_}, std::pair{memory.others(), b_}}) {
          kernels_.load_twisted(slots, first_.block(x, i, true), memory.tables());
          kernels_.transform(slots, log2_slots, workspace_.twiddles(false));
        }
        kernels_.multiply(memory.slots(), memory.others(), log2_slots);
        kernels_.transform(memory.slots(), log2_slots, workspace_.twiddles(true));
        kernels_.prepare_twist(log2_slots, inverse_twists.at(first_.column(i)), memory.tables());
        kernels_.store_twisted(memory.slots(), first_.block(a_, i, true), memory.tables());
      }
    });
  }

  // The rows of the last two inverse transforms: U / 2 from c, V / 2 from a; a <- U / 2 - V / 2.
  void difference_rows() {
    const std::vector<u64> factors = row_factors(scale_, inverse_zeta_);
    workspace_.for_blocks(plan_.row_blocks(), [&](Scratch& memory, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (const auto& [slots, x] : {std::pair{memory.slots(), c_.data()}, std::pair{memory.others(), a_}}) {
          kernels_.load(slots, plan_.row_block(x, i));
          kernels_.transform(slots, plan_.log2_row, workspace_.twiddles(true));
        }
        kernels_.scale(memory.others(), plan_.log2_row, factors.data(), false);
        kernels_.subtract(memory.slots(), memory.others(), plan_.log2_row);
        kernels_.store(memory.slots(), plan_.row_block(a_, i));
      }
    });
  }

  // first * shift^i for the index i that z counts in the whole.
  std::vector<u64> row_factors(const Fr& first, const Fr& shift) const {
    return workspace_.factors(first, power(shift, std::size_t{1} << plan_.log2_row_weight()), plan_.row_scalars());
  }

  Workspace workspace_;
  const Plan& plan_ = workspace_.plan();
  const Kernels& kernels_ = workspace_.kernels();
  const ColumnStage& first_;
  u64 *a_, *b_;
  PageArray<u64> c_;
  Fr zeta_, inverse_zeta_;
  Fr scale_;  // 2^product_log2 / (2 n): takes the inverse transform of a product to half its coefficients
};

}  // namespace

void quotient(u64* a, u64* b, int log2_size, int threads, int max_log2_slots) {
  if (log2_size < MIN_LOG2_SIZE) return small_quotient(a, b, log2_size);
  Quotient(a, b, log2_size, threads, max_log2_slots).run(threads);
}

}  // namespace cuzk
