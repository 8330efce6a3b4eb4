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
    const std::size_t groups = std::min((threads_ + shards_ - 1) / shards_, windows);
    for (std::size_t shard = 0; shard < shards_; ++shard)
      for (std::size_t group = 0; group < groups; ++group)
        workers_.push_back({shard,
                            static_cast<int>(windows * group / groups),
                            static_cast<int>(windows * (group + 1) / groups),
                            nullptr,
                            {}});
  }

  Sum run(std::span<const Term> terms) {
    const std::size_t chunk = std::min(tuning_.chunk, terms.size());
    points_ = PageArray<Point>(chunk);
    biased_.resize(chunk);
    for (std::size_t start = 0; start < terms.size(); start += chunk)
      add(terms.subspan(start, std::min(chunk, terms.size() - start)));
    for_each_worker([](Worker& worker) { worker.sums = worker.buckets->reduce(); });
    return join();
  }

 private:
  // One thread's share: some windows of one shard of the terms.
  struct Worker {
    std::size_t shard;
    int first, last;
    std::unique_ptr<Buckets<Group, Arithmetic>> buckets;
    std::vector<Sum> sums;
  };

  void add(std::span<const Term> terms) {
    parallel_for(terms.size(), threads_,
                 [&](int, std::size_t begin, std::size_t end) { load(terms.subspan(begin, end - begin), begin); });
    for_each_worker([&](Worker& worker) {
      if (!worker.buckets)
        worker.buckets = std::make_unique<Buckets<Group, Arithmetic>>(windows_, worker.first, worker.last, tuning_);
      const std::size_t begin = terms.size() * worker.shard / shards_;
      const std::size_t end = terms.size() * (worker.shard + 1) / shards_;
      worker.buckets->fill(points_.data() + begin, biased_.data() + begin, end - begin);
    });
  }

  // Converts bases and scalars of some terms to their places in the chunk; a base at infinity gets the scalar 0.
  void load(std::span<const Term> terms, std::size_t place) {
    constexpr std::size_t BLOCK = 64;
    std::uint32_t indices[BLOCK];
    bool is_infinity[BLOCK];
    for (std::size_t start = 0; start < terms.size(); start += BLOCK, place += BLOCK) {
      const auto block = terms.subspan(start, std::min(BLOCK, terms.size() - start));
      for (std::size_t i = 0; i < block.size(); ++i) indices[i] = block[i].base;
      Arithmetic::load(bases_, indices, block.size(), points_.data() + place, is_infinity);
      for (std::size_t i = 0; i < block.size(); ++i)
        biased_[place + i] = is_infinity[i] ? windows_.zero() : windows_.biased(scalars_.words(block[i].scalar));
    }
  }

  template <class Body>
  void for_each_worker(Body body) {
    parallel_for(workers_.size(), threads_, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(workers_[i]);
    });
  }

  Sum join() const {
    Sum total;
    for (int window = windows_.count(); window-- > 0;) {
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
  std::size_t shards_;
  std::vector<Worker> workers_;
  PageArray<Point> points_;              // the bases of the chunk at hand
  std::vector<Windows::Biased> biased_;  // and their scalars
};

}  // namespace cuzk
