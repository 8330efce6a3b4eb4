// The operations on a block (block.hpp), over the 8-lane arithmetic `Lanes` of an instruction set, which gives:
//
//   Vector                       8 scalars, in one of the ranges below
//   LaneFactor, prepare(x)       x, canonical, made ready to multiply others by: a factor of its own in each lane
//   FACTOR_WORDS, prepare_factors: the same for a factor that all lanes share, as words in a table
//   times(x, factor)             any -> small
//   product(x, y)                any, any -> small, divided by 2^PRODUCT_LOG2
//   difference(x, y)             any, small -> up to 4 r
//   canonical(x)                 any -> below r
//   load, store, store_canonical
//   radix2_first, radix4_first, radix4: butterflies, whose bounds are at transform()
//
// "small" is below 2 r; "any" is up to 34 r, which 260 bits hold (2^260 > 35 r). Where the arithmetic reduces fully,
// both are below r.
#pragma once

#include <cstddef>

#include "ntt/block.hpp"

namespace cuzk::ntt_detail {

template <class Lanes>
struct BlockKernels {
  using Vector = typename Lanes::Vector;
  using LaneFactor = typename Lanes::LaneFactor;
  static constexpr std::size_t FACTOR_WORDS = Lanes::FACTOR_WORDS;
  static constexpr std::size_t MAX_TWIST_TABLE = std::size_t{1} << ((MAX_LOG2_SLOTS + 1) / 2);

  static void load(void* slots, const Block& from) {
    auto* x = static_cast<Vector*>(slots);
    for (std::size_t j = 0; j < slots_of(from); ++j) {
      prefetch<0>(from, j);
      x[j] = Lanes::load(element(from, j), from.lane_stride);
    }
  }

  static void load_scaled(void* slots, const Block& from, const u64* factors) {
    auto* x = static_cast<Vector*>(slots);
    for (std::size_t j = 0; j < slots_of(from); ++j) {
      prefetch<0>(from, j);
      x[j] = Lanes::times(Lanes::load(element(from, j), from.lane_stride), factors + j * FACTOR_WORDS);
    }
  }

  static void load_twisted(void* slots, const Block& from, const void* tables) {
    auto* x = static_cast<Vector*>(slots);
    const TwistTables twist(from.log2_slots, tables);
    for (std::size_t j = 0; j < slots_of(from); ++j) {
      prefetch<0>(from, j);
      x[j] = twist(Lanes::load(element(from, j), from.lane_stride), j);
    }
  }

  static void load_product(void* slots, const Block& a, const Block& b) {
    auto* x = static_cast<Vector*>(slots);
    for (std::size_t j = 0; j < slots_of(a); ++j) {
      prefetch<0>(a, j);
      prefetch<0>(b, j);
      x[j] = Lanes::product(Lanes::load(element(a, j), a.lane_stride), Lanes::load(element(b, j), b.lane_stride));
    }
  }

  // Node k of a layer with m slots holds a polynomial modulo X^m - c; it splits modulo X^(m/2) - w and X^(m/2) + w with
  // w = twiddles[k] a square root of c, into nodes 2k and 2k + 1 of the next layer (Cooley and Tukey's butterflies in
  // Gentleman and Sande's order). Two layers a step. On node 0, w = 1 needs no multiplication.
  //
  // Bounds in multiples of r: a butterfly by w adds 2 to its inputs' bound. On node 0 a step takes inputs up to 4,
  // after the first step by reduction, and leaves up to 16. So slots are at most 16 + 2 * (log2_slots - 3) <= 32 when
  // odd (the first step's inputs are up to 4), 12 + 2 * (log2_slots - 2) <= 28 when even (they are up to 2).
  static_assert(MAX_LOG2_SLOTS <= 11);
  static void transform(void* slots, int log2_slots, const u64* twiddles) {
    auto* x = static_cast<Vector*>(slots);
    const std::size_t m = std::size_t{1} << log2_slots;
    if (log2_slots % 2 == 0) return first_node<false>(x, m, twiddles);
    for (std::size_t j = 0; j < m / 2; ++j) Lanes::radix2_first(x[j], x[j + m / 2]);
    first_node<false>(x, m / 2, twiddles);
    node(x + m / 2, m / 2, 1, twiddles);
  }

