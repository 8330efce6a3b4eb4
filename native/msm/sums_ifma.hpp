// Batched affine additions to sums over eight lanes, generic in the coordinate field. Only for *_ifma.cpp.
//
// Chord: lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2, y3 = lambda (x1 - x3) - y1. The denominators of a
// batch are inverted at once (Montgomery's trick): a forward pass multiplies them up, a backward pass takes each
// reciprocal out of the inverse of the product. If that product is zero, some lanes have x1 = x2: the forward pass is
// run again in its exact form, which replaces their denominators by 2 y1 (equal points: tangent, numerator 3 x1^2) or 1
// (opposite points: the sum is infinity). Lanes with nothing to add, or nothing to add to, have the denominator 1.
//
// Bounds: coordinates in memory are below 2 p (1 + 2^-8), so below 2.01 p; products are about p, which is below 1.01 p.
#pragma once

#include "msm/loads_ifma.hpp"

namespace cuzk::ifma {
namespace {

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

// Addends named by entries.
template <class Source, class Point>
class NamedAddends {
 public:
  NamedAddends(Source source, EntryRange range) : source_(source), range_(range) {}

  std::size_t groups() const { return (range_.count + 7) / 8; }

  // The addends of one group.
  struct Group {
    __mmask8 present, negate;
    decltype(std::declval<Source>().at(0)) points[8];  // absent ones are another's

    template <int COORDINATE, class C>
    CUZK_INLINE void load(C& out) const {
      load_coordinate<COORDINATE, Source>(points, out);
    }
  };

  CUZK_INLINE Group group(std::size_t g) const {
    const std::size_t left = range_.count - 8 * g;
    const auto used = static_cast<__mmask8>(left < 8 ? (1u << left) - 1 : 0xff);
    const __m256i absent = _mm256_set1_epi32(-1);
    const __m256i entries = _mm256_mask_loadu_epi32(absent, used, range_.entries + 8 * g);
    Group out;
    out.present = _mm256_cmpneq_epi32_mask(entries, absent);
    out.negate = _mm256_test_epi32_mask(entries, _mm256_set1_epi32(1));
    alignas(32) Entry named[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(named), entries);
    if (out.present == 0xff) {
      CUZK_UNROLL for (int i = 0; i < 8; ++i) out.points[i] = source_.at(index_of(named[i]));
    } else if (out.present != 0) {
      const Entry any = named[__builtin_ctz(out.present)];
      for (int i = 0; i < 8; ++i) out.points[i] = source_.at(index_of(named[i] == ABSENT ? any : named[i]));
    }
    return out;
  }

  // Calls for the addend that one lane of the group has in the next batch. Spread over the backward pass, so that the
  // requests never fill the processor's buffers for cache misses.
  CUZK_INLINE void prefetch(std::size_t g, int lane) const {
    const std::size_t i = 8 * g + lane;
    if (i >= range_.count || range_.upcoming == nullptr || range_.upcoming[i] == ABSENT) return;
    Source::prefetch(source_.at(index_of(range_.upcoming[i])));
  }

 private:
  Source source_;
  EntryRange range_;
};

// Addends that are sums themselves, lane by lane.
template <class Point>
class SumAddends {
 public:
  SumAddends(SumsView<Point> sums, std::size_t groups) : sums_(sums), groups_(groups) {}

  std::size_t groups() const { return groups_; }

  struct Group {
    __mmask8 present, negate;
    const LaneSums<Point>* sums;

    template <int COORDINATE, class C>
    CUZK_INLINE void load(C& out) const {
      load_lanes(sums->row + COORDINATE * (Point::ROWS / 2), out);
    }
  };

  CUZK_INLINE Group group(std::size_t g) const { return {static_cast<__mmask8>(~sums_.empty[g]), 0, &sums_.sums[g]}; }
  CUZK_INLINE void prefetch(std::size_t, int) const {}

 private:
  SumsView<Point> sums_;
  std::size_t groups_;
};

// What eight additions need between the passes.
template <class C>
struct alignas(64) Pending {
  C denominator;     // x2 - x1 + 3 p, or what replaces it
  FpLanes norm;      // of the denominator
  FpLanes prefix;    // product of the norms before
  __mmask8 active;   // lanes with an addition
  __mmask8 doubled;  // lanes with equal points
};
template <>
struct alignas(64) Pending<FpLanes> {
  union {
    FpLanes denominator, norm;
  };
  FpLanes prefix;
  __mmask8 active, doubled;
};

template <class Point, class Addends>
class Batch {
 public:
  using C = typename CoordinateOf<Point>::Type;

