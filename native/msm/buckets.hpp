// The buckets of some windows: filled with signed points, then reduced to one sum a window.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "curve/point.hpp"
#include "msm/accumulator.hpp"
#include "msm/windows.hpp"

namespace cuzk {

// Sizes of the method; they change its speed, never its result.
struct MsmTuning {
  int width = 13;                                     // bits of a window
  std::size_t batch = 1024;                           // most additions that share an inversion
  std::size_t chunk = std::size_t{1} << 17;           // terms whose bases are converted at a time
  std::size_t cached_buckets = std::size_t{1} << 14;  // buckets that are filled in one go
};

template <class Group, class Arithmetic>
class Buckets {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  // Buckets of the windows [first, last).
  Buckets(const Windows& windows, int first, int last, const MsmTuning& tuning)
      : windows_(windows),
        first_(first),
        last_(last),
        batch_(std::clamp<std::size_t>(windows.buckets() * (last - first) / 16, 32, tuning.batch)),
        together_(std::max<int>(1, static_cast<int>(tuning.cached_buckets / windows.buckets()))),
        slots_(windows.buckets() * (last - first)),
        accumulator_(std::make_unique<Accumulator<Arithmetic>>(batch_)) {}

  // Adds every point, with its sign, to the bucket of its digit in each window.
  void fill(const Point* points, const Windows::Biased* scalars, std::size_t count) {
    for (int from = first_; from < last_; from += together_) {
      const int to = std::min(from + together_, last_);
      for (std::size_t i = 0; i < count; ++i)
        for (int window = from; window < to; ++window)
          if (const std::int32_t digit = windows_.digit(scalars[i], window))
            accumulator_->add(slots_, slot(window, std::abs(digit) - 1), points[i], digit < 0);
      accumulator_->flush();
    }
  }

  // The sum over d of d * bucket_d for each window, in order. Empties nothing: to be called once.
  std::vector<Sum> reduce() {
    // Each window is cut into segments of equal length, whose running sums advance together, as one batch.
    const std::size_t windows = last_ - first_, buckets = windows_.buckets();
    std::size_t segments = 1;
    while (2 * segments <= buckets && segments * windows < batch_) segments *= 2;
    const std::size_t length = buckets / segments;
    accumulator_ = std::make_unique<Accumulator<Arithmetic>>(std::max(segments * windows, std::size_t{1}));
    Slots<Point> running(segments * windows), weighted(segments * windows);
    for (std::size_t offset = length; offset-- > 0;) {
      for (std::size_t segment = 0; segment < running.size(); ++segment)
        add_if_any(running, segment, slots_, segment * length + offset);
      accumulator_->flush();
      for (std::size_t segment = 0; segment < running.size(); ++segment)
        add_if_any(weighted, segment, running, segment);
      accumulator_->flush();
    }
    std::vector<Sum> sums;
    for (std::size_t window = 0; window < windows; ++window)
      sums.push_back(join(running, weighted, window * segments, segments, length));
    return sums;
  }

 private:
  std::size_t slot(int window, std::int32_t bucket) const {
    return (window - first_) * windows_.buckets() + static_cast<std::size_t>(bucket);
  }

  void add_if_any(Slots<Point>& targets, std::size_t target, const Slots<Point>& sources, std::size_t source) {
    if (!sources.is_empty(source)) accumulator_->add(targets, target, sources.point(source));
  }

  // With R_s = sum of a segment's buckets and W_s = sum of (position + 1) * bucket, the window's sum is that of
  // W_s + s * length * R_s.
  static Sum join(const Slots<Point>& running, const Slots<Point>& weighted, std::size_t first, std::size_t segments,
                  std::size_t length) {
    Sum total, tail, multiples;
    for (std::size_t s = segments; s-- > 1;) {
      if (!running.is_empty(first + s)) tail += Arithmetic::to_affine(running.point(first + s));
      multiples += tail;
    }
    for (; length > 1; length /= 2) multiples = multiples.doubled();
    for (std::size_t s = 0; s < segments; ++s)
      if (!weighted.is_empty(first + s)) total += Arithmetic::to_affine(weighted.point(first + s));
    return total + multiples;
  }

  const Windows& windows_;
  int first_, last_;
  std::size_t batch_;
  int together_;  // windows that are filled in one go
  Slots<Point> slots_;
  std::unique_ptr<Accumulator<Arithmetic>> accumulator_;
};

}  // namespace cuzk
