// Elements of Fp between words of 64 bits and the eight limbs of 52 that AVX-512 IFMA multiplies. Not for *_ifma.cpp,
// which may share no inline function with files for every processor.
#pragma once

#include "field/fp.hpp"

namespace cuzk {

inline void split(const Fp::Words& words, u64 limbs[8]) {
  constexpr u64 MASK52 = (u64{1} << 52) - 1;
  for (int i = 0; i < 8; ++i) {
    const int word = 52 * i / 64, shift = 52 * i % 64;
    limbs[i] = words[word] >> shift;
    if (shift > 12 && word + 1 < Fp::LIMBS) limbs[i] |= words[word + 1] << (64 - shift);
    if (i < 7) limbs[i] &= MASK52;
  }
}

// The integer below 2^384 in six words.
inline Fp::Words join(const u64 limbs[8]) {
  Fp::Words words{};
  for (int i = 0; i < 8; ++i) {
    const int word = 52 * i / 64, shift = 52 * i % 64;
    words[word] |= limbs[i] << shift;
    if (shift > 12 && word + 1 < Fp::LIMBS) words[word + 1] |= limbs[i] >> (64 - shift);
  }
  return words;
}

}  // namespace cuzk
