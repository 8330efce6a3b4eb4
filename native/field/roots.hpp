// Square roots in Fp and Fp2, and the order by which a compressed point tells y from -y.
#pragma once

#include <optional>

#include "field/fp2.hpp"

namespace cuzk {

// A square root of a, if there is one: p = 3 mod 4, so that a^((p + 1) / 4) is a root of every square.
std::optional<Fp> square_root(const Fp& a);

// A square root of a, if there is one, by the "complex method" (Scott, "Implementing cryptographic pairings", 2007):
// with s^2 = c0^2 + c1^2, one of (c0 + s) / 2 and (c0 - s) / 2 is the square of the root's real part.
std::optional<Fp2> square_root(const Fp2& a);

// True if a > (p - 1) / 2, that is a > -a as integers.
bool is_larger_than_negative(const Fp& a);

// The same for Fp2, ordered by c1, then by c0.
bool is_larger_than_negative(const Fp2& a);

}  // namespace cuzk
