#include "msm/vector_arithmetic.hpp"

#include <algorithm>

#if defined(CUZK_HAS_IFMA_KERNELS)

namespace cuzk {
namespace {

constexpr u64 MASK52 = (u64{1} << 52) - 1;

void split(const Fp::Words& words, u64 limbs[8]) {
  for (int i = 0; i < 8; ++i) {
    const int word = 52 * i / 64, shift = 52 * i % 64;
    limbs[i] = words[word] >> shift;
    if (shift > 12 && word + 1 < Fp::LIMBS) limbs[i] |= words[word + 1] << (64 - shift);
    if (i < 7) limbs[i] &= MASK52;
  }
}

// The integer below 2^384 in six words.
Fp::Words join(const u64 limbs[8]) {
  Fp::Words words{};
  for (int i = 0; i < 8; ++i) {
    const int word = 52 * i / 64, shift = 52 * i % 64;
    words[word] |= limbs[i] << shift;
    if (shift > 12 && word + 1 < Fp::LIMBS) words[word + 1] |= limbs[i] >> (64 - shift);
  }
  return words;
}

// Normal limbs below 2^3 p < 2^384 -> canonical integer.
Fp::Words canonical(const u64 limbs[8]) {
  Fp::Words words = join(limbs);
  while (!Fp::is_canonical(words)) {
    u64 borrow = 0;
    for (int i = 0; i < Fp::LIMBS; ++i) words[i] = sub_borrow(words[i], Fp::MODULUS[i], borrow);
  }
  return words;
}

// x 2^416 -> x 2^384: the Montgomery product with 2^352 divides by 2^32.
Fp to_fp(const u64 limbs[8]) { return Fp{canonical(limbs)} * Fp{Fp::Words{0, 0, 0, 0, 0, u64{1} << 32}}; }

Affine<Fp> to_point(const ifma::G1Limbs& point) { return {to_fp(point.row[0]), to_fp(point.row[1])}; }
Affine<Fp2> to_point(const ifma::G2Limbs& point) {
  return {{to_fp(point.row[0]), to_fp(point.row[1])}, {to_fp(point.row[2]), to_fp(point.row[3])}};
}

// x 2^384 -> x 2^416, canonical: the Montgomery product with 2^416.
void from_fp(const Fp& value, u64 limbs[8]) {
  static const Fp factor = [] {
    Fp power = Fp::one();  // its words are 2^384
    for (int i = 0; i < 32; ++i) power = power.doubled();
    return power;
  }();
  split((value * factor).words, limbs);
}

void from_point(const Affine<Fp>& point, ifma::G1Limbs& out) {
  from_fp(point.x, out.row[0]);
  from_fp(point.y, out.row[1]);
}
void from_point(const Affine<Fp2>& point, ifma::G2Limbs& out) {
  from_fp(point.x.c0, out.row[0]);
  from_fp(point.x.c1, out.row[1]);
  from_fp(point.y.c0, out.row[2]);
  from_fp(point.y.c1, out.row[3]);
}

// -value mod p, for canonical words of any form.
Fp::Words negated(const Fp::Words& value) { return (-Fp{value}).words; }

}  // namespace

void ifma::invert(const u64 element[8], u64 inverse[8]) {
  // x 2^416 -> x^-1 2^-416, times 2^832: the Montgomery product with 2^(832 + 384).
  static const Fp factor = [] {
    Fp power = Fp::one();  // its words are 2^384
    for (int i = 0; i < 832; ++i) power = power.doubled();
    return power;
  }();
  static constexpr Inverter<Fp::LIMBS> inverter{Fp::MODULUS};
  split((Fp{inverter(canonical(element))} * factor).words, inverse);
}

template <class Group>
void VectorArithmetic<Group>::copy(Point& target, const Point& source, bool negate) {
  target = source;
  if (negate)
    for (int row = Point::ROWS / 2; row < Point::ROWS; ++row)
      split(negated(canonical(source.row[row])), target.row[row]);
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
void VectorArithmetic<Group>::load(const byte* bases, const std::uint32_t* indices, std::size_t count, Point* out,
                                   bool* is_infinity) {
  for (std::size_t i = 0; i < count; ++i) {
    CoordinateWords<Group> coordinates;
    is_infinity[i] = !decode_words_at<Group>(bases, indices[i], coordinates);
    for (int row = 0; row < Point::ROWS; ++row) split(coordinates[row], out[i].row[row]);
  }
  ifma::to_montgomery(out, count);
}

template struct VectorArithmetic<G1>;
template struct VectorArithmetic<G2>;

}  // namespace cuzk

#endif
