// Number-theoretic transforms over Fr and the Groth16 quotient.
#pragma once

#include "util/limbs.hpp"

namespace cuzk {

inline constexpr int NTT_MAX_LOG2_SLOTS = 11;  // the largest block; smaller ones serve tests

// Transforms 2^log2_size canonical scalars (4 words each) in place, natural order in and out:
//   forward   X[k] = sum_i x[i] * (g * w^k)^i      w the root of unity of that order, g = 7 if coset, else 1
//   inverse   its inverse
// The caller has checked that every scalar is canonical and 0 <= log2_size <= 32. max_log2_slots is from 4 to
// NTT_MAX_LOG2_SLOTS; the result does not depend on it.
void ntt(u64* scalars, int log2_size, bool inverse, bool coset, int threads, int max_log2_slots = NTT_MAX_LOG2_SLOTS);

// a and b hold the values of polynomials A and B on the domain of n = 2^log2_size roots of unity, n <= 2^31. Replaces a
// by h, the upper half of the product: A * B = low + X^n * h, with n - 1 coefficients and a zero. b is used as scratch.
// Where C agrees with A * B on the domain, h = (A * B - C) / (X^n - 1). Otherwise as ntt().
void quotient(u64* a, u64* b, int log2_size, int threads, int max_log2_slots = NTT_MAX_LOG2_SLOTS);

}  // namespace cuzk
