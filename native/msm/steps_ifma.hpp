// Parts of eight additions that are computed limb by limb, beside products: step i makes limb i of every coordinate.
// Only for *_ifma.cpp.
//
// Bounds: coordinates in memory are below 2 p (1 + 2^-8), so below 2.01 p; products are about p, which is below 1.01 p.
#pragma once

#include "msm/addends_ifma.hpp"

namespace cuzk::ifma {
namespace {

template <class Point>
struct CoordinateOf;
template <>
struct CoordinateOf<G1Limbs> {
  using Type = FpLanes;
};
template <>
struct CoordinateOf<G2Limbs> {
  using Type = Fp2Lanes;
};

CUZK_INLINE void load_lanes(const u64 (*rows)[8][8], FpLanes& out) {
  CUZK_UNROLL for (int l = 0; l < 8; ++l) out.limb[l] = _mm512_load_si512(rows[0][l]);
}
CUZK_INLINE void load_lanes(const u64 (*rows)[8][8], Fp2Lanes& out) {
  load_lanes(rows, out.c0);
  load_lanes(rows + 1, out.c1);
}
CUZK_INLINE void store_lanes(const FpLanes& in, u64 (*rows)[8][8], __mmask8 lanes) {
  if (lanes == 0xff) {
    CUZK_UNROLL for (int l = 0; l < 8; ++l) _mm512_store_si512(rows[0][l], in.limb[l]);
  } else {
    CUZK_UNROLL for (int l = 0; l < 8; ++l) _mm512_mask_store_epi64(rows[0][l], lanes, in.limb[l]);
  }
}
CUZK_INLINE void store_lanes(const Fp2Lanes& in, u64 (*rows)[8][8], __mmask8 lanes) {
  store_lanes(in.c0, rows, lanes);
  store_lanes(in.c1, rows + 1, lanes);
}

// What eight additions need between the passes.
template <class C>
struct alignas(64) Pending {
  C denominator;       // x2 - x1 + 3 p, or what replaces it until lambda is known; at last x1 - x3 + 3 p
  FpLanes norm;        // of the denominator
  FpLanes reciprocal;  // of the norm; before, the product of the norms that precede it
  C slope;             // lambda; before, its numerator
  __mmask8 active;     // lanes with an addition
  __mmask8 doubled;    // lanes with equal points
};
template <>
struct alignas(64) Pending<FpLanes> {
  union {
    FpLanes denominator, norm;
  };
  FpLanes reciprocal, slope;
  __mmask8 active, doubled;
};

// For a coordinate that is only a factor of products: those in Fp2 need sums of its parts.
template <class C>
using FactorNormalizer = Normalizer<FpModulus, PARTS<C> == 1>;

// All of these, one after the other, at each step.
template <class... Steps>
CUZK_INLINE auto all(Steps&... steps) {
  return CUZK_BODY(i) { (steps(i), ...); };
}

// All steps of the first, two at a time, and then those of the second.
template <class First, class Second>
CUZK_INLINE auto in_turn(First& first, Second& second) {
  return CUZK_BODY(i) {
    constexpr int HALF = FpModulus::LIMBS / 2, START = 2 * (i % HALF);
    unrolled<START, START + 2>(CUZK_BODY(j) {
      if constexpr (i < HALF) {
        first(j);
      } else {
        second(j);
      }
    });
  };
}

template <class Steps>
CUZK_INLINE void run_all(Steps&& steps) {
  unrolled<0, FpModulus::LIMBS>(CUZK_BODY(i) { steps(i); });
}

// Limbs of any sign, made normal: of a factor.
template <class C>
class Normal {
 public:
  CUZK_INLINE Normal(const C& columns, C& out) : columns_(columns), out_(&out) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    constexpr int I = Step::value;
    unrolled<0, PARTS<C>>(
        CUZK_BODY(k) { part<k>(*out_).limb[I] = normalizer_[k].template next<I>(part<k>(columns_).limb[I]); });
  }

