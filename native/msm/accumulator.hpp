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
//   add(additions, upcoming, workspace)  performs the additions, sets `emptied` where the sum is infinity and returns
//                                      whether any is; prefetches the points of the upcoming ones
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "msm/addition.hpp"
#include "util/pages.hpp"

namespace cuzk {

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
    filling_.resize(capacity);
    queue_.reserve(queue_limit_);
  }

  // slots[i] += +-addend, by the next flush at the latest; until then the addend must stay as it is.
  void add(Slots<Point>& slots, std::size_t i, const Point& addend, bool negate = false) {
    Stamp& stamp = slots.stamp(i);
    if (stamp == current_) {
      defer({&slots.point(i), &addend, &stamp, negate});
    } else {
      place(slots.point(i), addend, stamp, negate);
      if (filled_ == capacity_) advance();
    }
  }

  // Completes everything that was asked for.
  void flush() {
    while (filled_ > 0 || !waiting_.empty() || !queue_.empty()) {
      if (queue_.size() > filled_) fold_queue();
      finish();
      leave_queue();
    }
  }

 private:
  using Entry = Addition<Point>;
  using Batch = std::vector<Entry>;

  // Takes an entry whose slot is not in the batch: copied if the slot is empty, else put into the batch.
  void place(Point& target, const Point& addend, Stamp& stamp, bool negate) {
    if (stamp == EMPTY) {
      Arithmetic::copy(target, addend, negate);
      stamp = FILLED;
    } else {
      stamp = current_;
      Entry& entry = filling_[filled_++];  // field by field: a copy of a whole entry would stall on its parts
      entry.target = &target;
      entry.addend = &addend;
      entry.stamp = &stamp;
      entry.negate = negate;
      entry.emptied = false;
    }
  }
  void place(const Entry& entry) { place(*entry.target, *entry.addend, *entry.stamp, entry.negate); }

  void defer(const Entry& entry) {
    queue_.push_back(entry);
    if (queue_.size() == queue_limit_) fold_queue();
  }

  // Puts what can leave the queue into the batch.
  void leave_queue() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Entry entry = queue_[i];
      if (*entry.stamp == current_ || filled_ == capacity_) {
        queue_[kept++] = entry;
      } else {
        place(entry);
      }
    }
    queue_.resize(kept);
  }

  // A full batch waits while the next one is filled, so that the next one's points come into the cache while it is
  // performed.
  void advance() {
    do {
      filling_.resize(filled_);
      perform(waiting_, filling_);
      waiting_.swap(filling_);
      start_batch();
      leave_queue();
    } while (filled_ == capacity_);
  }

  // Performs all batches; the queue remains.
  void finish() {
    filling_.resize(filled_);
    perform(waiting_, filling_);
    waiting_.clear();
    perform(filling_, waiting_);
    start_batch();
  }

  void start_batch() {
    filling_.resize(capacity_);
    filled_ = 0;
    ++current_;
  }

  void perform(Batch& batch, Batch& upcoming) {
    if (batch.empty() || !Arithmetic::add(batch, upcoming, workspace_)) return;
    for (const Entry& entry : batch)
      if (entry.emptied) *entry.stamp = EMPTY;
    // What was to be added to a slot that is empty now is copied instead.
    std::erase_if(upcoming, [](const Entry& entry) {
      if (*entry.stamp != EMPTY) return false;
      Arithmetic::copy(*entry.target, *entry.addend, entry.negate);
      *entry.stamp = FILLED;
      return true;
    });
  }

  // Empties the queue: entries for the same slot are added to each other, pairwise, until each slot has one entry.
  void fold_queue() {
    finish();
    Batch entries;
    entries.swap(queue_);
    queue_.reserve(queue_limit_);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.target < b.target; });
    std::vector<Stamp> stamps(capacity_, FILLED);
    for (std::size_t spilled = 0; add_neighbours(entries, stamps, spilled);) {
    }
    for (const Entry& entry : entries) {
      place(entry);
      if (filled_ == capacity_) finish();
    }
    finish();  // frees the spilled sums
  }

  // One round of the fold: halves the entries of every slot that has several; false if there was none. A sum of two
  // entries takes the place of the first; it is spilled to spill_, and dropped if it is infinity.
  bool add_neighbours(Batch& entries, std::vector<Stamp>& stamps, std::size_t& spilled) {
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
        const std::size_t index = sum.addend - spill_.data();
        place(spill_[index], *other.addend, stamps[index], other.negate);
      }
      entries[kept++] = sum;
    }
    entries.resize(kept);
    if (filled_ == 0) return false;
    finish();
    std::erase_if(entries, [&](const Entry& entry) {
      return is_spilled(entry.addend) && stamps[entry.addend - spill_.data()] == EMPTY;
    });
    return true;
  }

  bool is_spilled(const Point* point) const {
    return !std::less<>()(point, spill_.data()) && std::less<>()(point, spill_.data() + spill_.size());
  }

  std::size_t capacity_, queue_limit_;
  std::size_t filled_ = 0;  // entries of filling_ in use; the rest is there to be written to
  Stamp current_ = FILLED + 1;
  Batch filling_, waiting_, queue_;
  typename Arithmetic::Workspace workspace_;
  PageArray<Point> spill_;
};

}  // namespace cuzk
