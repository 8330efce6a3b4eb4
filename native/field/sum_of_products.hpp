// Sums of products in Fr with one reduction at the end: what linear layers and linear combinations are made of.
#pragma once

#include "field/fr.hpp"

namespace cuzk {

// Accumulates products of Montgomery representatives without reducing them; `value` performs one Montgomery reduction
// for the whole sum. Each product is below r^2 < 2^510, so nine words hold MAX_TERMS of them and the result of the
// reduction stays below 2^263.
class SumOfProducts {
 public:
  static constexpr int MAX_TERMS = 256;

  constexpr void add(const Fr& a, const Fr& b) {
    for (int i = 0; i < Fr::LIMBS; ++i) {
      u64 carry = 0;
      for (int j = 0; j < Fr::LIMBS; ++j) sum_[i + j] = mul_add(sum_[i + j], a.words[i], b.words[j], carry);
      u64 bit = 0;
      sum_[i + 4] = add_carry(sum_[i + 4], carry, bit);
      for (int j = i + 5; j < 9; ++j) sum_[j] = add_carry(sum_[j], 0, bit);
    }
  }

  // sum / R mod r, fully reduced.
  constexpr Fr value() const {
    std::array<u64, 9> t = sum_;
    for (int i = 0; i < Fr::LIMBS; ++i) {  // t += m * r * 2^(64 i), m chosen so that word i becomes 0
      const u64 m = t[i] * NEGATED_INVERSE;
      u64 carry = 0;
      for (int j = 0; j < Fr::LIMBS; ++j) t[i + j] = mul_add(t[i + j], m, Fr::MODULUS[j], carry);
      u64 bit = 0;
      t[i + 4] = add_carry(t[i + 4], carry, bit);
      for (int j = i + 5; j < 9; ++j) t[j] = add_carry(t[j], 0, bit);
    }
    // V = t >> 256 < (MAX_TERMS + 1) r. Subtract floor(V / 2^200 * RECIPROCAL / 2^64) * r, which is at most V and at
    // least V - 3 r: each of the roundings costs less than one r.
    Fr::Words low = {t[4], t[5], t[6], t[7]};
    u64 high = t[8];
    const u64 quotient = static_cast<u64>((u128{(t[7] >> 8) | (t[8] << 56)} * RECIPROCAL) >> 64);
    u64 carry = 0, borrow = 0;
    for (int j = 0; j < Fr::LIMBS; ++j)
      low[j] = sub_borrow(low[j], mul_add(0, quotient, Fr::MODULUS[j], carry), borrow);
    high -= carry + borrow;
    while (high != 0 || !Fr::is_canonical(low)) {
      borrow = 0;
      for (int j = 0; j < Fr::LIMBS; ++j) low[j] = sub_borrow(low[j], Fr::MODULUS[j], borrow);
      high -= borrow;
    }
    return Fr{low};
  }

 private:
  static constexpr u64 NEGATED_INVERSE = 0xfffffffeffffffff;  // -1 / r mod 2^64
  static_assert(NEGATED_INVERSE * Fr::MODULUS[0] == ~u64{0});
  static constexpr u64 RECIPROCAL = ~u64{0} / ((Fr::MODULUS[3] >> 8) + 1);  // below 2^64 / (r / 2^200)

  std::array<u64, 9> sum_{};
};

}  // namespace cuzk
