// Pippenger's method over batched affine additions, as one template over the arithmetic.
//
// A window's terms are sorted by digit; what has the same digit is summed, and the sums are weighted by their digits.
// Many terms are taken chunk by chunk, whose points are converted once, on huge pages, and then read at random for
// every window: prefetched, from there they cost little, but from an array on small pages or to be decoded each time,
// more.
//
// Threads take windows as they come free; windows that would be left over for some threads are dealt among all by
// shards of the terms. Sums are exact, so that the result depends neither on that nor on the order of additions.
//
// With multiples of each base, 2^(spacing j) * base, window w of a scalar is window w mod (spacing / width) of a
// multiple: there are fewer windows, each with more to sum, and less to reduce.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "curve/point.hpp"
#include "msm/list_sums.hpp"
#include "msm/reduction.hpp"
#include "msm/scalars.hpp"
#include "msm/windows.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk {

template <class Group, class Arithmetic, class Source>
class Pippenger {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  static std::size_t num_chunks(std::size_t terms) { return terms > DIRECT ? (terms + CHUNK - 1) / CHUNK : 1; }

  // `points` has `multiples` for each base; `sets` windows have buckets, and window w goes to set w mod sets.
  Pippenger(const Source* points, std::size_t multiples, const Scalars& scalars, const PageArray<Term>& terms,
            int width, std::size_t sets, int threads)
      : points_(points),
        multiples_(multiples),
        scalars_(scalars),
        terms_(terms),
        windows_(width),
        sets_(sets),
        threads_(static_cast<std::size_t>(std::max(threads, 1))),
        is_copied_(multiples == 1 && terms.size() > DIRECT) {
    const std::size_t shards_of_left =
        (threads_ + std::max<std::size_t>(sets_ % threads_, 1) - 1) / std::max<std::size_t>(sets_ % threads_, 1);
    // Narrow windows are summed together, so that there are enough buckets to fill batches.
    const std::size_t each = sets_ / threads_, whole = each * threads_;
    together_ = std::clamp<std::size_t>(ENOUGH_BUCKETS / windows_.most_buckets(), 1, std::max<std::size_t>(each, 1));
    const std::size_t groups = threads_ * ((each + together_ - 1) / together_);
    for (std::size_t group = 0; group < groups; ++group)
      tasks_.push_back({whole * group / groups, whole * (group + 1) / groups, 0, 1, 0, nullptr, {}});
    const std::size_t shards = std::clamp<std::size_t>(terms_.size() / SMALLEST_SHARD, 1, shards_of_left);
    for (std::size_t set = whole; set < sets_; ++set)
      for (std::size_t shard = 0; shard < shards; ++shard)
        tasks_.push_back({set, set + 1, shard, shards, 0, nullptr, {}});
    for (Task& task : tasks_)
      for_each_window(task.first, task.last,
                      [&](std::size_t, int window) { task.size = std::max(task.size, windows_.buckets(window)); });
  }