  // The tables are G[j] = scale * ratio^j for j < K and H[i] = ratio^(K i), K = inner_size(): index K i + j is
  // multiplied by G[j] and H[i].
  static void prepare_twist(int log2_slots, const Twist& twist, void* tables) {
    const std::size_t inner = inner_size(log2_slots), outer = (std::size_t{1} << log2_slots) / inner;
    auto *low = static_cast<LaneFactor*>(tables), *high = low + inner;
    Vector step = Lanes::load(twist.ratio, SCALAR_WORDS);
    const LaneFactor ratio = Lanes::prepare(step);
    low[0] = Lanes::prepare(Lanes::load(twist.scale, SCALAR_WORDS));
    for (std::size_t j = 1; j < inner; ++j) low[j] = next_power(low[j - 1], ratio);
    for (std::size_t i = 1; i < inner; i *= 2) step = Lanes::canonical(Lanes::times(step, Lanes::prepare(step)));
    if (outer > 1) high[1] = Lanes::prepare(step);
    for (std::size_t i = 2; i < outer; ++i) high[i] = next_power(high[i - 1], high[1]);
  }

  static void scale(void* slots, int log2_slots, const u64* factors, bool reorder) {
    auto* x = static_cast<Vector*>(slots);
    const std::size_t m = std::size_t{1} << log2_slots;
    for (std::size_t j = 0, slot = 0; j < m; ++j, slot = next_reversed(slot, log2_slots)) {
      if (!reorder) {
        x[slot] = Lanes::times(x[slot], factors + j * FACTOR_WORDS);
      } else if (j <= slot) {
        const Vector value = Lanes::times(x[slot], factors + j * FACTOR_WORDS);
        x[slot] = Lanes::times(x[j], factors + slot * FACTOR_WORDS);
        x[j] = value;
      }
    }
  }

  static void multiply(void* slots, const void* others, int log2_slots) {
    auto* x = static_cast<Vector*>(slots);
    const auto* y = static_cast<const Vector*>(others);
    const std::size_t m = std::size_t{1} << log2_slots;
    for (std::size_t j = 0, slot = 0; j < m; ++j, slot = next_reversed(slot, log2_slots)) {
      if (j > slot) continue;
      const Vector value = Lanes::product(x[slot], y[slot]);
      x[slot] = Lanes::product(x[j], y[j]);
      x[j] = value;
    }
  }

  static void subtract(void* slots, const void* others, int log2_slots) {
    auto* x = static_cast<Vector*>(slots);
    const auto* y = static_cast<const Vector*>(others);
    for (std::size_t j = 0; j < std::size_t{1} << log2_slots; ++j) x[j] = Lanes::difference(x[j], y[j]);
  }

  static void store_twisted(const void* slots, const Block& to, const void* tables) {
    const auto* x = static_cast<const Vector*>(slots);
    const TwistTables twist(to.log2_slots, tables);
    for (std::size_t j = 0, slot = 0; j < slots_of(to); ++j, slot = next_reversed(slot, to.log2_slots)) {
      prefetch<1>(to, j);
      Lanes::store(twist(x[slot], j), element(to, j), to.lane_stride);
    }
  }

  static void store(const void* slots, const Block& to) {
    const auto* x = static_cast<const Vector*>(slots);
    for (std::size_t j = 0, slot = 0; j < slots_of(to); ++j, slot = next_reversed(slot, to.log2_slots)) {
      prefetch<1>(to, j);
      Lanes::store(Lanes::canonical(x[slot]), element(to, j), to.lane_stride);
    }
  }

  static constexpr Kernels kernels() {
    return {.slot_bytes = sizeof(Vector),
            .factor_words = FACTOR_WORDS,
            .twist_bytes = 2 * MAX_TWIST_TABLE * sizeof(LaneFactor),
            .product_log2 = Lanes::PRODUCT_LOG2,
            .prepare_factors = &Lanes::prepare_factors,
            .load = &load,
            .load_scaled = &load_scaled,
            .load_twisted = &load_twisted,
            .load_product = &load_product,
            .transform = &transform,
            .prepare_twist = &prepare_twist,
            .scale = &scale,
            .multiply = &multiply,
            .subtract = &subtract,
            .store_twisted = &store_twisted,
            .store = &store};
  }

