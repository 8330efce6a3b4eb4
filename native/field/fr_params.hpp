// The modulus of Fr alone, for files that must not see more (see util/isa.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace cuzk {

struct FrParams {
  static constexpr int LIMBS = 4;
  static constexpr std::array<std::uint64_t, LIMBS> MODULUS = {0xffffffff00000001, 0x53bda402fffe5bfe,
                                                               0x3339d80809a1d805, 0x73eda753299d7d48};
};

}  // namespace cuzk
