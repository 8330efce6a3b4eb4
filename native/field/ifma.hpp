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
#include <utility>

namespace cuzk::ifma {
namespace {

using Vector = __m512i;
using u64 = std::uint64_t;

#define CUZK_INLINE inline __attribute__((always_inline))
#define CUZK_UNROLL _Pragma("GCC unroll 16")

// body(FROM), ..., body(TO - 1), each with its number as a constant: for the inner loops, since CUZK_UNROLL leaves
// loops as they are where gcc's budget for unrolling is spent, in large functions.
template <int FROM, int TO, class Body>
CUZK_INLINE void unrolled(Body body) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (body(std::integral_constant<int, FROM + I>{}), ...);
  }(std::make_integer_sequence<int, TO - FROM>{});
}
#define CUZK_BODY(i) [&](auto i) __attribute__((always_inline))

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

// Makes the limbs of a number normal, from the lowest up, whatever their signs. Multiply-adds read the low 52 bits of a
// limb alone: a number that is only a FACTOR keeps what it carried above them.
template <class M, bool FACTOR = false>
class Normalizer {
 public:
  template <int I>
  CUZK_INLINE Vector next(Vector limb) {
    const Vector sum = I == 0 ? limb : add(limb, carry_);
    if constexpr (I == M::LIMBS - 1) return sum;
    carry_ = _mm512_srai_epi64(sum, 52);
    return FACTOR ? sum : low52(sum);
  }

 private:
  Vector carry_;
};

// Limbs of any sign whose sum is not negative -> normal.
template <bool FACTOR = false, class M>
CUZK_INLINE Lanes<M> normalized(const Lanes<M>& a) {
  Lanes<M> out;
  Normalizer<M, FACTOR> normalizer;
  unrolled<0, M::LIMBS>(CUZK_BODY(i) { out.limb[i] = normalizer.template next<i>(a.limb[i]); });
  return out;
}

// A product on its way to reduction: 2 * LIMBS columns of weight 2^(52 i), each a sum of half-products and of any sign.
template <class M>
struct Wide {
  Vector column[2 * M::LIMBS];
};

// Montgomery's reduction takes the columns i < LIMBS from below and adds to each the multiple m p that makes it
// divisible by 2^52; column i + 1 takes what column i then carries, the quotient rounded up. A bias of 2^52 - 1 that
// these columns have from the start turns that into a plain shift (arithmetic, for a column may be negative): no need
// to wait for the lowest half-product of m p. Zero with so many biases:
template <class M>
CUZK_INLINE Wide<M> biased_zero(int biases = 1) {
  Wide<M> t;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) t.column[i] = broadcast(biases * MASK52);
  CUZK_UNROLL for (int i = M::LIMBS; i < 2 * M::LIMBS; ++i) t.column[i] = _mm512_setzero_si512();
  return t;
}

// Step I of the reduction. m = column / -p mod 2^52, of which multiplications read the low 52 bits alone: for the
// biased column c it is (c + 1) / -p, and what is above these bits does no harm.
template <int I, class M>
CUZK_INLINE void reduce_column(Wide<M>& t) {
  constexpr int L = M::LIMBS;
  const Vector m = madd_low(broadcast(M::NEGATED_INVERSE), t.column[I], broadcast(M::NEGATED_INVERSE));
  t.column[I + 1] = add(t.column[I + 1], _mm512_srai_epi64(t.column[I], 52));
  t.column[I + 1] = madd_high(t.column[I + 1], m, broadcast(M::limb(0)));
  unrolled<1, L>(CUZK_BODY(j) { t.column[I + j] = madd_low(t.column[I + j], m, broadcast(M::limb(j))); });
  unrolled<1, L>(CUZK_BODY(j) { t.column[I + j + 1] = madd_high(t.column[I + j + 1], m, broadcast(M::limb(j))); });
}

