#include "field/roots.hpp"

namespace cuzk {
namespace {

// (p + 1) / 4: p + 1 does not overflow the top word, and p = 3 mod 4.
constexpr Fp::Words ROOT_EXPONENT = [] {
  Fp::Words plus_one = Fp::MODULUS;
  plus_one[0] += 1;  // the low word of p is not all ones
  Fp::Words quarter{};
  for (int i = 0; i < Fp::LIMBS; ++i) {
    const u64 above = i + 1 < Fp::LIMBS ? plus_one[i + 1] : 0;
    quarter[i] = plus_one[i] >> 2 | above << 62;
  }
  return quarter;
}();

constexpr Fp HALF = Fp::from_u64(2).inverse();

}  // namespace

std::optional<Fp> square_root(const Fp& a) {
  const Fp root = a.pow(ROOT_EXPONENT);
  if (root.squared() != a) return std::nullopt;
  return root;
}

std::optional<Fp2> square_root(const Fp2& a) {
  if (a.c1.is_zero()) {
    if (const auto real = square_root(a.c0)) return Fp2{*real, Fp::zero()};
    const auto imaginary = square_root(-a.c0);  // -1 is not a square, so one of c0 and -c0 is
    return Fp2{Fp::zero(), *imaginary};
  }
  const auto norm_root = square_root(a.c0.squared() + a.c1.squared());
  if (!norm_root) return std::nullopt;
  auto real = square_root((a.c0 + *norm_root) * HALF);
  if (!real) real = square_root((a.c0 - *norm_root) * HALF);
  if (!real) return std::nullopt;
  const Fp2 root{*real, a.c1 * HALF * real->inverse()};
  if (root.squared() != a) return std::nullopt;
  return root;
}

bool is_larger_than_negative(const Fp& a) {
  const auto value = a.to_canonical(), negative = (-a).to_canonical();
  for (int i = Fp::LIMBS; i-- > 0;)
    if (value[i] != negative[i]) return value[i] > negative[i];
  return false;  // a = 0
}

bool is_larger_than_negative(const Fp2& a) {
  return a.c1.is_zero() ? is_larger_than_negative(a.c0) : is_larger_than_negative(a.c1);
}

}  // namespace cuzk
