// Fr over eight lanes of AVX-512 IFMA, five limbs of 52 bits, and multiplication by prepared factors.
//
// Values are plain (not Montgomery) residues below a stated multiple of r; 2^260 > 35 r, so that five limbs hold up to
// 34 r with room. Limbs are computed modulo 2^64, the top one modulo 2^52 (a value modulo 2^260 is the value itself).
// Multiplications read the low 52 bits of a limb only: "carried" limbs are right in these, whatever lies above;
// "normal" limbs have nothing above.
//
// Only files named *_ifma.cpp may include this (see util/isa.hpp); everything here has internal linkage.
#pragma once

#include <cstddef>

#include "field/fr_params.hpp"
#include "field/ifma.hpp"

namespace cuzk::ifma {
namespace {

using FrModulus = Modulus<FrParams, 5>;
using Fr8 = Lanes<FrModulus>;
inline constexpr int FR_LIMBS = FrModulus::LIMBS;

struct FrLimbs {
  u64 limb[FR_LIMBS];
};

// 2^260 - r
inline constexpr FrLimbs FR_COMPLEMENT = [] {
  FrLimbs out{};
  u64 borrow = 0;
  for (int j = 0; j < FR_LIMBS; ++j) {
    const u64 difference = u64{0} - FrModulus::limb(j) - borrow;
    out.limb[j] = difference & MASK52;
    borrow = difference >> 63;
  }
  return out;
}();

// -1 / r mod 2^260, bit by bit: bit i is set where r * (the bits below) + 1 has bit i set.
inline constexpr FrLimbs FR_NEGATED_INVERSE = [] {
  FrLimbs inverse{}, sum{{1}}, shifted{};
  for (int j = 0; j < FR_LIMBS; ++j) shifted.limb[j] = FrModulus::limb(j);
  for (int bit = 0; bit < 52 * FR_LIMBS; ++bit) {
    const bool set = sum.limb[bit / 52] >> (bit % 52) & 1;
    if (set) inverse.limb[bit / 52] |= u64{1} << (bit % 52);
    u64 carry = 0, shift_carry = 0;
    for (int j = 0; j < FR_LIMBS; ++j) {
      const u64 next = sum.limb[j] + (set ? shifted.limb[j] : 0) + carry, twice = 2 * shifted.limb[j] + shift_carry;
      sum.limb[j] = next & MASK52;
      carry = next >> 52;
      shifted.limb[j] = twice & MASK52;
      shift_carry = twice >> 52;
    }
  }
  return inverse;
}();

// A factor w < r and floor(w * 2^260 / r), the same for all lanes, broadcast from memory where they are used.
struct CommonFactor {
  const u64* words;

  CUZK_INLINE Vector value(int j) const { return broadcast(words[j]); }
  CUZK_INLINE Vector quotient(int j) const { return broadcast(words[FR_LIMBS + j]); }
};

// The same with a factor of its own in each lane.
struct LaneFactor {
  Fr8 values;
  Fr8 quotients;

  CUZK_INLINE Vector value(int j) const { return values.limb[j]; }
  CUZK_INLINE Vector quotient(int j) const { return quotients.limb[j]; }
};

CUZK_INLINE Fr8 fr_zero() {
  Fr8 out;
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) out.limb[i] = _mm512_setzero_si512();
  return out;
}

// Limbs of any sign below 2^63 -> carried.
CUZK_INLINE Fr8 carried(Fr8 a) {
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS - 1; ++i) a.limb[i + 1] =
      add(a.limb[i + 1], _mm512_srai_epi64(a.limb[i], 52));
  return a;
}

// Carried -> normal, the top limb included.
CUZK_INLINE Fr8 masked(Fr8 a) {
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) a.limb[i] = low52(a.limb[i]);
  return a;
}

CUZK_INLINE Fr8 plus(const Fr8& a, const Fr8& b) {
  Fr8 out;
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) out.limb[i] = add(a.limb[i], b.limb[i]);
  return out;
}

// Adds a * b * 2^(52 j) modulo 2^260, in columns.
CUZK_INLINE void add_low_columns(Fr8& sum, const Fr8& a, Vector b, int j) {
  CUZK_UNROLL for (int i = 0; i + j < FR_LIMBS; ++i) {
    sum.limb[i + j] = madd_low(sum.limb[i + j], a.limb[i], b);
    if (i + j + 1 < FR_LIMBS) sum.limb[i + j + 1] = madd_high(sum.limb[i + j + 1], a.limb[i], b);
  }
}