  Sum run() {
    std::vector<std::unique_ptr<Worker>> workers(threads_);
    const auto for_each_task = [&](auto body) {
      parallel_tasks(tasks_.size(), static_cast<int>(threads_), [&](int thread, std::size_t task) {
        auto& worker = workers[static_cast<std::size_t>(thread)];
        if (!worker) worker = std::make_unique<Worker>(*this);
        body(tasks_[task], *worker);
      });
    };
    const std::size_t count = terms_.size();
    if (!is_copied_) {
      for_each_task([&](Task& task, Worker& worker) {
        worker.allocate_buckets(*this);
        worker.buckets->clear();
        fill(points_, {terms_.data(), count}, task, *worker.buckets, worker);
        reduce(task, *worker.buckets, worker);
      });
    } else {
      const std::size_t chunks = num_chunks(count);
      PageArray<Point> points(std::min(count, CHUNK));
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const std::size_t begin = count * chunk / chunks, end = count * (chunk + 1) / chunks;
        const Terms terms{&terms_[begin], end - begin};
        copy_points(terms, points.data());
        for_each_task([&](Task& task, Worker& worker) {
          if (!task.buckets) task.buckets = std::make_unique<Slots<Point>>((task.last - task.first) * task.size);
          fill(points.data(), terms, task, *task.buckets, worker);
        });
      }
      for_each_task([&](Task& task, Worker& worker) { reduce(task, *task.buckets, worker); });
    }
    return join();
  }

 private:
  static constexpr std::size_t ENOUGH_BUCKETS = 4096, SMALLEST_SHARD = 1024;
  static constexpr std::size_t DIRECT = std::size_t{1} << 16;  // terms whose points are read in place
  static constexpr std::size_t CHUNK =
      (std::size_t{1} << 24) / sizeof(Point);  // terms whose points are copied at a time

  using Terms = std::span<const Term>;

  // The sums of the sets [first, last), each of `size` buckets, over one of several shards of the terms.
  struct Task {
    std::size_t first, last, shard, shards, size;
    std::unique_ptr<Slots<Point>> buckets;  // kept from chunk to chunk
    std::vector<Sum> sums;
  };

  // The memory of a thread, used again for each of its tasks: fresh memory is slow when it is first written to.
  struct Worker {
    explicit Worker(const Pippenger& p)
        : lists(p.together_ * p.windows_.most_buckets()),
          ends(p.together_ * (p.windows_.most_buckets() + 1)),
          digits(p.most_entries()),
          entries(digits.size()) {}

    void allocate_buckets(const Pippenger& p) {
      if (!buckets) buckets = std::make_unique<Slots<Point>>(p.together_ * p.windows_.most_buckets());
    }

    ListSums<Arithmetic> lists;
    std::vector<std::uint32_t> ends;
    std::vector<List> by_bucket;
    PageArray<Digit> digits;
    PageArray<Entry> entries;
    std::unique_ptr<Slots<Point>> buckets;
  };

  std::size_t most_entries() const {
    const std::size_t windows_of_set = (static_cast<std::size_t>(windows_.count()) + sets_ - 1) / sets_;
    return (is_copied_ ? std::min(terms_.size(), CHUNK) : terms_.size()) * windows_of_set * together_;
  }

  void copy_points(Terms terms, Point* out) const {
    parallel_for(terms.size(), static_cast<int>(threads_), [&](int, std::size_t begin, std::size_t end) {
      constexpr std::size_t BLOCK = 64;
      std::uint32_t bases[BLOCK];
      for (std::size_t start = begin; start < end; start += BLOCK) {
        const std::size_t count = std::min(BLOCK, end - start);
        for (std::size_t i = 0; i < count; ++i) bases[i] = terms[start + i].base;
        if constexpr (std::is_same_v<Source, Point>) {
          for (std::size_t i = 0; i < count; ++i) out[start + i] = points_[bases[i]];
        } else {
          Arithmetic::convert(points_, bases, count, out + start);
        }
      }
    });
  }

  // Adds the task's shard of the terms to its buckets. `points` are all, or those of the terms alone.
  template <class Kind>
  void fill(const Kind* points, Terms terms, const Task& task, Slots<Point>& buckets, Worker& worker) const {
    const std::size_t begin = terms.size() * task.shard / task.shards;
    const std::size_t end = terms.size() * (task.shard + 1) / task.shards;
    sort(terms.subspan(begin, end - begin), begin, task, worker);
    worker.by_bucket.clear();
    for (std::size_t set = 0; set < task.last - task.first; ++set)
      for (std::size_t bucket = 0; bucket < task.size; ++bucket) {
        const std::uint32_t* const ends = &worker.ends[set * (task.size + 1) + bucket];
        worker.by_bucket.push_back({ends[0], ends[1] - ends[0], static_cast<std::uint32_t>(set * task.size + bucket)});
      }
    worker.lists.sum(points, worker.entries.data(), worker.by_bucket, buckets);
  }

  void reduce(Task& task, const Slots<Point>& buckets, Worker& worker) const {
    task.sums = Reduction<Group, Arithmetic>(worker.lists)(buckets, task.last - task.first, 0, task.size, task.size);
  }

  // The points of terms by set and digit, a counting sort: those of digit +-d of a set end at ends[set * (size + 1) +
  // d]. Digits of 0 are sorted too, which costs less than to look for them. Of a copy, term i's point is point first +
  // i.
  void sort(Terms terms, std::size_t first, const Task& task, Worker& worker) const {
    const std::size_t count = terms.size();
    std::uint32_t* const ends = worker.ends.data();
    Entry* const entries = worker.entries.data();
    std::fill(worker.ends.begin(), worker.ends.end(), 0);
    Digit* digits = worker.digits.data();
    for_each_window(task.first, task.last, [&](std::size_t set, int window) {
      count_digits(terms, window, digits, ends + (set - task.first) * (task.size + 1));
      digits += count;
    });
    std::uint32_t total = 0;
    for (std::uint32_t& place : worker.ends) total += std::exchange(place, total);
    digits = worker.digits.data();
    for_each_window(task.first, task.last, [&](std::size_t set, int window) {
      std::uint32_t* const next = ends + (set - task.first) * (task.size + 1);
      const std::size_t multiple = static_cast<std::size_t>(window) / sets_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t point = is_copied_ ? first + i : terms[i].base * multiples_ + multiple;
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
        if (task.first <= set && set < task.last) total += task.sums[set - task.first];
    }
    return total;
  }

  template <class Body>
  void for_each_window(std::size_t first, std::size_t last, Body body) const {
    for (std::size_t set = first; set < last; ++set)
      for (std::size_t window = set; window < static_cast<std::size_t>(windows_.count()); window += sets_)
        body(set, static_cast<int>(window));
  }

  const Source* points_;
  std::size_t multiples_;
  const Scalars& scalars_;
  const PageArray<Term>& terms_;
  Windows windows_;
  std::size_t sets_, threads_;
  bool is_copied_;            // points, chunk by chunk
  std::size_t together_ = 1;  // sets that are summed together
  std::vector<Task> tasks_;
};

}  // namespace cuzk
