// Fp and Fp2 = Fp[u] / (u^2 + 1) over eight lanes, with one interface for the curve arithmetic that is generic in both.
//
// Products of normal values below 2^11 p are about p in each coordinate, squares about 2 p in c1.
#pragma once

#include "field/fp_params.hpp"
#include "field/ifma.hpp"

namespace cuzk::ifma {
namespace {

using FpModulus = Modulus<FpParams, 8>;
using FpLanes = Lanes<FpModulus>;

struct Fp2Lanes {
  FpLanes c0, c1;
};

CUZK_INLINE Fp2Lanes normalized(const Fp2Lanes& a) { return {normalized(a.c0), normalized(a.c1)}; }
CUZK_INLINE Fp2Lanes difference(const Fp2Lanes& a, const Fp2Lanes& b, u64 factor) {
  return {difference(a.c0, b.c0, factor), difference(a.c1, b.c1, factor)};
}
CUZK_INLINE Fp2Lanes reduced_once(const Fp2Lanes& a, u64 factor) {
  return {reduced_once(a.c0, factor), reduced_once(a.c1, factor)};
}

template <class M>
CUZK_INLINE Lanes<M> sum(const Lanes<M>& a, const Lanes<M>& b) {  // limb by limb
  Lanes<M> out;
  CUZK_UNROLL for (int i = 0; i < M::LIMBS; ++i) out.limb[i] = add(a.limb[i], b.limb[i]);
  return out;
}
CUZK_INLINE Fp2Lanes sum(const Fp2Lanes& a, const Fp2Lanes& b) { return {sum(a.c0, b.c0), sum(a.c1, b.c1)}; }

// factor * p - a in the lanes of `mask`, a elsewhere: limb by limb.
CUZK_INLINE FpLanes negated_where(__mmask8 mask, const FpLanes& a, u64 factor) {
  FpLanes out;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) out.limb[i] =
      _mm512_mask_sub_epi64(a.limb[i], mask, broadcast(FpModulus::limb(i, factor)), a.limb[i]);
  return out;
}
CUZK_INLINE Fp2Lanes negated_where(__mmask8 mask, const Fp2Lanes& a, u64 factor) {
  return {negated_where(mask, a.c0, factor), negated_where(mask, a.c1, factor)};
}

// b in the lanes of `mask`, a elsewhere.
CUZK_INLINE FpLanes blend(__mmask8 mask, const FpLanes& a, const FpLanes& b) {
  FpLanes out;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) out.limb[i] =
      _mm512_mask_mov_epi64(a.limb[i], mask, b.limb[i]);
  return out;
}
CUZK_INLINE Fp2Lanes blend(__mmask8 mask, const Fp2Lanes& a, const Fp2Lanes& b) {
  return {blend(mask, a.c0, b.c0), blend(mask, a.c1, b.c1)};
}

// The lanes that are zero modulo p, of a normal value below 2^13 p: a / R is then 0 or p, and nothing else below 2 p is
// zero modulo p.
CUZK_INLINE __mmask8 zero_lanes(const FpLanes& a) {
  Wide<FpModulus> wide;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) {
    wide.column[i] = a.limb[i];
    wide.column[FpModulus::LIMBS + i] = _mm512_setzero_si512();
  }
  const FpLanes reduced = normalized(reduced_columns(wide));
  __mmask8 zero = 0xff, modulus = 0xff;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) {
    zero &= _mm512_cmpeq_epi64_mask(reduced.limb[i], _mm512_setzero_si512());
    modulus &= _mm512_cmpeq_epi64_mask(reduced.limb[i], broadcast(FpModulus::limb(i)));
  }
  return zero | modulus;
}
CUZK_INLINE __mmask8 zero_lanes(const Fp2Lanes& a) { return zero_lanes(a.c0) & zero_lanes(a.c1); }

// One in Montgomery form, in the field of the argument.
CUZK_INLINE FpLanes one(const FpLanes&) { return power_of_two<FpModulus, FpModulus::LOG2_R>(); }
CUZK_INLINE Fp2Lanes one(const Fp2Lanes& a) {
  FpLanes zero;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) zero.limb[i] = _mm512_setzero_si512();
  return {one(a.c0), zero};
}

// The steps of what is done beside two products, half of them beside each.
template <int HALF, class Beside>
CUZK_INLINE auto half(Beside& beside) {
  return CUZK_BODY(i) {
    if constexpr (i % 2 == 0) beside(std::integral_constant<int, HALF * FpModulus::LIMBS / 2 + i / 2>{});
  };
}

