// Scalars as numbers of Z[w], w^2 + w + 1 = 0, in base 256.
//
// In the subgroup of order r there is a w that costs one multiplication: w (x, y) = (beta x, y), beta a cube root of
// unity. It acts as lambda = z^2 - 1, for lambda^2 + lambda + 1 = z^4 - z^2 + 1 = r, with the curve's parameter z. So a
// scalar k may be replaced by any one + omega w with one + omega lambda = k modulo r, and the shortest is half as long.
//
// The residues modulo 256 are represented by the numbers that are nearest to zero, those of a hexagon, which the six
// units 1, w, w^2, -1, -w, -w^2 turn into itself: a digit is a unit times one of a sixth of them. Where signs alone are
// used, it is a half.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "curve/groups.hpp"
#include "field/fp.hpp"

namespace cuzk {

class EisensteinDigits {
 public:
  static constexpr std::size_t COUNT = 16;        // digits of a scalar
  static constexpr std::size_t BUCKETS = 10'923;  // digits up to units, but for zero
  static constexpr std::size_t UNITS = 6;         // in the order above

  // 0 for the digit zero, else 1 + UNITS * bucket + unit. Just so many as there are residues.
  using Code = std::uint16_t;

  // The bucket's digit is one + turned * (1 + w); 1 + w is -w^2, a sixth of a turn.
  struct Weight {
    std::uint8_t one, turned;
  };
  static constexpr std::size_t MOST_ONE = 128, MOST_TURNED = 127;

  static const EisensteinDigits& get();

  const std::vector<Weight>& weights() const { return weights_; }  // of the buckets

  // The digits of some scalars: codes[d * stride + i] is that of 256^d in scalar i.
  void read(const u64* const* scalars, std::size_t count, Code* codes, std::size_t stride) const;

 private:
  EisensteinDigits();

  std::vector<Code> codes_;  // of residues one + 256 * omega
  std::vector<Weight> weights_;
};

// beta with (beta x, y) = lambda (x, y).
template <class Group>
inline constexpr Fp BETA{};
template <>
inline constexpr Fp BETA<G1> = Fp::from_canonical({0x8bfd00000000aaac, 0x409427eb4f49fffd, 0x897d29650fb85f9b,
                                                   0xaa0d857d89759ad4, 0xec02408663d4de85, 0x1a0111ea397fe699});
template <>
inline constexpr Fp BETA<G2> = Fp::from_canonical(
    {0x2e01fffffffefffe, 0xde17d813620a0002, 0xddb3a93be6f89688, 0xba69c6076a0f77ea, 0x5f19672fdf76ce51, 0});

}  // namespace cuzk
