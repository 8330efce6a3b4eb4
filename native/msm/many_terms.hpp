// The sum of many terms, in digits of Z[w] (eisenstein.hpp): the bases have to be in the subgroup.
//
// A digit's terms are sorted by bucket; what has the same bucket is summed, and the sums are weighted. Terms are taken
// chunk by chunk, whose points are converted once, with their images under units, on huge pages, and then read at
// random for every digit: prefetched, from there they cost little, but from an array on small pages or to be decoded
// each time, more.
//
// Sums are exact, so that the result depends neither on threads nor on the order of additions.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "curve/point.hpp"
#include "msm/eisenstein.hpp"
#include "msm/list_sums.hpp"
#include "msm/reduction.hpp"
#include "msm/scalars.hpp"
#include "msm/shares.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk {

template <class Group, class Arithmetic, class Source>
class ManyTerms {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  ManyTerms(const Source* points, const Scalars& scalars, const PageArray<Term>& terms, int threads)
      : points_(points), scalars_(scalars), terms_(terms), threads_(static_cast<std::size_t>(std::max(threads, 1))) {
    for (const Share& share : deal(Digits::COUNT, 1, threads_, terms_.size()))
      tasks_.push_back({share, static_cast<std::uint32_t>(tasks_.size() * Digits::BUCKETS), {}, {}});
  }