 private:
  C columns_;
  C* out_;
  FactorNormalizer<C> normalizer_[PARTS<C>];
};

// Limbs of a number below 8 p, which is brought below 2.01 p and made normal. Its top limb has to be known first.
class Reducer {
 public:
  CUZK_INLINE void begin(Vector top) {
    four_ = is_above(top, 4);
    two_ = is_above(_mm512_mask_sub_epi64(top, four_, top, broadcast(FpModulus::limb(FpModulus::LIMBS - 1, 4))), 2);
  }

  template <int I>
  CUZK_INLINE Vector next(Vector limb) {
    limb = _mm512_mask_sub_epi64(limb, four_, limb, broadcast(FpModulus::limb(I, 4)));
    limb = _mm512_mask_sub_epi64(limb, two_, limb, broadcast(FpModulus::limb(I, 2)));
    return normalizer_.template next<I>(limb);
  }

 private:
  // Limbs in (-2^58, 2^58) carry at most 2^7 into the top one, so that what does not look larger than factor * p is
  // below factor * p + 2^8 * 2^(52 * (LIMBS - 1)).
  CUZK_INLINE static __mmask8 is_above(Vector top, u64 factor) {
    return _mm512_cmpgt_epi64_mask(top, broadcast(FpModulus::limb(FpModulus::LIMBS - 1, factor) + (1 << 7)));
  }

  __mmask8 four_, two_;
  Normalizer<FpModulus> normalizer_;
};

// A coordinate of the addends of one group: 0 is x, 1 is y.
template <class Point, class Addends, int COORDINATE>
class Coordinate {
 public:
  using C = typename CoordinateOf<Point>::Type;

  CUZK_INLINE Coordinate(const Addends& addends, std::size_t g) : c0_(addends, g), c1_(addends, g) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    c0_.template step<Step::value>();
    if constexpr (PARTS<C> == 2) c1_.template step<Step::value>();
  }

  // Limb i of a part, once all steps are done.
  template <int PART>
  CUZK_INLINE Vector limb(int i) const {
    if constexpr (PART == 0) return c0_.limb(i);
    if constexpr (PART == 1) return c1_.limb(i);
  }

  CUZK_INLINE C all_limbs() const {
    C out;
    unrolled<0, PARTS<C>>(
        CUZK_BODY(k) { CUZK_UNROLL for (int i = 0; i < FpModulus::LIMBS; ++i) part<k>(out).limb[i] = limb<k>(i); });
    return out;
  }

 private:
  static constexpr int ROW = COORDINATE * PARTS<C>;
  typename Addends::template Loader<ROW> c0_;
  typename Addends::template Loader<ROW + PARTS<C> - 1> c1_;
};

// x2 - x1 + 3 p, below 5.01 p; 1 in lanes without an addition.
template <class Point, class X>
class Denominator {
 public:
  using C = typename CoordinateOf<Point>::Type;

  CUZK_INLINE Denominator(const LaneSums<Point>& sums, const X& x2, Pending<C>& pending)
      : sums_(sums), x2_(x2), pending_(pending) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    constexpr int I = Step::value;
    unrolled<0, PARTS<C>>(CUZK_BODY(k) {
      const Vector x1 = _mm512_load_si512(sums_.row[k][I]), one_limb = part<k>(one(pending_.denominator)).limb[I];
      const Vector limb =
          normalizer_[k].template next<I>(add(sub(x2_.template limb<k>(I), x1), broadcast(FpModulus::limb(I, 3))));
      part<k>(pending_.denominator).limb[I] = _mm512_mask_mov_epi64(one_limb, pending_.active, limb);
    });
  }

 private:
  const LaneSums<Point>& sums_;
  const X& x2_;
  Pending<C>& pending_;
  Normalizer<FpModulus> normalizer_[PARTS<C>];
};

// +-y2 - y1 + 5 p, below 7.1 p.
template <class Point, class Y>
class Numerator {
 public:
  using C = typename CoordinateOf<Point>::Type;

