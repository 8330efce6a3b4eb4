// Canonical integers at the boundary: arrays of little-endian words that must be below the modulus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "util/errors.hpp"
#include "util/limbs.hpp"
#include "util/parallel.hpp"

namespace cuzk {

template <class F>
typename F::Words load_words(const u64* limbs) {
  typename F::Words words;
  std::copy_n(limbs, F::LIMBS, words.begin());
  return words;
}

// Throws InputError naming the first of `count` integers that is not below the modulus.
template <class F>
void require_canonical(const u64* limbs, std::size_t count, const char* name, int threads) {
  std::vector<std::size_t> first_bad(static_cast<std::size_t>(std::max(threads, 1)), count);
  parallel_for(count, threads, [&](int thread, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // Nearly always decided by the top word alone, so that the scan runs at the speed of memory.
      if (limbs[(i + 1) * F::LIMBS - 1] < F::MODULUS[F::LIMBS - 1]) continue;
      if (F::is_canonical(load_words<F>(limbs + i * F::LIMBS))) continue;
      first_bad[static_cast<std::size_t>(thread)] = i;
      return;
    }
  });
  const std::size_t index = *std::min_element(first_bad.begin(), first_bad.end());
  if (index == count) return;
  throw InputError(std::string(name) + "[" + std::to_string(index) + "] is not below the field's modulus");
}

}  // namespace cuzk