// t += 2^(52 I) a_I b, nothing if there is no limb I. Columns stay below 2 * LIMBS * 2^52 for each product.
template <int I, class M>
CUZK_INLINE void add_row(Wide<M>& t, const Lanes<M>& a, const Lanes<M>& b) {
  constexpr int L = M::LIMBS;
  if constexpr (I < L) {
    unrolled<0, L>(CUZK_BODY(j) { t.column[I + j] = madd_low(t.column[I + j], a.limb[I], b.limb[j]); });
    unrolled<0, L>(CUZK_BODY(j) { t.column[I + j + 1] = madd_high(t.column[I + j + 1], a.limb[I], b.limb[j]); });
  }
}

// What is left above the first STEPS columns when these are reduced.
template <int STEPS, class M>
CUZK_INLINE Lanes<M> upper_columns(const Wide<M>& t) {
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) out.limb[i] = t.column[STEPS + i];
  return out;
}

// t / R modulo p, for t without bias: (t + m p) / R with m < R. The result is in columns, limbs of any sign and not
// normal; it is about p if t is below 2^26 p^2, and negative only if t is.
template <class M>
CUZK_INLINE Lanes<M> reduced_columns(Wide<M> t) {
  unrolled<0, M::LIMBS>(CUZK_BODY(i) {
    t.column[i] = add(t.column[i], broadcast(MASK52));
    reduce_column<i>(t);
  });
  return upper_columns<M::LIMBS>(t);
}

// a / 2^(52 STEPS) modulo p in columns, for normal a: below a / 2^(52 STEPS) + p.
template <int STEPS, class M>
CUZK_INLINE Lanes<M> divided_columns(const Lanes<M>& a) {
  Wide<M> t;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) {
    t.column[i] = i < STEPS ? add(a.limb[i], broadcast(MASK52)) : a.limb[i];
    t.column[M::LIMBS + i] = _mm512_setzero_si512();
  }
  unrolled<0, STEPS>(CUZK_BODY(i) { reduce_column<i>(t); });
  return upper_columns<STEPS>(t);
}

// Products and their reductions take turns, row by row: a step of the reduction alone would wait for its m, while a row
// of the product has nothing to wait for.
//
// `beside(i)`, i = 0, ..., LIMBS - 1, is other work, dealt among the rows: a processor has ports that multiply-adds
// cannot use, and they would stay empty if that work came before or after all of them.

struct Nothing {
  template <class Step>
  CUZK_INLINE void operator()(Step) const {}
};

// start + a b
template <class M, class Beside>
CUZK_INLINE Wide<M> wide_product(const Wide<M>& start, const Lanes<M>& a, const Lanes<M>& b, Beside&& beside) {
  Wide<M> t = start;
  unrolled<0, M::LIMBS>(CUZK_BODY(i) {
    add_row<i>(t, a, b);
    beside(i);
  });
  return t;
}

// a * b / R in columns, about p, for normal a, b < 2^13 p.
template <class M, class Beside = Nothing>
CUZK_INLINE Lanes<M> product_columns(const Lanes<M>& a, const Lanes<M>& b, Beside&& beside = {}) {
  Wide<M> t = biased_zero<M>();
  add_row<0>(t, a, b);
  unrolled<0, M::LIMBS>(CUZK_BODY(i) {
    add_row<i + 1>(t, a, b);
    beside(i);
    reduce_column<i>(t);
  });
  return upper_columns<M::LIMBS>(t);
}

// cross += the products a_I a_j, j > I, that a square holds twice.
template <int I, class M>
CUZK_INLINE void add_cross_row(Wide<M>& cross, const Lanes<M>& a) {
  constexpr int L = M::LIMBS;
  unrolled<I + 1, L>(CUZK_BODY(j) { cross.column[I + j] = madd_low(cross.column[I + j], a.limb[I], a.limb[j]); });
  unrolled<I + 1, L>(
      CUZK_BODY(j) { cross.column[I + j + 1] = madd_high(cross.column[I + j + 1], a.limb[I], a.limb[j]); });
}

