// From the buckets of a window to its sum, sum over d of d * bucket_d.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "curve/point.hpp"
#include "msm/list_sums.hpp"

namespace cuzk {

template <class Group, class Arithmetic>
class Reduction {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  explicit Reduction(ListSums<Arithmetic>& lists) : lists_(lists) {}

  // For each of `windows` windows the sum of (i + 1) * buckets[first + i] over i < size; their first buckets are
  // `stride` apart.
  //
  // A window is cut into segments of `length` buckets, whose running sums advance together: from the top of a segment
  // down, plain += bucket, weighted += plain. Segment s then contributes weighted_s + length * s * plain_s, where the
  // sum of s * plain_s is a problem like the first.
  std::vector<Sum> operator()(const Slots<Point>& buckets, std::size_t windows, std::size_t first, std::size_t stride,
                              std::size_t size) {
    if (size <= SMALL) return one_by_one(buckets, windows, first, stride, size);
    std::size_t length = SHORTEST;
    while (windows * segments_of(size, length) > ListSums<Arithmetic>::CAPACITY && length < size) length *= 2;
    const std::size_t segments = segments_of(size, length), count = windows * segments;
    typename Arithmetic::Sums plain(count), weighted(count);
    plain.clear(count);
    weighted.clear(count);
    std::vector<Entry> now(count), next(count);
    const auto entries_at = [&](std::size_t position, std::vector<Entry>& out) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bucket = i % segments * length + position, slot = first + i / segments * stride + bucket;
        out[i] = bucket < size && !buckets.is_empty(slot) ? entry(slot, false) : ABSENT;
      }
    };
    entries_at(length - 1, now);
    for (std::size_t position = length; position-- > 0;) {
      if (position > 0) entries_at(position - 1, next);
      plain.add(buckets.points(), now.data(), position > 0 ? next.data() : nullptr, count);
      weighted.add(plain, count);
      now.swap(next);
    }
    std::vector<Sum> sums = totals(weighted, windows, segments);
    Slots<Point> by_segment(count);
    plain.for_each(count, [&](std::size_t i, const Point& point) { by_segment.set(i, point); });
    const std::vector<Sum> upper = (*this)(by_segment, windows, 1, segments, segments - 1);
    for (std::size_t w = 0; w < windows; ++w) {
      Sum scaled = upper[w];
      for (std::size_t factor = length; factor > 1; factor /= 2) scaled = scaled.doubled();
      sums[w] += scaled;
    }
    return sums;
  }

 private:
  static constexpr std::size_t SHORTEST = 16, SMALL = 16;

  static std::size_t segments_of(std::size_t size, std::size_t length) { return (size + length - 1) / length; }

  static std::vector<Sum> one_by_one(const Slots<Point>& buckets, std::size_t windows, std::size_t first,
                                     std::size_t stride, std::size_t size) {
    std::vector<Sum> sums(windows);
    for (std::size_t w = 0; w < windows; ++w) {
      Sum plain;
      for (std::size_t i = size; i-- > 0;) {
        const std::size_t slot = first + w * stride + i;
        if (!buckets.is_empty(slot)) plain += Arithmetic::to_affine(buckets.point(slot));
        sums[w] += plain;
      }
    }
    return sums;
  }

  // The sum of each window's segments.
  std::vector<Sum> totals(const typename Arithmetic::Sums& sums, std::size_t windows, std::size_t segments) {
    const std::size_t count = windows * segments;
    Slots<Point> points(count), out(windows);
    std::vector<Entry> entries(count, ABSENT);
    sums.for_each(count, [&](std::size_t i, const Point& point) {
      points.set(i, point);
      entries[i] = entry(i, false);
    });
    std::vector<List> lists(windows);
    for (std::size_t w = 0; w < windows; ++w)
      lists[w] = {static_cast<std::uint32_t>(w * segments), static_cast<std::uint32_t>(segments),
                  static_cast<std::uint32_t>(w)};
    lists_.sum(points.points(), entries.data(), lists, out);
    std::vector<Sum> result(windows);
    for (std::size_t w = 0; w < windows; ++w)
      if (!out.is_empty(w)) result[w] = Sum(Arithmetic::to_affine(out.point(w)));
    return result;
  }

  ListSums<Arithmetic>& lists_;
};

}  // namespace cuzk
