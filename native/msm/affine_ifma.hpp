// Batched affine additions over eight lanes, generic in the coordinate field. Only for *_ifma.cpp.
//
// Chord: lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2, y3 = lambda (x1 - x3) - y1. The denominators of a
// batch are inverted at once (Montgomery's trick): a forward pass multiplies them up, a backward pass takes each
// reciprocal out of the inverse of the product. If that product is zero, some lanes have x1 = x2: the forward pass is
// run again in its exact form, which replaces their denominators by 2 y1 (equal points: tangent, numerator 3 x1^2) or 1
// (opposite points: the sum is infinity).
//
// Bounds: coordinates in memory are below 2 p (1 + 2^-8), so below 2.01 p; products below 2.01 p too.
#pragma once

#include "field/fp2_ifma.hpp"
#include "msm/limb_point.hpp"

namespace cuzk::ifma {
namespace {

CUZK_INLINE void load_rows(const u64* const rows[8], FpLanes& out) {
  Vector in[8];
  CUZK_UNROLL for (int i = 0; i < 8; ++i) in[i] = _mm512_load_si512(rows[i]);
  transpose(in, out.limb);
}
CUZK_INLINE void store_rows(const FpLanes& in, u64* const rows[8], int count) {
  Vector out[8];
  transpose(in.limb, out);
  if (count >= 8) {
    CUZK_UNROLL for (int i = 0; i < 8; ++i) _mm512_store_si512(rows[i], out[i]);
  } else {
    for (int i = 0; i < count; ++i) _mm512_store_si512(rows[i], out[i]);
  }
}

// Coordinate `index` (0 for x, 1 for y) of eight points.
template <class Point>
CUZK_INLINE void load_coordinate(const Point* const points[8], int index, FpLanes& out) {
  const u64* rows[8];
  CUZK_UNROLL for (int i = 0; i < 8; ++i) rows[i] = points[i]->row[index];
  load_rows(rows, out);
}
template <class Point>
CUZK_INLINE void load_coordinate(const Point* const points[8], int index, Fp2Lanes& out) {
  load_coordinate(points, 2 * index, out.c0);
  load_coordinate(points, 2 * index + 1, out.c1);
}
template <class Point>
CUZK_INLINE void store_coordinate(const FpLanes& in, Point* const points[8], int index, int count) {
  u64* rows[8];
  CUZK_UNROLL for (int i = 0; i < 8; ++i) rows[i] = points[i]->row[index];
  store_rows(in, rows, count);
}
template <class Point>
CUZK_INLINE void store_coordinate(const Fp2Lanes& in, Point* const points[8], int index, int count) {
  store_coordinate(in.c0, points, 2 * index, count);
  store_coordinate(in.c1, points, 2 * index + 1, count);
}

// Every row times R^2 / R: canonical -> Montgomery form, about p.
template <class Point>
inline void rows_to_montgomery(Point* points, std::size_t count) {
  const FpLanes r2 = power_of_two<FpModulus, 2 * FpModulus::LOG2_R>();
  alignas(64) u64 idle[8] = {};
  for (std::size_t first = 0, total = count * Point::ROWS; first < total; first += 8) {
    u64* rows[8];
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t row = first + i;
      rows[i] = row < total ? points[row / Point::ROWS].row[row % Point::ROWS] : idle;
    }
    FpLanes value;
    load_rows(rows, value);
    store_rows(value * r2, rows, static_cast<int>(total - first < 8 ? total - first : 8));
  }
}

// 1 / a for every lane, by a product over the lanes and one scalar inversion; false if some lane is zero modulo p.
inline bool invert_lanes(FpLanes& a) {
  const Vector by4 = _mm512_setr_epi64(4, 5, 6, 7, 0, 1, 2, 3), by2 = _mm512_setr_epi64(2, 3, 0, 1, 6, 7, 4, 5),
               by1 = _mm512_setr_epi64(1, 0, 3, 2, 5, 4, 7, 6);
  const auto permuted = [](const FpLanes& in, Vector order) {
    FpLanes out;
    CUZK_UNROLL for (int i = 0; i < 8; ++i) out.limb[i] = _mm512_permutexvar_epi64(order, in.limb[i]);
    return out;
  };
  const FpLanes other4 = permuted(a, by4), pairs = a * other4;           // products of lanes i and i + 4
  const FpLanes other2 = permuted(pairs, by2), fours = pairs * other2;   // of four lanes
  const FpLanes other1 = permuted(fours, by1), eights = fours * other1;  // of all eight, in every lane
  u64 product[8], inverse[8];
  for (int i = 0; i < 8; ++i) product[i] = static_cast<u64>(_mm_cvtsi128_si64(_mm512_castsi512_si128(eights.limb[i])));
  invert(product, inverse);
  u64 any = 0;
  for (int i = 0; i < 8; ++i) any |= inverse[i];
  a = broadcast<FpModulus>(inverse) * other1 * other2 * other4;
  return any != 0;
}

// What eight additions need between the passes.
template <class C>
struct alignas(64) Pending {
  C x1;              // of the target
  C denominator;     // x2 - x1 + 3 p, or what replaces it
  FpLanes norm;      // of the denominator
  FpLanes prefix;    // product of the norms before
  __mmask8 doubled;  // lanes with equal points
};
template <>
struct alignas(64) Pending<FpLanes> {
  FpLanes x1;
  union {
    FpLanes denominator, norm;
  };
  FpLanes prefix;
  __mmask8 doubled;
};

template <class Point, class C>
class Batch {
 public:
  Batch(Additions<Point> additions, Upcoming<Point> upcoming, void* workspace)
      : additions_(additions.data),
        count_(additions.size),
        upcoming_(upcoming),
        pending_(static_cast<Pending<C>*>(workspace)) {
    static_assert(sizeof(Pending<C>) == WORKSPACE_SIZE<Point>);
  }

