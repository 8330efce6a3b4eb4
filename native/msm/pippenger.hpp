// Pippenger's method over batched affine additions, as one template over the arithmetic.
//
// The terms are read in chunks: a chunk's bases are converted to the arithmetic's form once, and then added to the
// buckets of every window. Threads share the chunk and own disjoint windows; where there are more threads than windows,
// the terms are dealt into shards with buckets of their own. Sums are exact, so that the result depends neither on the
// number of threads nor on the order of additions.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "curve/groups.hpp"
#include "msm/buckets.hpp"
#include "msm/scalars.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk {

template <class Group, class Arithmetic>
class Pippenger {
 public:
  using Sum = Jacobian<typename Group::Coordinate>;
  using Point = typename Arithmetic::Point;

  Pippenger(const byte* bases, const Scalars& scalars, const MsmTuning& tuning, int threads)
      : bases_(bases), scalars_(scalars), tuning_(tuning), windows_(tuning.width), threads_(std::max(threads, 1)) {
    const auto windows = static_cast<std::size_t>(windows_.count());
    shards_ = (threads_ + windows - 1) / windows;
    const std::size_t parts = std::min((threads_ + shards_ - 1) / shards_, windows);
    for (std::size_t shard = 0; shard < shards_; ++shard)
      for (std::size_t part = 0; part < parts; ++part)
        workers_.push_back({shard, windows * part / parts, windows * (part + 1) / parts, nullptr, {}});
  }

  Sum run(std::span<const Term> terms) {
    const std::size_t chunk = std::min(tuning_.chunk, terms.size());
    stride_ = chunk + 16;  // not a power of two: the windows' digits must not fall into the same cache sets
    points_ = PageArray<Point>(chunk);
    digits_ = PageArray<Digit>(stride_ * windows_.count());
    if (chunk == terms.size()) {
      load(terms);
      for_each_worker([&](Worker& worker) { sum_window_by_window(worker, terms.size()); });
    } else {
      for (std::size_t start = 0; start < terms.size(); start += chunk) {
        const auto part = terms.subspan(start, std::min(chunk, terms.size() - start));
        load(part);
        for_each_worker([&](Worker& worker) { fill_all_windows(worker, part.size()); });
      }
      for_each_worker([](Worker& worker) { worker.sums = worker.buckets->reduce(); });
    }
    return join();
  }

 private:
  using Buckets = cuzk::Buckets<Group, Arithmetic>;

  // One thread's share: the windows [first, last) of one shard of the terms.
  struct Worker {
    std::size_t shard, first, last;
    std::unique_ptr<Buckets> buckets;
    std::vector<Sum> sums;
  };

  // With all terms at hand: buckets for as many windows as the cache holds are filled, reduced and used again.
  void sum_window_by_window(Worker& worker, std::size_t count) {
    const std::size_t together =
        std::min(Buckets::windows_in_cache(windows_.buckets(), tuning_), worker.last - worker.first);
    for (std::size_t first = worker.first; first < worker.last; first += together) {
      const std::size_t windows = std::min(together, worker.last - first);
      if (!worker.buckets || windows < together) {
        worker.buckets = std::make_unique<Buckets>(windows, windows_.buckets(), tuning_);
      } else {
        worker.buckets->clear();
      }
      fill(worker, first, count);
      for (const Sum& sum : worker.buckets->reduce()) worker.sums.push_back(sum);
    }
  }

  // With one chunk of many: buckets of all windows are kept until the last chunk.
  void fill_all_windows(Worker& worker, std::size_t count) {
    if (!worker.buckets)
      worker.buckets = std::make_unique<Buckets>(worker.last - worker.first, windows_.buckets(), tuning_);
    fill(worker, worker.first, count);
  }

  // Fills the worker's buckets, which are those of the windows from `first`, with its shard of the chunk.
  void fill(Worker& worker, std::size_t first, std::size_t count) {
    const std::size_t begin = count * worker.shard / shards_, end = count * (worker.shard + 1) / shards_;
    worker.buckets->fill(points_.data() + begin, digits_.data() + first * stride_ + begin, stride_, end - begin);
  }

  // Converts the bases of a chunk and splits its scalars. A base at infinity gets the scalar 0.
  void load(std::span<const Term> terms) {
    constexpr std::size_t BLOCK = 64;
    static constexpr u64 ZERO[Fr::LIMBS] = {};
    parallel_for(terms.size(), threads_, [&](int, std::size_t begin, std::size_t end) {
      std::uint32_t indices[BLOCK];
      bool is_infinity[BLOCK];
      for (std::size_t start = begin; start < end; start += BLOCK) {
        const auto block = terms.subspan(start, std::min(BLOCK, end - start));
        for (std::size_t i = 0; i < block.size(); ++i) indices[i] = block[i].base;
        Arithmetic::load(bases_, indices, block.size(), points_.data() + start, is_infinity);
        for (std::size_t i = 0; i < block.size(); ++i)
          windows_.split(is_infinity[i] ? ZERO : scalars_.words(block[i].scalar), &digits_[start + i], stride_);
      }
    });
  }

  template <class Body>
  void for_each_worker(Body body) {
    parallel_for(workers_.size(), threads_, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(workers_[i]);
    });
  }

  Sum join() const {
    Sum total;
    for (std::size_t window = windows_.count(); window-- > 0;) {
      for (int i = 0; i < windows_.width(); ++i) total = total.doubled();
      for (const Worker& worker : workers_)
        if (worker.first <= window && window < worker.last) total += worker.sums[window - worker.first];
    }
    return total;
  }

  const byte* bases_;
  const Scalars& scalars_;
  MsmTuning tuning_;
  Windows windows_;
  int threads_;
  std::size_t shards_, stride_ = 0;
  std::vector<Worker> workers_;
  PageArray<Point> points_;  // the bases of the chunk at hand
  PageArray<Digit> digits_;  // their scalars' digits, stride_ apart from window to window
};

}  // namespace cuzk
