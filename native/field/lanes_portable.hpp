// A few field elements side by side, on any processor, so that their multiplications overlap.
//
// Lanes are what kernels over Fr are written in once for all instruction sets: LANES elements in an Element; a
// Coefficient is one element that all lanes share; load, store and prepare go from and to canonical words; Sum adds up
// coefficient * element, elements and coefficients. lanes_ifma.hpp has the same for AVX-512.
#pragma once

#include <algorithm>
#include <cstdint>

#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "field/sum_of_products.hpp"

namespace cuzk {

template <int N>
struct PortableLanes {
  static constexpr int LANES = N;

  struct Element {
    Fr lane[LANES];
  };
  using Coefficient = Fr;

  static Coefficient prepare(const u64* canonical) { return Fr::from_canonical(load_words<Fr>(canonical)); }

  static Element load(const u64 (&words)[LANES][Fr::LIMBS]) {
    Element x;
    for (int i = 0; i < LANES; ++i) x.lane[i] = prepare(words[i]);
    return x;
  }

  static void store(const Element& x, u64 (&words)[LANES][Fr::LIMBS]) {
    for (int i = 0; i < LANES; ++i) std::ranges::copy(x.lane[i].to_canonical(), words[i]);
  }

  static Element product(const Element& x, const Element& y) {
    Element z;
    for (int i = 0; i < LANES; ++i) z.lane[i] = x.lane[i] * y.lane[i];
    return z;
  }

  static Element select(u64 mask, const Element& set, const Element& clear) {
    Element z;
    for (int i = 0; i < LANES; ++i) z.lane[i] = (mask >> i) & 1 ? set.lane[i] : clear.lane[i];
    return z;
  }

  class Sum {
   public:
    Sum() = default;
    explicit Sum(const Coefficient& constant) { std::ranges::fill(sum_.lane, constant); }

    void add_product(const Coefficient& coefficient, const Element& x) {
      if (products_ == SumOfProducts::MAX_TERMS) reduce();
      ++products_;
      for (int i = 0; i < LANES; ++i) wide_[i].add(coefficient, x.lane[i]);
    }
    void add(const Element& x) {
      for (int i = 0; i < LANES; ++i) sum_.lane[i] += x.lane[i];
    }
    void subtract(const Element& x) {
      for (int i = 0; i < LANES; ++i) sum_.lane[i] -= x.lane[i];
    }
    void add_where(u64 mask, const Coefficient& coefficient) {
      for (int i = 0; i < LANES; ++i)
        if ((mask >> i) & 1) sum_.lane[i] += coefficient;
    }
    Element value() {
      if (products_ > 0) reduce();
      return sum_;
    }

   private:
    void reduce() {
      for (int i = 0; i < LANES; ++i) {
        sum_.lane[i] += wide_[i].value();
        wide_[i] = {};
      }
      products_ = 0;
    }

    Element sum_{};
    SumOfProducts wide_[LANES]{};
    int products_ = 0;
  };
};

}  // namespace cuzk