// a * w - q * r for carried a <= 34 r, with q from Shoup's method (V. Shoup's NTL; D. Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014): below 2 r. Limbs are below 2^57.
//
// With w' = floor(w * 2^260 / r), q is floor(a * w' / 2^260) but for the columns below 2^208, whose sum is less than
// 8 * 2^208: so q > a * w' / 2^260 - 1 - 2^-49. And a * w' / 2^260 > a * w / r - a / 2^260. Together
// a * w / r - q < 1 + 2^-49 + 34 / 35 < 2, and it is not negative. Modulo 2^260, - q * r is q * (2^260 - r).
template <class Factor>
CUZK_INLINE Fr8 times_columns(const Fr8& a, const Factor& w) {
  constexpr int LOWEST = FR_LIMBS - 1;  // the lowest column of a * w' that counts
  Vector high[FR_LIMBS + 1];            // columns LOWEST ... 2 * FR_LIMBS - 1 of a * w'
  CUZK_UNROLL for (int i = 0; i <= FR_LIMBS; ++i) high[i] = _mm512_setzero_si512();
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) {
    CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j) {
      if (i + j >= LOWEST) high[i + j - LOWEST] = madd_low(high[i + j - LOWEST], a.limb[i], w.quotient(j));
      if (i + j + 1 >= LOWEST) high[i + j + 1 - LOWEST] = madd_high(high[i + j + 1 - LOWEST], a.limb[i], w.quotient(j));
    }
  }
  Fr8 out = fr_zero();
  CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j) add_low_columns(out, a, w.value(j), j);  // need not wait for q
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) high[i + 1] = add(high[i + 1], _mm512_srli_epi64(high[i], 52));
  const Fr8 q = {{high[1], high[2], high[3], high[4], high[5]}};
  CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j) add_low_columns(out, q, broadcast(FR_COMPLEMENT.limb[j]), j);
  return out;
}

// a -> a mod r, up to one r, below 2 r: for a up to 34 r with limbs of any sign below 2^63.
//
// With a = t * 2^208 + ..., floor(35 t / 2^52) is at most a / r since 2^260 / r > 35, and at least a / r - 2 since
// a / r * (1 - 35 r / 2^260) < 0.33.
CUZK_INLINE Fr8 weakly_reduced(const Fr8& a) {
  Fr8 out = masked(carried(a));
  const Vector q = madd_high(_mm512_setzero_si512(), out.limb[FR_LIMBS - 1], broadcast(35));
  CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j) {
    out.limb[j] = madd_low(out.limb[j], q, broadcast(FR_COMPLEMENT.limb[j]));
    if (j + 1 < FR_LIMBS) out.limb[j + 1] = madd_high(out.limb[j + 1], q, broadcast(FR_COMPLEMENT.limb[j]));
  }
  return out;
}

// a -> a mod r, normal, for a below 2 r with limbs of any sign below 2^63.
CUZK_INLINE Fr8 reduced_below_r(const Fr8& a) {
  const Fr8 value = masked(carried(a));
  Fr8 difference;
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) difference.limb[i] = sub(value.limb[i], broadcast(FrModulus::limb(i)));
  difference = carried(difference);
  const __mmask8 below = _mm512_movepi64_mask(difference.limb[FR_LIMBS - 1]);  // the sign of value - r
  difference = masked(difference);
  CUZK_UNROLL for (int i = 0; i < FR_LIMBS; ++i) difference.limb[i] =
      _mm512_mask_mov_epi64(difference.limb[i], below, value.limb[i]);
  return difference;
}

// 2^260 mod r as the words of a CommonFactor; its quotient by long division.
inline constexpr struct FrRadix {
  u64 words[2 * FR_LIMBS]{};

  constexpr FrRadix() {
    u64 rest[FR_LIMBS]{};
    for (int j = 0; j < FR_LIMBS; ++j) rest[j] = words[j] = FrModulus::power_of_two(FrModulus::LOG2_R).value[j];
    for (int bit = 52 * FR_LIMBS - 1; bit >= 0; --bit) {
      u64 reduced[FR_LIMBS]{}, carry = 0, borrow = 0;
      for (int j = 0; j < FR_LIMBS; ++j) {
        const u64 twice = 2 * rest[j] + carry;
        rest[j] = twice & MASK52;
        carry = twice >> 52;
        reduced[j] = (rest[j] - FrModulus::limb(j) - borrow) & MASK52;
        borrow = rest[j] < FrModulus::limb(j) + borrow;
      }
      if (borrow) continue;
      words[FR_LIMBS + bit / 52] |= u64{1} << (bit % 52);
      for (int j = 0; j < FR_LIMBS; ++j) rest[j] = reduced[j];
    }
  }
} FR_RADIX;

