// The buckets of some windows: filled with signed points, then reduced to one sum a window.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "curve/point.hpp"
#include "msm/accumulator.hpp"
#include "msm/windows.hpp"

namespace cuzk {

// Sizes of the method; they change its speed, never its result.
struct MsmTuning {
  int width = 13;                                     // bits of a window
  std::size_t batch = 1024;                           // most additions that share an inversion
  std::size_t chunk = std::size_t{1} << 18;           // terms whose bases are converted at a time
  std::size_t cached_buckets = std::size_t{1} << 14;  // buckets that are filled in one go
};

template <class Group, class Arithmetic>
class Buckets {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  // `size` buckets for each of `windows` windows.
  Buckets(std::size_t windows, std::size_t size, const MsmTuning& tuning)
      : windows_(windows), size_(size), tuning_(tuning), slots_(size * windows_) {}

  // Adds every point to the bucket of its digit in each window, with the digit's sign. The digits of window w start at
  // digits + w * stride.
  void fill(const Point* points, const Digit* digits, std::size_t stride, std::size_t count) {
    const std::size_t together = windows_in_cache(size_, tuning_);
    const std::size_t batch = std::clamp<std::size_t>(size_ * std::min(together, windows_) / 16, 32, tuning_.batch);
    Accumulator<Arithmetic> accumulator(batch);
    for (std::size_t from = 0; from < windows_; from += together) {
      const std::size_t to = std::min(from + together, windows_);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t window = from; window < to; ++window)
          if (const Digit digit = digits[window * stride + i]) {
            const std::size_t bucket = static_cast<std::size_t>(std::abs(digit)) - 1;
            accumulator.add(slots_, window * size_ + bucket, points[i], digit < 0);
          }
    }
    accumulator.flush();
  }

  // Windows whose buckets are filled in one go.
  static std::size_t windows_in_cache(std::size_t size, const MsmTuning& tuning) {
    return std::max<std::size_t>(1, tuning.cached_buckets / size);
  }

  void clear() { slots_.clear(); }

  // The sum over d of d * bucket_d for each window.
  std::vector<Sum> reduce() const {
    // Each window is cut into segments, whose running sums advance together as one batch.
    int log2_segments = 0;
    while ((std::size_t{2} << log2_segments) <= size_ && (windows_ << log2_segments) < tuning_.batch) ++log2_segments;
    const std::size_t segments = windows_ << log2_segments, length = size_ >> log2_segments;
    Accumulator<Arithmetic> accumulator(segments);
    Slots<Point> plain(segments), weighted(segments);  // sums of bucket, and of (position + 1) * bucket
    for (std::size_t position = length; position-- > 0;) {
      for (std::size_t s = 0; s < segments; ++s) add_if_any(accumulator, plain, s, slots_, s * length + position);
      accumulator.flush();
      for (std::size_t s = 0; s < segments; ++s) add_if_any(accumulator, weighted, s, plain, s);
      accumulator.flush();
    }
    return join(accumulator, plain, weighted, log2_segments, length);
  }

 private:
  // Segment s of a window contributes weighted_s + s * length * plain_s. The second is summed by the bits of s.
  std::vector<Sum> join(Accumulator<Arithmetic>& accumulator, const Slots<Point>& plain, const Slots<Point>& weighted,
                        int log2_segments, std::size_t length) const {
    Slots<Point> totals(windows_), by_bit(windows_ * log2_segments);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const std::size_t window = i >> log2_segments;
      add_if_any(accumulator, totals, window, weighted, i);
      for (int bit = 0; bit < log2_segments; ++bit)
        if (i >> bit & 1) add_if_any(accumulator, by_bit, window * log2_segments + bit, plain, i);
    }
    accumulator.flush();
    std::vector<Sum> sums(windows_);
    for (std::size_t window = 0; window < windows_; ++window) {
      Sum& sum = sums[window];
      for (int bit = log2_segments; bit-- > 0;)
        sum = sum.doubled() + point_or_infinity(by_bit, window * log2_segments + bit);
      for (std::size_t factor = length; factor > 1; factor /= 2) sum = sum.doubled();
      sum += point_or_infinity(totals, window);
    }
    return sums;
  }

  static Affine<typename Group::Coordinate> point_or_infinity(const Slots<Point>& slots, std::size_t i) {
    return slots.is_empty(i) ? Affine<typename Group::Coordinate>{} : Arithmetic::to_affine(slots.point(i));
  }

  static void add_if_any(Accumulator<Arithmetic>& accumulator, Slots<Point>& targets, std::size_t target,
                         const Slots<Point>& sources, std::size_t source) {
    if (!sources.is_empty(source)) accumulator.add(targets, target, sources.point(source));
  }

  std::size_t windows_, size_;
  MsmTuning tuning_;
  Slots<Point> slots_;
};

}  // namespace cuzk
