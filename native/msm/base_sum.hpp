// The plain sum of selected bases: what is left of a product when the scalar is 1.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "curve/groups.hpp"
#include "msm/accumulator.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk {

// The sum of the bases at the given indices.
template <class Group, class Arithmetic>
Jacobian<typename Group::Coordinate> sum_of_bases(const byte* bases, std::span<const std::uint32_t> indices,
                                                  int threads) {
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;
  constexpr std::size_t WIDEST = 512;
  std::vector<Sum> parts(static_cast<std::size_t>(std::max(threads, 1)));
  parallel_for(indices.size(), threads, [&](int thread, std::size_t begin, std::size_t end) {
    // Bases are dealt to as many partial sums as a batch has additions, so that no two of a batch meet.
    const std::size_t width = std::bit_floor(std::clamp<std::size_t>((end - begin) / 16, 1, WIDEST));
    Accumulator<Arithmetic> accumulator(width);
    Slots<Point> partial(width);
    PageArray<Point> points(width);
    bool is_infinity[WIDEST];
    for (std::size_t start = begin; start < end; start += width) {
      const std::size_t count = std::min(width, end - start);
      Arithmetic::load(bases, indices.data() + start, count, points.data(), is_infinity);
      for (std::size_t i = 0; i < count; ++i)
        if (!is_infinity[i]) accumulator.add(partial, i, points[i]);
      accumulator.flush();
    }
    for (std::size_t half = width / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i)
        if (!partial.is_empty(half + i)) accumulator.add(partial, i, partial.point(half + i));
      accumulator.flush();
    }
    if (!partial.is_empty(0)) parts[thread] = Sum(Arithmetic::to_affine(partial.point(0)));
  });
  Sum total;
  for (const Sum& part : parts) total += part;
  return total;
}

}  // namespace cuzk
