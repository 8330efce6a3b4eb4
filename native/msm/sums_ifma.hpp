// Batched affine additions to sums over eight lanes, generic in the coordinate field. Only for *_ifma.cpp.
//
// Chord: lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2, y3 = lambda (x1 - x3) - y1. The denominators of a
// batch are inverted at once (Montgomery's trick): a forward pass multiplies them up, a backward pass takes each
// reciprocal out of the inverse of the product. If that product is zero, some lanes have x1 = x2: the forward pass is
// run again in its exact form, which replaces their denominators by 2 y1 (equal points: tangent, numerator 3 x1^2) or 1
// (opposite points: the sum is infinity). Lanes with nothing to add, or nothing to add to, have the denominator 1.
#pragma once

#include "msm/steps_ifma.hpp"

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

// Kept a function of its own: where all passes become one, gcc keeps much less in registers.
#define CUZK_APART __attribute__((noinline))

template <class Point, class Addends>
class Batch {
 public:
  using C = typename CoordinateOf<Point>::Type;

  Batch(SumsView<Point> view, const Addends& addends)
      : sums_(view.sums), empty_(view.empty), pending_(static_cast<Pending<C>*>(view.workspace)), addends_(addends) {
    static_assert(sizeof(Pending<C>) == WORKSPACE_SIZE<Point>);
  }

  void run() {
    const std::size_t groups = (addends_.groups() + 1) / 2 * 2;
    if (!begin(groups)) return;
    multiply_up<false>(groups);
    if (invert_products()) {
      divide_down<false>(groups);
    } else {
      multiply_up<true>(groups);
      invert_products();
      divide_down<true>(groups);
    }
  }

 private:
  using X = Coordinate<Point, Addends, 0>;
  using Y = Coordinate<Point, Addends, 1>;

  // Where y of the addend is to be known at once: with its sign, or 3 p - y. Below 3 p, limb by limb.
  CUZK_INLINE C signed_y(std::size_t g) const {
    Y y(addends_, g);
    run_all(y);
    return negated_where(addends_.negated(g), y.all_limbs(), 3);
  }

  // What is added to nothing is copied. 3 p - y is as much as 3 p, which is more than a coordinate in memory may be.
  CUZK_APART void copy(std::size_t g, __mmask8 lanes) {
    X x(addends_, g);
    run_all(x);
    store_lanes(x.all_limbs(), sums_[g].row, lanes);
    store_lanes(normalized(reduced_once(signed_y(g), 2)), sums_[g].row + PARTS<C>, lanes);
  }

