// Number-theoretic transforms over Fr and the Groth16 quotient.
#pragma once

#include "util/limbs.hpp"

namespace cuzk {

// Transforms 2^log2_size canonical scalars (4 words each) in place, natural order in and out:
//   forward   X[k] = sum_i x[i] * (g * w^k)^i      w the root of unity of that order, g = 7 if coset, else 1
//   inverse   its inverse
// The caller has checked that every scalar is canonical and 0 <= log2_size <= 32.
void ntt(u64* scalars, int log2_size, bool inverse, bool coset, int threads);

// a and b hold the values of polynomials A and B on the domain of 2^log2_size roots of unity. Replaces a by h, the
// upper half of A * B: A * B = low + X^n * h, n - 1 coefficients and a zero. b is used as scratch. If C agrees with A *
// B on the domain, then h = (A * B - C) / (X^n - 1) (design: h from six transforms).
void quotient(u64* a, u64* b, int log2_size, int threads);

}  // namespace cuzk
