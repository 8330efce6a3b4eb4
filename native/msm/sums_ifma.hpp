// Batched affine additions to sums over eight lanes, generic in the coordinate field. Only for *_ifma.cpp.
//
// Chord: lambda = (y2 - y1) / (x2 - x1), x3 = lambda^2 - x1 - x2, y3 = lambda (x1 - x3) - y1. The denominators of a
// batch are inverted at once (Montgomery's trick): a forward pass multiplies them up, a backward pass takes each
// reciprocal out of the inverse of the product. If that product is zero, some lanes have x1 = x2: the forward pass is
// run again in its exact form, which replaces their denominators by 2 y1 (equal points: tangent, numerator 3 x1^2) or 1
// (opposite points: the sum is infinity). Lanes with nothing to add, or nothing to add to, have the denominator 1.
//
// Each product of an addition has a loop of its own over the batch. All of them for two groups, one after the other,
// are 35 KB of code in G1 and 87 KB in G2, more than a processor keeps at hand.
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
    const std::size_t groups = addends_.groups();
    if (!begin(groups)) return;
    multiply_up(groups);
    const bool is_exact = !invert_products();
    if (is_exact) {
      replace_zeros(groups);
      invert_products();
    }
    divide_down(groups);
    if (is_exact) make_tangents(groups);
    find_slopes(groups);
    if (is_exact) clear_differences(groups);
    find_abscissas(groups);
    find_ordinates(groups);
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

  // Calls work(g, beside) for every group g, which does its products beside what the group before left to do, and
  // returns what it leaves to do itself. Factors are copied, since gcc has to assume that a store beside the product
  // changes them.
  template <class Work>
  CUZK_INLINE static void for_each(std::size_t groups, Work work) {
    auto rest = work(0, Nothing{});
    for (std::size_t g = 1; g < groups; ++g) rest = work(g, rest);
    run_all(rest);
  }

  // The forward pass; the denominators of a group are computed beside the product of the one before.
  CUZK_APART void multiply_up(std::size_t groups) {
    Normal<FpLanes> rest = clear_products();
    X first(addends_, 0);
    Denominator<Point, X> first_denominator(sums_[0], first, pending_[0]);
    run_all(in_turn(first, first_denominator));
    for (std::size_t g = 1; g < groups; ++g) {
      X x2(addends_, g);
      Denominator<Point, X> denominator(sums_[g], x2, pending_[g]);
      auto beside = in_turn(x2, denominator);
      rest = multiply(g - 1, all(rest, beside));
    }
    rest = multiply(groups - 1, rest);
    run_all(rest);
  }

  // The same in its exact form, once the denominators are there.
  CUZK_APART void replace_zeros(std::size_t groups) {
    Normal<FpLanes> rest = clear_products();
    for (std::size_t g = 0; g < groups; ++g) {
      replace_zero(g);
      rest = multiply(g, rest);
    }
    run_all(rest);
  }

  CUZK_INLINE Normal<FpLanes> clear_products() {
    products_[0] = one(products_[0]);
    return {products_[0], products_[1]};
  }

  // Multiplies one of the products, which take turns so that none waits for the one before, by the norm of a group.
  template <class Beside>
  CUZK_INLINE Normal<FpLanes> multiply(std::size_t g, Beside&& beside) {
    Pending<C>& pending = pending_[g];
    const FpLanes product = products_[g % 2];
    pending.reciprocal = product;
    pending.norm = norm(pending.denominator);
    return {product_columns(product, FpLanes(pending.norm), beside), products_[g % 2]};
  }

  // The denominators of lanes with x1 = x2.
  CUZK_INLINE void replace_zero(std::size_t g) {
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

  // The backward pass; numerators are computed beside it.
  CUZK_APART void divide_down(std::size_t groups) {
    for_each(groups, [&](std::size_t i, auto&& beside) __attribute__((always_inline)) {
      const std::size_t g = groups - 1 - i;
      Pending<C>& pending = pending_[g];
      const FpLanes product = products_[g % 2];
      Y y2(addends_, g);
      Numerator<Point, Y> numerator(sums_[g], y2, addends_.negated(g), pending.slope);
      addends_.prefetch(g, 0), addends_.prefetch(g, 1), addends_.prefetch(g, 2);
      Normal<FpLanes> reciprocal(product_columns(product, FpLanes(pending.reciprocal), all(y2, beside)),
                                 pending.reciprocal);
      return Normal<FpLanes>(product_columns(product, FpLanes(pending.norm), all(numerator, reciprocal)),
                             products_[g % 2]);
    });
  }

  CUZK_APART void find_slopes(std::size_t groups) {
    for_each(groups, [&](std::size_t g, auto&& beside) __attribute__((always_inline)) {
      Pending<C>& pending = pending_[g];
      addends_.prefetch(g, 3), addends_.prefetch(g, 4);
      return Normal<C>(quotient_columns(C(pending.slope), C(pending.denominator), FpLanes(pending.reciprocal), beside),
                       pending.slope);
    });
  }

  CUZK_APART void find_abscissas(std::size_t groups) {
    for_each(groups, [&](std::size_t g, auto&& beside) __attribute__((always_inline)) {
      Pending<C>& pending = pending_[g];
      addends_.prefetch(g, 5);
      return Abscissa<Point>(sums_[g], pending.active, square_columns(C(pending.slope), beside), pending.denominator);
    });
  }

  CUZK_APART void find_ordinates(std::size_t groups) {
    for_each(groups, [&](std::size_t g, auto&& beside) __attribute__((always_inline)) {
      const Pending<C>& pending = pending_[g];
      addends_.prefetch(g, 6), addends_.prefetch(g, 7);
      return Ordinate<Point>(sums_[g], pending.active,
                             product_columns(C(pending.slope), C(pending.denominator), beside));
    });
  }

  // Where points are doubled: the numerator 3 x1^2, below 6.03 p.
  CUZK_APART void make_tangents(std::size_t groups) {
    for (std::size_t g = 0; g < groups; ++g) {
      Pending<C>& pending = pending_[g];
      C x1;
      load_lanes(sums_[g].row, x1);
      const C square = normalized(square_columns(x1));
      pending.slope = blend(pending.doubled, pending.slope, normalized(sum(sum(square, square), square)));
    }
  }

  // Where points are doubled: x2 - x1 + 3 p.
  CUZK_APART void clear_differences(std::size_t groups) {
    for (std::size_t g = 0; g < groups; ++g) {
      Pending<C>& pending = pending_[g];
      pending.denominator =
          blend(pending.doubled, pending.denominator, difference(pending.denominator, pending.denominator, 3));
    }
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
