// Fp and Fp2 = Fp[u] / (u^2 + 1) over eight lanes, with one interface for the curve arithmetic that is generic in both.
//
// Products of normal values below 2^12 p are about p in each coordinate, squares about 2 p in c1.
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

// factor * p - a, for a below factor * p: normal.
CUZK_INLINE FpLanes negated(const FpLanes& a, u64 factor) {
  FpLanes out;
  CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) out.limb[i] =
      sub(broadcast(FpModulus::limb(i, factor)), a.limb[i]);
  return normalized(out);
}

// a b for a1 below 8 p: c0 = a0 b0 + (8 p - a1) b1, c1 = a0 b1 + a1 b0. Four products and two reductions: Karatsuba's
// method would save one product, and spend as much on additions and carries.
CUZK_INLINE Fp2Lanes product_columns(const Fp2Lanes& a, const Fp2Lanes& b) {
  return {product_sum_columns(a.c0, b.c0, negated(a.c1, 8), b.c1), product_sum_columns(a.c0, b.c1, a.c1, b.c0)};
}

// a conjugate(b) for a0 below 8 p: c0 = a0 b0 + a1 b1, c1 = a1 b0 + (8 p - a0) b1.
CUZK_INLINE Fp2Lanes conjugate_product(const Fp2Lanes& a, const Fp2Lanes& b) {
  return {normalized(product_sum_columns(a.c0, b.c0, a.c1, b.c1)),
          normalized(product_sum_columns(a.c1, b.c0, negated(a.c0, 8), b.c1))};
}

// a^2 for a below 3 p: c0 = (a0 + a1) (a0 - a1 + 3 p), c1 = 2 a0 a1.
CUZK_INLINE Fp2Lanes square_columns(const Fp2Lanes& a) {
  const FpLanes c0 = product_columns(normalized(sum(a.c0, a.c1)), normalized(difference(a.c0, a.c1, 3)));
  const FpLanes half = product_columns(a.c0, a.c1);
  return {c0, sum(half, half)};
}

CUZK_INLINE Fp2Lanes operator*(const Fp2Lanes& a, const Fp2Lanes& b) { return normalized(product_columns(a, b)); }

// What has to be inverted in Fp to divide by a: a itself in Fp, c0^2 + c1^2 in Fp2.
CUZK_INLINE const FpLanes& norm(const FpLanes& a) { return a; }
CUZK_INLINE FpLanes norm(const Fp2Lanes& a) { return normalized(square_columns(a.c0, a.c1)); }

// a / b, given 1 / norm(b).
CUZK_INLINE FpLanes quotient(const FpLanes& a, const FpLanes&, const FpLanes& inverse_norm) { return a * inverse_norm; }
CUZK_INLINE Fp2Lanes quotient(const Fp2Lanes& a, const Fp2Lanes& b, const FpLanes& inverse_norm) {
  return conjugate_product(a, {b.c0 * inverse_norm, b.c1 * inverse_norm});
}

}  // namespace
}  // namespace cuzk::ifma
