// Multiplications in Fr of many scalars side by side, by the instruction set in use.
#pragma once

#include <cstddef>

#include "util/limbs.hpp"

namespace cuzk {

// x[i] <- x[i] * y[i]^times for `count` canonical scalars of 4 words, by `times` multiplications each.
void fr_mul_repeated(u64* x, const u64* y, std::size_t count, u64 times);

// The form of fr_mul_repeated() for AVX-512 IFMA, where CUZK_HAS_IFMA_KERNELS.
void fr_mul_repeated_ifma(u64* x, const u64* y, std::size_t count, u64 times);

}  // namespace cuzk