  // Returns whether some sum is infinity.
  bool run() {
    bool any_emptied = false;
    for (std::size_t group = 0; group < groups(); ++group) forward<false>(group);
    if (invert_lanes(product_)) {
      for (std::size_t group = groups(); group-- > 0;) backward<false>(group);
    } else {
      for (std::size_t group = 0; group < groups(); ++group) any_emptied |= forward<true>(group);
      invert_lanes(product_);
      for (std::size_t group = groups(); group-- > 0;) backward<true>(group);
    }
    return any_emptied;
  }

 private:
  struct Operands {
    int count;  // lanes in use; the others have a target and an addend of their own, with distinct x
    Point* targets[8];
    const Point* addends[8];
    __mmask8 negate = 0;
  };

  std::size_t groups() const { return (count_ + 7) / 8; }

  CUZK_INLINE Operands operands(std::size_t group) {
    const std::size_t first = 8 * group;
    Operands out;
    out.count = static_cast<int>(count_ - first < 8 ? count_ - first : 8);
    for (int i = 0; i < 8; ++i) {
      if (i < out.count) {
        const Addition<Point>& addition = additions_[first + i];
        out.targets[i] = addition.target;
        out.addends[i] = addition.addend;
        out.negate |= static_cast<__mmask8>(addition.negate << i);
      } else {
        out.targets[i] = &idle_target_;
        out.addends[i] = &idle_addend_;
      }
    }
    return out;
  }

  // y of the addend with its sign, or 3 p - y: below 3 p, limb by limb.
  CUZK_INLINE static C signed_y(const Operands& points) {
    C y;
    load_coordinate<Point>(points.addends, 1, y);
    return negated_where(points.negate, y, 3);
  }

