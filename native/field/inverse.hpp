// Modular inverses of multi-word integers by division steps: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd
// computation and modular inversion", https://eprint.iacr.org/2019/266, in the variable-time form with 62 steps a
// batch that P. Wuille describes in libsecp256k1's doc/safegcd_implementation.md. About twenty times faster than
// Fermat's theorem. Timing depends on the input.
#pragma once

#include <array>
#include <bit>

#include "util/limbs.hpp"

namespace cuzk {

using i64 = std::int64_t;
__extension__ typedef __int128 i128;

// Inverses modulo an odd modulus of WORDS 64-bit words, whose top bit is clear.
template <int WORDS>
class Inverter {
 public:
  using Words = std::array<u64, WORDS>;

  constexpr explicit Inverter(const Words& modulus) : modulus_(split(modulus)) {
    for (int i = 0; i < 6; ++i) inverse62_ *= 2 - static_cast<u64>(modulus_[0]) * inverse62_;  // Newton
  }

  // 1 / value, for 0 <= value < modulus; zero maps to zero (and so does what shares a factor with the modulus).
  constexpr Words operator()(const Words& value) const {
    // Invariants: f = d * value and g = e * value modulo the modulus; f is odd; |f|, |g| <= modulus; and
    // -2 * modulus < d, e < modulus.
    Signed f = modulus_, g = split(value), d{}, e{};
    e[0] = 1;
    for (i64 eta = -1; g != Signed{};) {
      const Matrix t = division_steps(eta, static_cast<u64>(f[0]), static_cast<u64>(g[0]));
      transform_exactly(t, f, g);
      transform_modulo(t, d, e);
    }
    return normalized(d, f[LIMBS - 1] < 0);  // f = gcd = +-1 = d * value
  }

 private:
  static constexpr int LIMBS = (64 * WORDS + 61) / 62;
  static constexpr u64 MASK = ~u64{0} >> 2;
  using Signed = std::array<i64, LIMBS>;  // value = sum limb[i] * 2^(62 i), limbs in [0, 2^62) but the top one signed
  struct Matrix {
    i64 u, v, q, r;  // (f, g) -> (u f + v g, q f + r g) / 2^62
  };

  static constexpr Signed split(const Words& words) {
    Signed limbs{};
    for (int i = 0; i < LIMBS; ++i) {
      const int word = 62 * i / 64, shift = 62 * i % 64;
      u64 bits = word < WORDS ? words[word] >> shift : 0;
      if (shift > 0 && word + 1 < WORDS) bits |= words[word + 1] << (64 - shift);
      limbs[i] = static_cast<i64>(bits & MASK);
    }
    return limbs;
  }

  // 62 division steps on the low bits of f (odd) and g. A step is (eta, f, g) -> (-eta - 1, g, (g - f) / 2) if eta < 0
  // and g is odd, else (eta - 1, f, (g + (g mod 2) f) / 2). Runs of zeros are taken at once, and up to six bits of g
  // are cancelled with one multiple of f as long as eta allows.
  static constexpr Matrix division_steps(i64& eta, u64 f, u64 g) {
    u64 u = 1, v = 0, q = 0, r = 1;
    for (int left = 62;;) {
      const int zeros = std::countr_zero(g | (~u64{0} << left));
      g >>= zeros;
      u <<= zeros;
      v <<= zeros;
      eta -= zeros;
      left -= zeros;
      if (left == 0) break;
      u64 w;  // w f + g = 0 modulo 2^(number of bits that may be cancelled)
      if (eta < 0) {
        eta = -eta;
        swap_negated(f, g);
        swap_negated(u, q);
        swap_negated(v, r);
        w = f * g * (f * f - 2) & low_bits(eta, left, 6);  // f (f^2 - 2) = -1 / f mod 2^6
      } else {
        w = (u64{0} - (f + (((f + 1) & 4) << 1))) * g & low_bits(eta, left, 4);  // f + 8 [f = 3, 5 mod 8] = 1 / f
      }
      g += f * w;
      q += u * w;
      r += v * w;
    }
    return {static_cast<i64>(u), static_cast<i64>(v), static_cast<i64>(q), static_cast<i64>(r)};
  }

