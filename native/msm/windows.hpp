// Signed windows of a scalar: k = sum over w of digit_w * 2^(width w), every digit but the top one in
// [-2^(width - 1), 2^(width - 1)), the top one in [0, 2^(width - 1)].
#pragma once

#include <cstddef>
#include <cstdint>

#include "field/fr.hpp"

namespace cuzk {

class Windows {
 public:
  static constexpr int SCALAR_BITS = 255;
  using Biased = Fr::Words;

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

  // k + bias, where bias adds 2^(width - 1) in every window but the top one: the digits of k are then those of the
  // sum, read without carries, minus 2^(width - 1). No overflow: k < 2^255 and bias < 2^255.
  Biased biased(const u64* scalar) const {
    Biased sum;
    u64 carry = 0;
    for (int i = 0; i < Fr::LIMBS; ++i) sum[i] = add_carry(scalar[i], bias_[i], carry);
    return sum;
  }
  Biased zero() const { return bias_; }

  std::int32_t digit(const Biased& biased, int window) const {
    const int bit = window * width_, word = bit / 64, shift = bit % 64;
    u64 bits = biased[word] >> shift;
    if (shift + width_ > 64 && word + 1 < Fr::LIMBS) bits |= biased[word + 1] << (64 - shift);
    const auto unsigned_digit = static_cast<std::int32_t>(bits & ((u64{1} << width_) - 1));
    return window + 1 == count_ ? unsigned_digit : unsigned_digit - static_cast<std::int32_t>(buckets());
  }

 private:
  int width_, count_;
  Biased bias_{};
};

}  // namespace cuzk