  Sum run() {
    const std::size_t count = terms_.size(), chunks = (count + CHUNK - 1) / CHUNK;
    const std::size_t most = (count + chunks - 1) / chunks;
    PerThread<Worker> workers(threads_);
    PageArray<Images> images(most);
    PageArray<Code> codes(Digits::COUNT * most);
    Slots<Point> buckets(Digits::BUCKETS * tasks_.size());
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const std::size_t begin = count * chunk / chunks, end = count * (chunk + 1) / chunks;
      const Terms terms{&terms_[begin], end - begin};
      read(terms, images.data(), codes.data());
      parallel_tasks(tasks_.size(), static_cast<int>(threads_), [&](int thread, std::size_t number) {
        Task& task = tasks_[number];
        Worker& worker = workers.of(thread, most);
        const std::size_t first = task.share.begin(terms.size()), last = task.share.end(terms.size());
        sort(&codes[task.share.first * terms.size() + first], first, last - first, task.first_bucket, worker);
        worker.lists.sum(images.data(), worker.entries.data(), worker.by_bucket, buckets);
      });
    }
    parallel_for(tasks_.size(), static_cast<int>(threads_), [&](int thread, std::size_t begin, std::size_t end) {
      reduce(buckets, {&tasks_[begin], end - begin}, workers.of(thread, most).lists);
    });
    return join();
  }

 private:
  using Digits = EisensteinDigits;
  using Code = Digits::Code;
  using Images = typename Arithmetic::Images;
  using Terms = std::span<const Term>;
  static constexpr std::size_t CHUNK = (std::size_t{29} << 20) / sizeof(Images);  // terms; malloc maps 32 MiB anew

  // One digit's sums over one of several shards of the terms.
  struct Task {
    Share share;
    std::uint32_t first_bucket;
    Sum plain, turned;  // the latter times 1 + w = -w^2
  };

  // The memory of a thread, used again for each of its tasks: fresh memory is slow when it is first written to.
  struct Worker {
    explicit Worker(std::size_t terms) : lists(Digits::BUCKETS), ends(Digits::BUCKETS + 1), entries(terms) {}

    ListSums<Arithmetic> lists;
    std::vector<std::uint32_t> ends;
    std::vector<List> by_bucket;
    PageArray<Entry> entries;
  };

  // The points of terms with their images, and the digits of their scalars.
  void read(Terms terms, Images* images, Code* codes) const {
    parallel_for(terms.size(), static_cast<int>(threads_), [&](int, std::size_t begin, std::size_t end) {
      constexpr std::size_t BLOCK = 64;
      std::uint32_t bases[BLOCK];
      const u64* rows[BLOCK];
      Point points[BLOCK];
      for (std::size_t start = begin; start < end; start += BLOCK) {
        const std::size_t count = std::min(BLOCK, end - start);
        for (std::size_t i = 0; i < count; ++i) {
          bases[i] = terms[start + i].base;
          rows[i] = scalars_.words(terms[start + i].row);
        }
        if constexpr (std::is_same_v<Source, Point>) {
          for (std::size_t i = 0; i < count; ++i) points[i] = points_[bases[i]];
        } else {
          Arithmetic::convert(points_, bases, count, points);
        }
        Arithmetic::make_images(points, count, images + start);
        Digits::get().read(rows, count, codes + start, terms.size());
      }
    });
  }

  // The images named by the digits of terms, by bucket: a counting sort, as lists. Digits of zero come first.
  static void sort(const Code* codes, std::size_t first, std::size_t count, std::uint32_t first_bucket,
                   Worker& worker) {
    constexpr std::uint32_t UNITS = Digits::UNITS;
    const auto place_of = [](Code code) { return (code + UNITS - 1) / UNITS; };
    std::uint32_t* const ends = worker.ends.data();
    std::fill(worker.ends.begin(), worker.ends.end(), 0);
    for (std::size_t i = 0; i < count; ++i) ++ends[place_of(codes[i])];
    std::uint32_t total = 0;
    for (std::uint32_t& place : worker.ends) total += std::exchange(place, total);
    // Units 1, w, w^2, -1, -w, -w^2.
    static constexpr Entry IMAGE[UNITS] = {entry(0, false), entry(1, false), entry(2, false),
                                           entry(0, true),  entry(1, true),  entry(2, true)};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t place = place_of(codes[i]), unit = codes[i] + UNITS - 1 - UNITS * place;
      worker.entries[ends[place]++] = entry(4 * (first + i), false) + IMAGE[unit];
    }
    worker.by_bucket.clear();
    for (std::uint32_t bucket = 0; bucket < Digits::BUCKETS; ++bucket)
      worker.by_bucket.push_back({ends[bucket], ends[bucket + 1] - ends[bucket], first_bucket + bucket});
  }

  // The sums of buckets times the two parts of their weights: of what has a part of n, n times the plain sum. Those of
  // all tasks are summed together, which makes better batches.
  static void reduce(const Slots<Point>& buckets, std::span<Task> tasks, ListSums<Arithmetic>& lists) {
    constexpr std::size_t STRIDE = std::max(Digits::MOST_ONE, Digits::MOST_TURNED);
    const std::vector<Digits::Weight>& weights = Digits::get().weights();
    std::vector<std::vector<Entry>> parts(2 * STRIDE * tasks.size());
    for (std::size_t task = 0; task < tasks.size(); ++task)
      for (std::size_t bucket = 0; bucket < weights.size(); ++bucket) {
        const Entry sum = buckets.entry_of(tasks[task].first_bucket + bucket);
        const auto [one, turned] = weights[bucket];
        parts[2 * STRIDE * task + one - 1].push_back(sum);
        if (turned > 0) parts[2 * STRIDE * task + STRIDE + turned - 1].push_back(sum);
      }
    std::vector<Entry> entries;
    std::vector<List> by_part;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      by_part.push_back({static_cast<std::uint32_t>(entries.size()), static_cast<std::uint32_t>(parts[part].size()),
                         static_cast<std::uint32_t>(part)});
      entries.insert(entries.end(), parts[part].begin(), parts[part].end());
    }
    Slots<Point> plain(parts.size());
    lists.sum(buckets.points(), entries.data(), by_part, plain);
    const std::vector<Sum> sums = Reduction<Group, Arithmetic>(lists)(plain, 2 * tasks.size(), 0, STRIDE, STRIDE);
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      tasks[task].plain = sums[2 * task];
      tasks[task].turned = sums[2 * task + 1];
    }
  }

  Sum join() const {
    Sum total;
    for (std::size_t digit = Digits::COUNT; digit-- > 0;) {
      for (int i = 0; i < 8; ++i) total = total.doubled();
      for (const Task& task : tasks_) {
        if (task.share.first != digit) continue;
        total += task.plain;
        total += Sum(task.turned.x * (BETA<Group> * BETA<Group>), -task.turned.y, task.turned.z);
      }
    }
    return total;
  }

  const Source* points_;
  const Scalars& scalars_;
  const PageArray<Term>& terms_;
  std::size_t threads_;
  std::vector<Task> tasks_;
};

}  // namespace cuzk
