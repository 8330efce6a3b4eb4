// What is added to eight sums: points that entries name, or other sums. Only for *_ifma.cpp.
#pragma once

#include "msm/loads_ifma.hpp"

namespace cuzk::ifma {
namespace {

// Addends named by entries.
template <class Source, class Point>
class NamedAddends {
 public:
  NamedAddends(Source source, EntryRange range) : source_(source), range_(range) {
    while (any_ < range_.count && range_.entries[any_] == ABSENT) ++any_;
  }

  // None if no entry names a point.
  std::size_t groups() const { return any_ < range_.count ? (range_.count + 7) / 8 : 0; }

  // One row of the addends of one group, in steps; where no point is named, that of any other is loaded.
  template <int ROW>
  class Loader {
   public:
    Loader(const NamedAddends& addends, std::size_t g) {
      alignas(32) Entry named[8];
      const __m256i entries = addends.entries(g),
                    any = _mm256_set1_epi32(static_cast<int>(addends.range_.entries[addends.any_]));
      _mm256_store_si256(reinterpret_cast<__m256i*>(named), _mm256_mask_mov_epi32(any, present(entries), entries));
      CUZK_UNROLL for (int i = 0; i < 8; ++i) points_[i] = addends.source_.at(index_of(named[i]));
    }
    template <int STEP>
    CUZK_INLINE void step() {
      loader_.template step<STEP>(points_);
    }
    CUZK_INLINE Vector limb(int i) const { return loader_.limb(i); }

   private:
    decltype(std::declval<Source>().at(0)) points_[8];
    typename Source::template Loader<ROW> loader_;
  };

  CUZK_INLINE __mmask8 present(std::size_t g) const { return present(entries(g)); }
  CUZK_INLINE __mmask8 negated(std::size_t g) const { return _mm256_test_epi32_mask(entries(g), _mm256_set1_epi32(1)); }

  // Calls for the addend that one lane of the group has in the next batch. Spread over the backward pass, so that the
  // requests never fill the processor's buffers for cache misses.
  CUZK_INLINE void prefetch(std::size_t g, int lane) const {
    const std::size_t i = 8 * g + lane;
    if (i >= range_.count || range_.upcoming == nullptr || range_.upcoming[i] == ABSENT) return;
    Source::prefetch(source_.at(index_of(range_.upcoming[i])));
  }

 private:
  CUZK_INLINE __m256i entries(std::size_t g) const {
    const std::size_t first = 8 * g, left = range_.count - first;
    const auto used = static_cast<__mmask8>(left < 8 ? (1u << left) - 1 : 0xff);
    return _mm256_mask_loadu_epi32(_mm256_set1_epi32(-1), used, range_.entries + first);
  }
  CUZK_INLINE static __mmask8 present(__m256i entries) {
    return _mm256_cmpneq_epi32_mask(entries, _mm256_set1_epi32(-1));
  }

  Source source_;
  EntryRange range_;
  std::size_t any_ = 0;  // an entry that names a point
};

// Addends that are sums themselves, lane by lane.
template <class Point>
class SumAddends {
 public:
  SumAddends(SumsView<Point> sums, std::size_t groups) : sums_(sums), groups_(groups) {}

  std::size_t groups() const { return groups_; }

  template <int ROW>
  class Loader {
   public:
    Loader(const SumAddends& addends, std::size_t g) : row_(addends.sums_.sums[g].row[ROW]) {}
    template <int STEP>
    CUZK_INLINE void step() {}
    CUZK_INLINE Vector limb(int i) const { return _mm512_load_si512(row_[i]); }

   private:
    const u64 (*row_)[8];
  };

  CUZK_INLINE __mmask8 present(std::size_t g) const { return static_cast<__mmask8>(~sums_.empty[g]); }
  CUZK_INLINE __mmask8 negated(std::size_t) const { return 0; }
  CUZK_INLINE void prefetch(std::size_t, int) const {}

 private:
  SumsView<Point> sums_;
  std::size_t groups_;
};

}  // namespace
}  // namespace cuzk::ifma
