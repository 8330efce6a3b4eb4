// Prime fields in Montgomery form over 64-bit limbs: the portable arithmetic that every other path is tested against.
//
// An element x is held as x * R mod p with R = 2^(64 * LIMBS), fully reduced (< p). Multiplication is the "no-carry"
// variant of CIOS (Acar 1996; https://hackmd.io/@gnark/modular_multiplication), valid because the top limb of p is
// below 2^63.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "field/inverse.hpp"
#include "field/montgomery_x86.hpp"
#include "util/limbs.hpp"

namespace cuzk {

// Params gives LIMBS (number of 64-bit words) and MODULUS (little-endian words of an odd prime).
template <class Params>
struct Field {
  static constexpr int LIMBS = Params::LIMBS;
  using Words = std::array<u64, LIMBS>;
  static constexpr Words MODULUS = Params::MODULUS;
  static_assert(MODULUS[LIMBS - 1] < (u64{1} << 63) - 1 && (MODULUS[0] & 1) == 1);

  Words words{};  // Montgomery form, < MODULUS

  static constexpr Field zero() { return Field{}; }
  static constexpr Field one() { return Field{R}; }

  // Montgomery form of a canonical integer; the caller has checked is_canonical(integer).
  static constexpr Field from_canonical(const Words& integer) { return Field{integer} * Field{R2}; }
  static constexpr Field from_u64(u64 integer) { return from_canonical(Words{integer}); }
  constexpr Words to_canonical() const { return (*this * Field{Words{1}}).words; }

  static constexpr bool is_canonical(const Words& integer) {
    u64 borrow = 0;
    for (int i = 0; i < LIMBS; ++i) sub_borrow(integer[i], MODULUS[i], borrow);
    return borrow == 1;
  }

  constexpr bool is_zero() const { return words == Words{}; }
  friend constexpr bool operator==(const Field&, const Field&) = default;

  friend constexpr Field operator+(const Field& a, const Field& b) {
    Field sum;
    u64 carry = 0;  // stays 0 at the end: both are < p < 2^(64 * LIMBS - 1)
    for (int i = 0; i < LIMBS; ++i) sum.words[i] = add_carry(a.words[i], b.words[i], carry);
    return sum.reduced_once();
  }

  friend constexpr Field operator-(const Field& a, const Field& b) {
    Field difference;
    u64 borrow = 0;
    for (int i = 0; i < LIMBS; ++i) difference.words[i] = sub_borrow(a.words[i], b.words[i], borrow);
    const u64 mask = u64{0} - borrow;  // add p back if a < b
    u64 carry = 0;
    for (int i = 0; i < LIMBS; ++i) difference.words[i] = add_carry(difference.words[i], MODULUS[i] & mask, carry);
    return difference;
  }

  constexpr Field operator-() const { return zero() - *this; }
  constexpr Field doubled() const { return *this + *this; }
  constexpr Field squared() const { return *this * *this; }

  // a * b / R mod p
  friend constexpr Field operator*(const Field& a, const Field& b) {
#if defined(__x86_64__)
    if constexpr (LIMBS == 4 || LIMBS == 6)
      if (!std::is_constant_evaluated() && x86::HAS_ADX)
        return Field{x86::product(a.words, b.words, MODULUS, NEGATED_INVERSE)}.reduced_once();
#endif
    Words t{};
    for (int i = 0; i < LIMBS; ++i) {
      u64 product_carry = 0, reduction_carry = 0;
      const u64 low = mul_add(t[0], a.words[0], b.words[i], product_carry);
      const u64 m = low * NEGATED_INVERSE;  // low + m * p[0] = 0 mod 2^64
      (void)mul_add(low, m, MODULUS[0], reduction_carry);
      for (int j = 1; j < LIMBS; ++j) {
        const u64 word = mul_add(t[j], a.words[j], b.words[i], product_carry);
        t[j - 1] = mul_add(word, m, MODULUS[j], reduction_carry);
      }
      t[LIMBS - 1] = product_carry + reduction_carry;  // no overflow: see the header
    }
    return Field{t}.reduced_once();
  }

  // this / 2^(64 * STEPS): that many steps of the reduction, on their own.
  template <int STEPS>
  constexpr Field divided_by_words() const {
    Words t = words;
    for (int i = 0; i < STEPS; ++i) {
      const u64 m = t[0] * NEGATED_INVERSE;  // t[0] + m * p[0] = 0 mod 2^64
      u64 carry = 0;
      (void)mul_add(t[0], m, MODULUS[0], carry);
      for (int j = 1; j < LIMBS; ++j) t[j - 1] = mul_add(t[j], m, MODULUS[j], carry);
      t[LIMBS - 1] = carry;
    }
    return Field{t}.reduced_once();
  }

  constexpr Field& operator+=(const Field& b) { return *this = *this + b; }
  constexpr Field& operator-=(const Field& b) { return *this = *this - b; }
  constexpr Field& operator*=(const Field& b) { return *this = *this * b; }

  // this^exponent, exponent little-endian; variable time in the exponent.
  constexpr Field pow(std::span<const u64> exponent) const {
    Field power = one();
    for (std::size_t i = exponent.size(); i-- > 0;)
      for (int bit = 63; bit >= 0; --bit) {
        power = power.squared();
        if ((exponent[i] >> bit) & 1) power *= *this;
      }
    return power;
  }

  // 1 / this; zero maps to zero. words = x R, so that its inverse needs two factors R to become x^-1 R.
  constexpr Field inverse() const { return from_canonical(from_canonical(INVERTER(words)).words); }

 private:
  constexpr Field reduced_once() const {
    Field reduced;
    u64 borrow = 0;
    for (int i = 0; i < LIMBS; ++i) reduced.words[i] = sub_borrow(words[i], MODULUS[i], borrow);
    const u64 keep = u64{0} - borrow;  // all ones if *this < p
    for (int i = 0; i < LIMBS; ++i) reduced.words[i] = (words[i] & keep) | (reduced.words[i] & ~keep);
    return reduced;
  }

  // -1 / p mod 2^64 by Newton's iteration, which doubles the number of correct bits.
  static constexpr u64 NEGATED_INVERSE = [] {
    u64 inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - MODULUS[0] * inverse;
    return u64{0} - inverse;
  }();

  // 2^bits mod p by doubling.
  static constexpr Words power_of_two(int bits) {
    Field power{Words{1}};
    for (int i = 0; i < bits; ++i) {
      u64 carry = 0;
      for (int j = 0; j < LIMBS; ++j) power.words[j] = add_carry(power.words[j], power.words[j], carry);
      power = power.reduced_once();
    }
    return power.words;
  }
  static constexpr Inverter<LIMBS> INVERTER{MODULUS};

  static constexpr Words R = power_of_two(64 * LIMBS);       // 1 in Montgomery form
  static constexpr Words R2 = power_of_two(2 * 64 * LIMBS);  // converts into Montgomery form
};

}  // namespace cuzk
