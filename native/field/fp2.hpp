// Fp2 = Fp[u] / (u^2 + 1): the field of G2's coordinates.
#pragma once

#include "field/fp.hpp"

namespace cuzk {

struct Fp2 {
  Fp c0, c1;  // c0 + c1 * u

  static constexpr Fp2 zero() { return Fp2{}; }
  static constexpr Fp2 one() { return Fp2{Fp::one(), Fp::zero()}; }

  constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  friend constexpr bool operator==(const Fp2&, const Fp2&) = default;

  friend constexpr Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend constexpr Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  constexpr Fp2 operator-() const { return {-c0, -c1}; }
  constexpr Fp2 doubled() const { return {c0.doubled(), c1.doubled()}; }
  constexpr Fp2 conjugate() const { return {c0, -c1}; }  // also the Frobenius map a -> a^p

  // Karatsuba: three products instead of four.
  friend constexpr Fp2 operator*(const Fp2& a, const Fp2& b) {
    const Fp low = a.c0 * b.c0, high = a.c1 * b.c1;
    return {low - high, (a.c0 + a.c1) * (b.c0 + b.c1) - low - high};
  }

  // (c0 + c1 u)^2 = (c0 + c1)(c0 - c1) + 2 c0 c1 u
  constexpr Fp2 squared() const { return {(c0 + c1) * (c0 - c1), (c0 * c1).doubled()}; }

  friend constexpr Fp2 operator*(const Fp2& a, const Fp& b) { return {a.c0 * b, a.c1 * b}; }

  constexpr Fp2& operator+=(const Fp2& b) { return *this = *this + b; }
  constexpr Fp2& operator-=(const Fp2& b) { return *this = *this - b; }
  constexpr Fp2& operator*=(const Fp2& b) { return *this = *this * b; }

  // 1 / a = conjugate(a) / (c0^2 + c1^2); zero maps to zero.
  constexpr Fp2 inverse() const { return conjugate() * (c0.squared() + c1.squared()).inverse(); }
};

}  // namespace cuzk
