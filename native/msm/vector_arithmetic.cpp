#include "msm/vector_arithmetic.hpp"

#include <algorithm>

#include "field/limbs52.hpp"
#include "msm/eisenstein.hpp"

#if defined(CUZK_HAS_IFMA_KERNELS)

namespace cuzk {
namespace {

// Normal limbs below 2^3 p < 2^384 -> canonical integer.
Fp::Words canonical(const u64 limbs[8]) {
  Fp::Words words = join(limbs);
  while (!Fp::is_canonical(words)) {
    u64 borrow = 0;
    for (int i = 0; i < Fp::LIMBS; ++i) words[i] = sub_borrow(words[i], Fp::MODULUS[i], borrow);
  }
  return words;
}

// 2^exponent modulo p.
constexpr Fp power_of_two(int exponent) {
  Fp power = Fp::one();
  for (int i = 0; i < exponent; ++i) power = power.doubled();
  return power;
}

// The coordinate that a row stands for: the row's number times `factor` (limb_point.hpp: 1 for x, 2^208 for y).
Fp to_fp(const u64 limbs[8], const Fp& factor) { return Fp::from_canonical(canonical(limbs)) * factor; }
void from_fp(const Fp& value, const Fp& inverse_factor, u64 limbs[8]) {
  split((value * inverse_factor).to_canonical(), limbs);
}

constexpr Fp Y_FACTOR = power_of_two(208), Y_INVERSE_FACTOR = Y_FACTOR.inverse();

Affine<Fp> to_point(const ifma::G1Limbs& point) {
  return {to_fp(point.row[0], Fp::one()), to_fp(point.row[1], Y_FACTOR)};
}
Affine<Fp2> to_point(const ifma::G2Limbs& point) {
  return {{to_fp(point.row[0], Fp::one()), to_fp(point.row[1], Fp::one())},
          {to_fp(point.row[2], Y_FACTOR), to_fp(point.row[3], Y_FACTOR)}};
}

void from_point(const Affine<Fp>& point, ifma::G1Limbs& out) {
  from_fp(point.x, Fp::one(), out.row[0]);
  from_fp(point.y, Y_INVERSE_FACTOR, out.row[1]);
}
void from_point(const Affine<Fp2>& point, ifma::G2Limbs& out) {
  from_fp(point.x.c0, Fp::one(), out.row[0]);
  from_fp(point.x.c1, Fp::one(), out.row[1]);
  from_fp(point.y.c0, Y_INVERSE_FACTOR, out.row[2]);
  from_fp(point.y.c1, Y_INVERSE_FACTOR, out.row[3]);
}

}  // namespace

void ifma::invert(const u64 element[8], u64 inverse[8]) {
  // x 2^416 -> x^-1 2^-416, times 2^832: the Montgomery product with 2^(832 + 384).
  static constexpr Fp factor = power_of_two(832);  // its words are 2^(832 + 384)
  static constexpr Inverter<Fp::LIMBS> inverter{Fp::MODULUS};
  split((Fp{inverter(canonical(element))} * factor).words, inverse);
}

template <class Group>
Affine<typename Group::Coordinate> VectorArithmetic<Group>::to_affine(const Point& point) {
  return to_point(point);
}

template <class Group>
typename VectorArithmetic<Group>::Point VectorArithmetic<Group>::from_affine(const Affine<F>& point) {
  Point out;
  from_point(point, out);
  return out;
}

template <class Group>
void VectorArithmetic<Group>::make_images(const Point* points, std::size_t count, Images* images) {
  static const auto beta = [] {
    std::array<u64, 8> limbs;
    split((BETA<Group> * power_of_two(416)).to_canonical(), limbs.data());
    return limbs;
  }();
  ifma::make_images(points, count, beta.data(), images);
}

template struct VectorArithmetic<G1>;
template struct VectorArithmetic<G2>;

}  // namespace cuzk

#endif