 private:
  // What prepare_twist() has left: multiplies the slot with natural index j.
  class TwistTables {
   public:
    TwistTables(int log2_slots, const void* tables)
        : inner_(inner_size(log2_slots)),
          log2_inner_(log2_slots / 2),
          low_(static_cast<const LaneFactor*>(tables)),
          high_(low_ + inner_) {}

    [[gnu::always_inline]] Vector operator()(const Vector& x, std::size_t j) const {
      const Vector product = Lanes::times(x, low_[j & (inner_ - 1)]);
      return j < inner_ ? product : Lanes::times(product, high_[j >> log2_inner_]);
    }

   private:
    std::size_t inner_;
    int log2_inner_;
    const LaneFactor *low_, *high_;
  };

  // Asks for a slot some way ahead: the scalars of a column are far apart in memory, which the processor does not
  // foresee. (Always inline: gcc takes a function that only prefetches for one without effect, and leaves out its
  // calls.)
  template <int for_write>
  [[gnu::always_inline]] static void prefetch(const Block& block, std::size_t slot) {
    constexpr std::size_t DISTANCE = 16, LINE_WORDS = 8;
    constexpr int SECOND_LEVEL_CACHE = 2;
    if (slot + DISTANCE >= slots_of(block) || block.lane_stride != SCALAR_WORDS) return;
    const u64* ahead = element(block, slot + DISTANCE);
    for (std::size_t word = 0; word < LANES * SCALAR_WORDS; word += LINE_WORDS)
      __builtin_prefetch(ahead + word, for_write, SECOND_LEVEL_CACHE);
  }

  static std::size_t slots_of(const Block& block) { return std::size_t{1} << block.log2_slots; }

  static u64* element(const Block& block, std::size_t slot) {
    const std::size_t rotated =
        ((slot << block.rotation) & (slots_of(block) - 1)) | (slot >> (block.log2_slots - block.rotation));
    return block.base + rotated * block.slot_stride;
  }

  // The next of 0, 1, 2, ... with `bits` bits reversed.
  static std::size_t next_reversed(std::size_t reversed, int bits) {
    std::size_t bit = (std::size_t{1} << bits) >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    return reversed | bit;
  }

  static constexpr std::size_t IN_L1 = 64;  // slots that stay in the first-level cache through all their layers

  // Node 0 of its layer, with m a power of 4.
  template <bool reduce>
  static void first_node(Vector* x, std::size_t m, const u64* twiddles) {
    if (m == 1) return;
    const std::size_t quarter = m / 4;
    for (std::size_t j = 0; j < quarter; ++j)
      Lanes::template radix4_first<reduce>(x[j], x[j + quarter], x[j + 2 * quarter], x[j + 3 * quarter],
                                           twiddles + FACTOR_WORDS);
    first_node<true>(x, quarter, twiddles);
    for (std::size_t i = 1; i < 4; ++i) node(x + i * quarter, quarter, i, twiddles);
  }

  // Node `index` > 0 of its layer, with m a power of 4: depth first until it fits the cache, then layer by layer.
  static void node(Vector* x, std::size_t m, std::size_t index, const u64* twiddles) {
    if (m > IN_L1) {
      step(x, m, index, twiddles);
      for (std::size_t i = 0; i < 4; ++i) node(x + i * (m / 4), m / 4, 4 * index + i, twiddles);
      return;
    }
    std::size_t nodes = 1;
    for (std::size_t size = m; size > 1; size /= 4, nodes *= 4)
      for (std::size_t i = 0; i < nodes; ++i) step(x + i * size, size, nodes * index + i, twiddles);
  }

  // Splits node `index` of m slots twice.
  static void step(Vector* x, std::size_t m, std::size_t index, const u64* twiddles) {
    const std::size_t quarter = m / 4;
    const u64 *first = twiddles + index * FACTOR_WORDS, *second = twiddles + 2 * index * FACTOR_WORDS;
    for (std::size_t j = 0; j < quarter; ++j)
      Lanes::radix4(x[j], x[j + quarter], x[j + 2 * quarter], x[j + 3 * quarter], first, second, second + FACTOR_WORDS);
  }

  static std::size_t inner_size(int log2_slots) { return std::size_t{1} << log2_slots / 2; }

  static LaneFactor next_power(const LaneFactor& power, const LaneFactor& ratio) {
    return Lanes::prepare(Lanes::canonical(Lanes::times(Lanes::value(power), ratio)));
  }
};

}  // namespace cuzk::ntt_detail
