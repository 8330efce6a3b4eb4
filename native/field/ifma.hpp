// Prime fields over eight lanes of AVX-512 IFMA: limbs of 52 bits, Montgomery form with R = 2^(52 * LIMBS).
//
// Element i of a vector lives in lane i of each limb. "Normal" means that every limb is below 2^52 except the top one,
// which holds the rest. Values are kept lazily, as multiples of p below a stated bound; R is so much larger than p
// (2^416 against 2^381 in Fp) that a product of two values below 2^13 p needs no reduction beforehand:
//     a b / R + p q / R  <  p (1 + 2^-9)      for a, b < 2^13 p and q < R.
// "About p" below means less than p (1 + 2^-9).
//
// Only files named *_ifma.cpp may include this (see util/isa.hpp); everything here has internal linkage.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // gcc 12 warns inside its own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include <cstdint>

namespace cuzk::ifma {
namespace {

using Vector = __m512i;
using u64 = std::uint64_t;

#define CUZK_INLINE inline __attribute__((always_inline))
#define CUZK_UNROLL _Pragma("GCC unroll 16")

inline constexpr u64 MASK52 = (u64{1} << 52) - 1;

CUZK_INLINE Vector broadcast(u64 value) { return _mm512_set1_epi64(static_cast<long long>(value)); }
CUZK_INLINE Vector add(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
CUZK_INLINE Vector sub(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
CUZK_INLINE Vector low52(Vector a) { return _mm512_and_si512(a, broadcast(MASK52)); }
CUZK_INLINE Vector madd_low(Vector sum, Vector a, Vector b) { return _mm512_madd52lo_epu64(sum, a, b); }
CUZK_INLINE Vector madd_high(Vector sum, Vector a, Vector b) { return _mm512_madd52hi_epu64(sum, a, b); }

// The modulus of a field in 52-bit limbs, with what Montgomery reduction needs. Everything is known at compile time.
template <class Params, int LIMBS_>
struct Modulus {
  static constexpr int LIMBS = LIMBS_;

  // Limb j of factor * p; the top limb holds the rest.
  static constexpr u64 limb(int j, u64 factor = 1) {
    u64 carry = 0, out = 0;
    for (int i = 0; i <= j; ++i) {
      const u64 sum = word52(i) * factor + carry;  // factor < 2^11
      out = i == LIMBS - 1 ? sum : sum & MASK52;
      carry = sum >> 52;
    }
    return out;
  }

  struct Limbs {
    u64 value[LIMBS];
  };

  // 2^exponent mod p, by doubling.
  static constexpr Limbs power_of_two(int exponent) {
    Limbs power{{1}};
    for (int n = 0; n < exponent; ++n) {
      u64 carry = 0, borrow = 0, doubled[LIMBS] = {}, reduced[LIMBS] = {};
      for (int i = 0; i < LIMBS; ++i) {
        doubled[i] = (2 * power.value[i] + carry) & MASK52;
        carry = power.value[i] >> 51;
        reduced[i] = (doubled[i] - word52(i) - borrow) & MASK52;
        borrow = doubled[i] < word52(i) + borrow;
      }
      for (int i = 0; i < LIMBS; ++i) power.value[i] = borrow ? doubled[i] : reduced[i];
    }
    return power;
  }
  static constexpr int LOG2_R = 52 * LIMBS;

  static constexpr u64 NEGATED_INVERSE = [] {  // -1 / p mod 2^52, by Newton's iteration
    u64 inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - Params::MODULUS[0] * inverse;
    return (u64{0} - inverse) & MASK52;
  }();

 private:
  static constexpr u64 word52(int i) {
    const int word = 52 * i / 64, shift = 52 * i % 64;
    u64 bits = Params::MODULUS[word] >> shift;
    if (shift > 12 && word + 1 < Params::LIMBS) bits |= Params::MODULUS[word + 1] << (64 - shift);
    return bits & MASK52;
  }
};

// Eight field elements.
template <class M>
struct Lanes {
  Vector limb[M::LIMBS];
};

template <class M>
CUZK_INLINE Lanes<M> broadcast(const u64* limbs) {
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) out.limb[i] = broadcast(limbs[i]);
  return out;
}

// 2^exponent mod p in every lane.
template <class M, int EXPONENT>
CUZK_INLINE Lanes<M> power_of_two() {
  static constexpr typename M::Limbs limbs = M::power_of_two(EXPONENT);
  return broadcast<M>(limbs.value);
}

// Limbs of any sign whose sum is not negative -> normal.
template <class M>
CUZK_INLINE Lanes<M> normalized(const Lanes<M>& a) {
  Lanes<M> out;
  Vector carry = _mm512_setzero_si512();
  CUZK_UNROLL for (int i = 0; i < M::LIMBS - 1; ++i) {
    const Vector sum = add(a.limb[i], carry);
    out.limb[i] = low52(sum);
    carry = _mm512_srai_epi64(sum, 52);
  }
  out.limb[M::LIMBS - 1] = add(a.limb[M::LIMBS - 1], carry);
  return out;
}

// A product before its reduction: 2 * LIMBS columns of weight 2^(52 i), each a sum of half-products and of any sign.
template <class M>
struct Wide {
  Vector column[2 * M::LIMBS];
};

// a * b for normal a and b: column i below 2 * LIMBS * 2^52.
template <class M>
CUZK_INLINE Wide<M> wide_product(const Lanes<M>& a, const Lanes<M>& b) {
  Wide<M> t;
  CUZK_UNROLL for (int i = 0; i < 2 * M::LIMBS; ++i) t.column[i] = _mm512_setzero_si512();
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) {
    CUZK_UNROLL for (int j = 0; j < M::LIMBS; ++j) {
      t.column[i + j] = madd_low(t.column[i + j], a.limb[i], b.limb[j]);
      t.column[i + j + 1] = madd_high(t.column[i + j + 1], a.limb[i], b.limb[j]);
    }
  }
  return t;
}

// a^2 for normal a: the products off the diagonal once, doubled, then the diagonal.
template <class M>
CUZK_INLINE Wide<M> wide_square(const Lanes<M>& a) {
  Wide<M> t;
  CUZK_UNROLL for (int i = 0; i < 2 * M::LIMBS; ++i) t.column[i] = _mm512_setzero_si512();
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) {
    CUZK_UNROLL for (int j = i + 1; j < M::LIMBS; ++j) {
      t.column[i + j] = madd_low(t.column[i + j], a.limb[i], a.limb[j]);
      t.column[i + j + 1] = madd_high(t.column[i + j + 1], a.limb[i], a.limb[j]);
    }
  }
  CUZK_UNROLL for (int i = 1; i < 2 * M::LIMBS - 1; ++i) t.column[i] = add(t.column[i], t.column[i]);
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) {
    t.column[2 * i] = madd_low(t.column[2 * i], a.limb[i], a.limb[i]);
    t.column[2 * i + 1] = madd_high(t.column[2 * i + 1], a.limb[i], a.limb[i]);
  }
  return t;
}

