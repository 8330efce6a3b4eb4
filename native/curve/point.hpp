// Points of the short Weierstrass curves y^2 = x^3 + b over a field F, in affine and Jacobian coordinates.
//
// Formulas: Bernstein and Lange, Explicit-Formulas Database, "shortw-jacobian-0" (a = 0),
// https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-0.html. Every operation is complete: it is exact for
// infinity, equal points and opposite points.
#pragma once

#include <cstddef>
#include <span>

#include "util/limbs.hpp"

namespace cuzk {

// Infinity is (0, 0), which is on no curve with b != 0.
template <class F>
struct Affine {
  F x, y;

  constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
  constexpr Affine operator-() const { return {x, -y}; }
  friend constexpr bool operator==(const Affine&, const Affine&) = default;
};

// (X, Y, Z) stands for (X / Z^2, Y / Z^3); infinity has Z = 0.
template <class F>
struct Jacobian {
  F x = F::one(), y = F::one(), z = F::zero();

  constexpr Jacobian() = default;
  constexpr Jacobian(const F& x_, const F& y_, const F& z_) : x(x_), y(y_), z(z_) {}
  constexpr explicit Jacobian(const Affine<F>& point) {
    if (!point.is_infinity()) *this = {point.x, point.y, F::one()};
  }

  constexpr bool is_infinity() const { return z.is_zero(); }
  constexpr Jacobian operator-() const { return {x, -y, z}; }

  // dbl-2009-l. A point of order two cannot occur in the subgroup, but y = 0 gives z = 0, which is right.
  constexpr Jacobian doubled() const {
    const F a = x.squared(), b = y.squared(), c = b.squared();
    const F d = ((x + b).squared() - a - c).doubled();
    const F e = a.doubled() + a;
    const F x3 = e.squared() - d.doubled();
    return {x3, e * (d - x3) - c.doubled().doubled().doubled(), (y * z).doubled()};
  }

  // add-2007-bl
  friend constexpr Jacobian operator+(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    const F z1z1 = p.z.squared(), z2z2 = q.z.squared();
    const F u1 = p.x * z2z2, u2 = q.x * z1z1;
    const F s1 = p.y * q.z * z2z2, s2 = q.y * p.z * z1z1;
    const F h = u2 - u1, r = (s2 - s1).doubled();
    if (h.is_zero()) return r.is_zero() ? p.doubled() : Jacobian{};
    const F i = h.doubled().squared(), j = h * i, v = u1 * i;
    const F x3 = r.squared() - j - v.doubled();
    return {x3, r * (v - x3) - (s1 * j).doubled(), ((p.z + q.z).squared() - z1z1 - z2z2) * h};
  }

  // madd-2007-bl
  friend constexpr Jacobian operator+(const Jacobian& p, const Affine<F>& q) {
    if (q.is_infinity()) return p;
    if (p.is_infinity()) return Jacobian(q);
    const F z1z1 = p.z.squared();
    const F u2 = q.x * z1z1, s2 = q.y * p.z * z1z1;
    const F h = u2 - p.x, r = (s2 - p.y).doubled();
    if (h.is_zero()) return r.is_zero() ? p.doubled() : Jacobian{};
    const F hh = h.squared(), i = hh.doubled().doubled(), j = h * i, v = p.x * i;
    const F x3 = r.squared() - j - v.doubled();
    return {x3, r * (v - x3) - (p.y * j).doubled(), (p.z + h).squared() - z1z1 - hh};
  }

  constexpr Jacobian& operator+=(const Jacobian& q) { return *this = *this + q; }
  constexpr Jacobian& operator+=(const Affine<F>& q) { return *this = *this + q; }

  friend constexpr bool operator==(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity() || q.is_infinity()) return p.is_infinity() == q.is_infinity();
    const F z1z1 = p.z.squared(), z2z2 = q.z.squared();
    return p.x * z2z2 == q.x * z1z1 && p.y * q.z * z2z2 == q.y * p.z * z1z1;
  }

  constexpr Affine<F> to_affine() const { return scaled(z.inverse()); }

  // The affine point, given 1 / z (anything if z = 0).
  constexpr Affine<F> scaled(const F& z_inverse) const {
    if (is_infinity()) return {};
    const F square = z_inverse.squared();
    return {x * square, y * square * z_inverse};
  }
};

// scalar * point, the scalar little-endian: four bits at a time, from the top.
template <class F>
constexpr Jacobian<F> multiply(const Jacobian<F>& point, std::span<const u64> scalar) {
  Jacobian<F> multiples[16];
  for (int i = 1; i < 16; ++i) multiples[i] = multiples[i - 1] + point;
  Jacobian<F> product;
  for (std::size_t word = scalar.size(); word-- > 0;)
    for (int shift = 60; shift >= 0; shift -= 4) {
      for (int i = 0; i < 4; ++i) product = product.doubled();
      product += multiples[scalar[word] >> shift & 15];
    }
  return product;
}

// Affine forms of many Jacobian points with one inversion (Montgomery's trick).
template <class F>
void batch_to_affine(std::span<const Jacobian<F>> points, std::span<Affine<F>> out) {
  F product = F::one();
  for (std::size_t i = 0; i < points.size(); ++i) {
    out[i].x = product;  // the product of all earlier z
    if (!points[i].is_infinity()) product *= points[i].z;
  }
  F inverse = product.inverse();
  for (std::size_t i = points.size(); i-- > 0;) {
    const F z_inverse = inverse * out[i].x;
    if (!points[i].is_infinity()) inverse *= points[i].z;
    out[i] = points[i].scaled(z_inverse);
  }
}

}  // namespace cuzk