// Karatsuba's method, for a and b below 2^11 p: with s = a0 b0 and t = a1 b1,
//     a b = s - t + ((a0 + a1) (b0 + b1) - s - t) u
//     a conjugate(b) = s + t + ((a0 + a1) (b0 - b1 + 3 p) - s + t) u, for b1 below 3 p,
// in columns. What is subtracted may leave as little as -p 2^-13 of c0 of a product; c1 is never negative.
template <bool CONJUGATE, class Beside>
CUZK_INLINE Fp2Lanes karatsuba_columns(const Fp2Lanes& a, const Fp2Lanes& b, Beside&& beside) {
  constexpr int L = FpModulus::LIMBS;
  FpLanes a_sum, b_sum;
  Normalizer<FpModulus, true> a_normalizer, b_normalizer;
  Wide<FpModulus> s = wide_product(
      biased_zero<FpModulus>(), a.c0, b.c0,
      CUZK_BODY(i) { a_sum.limb[i] = a_normalizer.template next<i>(add(a.c0.limb[i], a.c1.limb[i])); });
  const Wide<FpModulus> t = wide_product(
      biased_zero<FpModulus>(0), a.c1, b.c1, CUZK_BODY(i) {
        b_sum.limb[i] = b_normalizer.template next<i>(
            CONJUGATE ? add(sub(b.c0.limb[i], b.c1.limb[i]), broadcast(FpModulus::limb(i, 3)))
                      : add(b.c0.limb[i], b.c1.limb[i]));
      });
  Wide<FpModulus> both;
  Wide<FpModulus> c1 = wide_product(
      biased_zero<FpModulus>(2), a_sum, b_sum, CUZK_BODY(i) {
        unrolled<2 * i, 2 * i + 2>(CUZK_BODY(j) {
          both.column[j] = CONJUGATE ? sub(s.column[j], t.column[j]) : add(s.column[j], t.column[j]);
          s.column[j] = CONJUGATE ? add(s.column[j], t.column[j]) : sub(s.column[j], t.column[j]);
        });
      });
  unrolled<0, L>(CUZK_BODY(i) {
    reduce_column<i>(s);
    c1.column[i] = sub(c1.column[i], both.column[i]);
    c1.column[L + i] = sub(c1.column[L + i], both.column[L + i]);
    beside(i);
    reduce_column<i>(c1);
  });
  return {upper_columns<L>(s), upper_columns<L>(c1)};
}

template <class Beside>
CUZK_INLINE Fp2Lanes product_columns(const Fp2Lanes& a, const Fp2Lanes& b, Beside&& beside) {
  return karatsuba_columns<false>(a, b, beside);
}

// a^2 in columns for a below 3 p: c0 = (a0 + a1) (a0 - a1 + 3 p), c1 = 2 a0 a1.
template <class Beside = Nothing>
CUZK_INLINE Fp2Lanes square_columns(const Fp2Lanes& a, Beside&& beside = {}) {
  const FpLanes c0 =
      product_columns(normalized<true>(sum(a.c0, a.c1)), normalized<true>(difference(a.c0, a.c1, 3)), half<0>(beside));
  const FpLanes half_c1 = product_columns(a.c0, a.c1, half<1>(beside));
  return {c0, sum(half_c1, half_c1)};
}

// What has to be inverted in Fp to divide by a: a itself in Fp, c0^2 + c1^2 in Fp2.
CUZK_INLINE const FpLanes& norm(const FpLanes& a) { return a; }
CUZK_INLINE FpLanes norm(const Fp2Lanes& a) { return normalized(square_sum_columns(Nothing{}, a.c0, a.c1)); }

// a / b in columns, given 1 / norm(b).
template <class Beside>
CUZK_INLINE FpLanes quotient_columns(const FpLanes& a, const FpLanes&, const FpLanes& inverse_norm, Beside&& beside) {
  return product_columns(a, inverse_norm, beside);
}
template <class Beside>
CUZK_INLINE Fp2Lanes quotient_columns(const Fp2Lanes& a, const Fp2Lanes& b, const FpLanes& inverse_norm,
                                      Beside&& beside) {
  const FpLanes c0 = product_columns(b.c0, inverse_norm, beside);
  const FpLanes c1 = product_columns(b.c1, inverse_norm);
  return karatsuba_columns<true>(a, {normalized(c0), normalized(c1)}, Nothing{});
}

// The coordinates of an element over Fp.
template <class C>
inline constexpr int PARTS = sizeof(C) / sizeof(FpLanes);
template <int>
CUZK_INLINE FpLanes& part(FpLanes& a) {
  return a;
}
template <int>
CUZK_INLINE const FpLanes& part(const FpLanes& a) {
  return a;
}
template <int K>
CUZK_INLINE FpLanes& part(Fp2Lanes& a) {
  return K == 0 ? a.c0 : a.c1;
}
template <int K>
CUZK_INLINE const FpLanes& part(const Fp2Lanes& a) {
  return K == 0 ? a.c0 : a.c1;
}

}  // namespace
}  // namespace cuzk::ifma