// w, normal and below r, made a factor. 2^260 w = w' r + rho with rho = 2^260 w mod r, so that w' = - rho / r mod
// 2^260.
CUZK_INLINE LaneFactor prepared(const Fr8& w) {
  const Fr8 rho = reduced_below_r(times_columns(w, CommonFactor{FR_RADIX.words}));
  Fr8 quotients = fr_zero();
  CUZK_UNROLL for (int j = 0; j < FR_LIMBS; ++j)
      add_low_columns(quotients, rho, broadcast(FR_NEGATED_INVERSE.limb[j]), j);
  return {w, carried(quotients)};
}

// (low >> right) | (high << left)
CUZK_INLINE Vector joined(Vector low, unsigned right, Vector high, unsigned left) {
  return _mm512_or_si512(_mm512_srli_epi64(low, right), _mm512_slli_epi64(high, left));
}

// Four words from each address.
CUZK_INLINE Vector load_pair(const u64* first, const u64* second) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(first))),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second)), 1);
}

// Stores 128-bit parts 0 and 2 at `first`, 1 and 3 at `second`.
CUZK_INLINE void store_pair(Vector parts, u64* first, u64* second) {
  const Vector ordered = _mm512_shuffle_i64x2(parts, parts, 0xd8);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), _mm512_castsi512_si256(ordered));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(second), _mm512_extracti64x4_epi64(ordered, 1));
}

// Eight scalars below 2^256, lane l in four words at from + l * stride. Normal limbs.
CUZK_INLINE Fr8 load_words(const u64* from, std::size_t stride) {
  const Vector a = load_pair(from, from + 2 * stride), b = load_pair(from + stride, from + 3 * stride);
  const Vector c = load_pair(from + 4 * stride, from + 6 * stride), d = load_pair(from + 5 * stride, from + 7 * stride);
  // 128-bit parts: words 0 0, 2 2, 0 0, 2 2 (even) and 1 1, 3 3, 1 1, 3 3 (odd), two parts a pair of lanes
  const Vector even0 = _mm512_unpacklo_epi64(a, b), odd0 = _mm512_unpackhi_epi64(a, b);
  const Vector even4 = _mm512_unpacklo_epi64(c, d), odd4 = _mm512_unpackhi_epi64(c, d);
  const Vector w0 = _mm512_shuffle_i64x2(even0, even4, 0x88), w2 = _mm512_shuffle_i64x2(even0, even4, 0xdd);
  const Vector w1 = _mm512_shuffle_i64x2(odd0, odd4, 0x88), w3 = _mm512_shuffle_i64x2(odd0, odd4, 0xdd);
  return {{low52(w0), low52(joined(w0, 52, w1, 12)), low52(joined(w1, 40, w2, 24)), low52(joined(w2, 28, w3, 36)),
           _mm512_srli_epi64(w3, 16)}};
}

// The way back, from normal limbs.
CUZK_INLINE void store_words(const Fr8& x, u64* to, std::size_t stride) {
  const Vector w0 = joined(x.limb[0], 0, x.limb[1], 52), w1 = joined(x.limb[1], 12, x.limb[2], 40);
  const Vector w2 = joined(x.limb[2], 24, x.limb[3], 28), w3 = joined(x.limb[3], 36, x.limb[4], 16);
  CUZK_UNROLL for (int half = 0; half < 2; ++half) {  // lanes 0 to 3, then 4 to 7
    const Vector even = half == 0 ? _mm512_shuffle_i64x2(w0, w2, 0x44) : _mm512_shuffle_i64x2(w0, w2, 0xee);
    const Vector odd = half == 0 ? _mm512_shuffle_i64x2(w1, w3, 0x44) : _mm512_shuffle_i64x2(w1, w3, 0xee);
    store_pair(_mm512_unpacklo_epi64(even, odd), to, to + 2 * stride);
    store_pair(_mm512_unpackhi_epi64(even, odd), to + stride, to + 3 * stride);
    to += 4 * stride;
  }
}

}  // namespace
}  // namespace cuzk::ifma
