// Sums of many lists of points at once: the engine under buckets and plain sums.
//
// As many lists as make a good batch advance together: each round adds the next point of every list to its sum, with
// one inversion for all of them. Lists of like length go together, so that a batch is full until its end; a list that
// is much longer than the others is cut, and the sums of its pieces are summed in turn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "msm/entry.hpp"
#include "util/pages.hpp"

namespace cuzk {

// Sums by number; some may be infinity.
template <class Point>
class Slots {
 public:
  explicit Slots(std::size_t size) : points_(size), filled_(size) { clear(); }

  std::size_t size() const { return points_.size(); }
  const Point* points() const { return points_.data(); }
  const Point& point(std::size_t i) const { return points_[i]; }
  bool is_empty(std::size_t i) const { return !filled_[i]; }
  Entry entry_of(std::size_t i, bool negate = false) const { return filled_[i] ? entry(i, negate) : ABSENT; }
  void prefetch(std::size_t i) const {
    for (std::size_t offset = 0; offset < sizeof(Point); offset += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(&points_[i]) + offset, 1, 2);
  }
  void clear(std::size_t i) { filled_[i] = false; }
  void set(std::size_t i, const Point& point) {
    points_[i] = point;
    filled_[i] = true;
  }
  void clear() { std::fill_n(filled_.data(), filled_.size(), false); }

 private:
  PageArray<Point> points_;
  PageArray<bool> filled_;
};

// Part of an array of entries, and the slot that its sum goes to.
struct List {
  std::uint32_t first, length, target;
};

template <class Arithmetic>
class ListSums {
 public:
  using Point = typename Arithmetic::Point;
  // Sums that share an inversion: with what is added to them, now and next, they fit in a second-level cache of 1 MiB.
  static constexpr std::size_t CAPACITY = std::bit_floor((std::size_t{1} << 17) / sizeof(Point));

  // For up to `lists` lists at once, where these are few.
  explicit ListSums(std::size_t lists)
      : capacity_(std::clamp<std::size_t>(lists, 1, CAPACITY)), sums_(capacity_), now_(capacity_), next_(capacity_) {}

  // Adds to out[list.target] the sum of every list; the lists are overwritten. `points` is what the entries name:
  // Point, the arithmetic's Images of it, or bytes of uncompressed points.
  template <class Source>
  void sum(const Source* points, const Entry* entries, std::vector<List>& lists, Slots<Point>& out) {
    std::size_t total = 0;
    for (const List& list : lists) total += list.length;
    const std::size_t limit =
        std::max(SHORTEST, std::min(2 * total / CAPACITY, 2 * total / std::max<std::size_t>(lists.size(), 1) + 64));
    std::vector<List> cut, pieces;
    for (List& list : lists) {
      if (list.length <= limit) continue;
      const auto count = static_cast<std::uint32_t>((list.length + limit - 1) / limit);
      cut.push_back({static_cast<std::uint32_t>(pieces.size()), count, list.target});
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto begin = static_cast<std::uint32_t>(list.length * i / count);
        const auto end = static_cast<std::uint32_t>(list.length * (i + 1) / count);
        pieces.push_back({list.first + begin, end - begin, static_cast<std::uint32_t>(pieces.size())});
      }
      list.length = 0;
    }
    sum_short(points, entries, lists, limit, out);
    if (cut.empty()) return;
    Slots<Point> partial(pieces.size());
    sum_short(points, entries, pieces, limit, partial);
    std::vector<Entry> all(partial.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = partial.entry_of(i);
    sum(partial.points(), all.data(), cut, out);
  }

 private:
  using Sums = typename Arithmetic::Sums;
  static constexpr std::size_t SHORTEST = 8;  // no list is cut below this

  template <class Source>
  void sum_short(const Source* points, const Entry* entries, const std::vector<List>& lists, std::size_t limit,
                 Slots<Point>& out) {
    sort_by_length(lists, limit);
    std::span<const List> rest(sorted_);
    for (std::size_t batches = (rest.size() + capacity_ - 1) / capacity_; batches > 0; --batches) {
      const auto batch = rest.first((rest.size() + batches - 1) / batches);
      rest = rest.subspan(batch.size());
      sums_.clear(batch.size());
      for (std::size_t i = 0; i < batch.size(); ++i) now_[i] = out.entry_of(batch[i].target);
      sums_.add(out.points(), now_.data(), nullptr, batch.size());
      add_rounds(points, entries, batch, rest, out);
      for (const List& list : batch) out.clear(list.target);
      sums_.for_each(batch.size(), [&](std::size_t i, const Point& sum) { out.set(batch[i].target, sum); });
    }
  }

  // Longest first, without the empty ones: a counting sort.
  void sort_by_length(const std::vector<List>& lists, std::size_t limit) {
    std::vector<std::uint32_t> places(limit + 1);
    for (const List& list : lists) ++places[limit - list.length];
    sorted_.resize(lists.size() - places[limit]);
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) place += std::exchange(count, place);
    for (const List& list : lists)
      if (list.length > 0) sorted_[places[limit - list.length]++] = list;
  }

  // Adds the points of all lists. Where a list ends, the first point and the slot of one of the lists that `follow` are
  // called for from memory, so that the next batch finds its own in the cache.
  template <class Source>
  void add_rounds(const Source* points, const Entry* entries, std::span<const List> lists, std::span<const List> follow,
                  const Slots<Point>& out) {
    std::size_t active = lists.size();
    for (std::size_t i = 0; i < active; ++i) now_[i] = entries[lists[i].first];
    for (std::uint32_t round = 1; active > 0; ++round) {
      std::size_t still = active;
      while (still > 0 && lists[still - 1].length <= round) --still;
      for (std::size_t i = 0; i < still; ++i) next_[i] = entries[lists[i].first + round];
      for (std::size_t i = still; i < active; ++i) {
        next_[i] = i < follow.size() ? entries[follow[i].first] : ABSENT;
        if (i < follow.size()) out.prefetch(follow[i].target);
      }
      sums_.add(points, now_.data(), next_.data(), active);
      now_.swap(next_);
      active = still;
    }
  }

  std::size_t capacity_;
  Sums sums_;
  std::vector<List> sorted_;
  std::vector<Entry> now_, next_;
};

}  // namespace cuzk