  Batch(SumsView<Point> view, const Addends& addends)
      : sums_(view.sums), empty_(view.empty), pending_(static_cast<Pending<C>*>(view.workspace)), addends_(addends) {
    static_assert(sizeof(Pending<C>) == WORKSPACE_SIZE<Point>);
  }

  void run() {
    const std::size_t groups = addends_.groups();
    product_ = power_of_two<FpModulus, FpModulus::LOG2_R>();
    __mmask8 any = 0;
    for (std::size_t g = 0; g < groups; ++g) any |= forward<false>(g);
    if (any == 0) return;
    if (invert_lanes(product_)) {
      backward<false>(groups);
    } else {
      product_ = power_of_two<FpModulus, FpModulus::LOG2_R>();
      for (std::size_t g = 0; g < groups; ++g) forward<true>(g);
      invert_lanes(product_);
      backward<true>(groups);
    }
  }

 private:
  static constexpr int Y = Point::ROWS / 2;  // the first row of y
  static constexpr int TOGETHER = 2;
  using Group = typename Addends::Group;

  // y of the addend with its sign, or 3 p - y: below 3 p, limb by limb.
  CUZK_INLINE static C signed_y(const Group& addends) {
    C y;
    addends.template load<1>(y);
    return negated_where(addends.negate, y, 3);
  }

  // What is added to nothing is copied.
  __attribute__((noinline)) void copy(LaneSums<Point>& sums, const Group& addends, __mmask8 lanes) {
    C x;
    addends.template load<0>(x);
    store_lanes(x, sums.row, lanes);
    store_lanes(normalized(signed_y(addends)), sums.row + Y, lanes);
  }

  // Returns the lanes with an addition.
  template <bool EXACT>
  CUZK_INLINE __mmask8 forward(std::size_t g) {
    const Group addends = addends_.group(g);
    LaneSums<Point>& sums = sums_[g];
    Pending<C>& pending = pending_[g];
    if constexpr (!EXACT) {  // else it is done
      pending.active = addends.present & ~empty_[g];
      if (const __mmask8 copied = addends.present & empty_[g]) {
        copy(sums, addends, copied);
        empty_[g] &= ~copied;
      }
    }
    const __mmask8 active = pending.active;
    if (active == 0) return 0;
    C x1, x2;
    load_lanes(sums.row, x1);
    addends.template load<0>(x2);
    C denominator = normalized(difference(x2, x1, 3));  // below 5.01 p
    if (active != 0xff) denominator = blend(active, one(x1), denominator);
    if constexpr (EXACT) {
      C y1;
      load_lanes(sums.row + Y, y1);
      const __mmask8 same_x = active & zero_lanes(denominator);
      const __mmask8 opposite = same_x & zero_lanes(normalized(sum(y1, signed_y(addends))));
      pending.doubled = same_x & ~opposite;
      denominator = blend(pending.doubled, denominator, normalized(sum(y1, y1)));
      denominator = blend(opposite, denominator, one(x1));
      pending.active = active & ~opposite;
      empty_[g] |= opposite;
    }
    pending.denominator = denominator;
    pending.norm = norm(denominator);
    pending.prefix = product_;
    product_ = product_ * pending.norm;
    return active;
  }

  template <bool EXACT>
  CUZK_INLINE void backward(std::size_t groups) {
    std::size_t together[TOGETHER];
    int count = 0;
    while (groups > 0) {
      --groups;
      if (pending_[groups].active != 0) together[count++] = groups;  // else denominators of 1, if any
      if (count == TOGETHER || (groups == 0 && count > 0)) {
        backward<EXACT>(together, count);
        count = 0;
      }
    }
  }