// t / R modulo p: (t + m p) / R with m < R chosen limb by limb so that the division is exact. The result is in columns,
// limbs of any sign and not normal; it is about p if t is below 2^26 p^2, and negative only if t is.
// Column i + 1 takes what column i carries, an exact multiple of 2^52 by then (arithmetic shift: t may be negative).
template <class M>
CUZK_INLINE Lanes<M> reduced_columns(Wide<M> t) {
  constexpr int L = M::LIMBS;
  CUZK_UNROLL for (int i = 0; i < L; ++i) {
    const Vector m = madd_low(_mm512_setzero_si512(), t.column[i], broadcast(M::NEGATED_INVERSE));
    CUZK_UNROLL for (int j = 0; j < L; ++j) t.column[i + j] = madd_low(t.column[i + j], m, broadcast(M::limb(j)));
    t.column[i + 1] = add(t.column[i + 1], _mm512_srai_epi64(t.column[i], 52));
    CUZK_UNROLL for (int j = 0; j < L; ++j) t.column[i + j + 1] =
        madd_high(t.column[i + j + 1], m, broadcast(M::limb(j)));
  }
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < L; ++i) out.limb[i] = t.column[L + i];
  return out;
}

// a * b / R in columns, about p, for normal a, b < 2^13 p.
template <class M>
CUZK_INLINE Lanes<M> product_columns(const Lanes<M>& a, const Lanes<M>& b) {
  return reduced_columns(wide_product(a, b));
}

template <class M>
CUZK_INLINE Lanes<M> square_columns(const Lanes<M>& a) {
  return reduced_columns(wide_square(a));
}

template <class M>
CUZK_INLINE Lanes<M> operator*(const Lanes<M>& a, const Lanes<M>& b) {
  return normalized(product_columns(a, b));
}

// a - b + factor * p, limb by limb: not normal. The caller knows that it is not negative.
template <class M>
CUZK_INLINE Lanes<M> difference(const Lanes<M>& a, const Lanes<M>& b, u64 factor) {
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) out.limb[i] =
      add(sub(a.limb[i], b.limb[i]), broadcast(M::limb(i, factor)));
  return out;
}

// Subtracts factor * p where the top limb says that a is at least that: limbs in (-2^58, 2^58) carry at most 2^7 into
// the top one, so that what is left alone is below factor * p + 2^8 * 2^(52 * (LIMBS - 1)).
template <class M>
CUZK_INLINE Lanes<M> reduced_once(const Lanes<M>& a, u64 factor) {
  const __mmask8 large =
      _mm512_cmpgt_epi64_mask(a.limb[M::LIMBS - 1], broadcast(M::limb(M::LIMBS - 1, factor) + (1 << 7)));
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) out.limb[i] =
      _mm512_mask_sub_epi64(a.limb[i], large, a.limb[i], broadcast(M::limb(i, factor)));
  return out;
}

// Eight vectors of eight words, transposed: word j of vector i becomes word i of vector j.
CUZK_INLINE void transpose(const Vector in[8], Vector out[8]) {
  Vector a[8], b[8];
  CUZK_UNROLL for (int i = 0; i < 8; i += 2) {
    a[i] = _mm512_unpacklo_epi64(in[i], in[i + 1]);      // words 0 2 4 6 of both
    a[i + 1] = _mm512_unpackhi_epi64(in[i], in[i + 1]);  // words 1 3 5 7
  }
  const Vector even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  CUZK_UNROLL for (int i = 0; i < 8; i += 4) CUZK_UNROLL for (int j = 0; j < 2; ++j) {
    b[i + j] = _mm512_permutex2var_epi64(a[i + j], even, a[i + j + 2]);     // words j, j + 4
    b[i + j + 2] = _mm512_permutex2var_epi64(a[i + j], odd, a[i + j + 2]);  // words j + 2, j + 6
  }
  CUZK_UNROLL for (int j = 0; j < 4; ++j) {
    out[j] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0x44);
    out[j + 4] = _mm512_shuffle_i64x2(b[j], b[j + 4], 0xee);
  }
}

}  // namespace
}  // namespace cuzk::ifma
