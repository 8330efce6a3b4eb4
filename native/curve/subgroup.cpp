// Membership in the subgroups of order r by one endomorphism each: M. Scott, "A note on group membership tests for G1,
// G2 and GT on BLS pairing-friendly curves", https://eprint.iacr.org/2021/1130, sections 4 and 6.
#include <array>

#include "curve/groups.hpp"

namespace cuzk {
namespace {

// (p - 1) / divisor for a divisor that divides it.
Fp::Words fraction_of_order(u64 divisor) {
  Fp::Words quotient = Fp::MODULUS;
  quotient[0] -= 1;
  u64 remainder = 0;
  for (int i = Fp::LIMBS; i-- > 0;) {
    const u128 dividend = u128{remainder} << 64 | quotient[i];
    quotient[i] = static_cast<u64>(dividend / divisor);
    remainder = static_cast<u64>(dividend % divisor);
  }
  return quotient;
}

Fp2 power(const Fp2& base, const Fp::Words& exponent) {
  Fp2 result = Fp2::one();
  for (int i = 64 * Fp::LIMBS; i-- > 0;) {
    result = result.squared();
    if (exponent[i / 64] >> i % 64 & 1) result *= base;
  }
  return result;
}

// phi(x, y) = (beta x, y) with the primitive cube root of unity beta for which phi = -x^2 on G1.
Affine<Fp> phi(const Affine<Fp>& p) {
  static const Fp beta = Fp::from_u64(2).pow(fraction_of_order(3));
  return {beta * p.x, p.y};
}

// psi = untwist, Frobenius, twist: (x, y) -> (x^p / (1 + u)^((p - 1) / 3), y^p / (1 + u)^((p - 1) / 2)).
Affine<Fp2> psi(const Affine<Fp2>& p) {
  static const Fp2 xi{Fp::one(), Fp::one()};
  static const Fp2 x_factor = power(xi, fraction_of_order(3)).inverse();
  static const Fp2 y_factor = power(xi, fraction_of_order(2)).inverse();
  return {p.x.conjugate() * x_factor, p.y.conjugate() * y_factor};
}

template <class F>
Jacobian<F> times_x(const Jacobian<F>& p) {  // |x| * p; |x| has only six bits set
  Jacobian<F> product = p;
  for (int bit = 62; bit >= 0; --bit) {
    product = product.doubled();
    if (CURVE_X >> bit & 1) product += p;
  }
  return product;
}

}  // namespace

// phi(P) = -x^2 P
bool is_in_subgroup(const G1::Point& point) { return Jacobian(phi(point)) == -times_x(times_x(Jacobian(point))); }

// psi(P) = x P, and x is negative
bool is_in_subgroup(const G2::Point& point) { return Jacobian(psi(point)) == -times_x(Jacobian(point)); }

}  // namespace cuzk