  // Some groups step by step: what one of them has to wait for, the others fill with their work.
  template <bool EXACT>
  CUZK_INLINE void backward(const std::size_t* groups, int count) {
    Group addends[TOGETHER];
    FpLanes reciprocal[TOGETHER];
    C numerator[TOGETHER], delta[TOGETHER], lambda[TOGETHER], x3[TOGETHER];
    for (int k = 0; k < count; ++k) {
      const Pending<C>& pending = pending_[groups[k]];
      addends[k] = addends_.group(groups[k]);
      addends_.prefetch(groups[k], 0);
      reciprocal[k] = product_ * pending.prefix;
      addends_.prefetch(groups[k], 1);
      product_ = product_ * pending.norm;
      addends_.prefetch(groups[k], 2);
      C y1;
      load_lanes(sums_[groups[k]].row + Y, y1);
      numerator[k] = normalized(difference(signed_y(addends[k]), y1, 3));  // below 6 p
      delta[k] = pending.denominator;                                      // x2 - x1 + 3 p
      if constexpr (EXACT) {
        C x1;
        load_lanes(sums_[groups[k]].row, x1);
        const C square = normalized(square_columns(x1));
        const C tangent = normalized(sum(sum(square, square), square));  // below 6.03 p
        numerator[k] = blend(pending.doubled, numerator[k], tangent);
        delta[k] = blend(pending.doubled, delta[k], difference(square, square, 3));  // 3 p
      }
    }
    for (int k = 0; k < count; ++k) {
      addends_.prefetch(groups[k], 3);
      lambda[k] = quotient(numerator[k], pending_[groups[k]].denominator, reciprocal[k]);
      addends_.prefetch(groups[k], 4);
    }
    for (int k = 0; k < count; ++k) {
      // lambda^2 - x1 - x2 + 5 p = lambda^2 - 2 x1 - delta + 8 p, between 0.9 p and 7.1 p
      C x1;
      load_lanes(sums_[groups[k]].row, x1);
      const C third = difference(difference(square_columns(lambda[k]), sum(x1, x1), 8), delta[k], 0);
      x3[k] = normalized(reduced_once(reduced_once(third, 4), 2));
      addends_.prefetch(groups[k], 5);
    }
    for (int k = 0; k < count; ++k) {
      LaneSums<Point>& sums = sums_[groups[k]];
      const __mmask8 active = pending_[groups[k]].active;
      C x1, y1;
      load_lanes(sums.row, x1);
      load_lanes(sums.row + Y, y1);
      addends_.prefetch(groups[k], 6);
      // lambda (x1 - x3 + 3 p) - y1 + 3 p: below 5.1 p
      C y3 = difference(product_columns(lambda[k], normalized(difference(x1, x3[k], 3))), y1, 3);
      y3 = normalized(reduced_once(reduced_once(y3, 2), 2));
      addends_.prefetch(groups[k], 7);
      store_lanes(x3[k], sums.row, active);
      store_lanes(y3, sums.row + Y, active);
    }
  }

  LaneSums<Point>* sums_;
  std::uint8_t* empty_;
  Pending<C>* pending_;
  const Addends& addends_;
  FpLanes product_;
};

template <class Point, class Source>
inline void add_named(SumsView<Point> sums, Source points, EntryRange range) {
  const NamedAddends<Source, Point> addends(points, range);
  Batch<Point, NamedAddends<Source, Point>>(sums, addends).run();
}

template <class Point>
inline void add_lanes(SumsView<Point> sums, SumsView<Point> others, std::size_t groups) {
  const SumAddends<Point> addends(others, groups);
  Batch<Point, SumAddends<Point>>(sums, addends).run();
}

template <class Point>
inline void store_lane_points(const LaneSums<Point>& sums, Point points[8]) {
  CUZK_UNROLL for (int row = 0; row < Point::ROWS; ++row) {
    Vector in[8], out[8];
    CUZK_UNROLL for (int l = 0; l < 8; ++l) in[l] = _mm512_load_si512(sums.row[row][l]);
    transpose(in, out);
    CUZK_UNROLL for (int i = 0; i < 8; ++i) _mm512_store_si512(points[i].row[row], out[i]);
  }
}

template <class Point>
inline void convert_points(const std::uint8_t* encoded, const std::uint32_t* indices, std::size_t count,
                           Point* points) {
  const EncodedPoints<Point> source{encoded};
  for (std::size_t first = 0; first < count; first += 8) {
    const std::uint8_t* addresses[8];
    for (std::size_t i = 0; i < 8; ++i) addresses[i] = source.at(indices[first + i < count ? first + i : first]);
    typename CoordinateOf<Point>::Type x, y;
    load_coordinate<0, EncodedPoints<Point>>(addresses, x);
    load_coordinate<1, EncodedPoints<Point>>(addresses, y);
    LaneSums<Point> lanes;
    store_lanes(x, lanes.row, 0xff);
    store_lanes(y, lanes.row + Point::ROWS / 2, 0xff);
    Point eight[8];
    store_lane_points(lanes, first + 8 <= count ? points + first : eight);
    for (std::size_t i = first; first + 8 > count && i < count; ++i) points[i] = eight[i - first];
  }
}

}  // namespace
}  // namespace cuzk::ifma