  // Calls for the points of one lane of the group that the next batch has in this place. Spread over a group's work, so
  // that the requests never fill the processor's buffers for cache misses.
  CUZK_INLINE void prefetch(std::size_t group, int lane) {
    const std::size_t i = 8 * group + lane;
    if (i >= upcoming_.size) return;
    CUZK_UNROLL for (int row = 0; row < Point::ROWS; ++row) {
      _mm_prefetch(reinterpret_cast<const char*>(upcoming_.data[i].target->row[row]), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(upcoming_.data[i].addend->row[row]), _MM_HINT_T0);
    }
  }

  // In the exact form, returns whether some sum is infinity.
  template <bool EXACT>
  CUZK_INLINE bool forward(std::size_t group) {
    const Operands points = operands(group);
    Pending<C>& pending = pending_[group];
    prefetch(group, 0);
    C x1, x2;
    load_coordinate<Point>(points.targets, 0, x1);
    load_coordinate<Point>(points.addends, 0, x2);
    C denominator = normalized(difference(x2, x1, 3));  // below 5.01 p
    __mmask8 opposite = 0;
    if constexpr (EXACT) {
      C y1;
      load_coordinate<Point>(points.targets, 1, y1);
      const __mmask8 same_x = zero_lanes(denominator);
      opposite = same_x & zero_lanes(normalized(sum(y1, signed_y(points))));
      pending.doubled = same_x & ~opposite;
      denominator = blend(pending.doubled, denominator, normalized(sum(y1, y1)));
      denominator = blend(opposite, denominator, one(x1));
      for (int i = 0; i < points.count; ++i) additions_[8 * group + i].emptied = opposite >> i & 1;
    }
    pending.denominator = denominator;
    pending.x1 = x1;
    pending.norm = norm(denominator);
    if (group == 0) {
      product_ = pending.norm;
    } else {
      pending.prefix = product_;
      product_ = product_ * pending.norm;
    }
    return opposite != 0;
  }

  template <bool EXACT>
  CUZK_INLINE void backward(std::size_t group) {
    const Operands points = operands(group);
    const Pending<C>& pending = pending_[group];
    prefetch(group, 1);
    FpLanes reciprocal = product_;
    if (group > 0) {
      reciprocal = product_ * pending.prefix;
      prefetch(group, 2);
      product_ = product_ * pending.norm;
    }
    prefetch(group, 3);
    C y1;
    load_coordinate<Point>(points.targets, 1, y1);
    C numerator = normalized(difference(signed_y(points), y1, 3));  // below 6 p
    C delta = pending.denominator;                                  // x2 - x1 + 3 p
    if constexpr (EXACT) {
      const C square = normalized(square_columns(pending.x1));
      numerator = blend(pending.doubled, numerator, normalized(sum(sum(square, square), square)));  // below 6.03 p
      delta = blend(pending.doubled, delta, difference(square, square, 3));                         // 3 p
    }
    prefetch(group, 4);
    const C lambda = quotient(numerator, pending.denominator, reciprocal);
    prefetch(group, 5);
    // lambda^2 - x1 - x2 + 5 p = lambda^2 - 2 x1 - delta + 8 p, between 0.9 p and 7.1 p
    C x3 = difference(difference(square_columns(lambda), sum(pending.x1, pending.x1), 8), delta, 0);
    x3 = normalized(reduced_once(reduced_once(x3, 4), 2));
    prefetch(group, 6);
    // lambda (x1 - x3 + 3 p) - y1 + 3 p: below 5.1 p
    C y3 = difference(product_columns(lambda, normalized(difference(pending.x1, x3, 3))), y1, 3);
    y3 = normalized(reduced_once(reduced_once(y3, 2), 2));
    prefetch(group, 7);
    store_coordinate<Point>(x3, points.targets, 0, points.count);
    store_coordinate<Point>(y3, points.targets, 1, points.count);
  }

  Addition<Point>* additions_;
  std::size_t count_;
  Upcoming<Point> upcoming_;
  Pending<C>* pending_;
  FpLanes product_;
  Point idle_target_{}, idle_addend_{{{1}}};
};

}  // namespace
}  // namespace cuzk::ifma
