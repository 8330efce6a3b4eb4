// Signed windows of a scalar: k = sum over w of digit_w * 2^(width w), every digit but the top one in
// [-2^(width - 1), 2^(width - 1)), the top one in [0, 2^(width - 1)].
#pragma once

#include <cstddef>
#include <cstdint>

#include "field/fr.hpp"

namespace cuzk {

using Digit = std::int32_t;

class Windows {
 public:
  static constexpr int SCALAR_BITS = 255;

  // Enough windows that the top one holds at most width - 1 bits, plus the carry from below.
  explicit Windows(int width) : width_(width), count_(SCALAR_BITS / width + 1) {
    for (int w = 0; w + 1 < count_; ++w) {
      const int bit = w * width + width - 1;
      bias_[bit / 64] |= u64{1} << bit % 64;
    }
  }

  int width() const { return width_; }
  int count() const { return count_; }
  std::size_t buckets() const { return std::size_t{1} << (width_ - 1); }  // a window's digits in absolute value, from 1

  // Writes the digit of window w to digits[w * stride]. Adding 2^(width - 1) in every window but the top one beforehand
  // leaves digits that are read without carries; it does not overflow, for the scalar and what is added are below
  // 2^255.
  void split(const u64* scalar, Digit* digits, std::size_t stride) const {
    Fr::Words biased;
    u64 carry = 0;
    for (int i = 0; i < Fr::LIMBS; ++i) biased[i] = add_carry(scalar[i], bias_[i], carry);
    const u64 mask = (u64{1} << width_) - 1;
    const Digit half = Digit{1} << (width_ - 1);
    for (int w = 0; w < count_; ++w) {
      const int bit = w * width_, word = bit / 64, shift = bit % 64;
      u64 bits = biased[word] >> shift;
      if (shift + width_ > 64 && word + 1 < Fr::LIMBS) bits |= biased[word + 1] << (64 - shift);
      digits[w * stride] = static_cast<Digit>(bits & mask) - (w + 1 < count_ ? half : 0);
    }
  }

 private:
  int width_, count_;
  Fr::Words bias_{};
};

}  // namespace cuzk
