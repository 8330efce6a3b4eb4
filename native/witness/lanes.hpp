// Field elements of several instances side by side, one lane an instance: the portable form.
#pragma once

#include <algorithm>
#include <array>

#include "field/fr.hpp"
#include "field/sum_of_products.hpp"

namespace cuzk {

// What an executor needs of its lanes: this type for elements, Constant for elements that all lanes share, Sum for sums
// of products, and the conversions to and from canonical words.
template <int N>
struct PortableLanes {
  static constexpr int LANES = N;
  using Words = std::array<Fr::Words, N>;  // canonical
  using Mask = u64;                        // bit i belongs to lane i
  static_assert(N <= 64);

  struct Constant {
    Fr value;

    static Constant from_canonical(const Fr::Words& words) { return {Fr::from_canonical(words)}; }
  };

  // sum of coefficient * x
  class Sum {
   public:
    void add(const Constant& coefficient, const PortableLanes& x) {
      for (int i = 0; i < N; ++i) sums_[i].add(coefficient.value, x.lane[i]);
      if (++terms_ == SumOfProducts::MAX_TERMS) reduce();
    }
    PortableLanes value() {
      reduce();
      return reduced_;
    }

   private:
    void reduce() {
      for (int i = 0; i < N; ++i) reduced_.lane[i] += sums_[i].value();
      sums_ = {};
      terms_ = 0;
    }

    std::array<SumOfProducts, N> sums_{};
    PortableLanes reduced_{};
    int terms_ = 0;
  };

  std::array<Fr, N> lane{};

  static PortableLanes broadcast(const Constant& constant) {
    PortableLanes result;
    result.lane.fill(constant.value);
    return result;
  }
  static PortableLanes from_canonical(const Words& words) {
    PortableLanes result;
    for (int i = 0; i < N; ++i) result.lane[i] = Fr::from_canonical(words[i]);
    return result;
  }
  Words to_canonical() const {
    Words words;
    for (int i = 0; i < N; ++i) words[i] = lane[i].to_canonical();
    return words;
  }
  static PortableLanes select(Mask mask, const PortableLanes& set, const PortableLanes& clear) {
    PortableLanes result;
    for (int i = 0; i < N; ++i) result.lane[i] = (mask >> i) & 1 ? set.lane[i] : clear.lane[i];
    return result;
  }

  friend PortableLanes operator+(const PortableLanes& x, const PortableLanes& y) {
    PortableLanes result;
    for (int i = 0; i < N; ++i) result.lane[i] = x.lane[i] + y.lane[i];
    return result;
  }
  friend PortableLanes operator-(const PortableLanes& x, const PortableLanes& y) {
    PortableLanes result;
    for (int i = 0; i < N; ++i) result.lane[i] = x.lane[i] - y.lane[i];
    return result;
  }
  friend PortableLanes operator*(const PortableLanes& x, const PortableLanes& y) {
    PortableLanes result;
    for (int i = 0; i < N; ++i) result.lane[i] = x.lane[i] * y.lane[i];
    return result;
  }
};

}  // namespace cuzk