template <int I, class M>
CUZK_INLINE void add_diagonal(Wide<M>& t, const Lanes<M>& a) {
  t.column[2 * I] = madd_low(t.column[2 * I], a.limb[I], a.limb[I]);
  t.column[2 * I + 1] = madd_high(t.column[2 * I + 1], a.limb[I], a.limb[I]);
}

// The sum of squares over R in columns, as product_columns. Once row i is there, the columns 2 i and 2 i + 1 of the
// cross products are complete.
template <class M, class Beside, class... More>
CUZK_INLINE Lanes<M> square_sum_columns(Beside&& beside, const Lanes<M>& a, const More&... more) {
  constexpr int L = M::LIMBS;
  Wide<M> t = biased_zero<M>(), cross;
  CUZK_UNROLL for (int i = 0; i < 2 * L; ++i) cross.column[i] = _mm512_setzero_si512();
  unrolled<0, L>(CUZK_BODY(i) {
    add_cross_row<i>(cross, a);
    (add_cross_row<i>(cross, more), ...);
    t.column[2 * i] = add(t.column[2 * i], add(cross.column[2 * i], cross.column[2 * i]));
    t.column[2 * i + 1] = add(t.column[2 * i + 1], add(cross.column[2 * i + 1], cross.column[2 * i + 1]));
    add_diagonal<i>(t, a);
    (add_diagonal<i>(t, more), ...);
    beside(i);
    if constexpr (i > 0) reduce_column<i - 1>(t);
  });
  reduce_column<L - 1>(t);
  return upper_columns<L>(t);
}

template <class M, class Beside = Nothing>
CUZK_INLINE Lanes<M> square_columns(const Lanes<M>& a, Beside&& beside = {}) {
  return square_sum_columns(beside, a);
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

// Eight vectors of eight words, transposed: word j of vector i becomes word i of vector j. In eight steps of three
// shuffles, for work beside products.
class Transposition {
 public:
  // in(i) is vector i.
  template <int STEP, class In>
  CUZK_INLINE void step(In in) {
    constexpr int ORDER[24] = {0, 1, 2, 3, 8, 10, 9, 11, 4, 5, 6, 7, 12, 14, 13, 15, 16, 20, 17, 21, 18, 22, 19, 23};
    unrolled<0, 3>(CUZK_BODY(i) { shuffle<ORDER[3 * STEP + i]>(in); });
  }

  Vector out[8];

 private:
  template <int N, class In>
  CUZK_INLINE void shuffle(In in) {
    constexpr int J = N % 8, SIDE = J & 4, ROW = J & 1;
    if constexpr (N < 8) {
      const Vector low = in(std::integral_constant<int, J - ROW>{}),
                   high = in(std::integral_constant<int, J - ROW + 1>{});
      pairs_[J] =
          ROW == 0 ? _mm512_unpacklo_epi64(low, high) : _mm512_unpackhi_epi64(low, high);  // words ROW, ROW + 2, ..
    } else if constexpr (N < 16) {
      const Vector even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                   odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
      fours_[J] = _mm512_permutex2var_epi64(pairs_[SIDE + ROW], (J & 2) == 0 ? even : odd,
                                            pairs_[SIDE + ROW + 2]);  // words J % 4, J % 4 + 4
    } else {
      out[J] = SIDE == 0 ? _mm512_shuffle_i64x2(fours_[J], fours_[J + 4], 0x44)
                         : _mm512_shuffle_i64x2(fours_[J - 4], fours_[J], 0xee);
    }
  }

  Vector pairs_[8], fours_[8];
};

CUZK_INLINE void transpose(const Vector in[8], Vector out[8]) {
  Transposition transposition;
  unrolled<0, 8>(CUZK_BODY(i) { transposition.template step<i>([&](int j) { return in[j]; }); });
  CUZK_UNROLL for (int i = 0; i < 8; ++i) out[i] = transposition.out[i];
}

}  // namespace
}  // namespace cuzk::ifma
