// The plain sum of the bases whose scalar is 1.
#pragma once

#include <algorithm>
#include <vector>

#include "curve/point.hpp"
#include "msm/list_sums.hpp"
#include "msm/scalars.hpp"
#include "util/parallel.hpp"

namespace cuzk {

// The sum of points[multiples * base] over the selection's ones.
template <class Group, class Arithmetic, class Source>
Jacobian<typename Group::Coordinate> sum_of_ones(const Source* points, std::size_t multiples,
                                                 const Selection& selection, int threads) {
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;
  constexpr std::size_t WIDEST = ListSums<Arithmetic>::CAPACITY, SHORTEST = 16;
  const std::size_t workers = std::min(static_cast<std::size_t>(std::max(threads, 1)), selection.num_parts());
  const std::size_t width = std::clamp<std::size_t>(selection.num_ones() / workers / SHORTEST, 8, WIDEST);

  // Each thread deals its bases to as many partial sums as make a good batch.
  struct Worker {
    explicit Worker(std::size_t width) : sums(width) { sums.clear(width); }
    typename Arithmetic::Sums sums;
    std::vector<Entry> now, next;
  };
  PerThread<Worker> states(workers);
  const auto advance = [&](Worker& worker) {
    const Entry* upcoming = worker.next.size() == worker.now.size() ? worker.next.data() : nullptr;
    worker.sums.add(points, worker.now.data(), upcoming, worker.now.size());
    worker.now.swap(worker.next);
    worker.next.clear();
  };
  parallel_tasks(selection.num_parts(), threads, [&](int thread, std::size_t part) {
    Worker& worker = states.of(thread, width);
    selection.for_each_one(part, [&](std::size_t base) {
      worker.next.push_back(entry(base * multiples, false));
      if (worker.next.size() == width) advance(worker);
    });
  });

  Slots<Point> partial(width * workers);
  std::vector<Entry> entries(partial.size(), ABSENT);
  for (std::size_t w = 0; w < workers; ++w) {
    Worker* const worker = states.find(w);
    if (!worker) continue;
    advance(*worker);
    advance(*worker);
    worker->sums.for_each(width, [&](std::size_t i, const Point& point) {
      partial.set(w * width + i, point);
      entries[w * width + i] = entry(w * width + i, false);
    });
  }
  Slots<Point> total(1);
  std::vector<List> all{{0, static_cast<std::uint32_t>(entries.size()), 0}};
  ListSums<Arithmetic>(entries.size()).sum(partial.points(), entries.data(), all, total);
  return total.is_empty(0) ? Sum{} : Sum(Arithmetic::to_affine(total.point(0)));
}

}  // namespace cuzk
