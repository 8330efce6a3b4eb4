// Fr: the scalar field of BLS12-381, a 255-bit prime with 2^32 dividing r - 1.
#pragma once

#include "field/montgomery.hpp"

namespace cuzk {

struct FrParams {
  static constexpr int LIMBS = 4;
  static constexpr std::array<u64, LIMBS> MODULUS = {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805,
                                                     0x73eda753299d7d48};
};
using Fr = Field<FrParams>;

inline constexpr u64 FR_GENERATOR = 7;  // generates the multiplicative group, as in bellperson
inline constexpr int FR_TWO_ADICITY = 32;

}  // namespace cuzk