  // Finds the lanes with an addition, and copies what is added to nothing. Returns whether there are additions.
  bool begin(std::size_t groups) {
    __mmask8 any = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const __mmask8 present = addends_.present(g);
      pending_[g].active = present & ~empty_[g];
      any |= pending_[g].active;
      if (const __mmask8 copied = present & empty_[g]) {
        copy(g, copied);
        empty_[g] &= ~copied;
      }
    }
    return any != 0;
  }

  // Those of the groups g and g + 1, in the making.
  struct Denominators {
    CUZK_INLINE Denominators(const Batch& batch, std::size_t g)
        : x_a(batch.addends_, g),
          x_b(batch.addends_, g + 1),
          a(batch.sums_[g], x_a, batch.pending_[g]),
          b(batch.sums_[g + 1], x_b, batch.pending_[g + 1]) {}

    X x_a, x_b;
    Denominator<Point, X> a, b;
  };

  // The forward pass. The denominators of the next two groups are computed beside the products of these.
  template <bool EXACT>
  CUZK_APART void multiply_up(std::size_t groups) {
    for (FpLanes& product : products_) product = power_of_two<FpModulus, FpModulus::LOG2_R>();
    Denominators first(*this, 0);
    run_all(all(first.x_a, first.x_b));
    run_all(all(first.a, first.b));
    if constexpr (EXACT) except(0), except(1);
    for (std::size_t g = 2; g < groups; g += 2) {
      Denominators next(*this, g);
      multiply(g - 2, all(next.x_a, next.x_b), all(next.a, next.b));
      if constexpr (EXACT) except(g), except(g + 1);
    }
    multiply(groups - 2, Nothing{}, Nothing{});
  }

  // Multiplies the products by the norms of the groups g and g + 1.
  template <class BesideA, class BesideB>
  CUZK_INLINE void multiply(std::size_t g, BesideA&& beside_a, BesideB&& beside_b) {
    Pending<C>&a = pending_[g], &b = pending_[g + 1];
    a.prefix = products_[0];
    a.norm = norm(a.denominator);
    const FpLanes product_a_columns = product_columns(products_[0], a.norm, beside_a);
    Normal<FpLanes> product_a(product_a_columns);
    b.prefix = products_[1];
    b.norm = norm(b.denominator);
    products_[1] = normalized(product_columns(products_[1], b.norm, all(product_a, beside_b)));
    products_[0] = product_a.value;
  }

  // The denominators of lanes with x1 = x2.
  CUZK_APART void except(std::size_t g) {
    Pending<C>& pending = pending_[g];
    C denominator = pending.denominator, y1;
    load_lanes(sums_[g].row + PARTS<C>, y1);
    const __mmask8 same_x = pending.active & zero_lanes(denominator);
    const __mmask8 opposite = same_x & zero_lanes(normalized(sum(y1, signed_y(g))));
    pending.doubled = same_x & ~opposite;
    denominator = blend(pending.doubled, denominator, normalized(sum(y1, y1)));
    pending.denominator = blend(opposite, denominator, one(y1));
    pending.active &= ~opposite;
    empty_[g] |= opposite;
  }

  // 1 / a and 1 / b from 1 / (a b); false if one of them is zero somewhere.
  CUZK_APART bool invert_products() {
    FpLanes inverse = products_[0] * products_[1];
    const bool is_invertible = invert_lanes(inverse);
    const FpLanes first = inverse * products_[1];
    products_[1] = inverse * products_[0];
    products_[0] = first;
    return is_invertible;
  }

  // The backward pass.
  template <bool EXACT>
  CUZK_APART void divide_down(std::size_t groups) {
    for (std::size_t g = groups; g > 0;) {
      g -= 2;
      if ((pending_[g].active | pending_[g + 1].active) != 0) add_to<EXACT>(g);  // else denominators of 1, if any
    }
  }

  // Adds to the groups g and g + 1. What is done between the products of one is done beside those of the other.
  template <bool EXACT>
  CUZK_INLINE void add_to(std::size_t g) {
    Pending<C>&a = pending_[g], &b = pending_[g + 1];
    Y y2_a(addends_, g), y2_b(addends_, g + 1);
    Numerator<Point, Y> numerator_a(sums_[g], y2_a, addends_.negated(g)),
        numerator_b(sums_[g + 1], y2_b, addends_.negated(g + 1));
    const FpLanes reciprocal_a_columns = product_columns(products_[0], a.prefix, y2_a);
    Normal<FpLanes> reciprocal_a(reciprocal_a_columns);
    prefetch(g, 0);
    const FpLanes reciprocal_b_columns = product_columns(products_[1], b.prefix, all(y2_b, reciprocal_a));
    Normal<FpLanes> reciprocal_b(reciprocal_b_columns);
    prefetch(g, 1);
    const FpLanes product_a_columns = product_columns(products_[0], a.norm, all(numerator_a, reciprocal_b));
    Normal<FpLanes> product_a(product_a_columns);
    prefetch(g, 2);
    const FpLanes product_b_columns = product_columns(products_[1], b.norm, all(numerator_b, product_a));
    Normal<FpLanes> product_b(product_b_columns);
    prefetch(g, 3);
    C tangent_a, tangent_b;
    if constexpr (EXACT) {
      tangent_a = make_tangent(g, numerator_a.value);
      tangent_b = make_tangent(g + 1, numerator_b.value);
    }
    const C lambda_a_columns = quotient_columns(numerator_a.value, a.denominator, reciprocal_a.value, product_b);
    Normal<C> lambda_a(lambda_a_columns);
    products_[0] = product_a.value;
    products_[1] = product_b.value;
    prefetch(g, 4);
    const C lambda_b_columns = quotient_columns(numerator_b.value, b.denominator, reciprocal_b.value, lambda_a);
    Normal<C> lambda_b(lambda_b_columns);
    prefetch(g, 5);
    const C square_a = square_columns(lambda_a.value, lambda_b);
    Abscissa<Point> x_a(sums_[g], a.active, square_a, EXACT ? tangent_a : a.denominator);
    prefetch(g, 6);
    const C square_b = square_columns(lambda_b.value, x_a);
    Abscissa<Point> x_b(sums_[g + 1], b.active, square_b, EXACT ? tangent_b : b.denominator);
    prefetch(g, 7);
    const C way_a = product_columns(lambda_a.value, x_a.way, x_b);
    Ordinate<Point> y_a(sums_[g], a.active, way_a);
    const C way_b = product_columns(lambda_b.value, x_b.way, y_a);
    Ordinate<Point> y_b(sums_[g + 1], b.active, way_b);
    run_all(y_b);
  }

  CUZK_INLINE void prefetch(std::size_t g, int lane) const {
    addends_.prefetch(g, lane);
    addends_.prefetch(g + 1, lane);
  }

  // Where points are doubled: the numerator 3 x1^2; returns x2 - x1 + 3 p.
  CUZK_INLINE C make_tangent(std::size_t g, C& numerator) const {
    const Pending<C>& pending = pending_[g];
    C x1;
    load_lanes(sums_[g].row, x1);
    const C square = normalized(square_columns(x1));
    numerator = blend(pending.doubled, numerator, normalized(sum(sum(square, square), square)));  // below 6.03 p
    return blend(pending.doubled, pending.denominator, difference(square, square, 3));            // 3 p
  }

  LaneSums<Point>* sums_;
  std::uint8_t* empty_;
  Pending<C>* pending_;
  const Addends& addends_;
  FpLanes products_[2];  // of the even and of the odd groups
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
    LaneSums<Point> lanes;
    unrolled<0, Point::ROWS>(CUZK_BODY(row) {
      typename EncodedPoints<Point>::template Loader<row> loader;
      unrolled<0, 8>(CUZK_BODY(i) { loader.template step<i>(addresses); });
      CUZK_UNROLL for (int l = 0; l < 8; ++l) _mm512_store_si512(lanes.row[row][l], loader.limb(l));
    });
    Point eight[8];
    store_lane_points(lanes, first + 8 <= count ? points + first : eight);
    for (std::size_t i = first; first + 8 > count && i < count; ++i) points[i] = eight[i - first];
  }
}

}  // namespace
}  // namespace cuzk::ifma