  static constexpr void swap_negated(u64& a, u64& b) {
    const u64 old = a;
    a = b;
    b = u64{0} - old;
  }

  // Mask of min(eta + 1, left, limit) bits.
  static constexpr u64 low_bits(i64 eta, int left, int limit) {
    i64 bits = eta + 1 < left ? eta + 1 : left;
    if (bits > limit) bits = limit;
    return (u64{1} << bits) - 1;
  }

  // (f, g) -> t (f, g) / 2^62; the division is exact.
  static constexpr void transform_exactly(const Matrix& t, Signed& f, Signed& g) {
    i128 cf = i128{t.u} * f[0] + i128{t.v} * g[0], cg = i128{t.q} * f[0] + i128{t.r} * g[0];
    for (int i = 1; i < LIMBS; ++i) {
      cf = (cf >> 62) + i128{t.u} * f[i] + i128{t.v} * g[i];
      cg = (cg >> 62) + i128{t.q} * f[i] + i128{t.r} * g[i];
      f[i - 1] = static_cast<i64>(static_cast<u64>(cf) & MASK);
      g[i - 1] = static_cast<i64>(static_cast<u64>(cg) & MASK);
    }
    f[LIMBS - 1] = static_cast<i64>(cf >> 62);
    g[LIMBS - 1] = static_cast<i64>(cg >> 62);
  }

  // (d, e) -> t (d, e) / 2^62 modulo the modulus: multiples of it make the division exact and keep the range.
  constexpr void transform_modulo(const Matrix& t, Signed& d, Signed& e) const {
    const i64 d_sign = d[LIMBS - 1] >> 63, e_sign = e[LIMBS - 1] >> 63;
    i64 md = (t.u & d_sign) + (t.v & e_sign), me = (t.q & d_sign) + (t.r & e_sign);
    i128 cd = i128{t.u} * d[0] + i128{t.v} * e[0], ce = i128{t.q} * d[0] + i128{t.r} * e[0];
    md -= static_cast<i64>((inverse62_ * static_cast<u64>(cd) + static_cast<u64>(md)) & MASK);
    me -= static_cast<i64>((inverse62_ * static_cast<u64>(ce) + static_cast<u64>(me)) & MASK);
    cd += i128{modulus_[0]} * md;
    ce += i128{modulus_[0]} * me;
    for (int i = 1; i < LIMBS; ++i) {
      cd = (cd >> 62) + i128{t.u} * d[i] + i128{t.v} * e[i] + i128{modulus_[i]} * md;
      ce = (ce >> 62) + i128{t.q} * d[i] + i128{t.r} * e[i] + i128{modulus_[i]} * me;
      d[i - 1] = static_cast<i64>(static_cast<u64>(cd) & MASK);
      e[i - 1] = static_cast<i64>(static_cast<u64>(ce) & MASK);
    }
    d[LIMBS - 1] = static_cast<i64>(cd >> 62);
    e[LIMBS - 1] = static_cast<i64>(ce >> 62);
  }

  // value or -value, brought from (-2 * modulus, modulus) to [0, modulus).
  constexpr Words normalized(Signed value, bool negate) const {
    if (value[LIMBS - 1] < 0) value = sum(value, modulus_, 1);  // now in (-modulus, modulus)
    if (negate) value = sum(Signed{}, value, -1);
    if (value[LIMBS - 1] < 0) value = sum(value, modulus_, 1);
    Words words{};
    for (int i = 0; i < WORDS; ++i) {
      const int limb = 64 * i / 62, shift = 64 * i % 62;
      words[i] = static_cast<u64>(value[limb]) >> shift;
      if (limb + 1 < LIMBS) words[i] |= static_cast<u64>(value[limb + 1]) << (62 - shift);
    }
    return words;
  }

  // a + sign * b
  static constexpr Signed sum(const Signed& a, const Signed& b, i64 sign) {
    Signed out{};
    i64 carry = 0;
    for (int i = 0; i < LIMBS; ++i) {
      carry += a[i] + sign * b[i];
      out[i] = i + 1 < LIMBS ? carry & static_cast<i64>(MASK) : carry;
      carry >>= 62;
    }
    return out;
  }

  Signed modulus_;
  u64 inverse62_ = 1;  // 1 / modulus mod 2^64
};

}  // namespace cuzk
