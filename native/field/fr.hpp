// Fr: the scalar field of BLS12-381, a 255-bit prime with 2^32 dividing r - 1.
#pragma once

#include "field/fr_params.hpp"
#include "field/montgomery.hpp"

namespace cuzk {

using Fr = Field<FrParams>;

inline constexpr u64 FR_GENERATOR = 7;  // generates the multiplicative group, as in bellperson
inline constexpr int FR_TWO_ADICITY = 32;

// The root of unity of order 2^log2_size that bellperson uses: 7^((r - 1) / 2^log2_size).
constexpr Fr fr_root_of_unity(int log2_size) {
  Fr::Words exponent{};  // (r - 1) >> 32
  for (int i = 0; i < Fr::LIMBS; ++i) {
    const u64 above = i + 1 < Fr::LIMBS ? Fr::MODULUS[static_cast<std::size_t>(i) + 1] : 0;
    exponent[static_cast<std::size_t>(i)] = Fr::MODULUS[static_cast<std::size_t>(i)] >> 32 | above << 32;
  }
  Fr root = Fr::from_u64(FR_GENERATOR).pow(exponent);
  for (int i = log2_size; i < FR_TWO_ADICITY; ++i) root = root.squared();
  return root;
}

}  // namespace cuzk
