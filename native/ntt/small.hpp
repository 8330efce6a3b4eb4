// Transforms of fewer than 64 scalars by their definitions: blocks do not pay there.
#pragma once

#include "field/fr.hpp"

namespace cuzk::ntt_detail {

// x[k] <- scale * after^k * sum_i before^i * x[i] * root^(i k), for n = 2^log2_size <= 32 and root of order n.
void small_ntt(u64* x, int log2_size, const Fr& root, const Fr& before, const Fr& scale, const Fr& after);

// The quotient (ntt.hpp) of n = 2^log2_size <= 32 values.
void small_quotient(u64* a, u64* b, int log2_size);

}  // namespace cuzk::ntt_detail
