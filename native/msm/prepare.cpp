#include "msm/prepare.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "msm/list_sums.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/tuning.hpp"
#include "msm/vector_arithmetic.hpp"
#include "util/isa.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

template <class Group, class Arithmetic>
PreparedLayout layout() {
  using Point = typename Arithmetic::Point;
  return {std::string(Group::NAME) + "-" + Arithmetic::LAYOUT, sizeof(Point), alignof(Point)};
}

template <class Group, class Arithmetic>
void run(const byte* points, std::size_t count, std::size_t multiples, int spacing, byte* out, int threads) {
  using Point = typename Arithmetic::Point;
  constexpr std::size_t BLOCK = ListSums<Arithmetic>::CAPACITY;
  Point* const prepared = reinterpret_cast<Point*>(out);
  parallel_for(count, threads, [&](int, std::size_t begin, std::size_t end) {
    typename Arithmetic::Sums sums(std::min(BLOCK, end - begin));
    std::vector<std::uint32_t> indices(BLOCK);
    std::vector<Entry> entries(BLOCK);
    std::vector<Point> converted(BLOCK);
    for (std::size_t start = begin; start < end; start += BLOCK) {
      const std::size_t size = std::min(BLOCK, end - start);
      for (std::size_t i = 0; i < size; ++i) {
        CoordinateWords<Group> words;
        if (!decode_words_at<Group>(points, start + i, words))
          reject_point(Group::NAME, start + i, "it is infinity, which is not prepared");
        indices[i] = static_cast<std::uint32_t>(start + i);
        entries[i] = entry(i, false);
      }
      Arithmetic::convert(points, indices.data(), size, converted.data());
      for (std::size_t i = 0; i < size; ++i) prepared[(start + i) * multiples] = converted[i];
      if (multiples == 1) continue;
      sums.clear(size);
      sums.add(converted.data(), entries.data(), nullptr, size);
      for (std::size_t j = 1; j < multiples; ++j) {
        for (int bit = 0; bit < spacing; ++bit) sums.add(sums, size);
        std::size_t finite = 0;
        sums.for_each(size, [&](std::size_t i, const Point& point) {
          prepared[(start + i) * multiples + j] = point;
          ++finite;
        });
        if (finite < size) reject_point(Group::NAME, start, "it or one of those after it has multiples at infinity");
      }
    }
  });
}

}  // namespace

template <class Group>
PreparedLayout prepared_layout() {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return layout<Group, VectorArithmetic<Group>>();
#endif
  return layout<Group, PortableArithmetic<Group>>();
}

int prepared_spacing(std::size_t count, std::size_t multiples) {
  if (multiples == 1) return 0;
  const int width = best_width(count, multiples, [](int) { return true; });
  const auto windows = static_cast<std::size_t>(Windows(width).count());
  return width * static_cast<int>((windows + multiples - 1) / multiples);
}

template <class Group>
void prepare(const byte* points, std::size_t count, std::size_t multiples, int spacing, byte* out, int threads) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma)
    return run<Group, VectorArithmetic<Group>>(points, count, multiples, spacing, out, threads);
#endif
  run<Group, PortableArithmetic<Group>>(points, count, multiples, spacing, out, threads);
}

template PreparedLayout prepared_layout<G1>();
template PreparedLayout prepared_layout<G2>();
template void prepare<G1>(const byte*, std::size_t, std::size_t, int, byte*, int);
template void prepare<G2>(const byte*, std::size_t, std::size_t, int, byte*, int);

}  // namespace cuzk
