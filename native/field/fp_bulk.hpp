// Multiplications in Fp side by side, by the instruction set in use: what one takes where none waits for another.
#pragma once

#include <cstddef>

#include "util/limbs.hpp"

namespace cuzk {

inline constexpr std::size_t FP_SIDE_BY_SIDE = 32, FP_WORDS = 6;

// powers[i] = (i + 2)^(times + 1) mod p for i < FP_SIDE_BY_SIDE, in FP_WORDS words below 2^384: by `times`
// multiplications each, in Montgomery form.
void fp_powers(u64 times, u64* powers);

// The same in eight limbs of 52 bits each, with AVX-512 IFMA, where CUZK_HAS_IFMA_KERNELS.
void fp_powers_ifma(u64 times, u64 powers[FP_SIDE_BY_SIDE][8]);

}  // namespace cuzk