  CUZK_INLINE Numerator(const LaneSums<Point>& sums, const Y& y2, __mmask8 negated, C& value)
      : sums_(sums), y2_(y2), negated_(negated), value_(value) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    constexpr int I = Step::value;
    unrolled<0, PARTS<C>>(CUZK_BODY(k) {
      const Vector y1 = _mm512_load_si512(sums_.row[PARTS<C> + k][I]), y2 = y2_.template limb<k>(I);
      const Vector rest = sub(broadcast(FpModulus::limb(I, 5)), y1);
      part<k>(value_).limb[I] =
          normalizer_[k].template next<I>(_mm512_mask_sub_epi64(add(rest, y2), negated_, rest, y2));
    });
  }

 private:
  const LaneSums<Point>& sums_;
  const Y& y2_;
  __mmask8 negated_;
  C& value_;
  FactorNormalizer<C> normalizer_[PARTS<C>];
};

// lambda^2 - x1 - x2 + 5 p = lambda^2 - 2 x1 - delta + 8 p, between 0.9 p and 7.1 p, reduced: x3, which replaces x1.
// x1 - x3 + 3 p replaces delta, which is x2 - x1 + 3 p.
template <class Point>
class Abscissa {
 public:
  using C = typename CoordinateOf<Point>::Type;

  CUZK_INLINE Abscissa(LaneSums<Point>& sums, __mmask8 active, const C& square, C& delta)
      : sums_(&sums), active_(active), square_(square), delta_(&delta) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    constexpr int I = Step::value;
    unrolled<0, PARTS<C>>(CUZK_BODY(k) {
      if constexpr (I == 0) reducer_[k].begin(sum<k, FpModulus::LIMBS - 1>());
      const Vector x3 = reducer_[k].template next<I>(sum<k, I>()), x1 = _mm512_load_si512(sums_->row[k][I]);
      part<k>(*delta_).limb[I] = normalizer_[k].template next<I>(add(sub(x1, x3), broadcast(FpModulus::limb(I, 3))));
      _mm512_store_si512(sums_->row[k][I], _mm512_mask_mov_epi64(x1, active_, x3));
    });
  }

 private:
  template <int K, int I>
  CUZK_INLINE Vector sum() const {
    const Vector x1 = _mm512_load_si512(sums_->row[K][I]);
    return add(sub(sub(sub(part<K>(square_).limb[I], x1), x1), part<K>(*delta_).limb[I]),
               broadcast(FpModulus::limb(I, 8)));
  }

  LaneSums<Point>* sums_;
  __mmask8 active_;
  C square_;
  C* delta_;
  Reducer reducer_[PARTS<C>];
  FactorNormalizer<C> normalizer_[PARTS<C>];
};

// lambda (x1 - x3 + 3 p) - y1 + 3 p, between 0.9 p and 5.1 p, reduced: y3, which replaces y1.
template <class Point>
class Ordinate {
 public:
  using C = typename CoordinateOf<Point>::Type;

  CUZK_INLINE Ordinate(LaneSums<Point>& sums, __mmask8 active, const C& product)
      : sums_(&sums), active_(active), product_(product) {}

  template <class Step>
  CUZK_INLINE void operator()(Step) {
    constexpr int I = Step::value;
    unrolled<0, PARTS<C>>(CUZK_BODY(k) {
      if constexpr (I == 0) reducer_[k].begin(sum<k, FpModulus::LIMBS - 1>());
      const Vector y3 = reducer_[k].template next<I>(sum<k, I>());
      u64* const row = sums_->row[PARTS<C> + k][I];
      _mm512_store_si512(row, _mm512_mask_mov_epi64(_mm512_load_si512(row), active_, y3));
    });
  }

 private:
  template <int K, int I>
  CUZK_INLINE Vector sum() const {
    const Vector y1 = _mm512_load_si512(sums_->row[PARTS<C> + K][I]);
    return add(sub(part<K>(product_).limb[I], y1), broadcast(FpModulus::limb(I, 3)));
  }

  LaneSums<Point>* sums_;
  __mmask8 active_;
  C product_;
  Reducer reducer_[PARTS<C>];
};

}  // namespace
}  // namespace cuzk::ifma
