// Signed windows of a scalar: k = sum over w of digit_w * 2^(width w), every digit but the top one in
// [-2^(width - 1), 2^(width - 1)), the top one what is left, not negative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "field/fr.hpp"

namespace cuzk {

using Digit = std::int32_t;

class Windows {
 public:
  static constexpr int SCALAR_BITS = 255;

  explicit Windows(int width) : width_(width), count_((SCALAR_BITS + width - 1) / width) {
    for (int w = 0; w + 1 < count_; ++w) {
      const int bit = w * width + width - 1;
      bias_[bit / 64] |= u64{1} << bit % 64;
    }
    top_ = static_cast<std::size_t>(bits(Fr::MODULUS, count_ - 1)) + 1;  // with the carry from below
  }

  int width() const { return width_; }
  int count() const { return count_; }

  // The digits of window w in absolute value are 1 to buckets(w), and 0.
  std::size_t buckets(int w) const { return w + 1 < count_ ? std::size_t{1} << (width_ - 1) : top_; }
  std::size_t most_buckets() const { return std::max(buckets(0), top_); }

  // The scalar plus 2^(width - 1) in every window but the top one: its digits are read without carries. It does not
  // overflow, for the scalar and what is added are below 2^255.
  Fr::Words biased(const u64* scalar) const {
    Fr::Words sum;
    u64 carry = 0;
    for (int i = 0; i < Fr::LIMBS; ++i) sum[i] = add_carry(scalar[i], bias_[i], carry);
    return sum;
  }

  // The digit of window w.
  Digit digit(const Fr::Words& biased_scalar, int w) const {
    const Digit half = w + 1 < count_ ? Digit{1} << (width_ - 1) : 0;
    return static_cast<Digit>(bits(biased_scalar, w)) - half;
  }

 private:
  u64 bits(const Fr::Words& number, int w) const {
    const int bit = w * width_, word = bit / 64, shift = bit % 64;
    u64 out = number[word] >> shift;
    if (shift + width_ > 64 && word + 1 < Fr::LIMBS) out |= number[word + 1] << (64 - shift);
    return out & ((u64{1} << width_) - 1);
  }

  int width_, count_;
  Fr::Words bias_{};
  std::size_t top_;
};

}  // namespace cuzk
