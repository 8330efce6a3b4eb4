// Batched affine additions with one inversion a batch: the engine under buckets, sums of bases and fixed-base products.
//
// Everything is said as "slot += +-point". A slot is a point with a stamp, the number of the batch that last had it as
// a target; within one batch all targets must be distinct, so an addition whose slot is already in the batch waits in a
// queue. Empty slots are filled by a copy. When the queue itself overflows (many terms for few slots: equal scalars, a
// narrow top window), its entries are first added among themselves, pairwise, which again is batched.
//
// Arithmetic is a policy, portable or vector:
//   Point                              a finite point, trivially copyable
//   Workspace(capacity)                scratch memory for one batch
//   copy(target, source, negate)       target = +-source
//   add(additions, workspace)          performs them all; sets `emptied` where the sum is infinity; returns if any was
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "util/pages.hpp"

namespace cuzk {

using Stamp = std::uint32_t;
inline constexpr Stamp EMPTY = 0, FILLED = 1;  // batches are numbered from 2

template <class Point>
struct Addition {
  Point* target;
  const Point* addend;
  Stamp* stamp;  // the target's
  bool negate;
  bool emptied = false;
};

// An array of slots, all empty at first.
template <class Point>
class Slots {
 public:
  explicit Slots(std::size_t size) : points_(size), stamps_(size) { clear(); }

  std::size_t size() const { return points_.size(); }
  bool is_empty(std::size_t i) const { return stamps_[i] == EMPTY; }
  Point& point(std::size_t i) { return points_[i]; }
  const Point& point(std::size_t i) const { return points_[i]; }
  Stamp& stamp(std::size_t i) { return stamps_[i]; }
  void clear() { std::fill_n(stamps_.data(), stamps_.size(), EMPTY); }

 private:
  PageArray<Point> points_;
  PageArray<Stamp> stamps_;
};

template <class Arithmetic>
class Accumulator {
 public:
  using Point = typename Arithmetic::Point;

  // Batches of up to `capacity` additions; best where it is well below the number of slots in use.
  explicit Accumulator(std::size_t capacity)
      : capacity_(capacity), queue_limit_(2 * capacity), workspace_(capacity), spill_(capacity) {
    batch_.reserve(capacity);
    queue_.reserve(queue_limit_);
  }

  // slots[i] += +-addend, by the next flush at the latest; until then the addend must stay as it is.
  void add(Slots<Point>& slots, std::size_t i, const Point& addend, bool negate = false) {
    schedule({&slots.point(i), &addend, &slots.stamp(i), negate});
  }

  // Completes everything that was asked for.
  void flush() {
    while (!batch_.empty() || !queue_.empty()) {
      if (queue_.size() > batch_.size()) fold_queue();
      run_batch();
    }
  }

 private:
  using Entry = Addition<Point>;

  void schedule(const Entry& entry) {
    if (*entry.stamp == current_) {
      queue_.push_back(entry);
      if (queue_.size() == queue_limit_) fold_queue();
    } else {
      place(entry);
      if (batch_.size() == capacity_) run_batch();
    }
  }

  // Performs the batch and starts the next one with what can leave the queue.
  void run_batch() {
    do {
      perform();
      std::size_t kept = 0;
      for (std::size_t i = 0; i < queue_.size(); ++i) {
        const Entry entry = queue_[i];
        if (*entry.stamp == current_ || batch_.size() == capacity_) {
          queue_[kept++] = entry;
        } else {
          place(entry);
        }
      }
      queue_.resize(kept);
    } while (batch_.size() == capacity_);
  }

  // Takes an entry whose slot is not in the batch: copied if the slot is empty, else put into the batch.
  void place(const Entry& entry) {
    if (*entry.stamp == EMPTY) {
      Arithmetic::copy(*entry.target, *entry.addend, entry.negate);
      *entry.stamp = FILLED;
    } else {
      *entry.stamp = current_;
      prefetch(entry.target);
      batch_.push_back(entry);
    }
  }

  // Empties the queue: entries for the same slot are added to each other, pairwise, until each slot has one entry.
  void fold_queue() {
    perform();
    std::vector<Entry> entries;
    entries.swap(queue_);
    queue_.reserve(queue_limit_);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.target < b.target; });
    std::vector<Stamp> stamps(capacity_, FILLED);
    for (std::size_t spilled = 0; add_neighbours(entries, stamps, spilled);) {
    }
    for (const Entry& entry : entries) {
      place(entry);
      if (batch_.size() == capacity_) perform();
    }
    perform();  // frees the spilled sums
  }

  // One round of the fold: halves the entries of every slot that has several; false if there was none. A sum of two
  // entries takes the place of the first; it is spilled to spill_, and dropped if it is infinity.
  bool add_neighbours(std::vector<Entry>& entries, std::vector<Stamp>& stamps, std::size_t& spilled) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Entry sum = entries[i];
      if (i + 1 < entries.size() && entries[i + 1].target == sum.target) {
        Entry other = entries[++i];
        if (!is_spilled(sum.addend)) std::swap(sum, other);
        if (!is_spilled(sum.addend)) {
          Arithmetic::copy(spill_[spilled], *sum.addend, sum.negate);
          sum.addend = &spill_[spilled++];
          sum.negate = false;
        }
        const std::size_t place = sum.addend - spill_.data();
        batch_.push_back({&spill_[place], other.addend, &stamps[place], other.negate});
      }
      entries[kept++] = sum;
    }
    entries.resize(kept);
    if (batch_.empty()) return false;
    perform();
    std::erase_if(entries, [&](const Entry& entry) {
      return is_spilled(entry.addend) && stamps[entry.addend - spill_.data()] == EMPTY;
    });
    return true;
  }

  bool is_spilled(const Point* point) const {
    return !std::less<>()(point, spill_.data()) && std::less<>()(point, spill_.data() + spill_.size());
  }

  void perform() {
    if (!batch_.empty() && Arithmetic::add(batch_, workspace_))
      for (const Entry& entry : batch_)
        if (entry.emptied) *entry.stamp = EMPTY;
    batch_.clear();
    ++current_;
  }

  static void prefetch(const Point* point) {
    for (std::size_t offset = 0; offset < sizeof(Point); offset += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(point) + offset, 1);
  }

  std::size_t capacity_, queue_limit_;
  Stamp current_ = FILLED + 1;
  std::vector<Entry> batch_, queue_;
  typename Arithmetic::Workspace workspace_;
  PageArray<Point> spill_;
};

}  // namespace cuzk
