// What the passes of one transform share: plan, kernels, twiddles, and scratch memory for each thread.
#pragma once

#include <vector>

#include "field/fr.hpp"
#include "ntt/block.hpp"
#include "ntt/plan.hpp"
#include "util/pages.hpp"
#include "util/parallel.hpp"

namespace cuzk::ntt_detail {

// A thread's memory for blocks: two times the slots of the largest block, and tables for twists.
class Scratch {
 public:
  Scratch(const Kernels& kernels, std::size_t slots)
      : slots_bytes_(slots * kernels.slot_bytes), memory_(2 * slots_bytes_ + kernels.twist_bytes) {}

  void* slots() { return memory_.data(); }
  void* others() { return memory_.data() + slots_bytes_; }
  void* tables() { return memory_.data() + 2 * slots_bytes_; }

 private:
  std::size_t slots_bytes_;
  PageArray<std::byte> memory_;
};

Fr power(const Fr& base, std::size_t exponent);

class Workspace {
 public:
  // For transforms of 2^log2_size scalars, in blocks of at most 2^max_log2_slots slots if it can be.
  Workspace(int log2_size, int threads, int max_log2_slots);

  const Kernels& kernels() const { return *kernels_; }
  const Plan& plan() const { return plan_; }

  // The root of unity of order 2^log2_order, or its inverse.
  static Fr root(bool inverse, int log2_order);
  const u64* twiddles(bool inverse) const { return twiddles_[inverse].data(); }

  // Prepared factors first, first * ratio, first * ratio^2, ...
  std::vector<u64> factors(const Fr& first, const Fr& ratio, std::size_t count) const;

  // Calls body(scratch, begin, end) for a part of the blocks on each thread.
  template <class Body>
  void for_blocks(std::size_t blocks, Body body) {
    parallel_for(blocks, static_cast<int>(scratch_.size()), [&](int thread, std::size_t begin, std::size_t end) {
      body(scratch_[static_cast<std::size_t>(thread)], begin, end);
    });
  }

 private:
  std::vector<u64> twiddle_table(bool inverse) const;

  Plan plan_;
  const Kernels* kernels_;
  std::vector<Scratch> scratch_;
  std::vector<u64> twiddles_[2];  // forward, inverse
};

// The twists of a column stage: index j of column c gets first * ratio^c * (root^c * shift)^j. A thread's object gives
// those of its blocks one after the other.
class Twists {
 public:
  struct Rule {
    Fr root;
    Fr shift = Fr::one();
    Fr first = Fr::one();
    Fr ratio = Fr::one();
  };

  explicit Twists(const Rule& rule);

  const Twist& at(std::size_t column);  // the twist of columns [column, column + LANES)

 private:
  Rule rule_;
  Fr root_step_, ratio_step_;  // powers by LANES
  std::size_t next_column_ = 0;
  Fr root_power_ = Fr::one(), ratio_power_ = Fr::one();  // root^next_column, ratio^next_column
  Twist twist_;
};

}  // namespace cuzk::ntt_detail
