// The modulus of Fp alone, for files that must not see more (see util/isa.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace cuzk {

struct FpParams {
  static constexpr int LIMBS = 6;
  static constexpr std::array<std::uint64_t, LIMBS> MODULUS = {0xb9feffffffffaaab, 0x1eabfffeb153ffff,
                                                               0x6730d2a0f6b0f624, 0x64774b84f38512bf,
                                                               0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a};
};

}  // namespace cuzk
