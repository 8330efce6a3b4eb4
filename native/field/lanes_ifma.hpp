// Eight elements of Fr side by side in AVX-512 IFMA, as lanes_portable.hpp describes them. Elements are in Montgomery
// form, R = 2^260, with normal limbs, below 2 r.
//
// Only files named *_ifma.cpp may include this (see util/isa.hpp); everything here has internal linkage.
#pragma once

#include "field/fr_ifma.hpp"

namespace cuzk::ifma {
namespace {

struct IfmaLanes {
  static constexpr int LANES = 8;
  static constexpr int FR_WORDS = FrParams::LIMBS;
  using Element = Fr8;
  using Coefficient = FrLimbs;  // below r

  // x R = x * R^2 / R
  CUZK_INLINE static Element load(const u64 (&words)[LANES][FR_WORDS]) {
    return product(load_words(words[0], FR_WORDS), power_of_two<FrModulus, 2 * FrModulus::LOG2_R>());
  }

  CUZK_INLINE static Coefficient prepare(const u64* canonical) {
    u64 words[LANES][FR_WORDS];
    for (auto& lane : words)
      for (int i = 0; i < FR_WORDS; ++i) lane[i] = canonical[i];
    const Element x = reduced_below_r(load(words));
    Coefficient limbs;
    CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) limbs.limb[i] =
        static_cast<u64>(_mm_cvtsi128_si64(_mm512_castsi512_si128(x.limb[i])));
    return limbs;
  }

  // Montgomery reduction of x itself is x / R: at most (2 r + R r) / R, below 2 r.
  CUZK_INLINE static void store(const Element& x, u64 (&words)[LANES][FR_WORDS]) {
    Wide<FrModulus> wide;
    CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) {
      wide.column[i] = x.limb[i];
      wide.column[FR_LIMBS + i] = _mm512_setzero_si512();
    }
    store_words(reduced_below_r(reduced_columns(wide)), words[0], FR_WORDS);
  }

  // x y / R + r is up to (4 / 35 + 1) r.
  CUZK_INLINE static Element product(const Element& x, const Element& y) {
    return masked(carried(product_columns(x, y)));
  }

  CUZK_INLINE static Element select(u64 mask, const Element& set, const Element& clear) {
    Element z;
    CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) z.limb[i] =
        _mm512_mask_mov_epi64(clear.limb[i], static_cast<__mmask8>(mask), set.limb[i]);
    return z;
  }

  class Sum {
   public:
    CUZK_INLINE Sum() : Sum(fr_zero(), 0) {}
    CUZK_INLINE explicit Sum(const Coefficient& constant) : Sum(broadcast<FrModulus>(constant.limb), 1) {}

    // A column gains at most 2 * 5 * 2^52 each time, so that MAX_PRODUCTS of them stay below 2^63.
    CUZK_INLINE void add_product(const Coefficient& coefficient, const Element& x) {
      if (products_ == MAX_PRODUCTS) reduce();
      ++products_;
      CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) {
        const Vector limb = broadcast(coefficient.limb[i]);
        CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j) {
          wide_.column[i + j] = madd_low(wide_.column[i + j], limb, x.limb[j]);
          wide_.column[i + j + 1] = madd_high(wide_.column[i + j + 1], limb, x.limb[j]);
        }
      }
    }
    CUZK_INLINE void add(const Element& x) {
      make_room(2);
      sum_ = plus(sum_, x);
    }
    CUZK_INLINE void subtract(const Element& x) {
      make_room(2);
      sum_ = difference(sum_, x, 2);
    }
    CUZK_INLINE void add_where(u64 mask, const Coefficient& coefficient) {
      make_room(1);
      CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) sum_.limb[i] = _mm512_mask_add_epi64(
          sum_.limb[i], static_cast<__mmask8>(mask), sum_.limb[i], broadcast(coefficient.limb[i]));
    }
    CUZK_INLINE Element value() {
      if (products_ > 0) reduce();
      return masked(carried(weakly_reduced(sum_)));
    }

   private:
    CUZK_INLINE Sum(const Element& sum, int bound) : sum_(sum), bound_(bound) { clear_products(); }

    static constexpr int MAX_PRODUCTS = 128;
    static constexpr int MAX_BOUND = 34;  // of what weakly_reduced takes

    // n products are below 2 n r^2; over R they are below (2 n / 35 + 1) r.
    CUZK_INLINE void reduce() {
      make_room(2 * products_ / 35 + 2);
      sum_ = plus(sum_, reduced_columns(wide_));
      clear_products();
    }

    CUZK_INLINE void clear_products() {
      CUZK_UNROLL for (int i = 0; i < 2 * FR_LIMBS; ++i) wide_.column[i] = _mm512_setzero_si512();
      products_ = 0;
    }

    CUZK_INLINE void make_room(int multiple) {
      if (bound_ + multiple > MAX_BOUND) {
        sum_ = weakly_reduced(sum_);
        bound_ = 2;
      }
      bound_ += multiple;
    }

    Element sum_;
    int bound_;  // sum_ is below this multiple of r
    Wide<FrModulus> wide_;
    int products_ = 0;
  };
};

}  // namespace
}  // namespace cuzk::ifma
