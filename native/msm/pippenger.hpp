// Pippenger's method over batched affine additions, as one template over the arithmetic.
//
// A window's terms are sorted by digit; what has the same digit is summed, and the sums are weighted by their digits.
// Points are read in place. Sums are exact, so that the result depends neither on threads nor on the order of
// additions.
//
// With multiples of each base, 2^(spacing j) * base, window w of a scalar is window w mod (spacing / width) of a
// multiple: there are fewer windows, each with more to sum, and less to reduce.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "curve/point.hpp"
#include "msm/list_sums.hpp"
#include "msm/reduction.hpp"
#include "msm/scalars.hpp"
#include "msm/shares.hpp"
#include "msm/windows.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk {

template <class Group, class Arithmetic, class Source>
class Pippenger {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  // `points` has `multiples` for each base; `sets` windows have buckets, and window w goes to set w mod sets.
  Pippenger(const Source* points, std::size_t multiples, const Scalars& scalars, const PageArray<Term>& terms,
            int width, std::size_t sets, int threads)
      : points_(points),
        multiples_(multiples),
        scalars_(scalars),
        terms_(terms),
        windows_(width),
        sets_(sets),
        threads_(static_cast<std::size_t>(std::max(threads, 1))) {
    // Narrow windows are summed together, so that there are enough buckets to fill batches.
    together_ = std::clamp<std::size_t>(ENOUGH_BUCKETS / windows_.most_buckets(), 1,
                                        std::max<std::size_t>(sets_ / threads_, 1));
    for (const Share& share : deal(sets_, together_, threads_, terms_.size())) {
      Task task{share, 0, {}};
      for_each_window(share,
                      [&](std::size_t, int window) { task.size = std::max(task.size, windows_.buckets(window)); });
      tasks_.push_back(std::move(task));
    }
  }

  Sum run() {
    PerThread<Worker> workers(threads_);
    parallel_tasks(tasks_.size(), static_cast<int>(threads_),
                   [&](int thread, std::size_t task) { add(tasks_[task], workers.of(thread, *this)); });
    return join();
  }

 private:
  static constexpr std::size_t ENOUGH_BUCKETS = 4096;

  using Terms = std::span<const Term>;

  // The sums of sets, each of `size` buckets, over one of several shards of the terms.
  struct Task {
    Share share;
    std::size_t size;
    std::vector<Sum> sums;
  };

  // The memory of a thread, used again for each of its tasks: fresh memory is slow when it is first written to.
  struct Worker {
    explicit Worker(const Pippenger& p)
        : lists(p.together_ * p.windows_.most_buckets()),
          ends(p.together_ * (p.windows_.most_buckets() + 1)),
          digits(p.most_entries()),
          entries(digits.size()),
          buckets(p.together_ * p.windows_.most_buckets()) {}

    ListSums<Arithmetic> lists;
    std::vector<std::uint32_t> ends;
    std::vector<List> by_bucket;
    PageArray<Digit> digits;
    PageArray<Entry> entries;
    Slots<Point> buckets;
  };

  std::size_t most_entries() const {
    return terms_.size() * ((static_cast<std::size_t>(windows_.count()) + sets_ - 1) / sets_) * together_;
  }

  void add(Task& task, Worker& worker) const {
    const std::size_t begin = task.share.begin(terms_.size()), sets = task.share.last - task.share.first;
    sort({terms_.data() + begin, task.share.end(terms_.size()) - begin}, task, worker);
    worker.by_bucket.clear();
    for (std::size_t set = 0; set < sets; ++set)
      for (std::size_t bucket = 0; bucket < task.size; ++bucket) {
        const std::uint32_t* const ends = &worker.ends[set * (task.size + 1) + bucket];
        worker.by_bucket.push_back({ends[0], ends[1] - ends[0], static_cast<std::uint32_t>(set * task.size + bucket)});
      }
    worker.buckets.clear();
    worker.lists.sum(points_, worker.entries.data(), worker.by_bucket, worker.buckets);
    task.sums = Reduction<Group, Arithmetic>(worker.lists)(worker.buckets, sets, 0, task.size, task.size);
  }

  // The points of terms by set and digit, a counting sort: those of digit +-d of a set end at ends[set * (size + 1) +
  // d]. Digits of 0 are sorted too, which costs less than to look for them.
  void sort(Terms terms, const Task& task, Worker& worker) const {
    const std::size_t count = terms.size();
    std::uint32_t* const ends = worker.ends.data();
    Entry* const entries = worker.entries.data();
    std::fill(worker.ends.begin(), worker.ends.end(), 0);
    Digit* digits = worker.digits.data();
    for_each_window(task.share, [&](std::size_t set, int window) {
      count_digits(terms, window, digits, ends + (set - task.share.first) * (task.size + 1));
      digits += count;
    });
    std::uint32_t total = 0;
    for (std::uint32_t& place : worker.ends) total += std::exchange(place, total);
    digits = worker.digits.data();
    for_each_window(task.share, [&](std::size_t set, int window) {
      std::uint32_t* const next = ends + (set - task.share.first) * (task.size + 1);
      const std::size_t multiple = static_cast<std::size_t>(window) / sets_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t point = terms[i].base * multiples_ + multiple;
        entries[next[std::abs(digits[i])]++] = entry(point, digits[i] < 0);
      }
      digits += count;
    });
  }

  // Writes the terms' digits and adds to counts[d] how many are +-d.
  void count_digits(Terms terms, int window, Digit* digits, std::uint32_t* counts) const {
    constexpr std::size_t AHEAD = 32;
    const Windows windows = windows_;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i + AHEAD < terms.size()) __builtin_prefetch(scalars_.words(terms[i + AHEAD].row));
      const Digit digit = windows.digit(windows.biased(scalars_.words(terms[i].row)), window);
      digits[i] = digit;
      ++counts[std::abs(digit)];
    }
  }

  Sum join() const {
    Sum total;
    for (std::size_t set = sets_; set-- > 0;) {
      for (int i = 0; i < windows_.width(); ++i) total = total.doubled();
      for (const Task& task : tasks_)
        if (task.share.first <= set && set < task.share.last) total += task.sums[set - task.share.first];
    }
    return total;
  }

  template <class Body>
  void for_each_window(const Share& share, Body body) const {
    for (std::size_t set = share.first; set < share.last; ++set)
      for (std::size_t window = set; window < static_cast<std::size_t>(windows_.count()); window += sets_)
        body(set, static_cast<int>(window));
  }

  const Source* points_;
  std::size_t multiples_;
  const Scalars& scalars_;
  const PageArray<Term>& terms_;
  Windows windows_;
  std::size_t sets_, threads_;
  std::size_t together_ = 1;  // sets that are summed together
  std::vector<Task> tasks_;
};

}  // namespace cuzk
