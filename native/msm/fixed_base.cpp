#include "msm/fixed_base.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "msm/list_sums.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/vector_arithmetic.hpp"
#include "msm/windows.hpp"
#include "util/isa.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

// The width with the least additions; no wider than lets one window's multiples stay in a core's cache.
int window_width(std::size_t count) {
  constexpr int WIDEST = 14;
  int best = 2;
  for (int width = 3; width <= WIDEST; ++width) {
    const Windows narrow(best), wide(width);
    if (wide.count() * (count + wide.buckets(0)) < narrow.count() * (count + narrow.buckets(0))) best = width;
  }
  return best;
}

template <class Group, class Arithmetic>
class FixedBase {
  using F = typename Group::Coordinate;
  using Point = typename Arithmetic::Point;

 public:
  FixedBase(const Affine<F>& base, std::size_t count, int threads)
      : windows_(window_width(count)),
        size_(windows_.most_buckets()),
        multiples_(static_cast<std::size_t>(windows_.count()) * size_),
        threads_(threads) {
    std::vector<Jacobian<F>> powers(windows_.count(), Jacobian<F>(base));  // 2^(width w) * base
    for (std::size_t w = 1; w < powers.size(); ++w) {
      powers[w] = powers[w - 1];
      for (int i = 0; i < windows_.width(); ++i) powers[w] = powers[w].doubled();
    }
    std::vector<Affine<F>> affine(powers.size());
    batch_to_affine<F>(powers, affine);
    parallel_for(powers.size(), threads_,
                 [&](int, std::size_t begin, std::size_t end) { tabulate(affine, begin, end); });
  }

  void multiply(const u64* scalars, std::size_t count, byte* out) const {
    constexpr std::size_t BLOCK = ListSums<Arithmetic>::CAPACITY;
    parallel_for(count, threads_, [&](int, std::size_t begin, std::size_t end) {
      typename Arithmetic::Sums products(std::min(BLOCK, end - begin));
      for (std::size_t start = begin; start < end; start += BLOCK) {
        const std::size_t size = std::min(BLOCK, end - start);
        multiply_block(scalars + Fr::LIMBS * start, size, products);
        byte* const to = out + start * Group::POINT_SIZE;
        for (std::size_t i = 0; i < size; ++i) encode<Group>({}, to + i * Group::POINT_SIZE);
        products.for_each(size, [&](std::size_t i, const Point& product) {
          encode<Group>(Arithmetic::to_affine(product), to + i * Group::POINT_SIZE);
        });
      }
    });
  }

 private:
  // Fills the windows [begin, end) of the table: entry d - 1 of window w is d * powers[w]. With the first k entries
  // known, the next k are each of them plus the k-th. Entries are empty where the multiple is infinity: for bases of
  // small order.
  void tabulate(const std::vector<Affine<F>>& powers, std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w)
      if (!powers[w].is_infinity()) multiples_.set(w * size_, Arithmetic::from_affine(powers[w]));
    ListSums<Arithmetic> sums((end - begin) * size_);
    std::vector<Entry> pairs;
    std::vector<List> lists;
    for (std::size_t known = 1; known < size_; known *= 2) {
      pairs.clear();
      lists.clear();
      for (std::size_t w = begin; w < end; ++w)
        for (std::size_t i = 0; i < std::min(known, size_ - known); ++i) {
          const std::size_t first = w * size_;
          lists.push_back({static_cast<std::uint32_t>(pairs.size()), 2, static_cast<std::uint32_t>(first + known + i)});
          pairs.push_back(multiple(first + i, false));
          pairs.push_back(multiple(first + known - 1, false));
        }
      sums.sum(multiples_.points(), pairs.data(), lists, multiples_);
    }
  }

  Entry multiple(std::size_t slot, bool negate) const {
    return multiples_.is_empty(slot) ? ABSENT : entry(slot, negate);
  }

  void multiply_block(const u64* scalars, std::size_t size, typename Arithmetic::Sums& products) const {
    products.clear(size);
    std::vector<Entry> entries(static_cast<std::size_t>(windows_.count()) * size, ABSENT);
    for (std::size_t i = 0; i < size; ++i) {
      const Fr::Words biased = windows_.biased(scalars + Fr::LIMBS * i);
      for (int w = 0; w < windows_.count(); ++w)
        if (const Digit digit = windows_.digit(biased, w)) {
          const std::size_t slot = static_cast<std::size_t>(w) * size_ + static_cast<std::size_t>(std::abs(digit)) - 1;
          entries[static_cast<std::size_t>(w) * size + i] = multiple(slot, digit < 0);
        }
    }
    for (int w = 0; w < windows_.count(); ++w) {
      const Entry* const now = &entries[static_cast<std::size_t>(w) * size];
      products.add(multiples_.points(), now, w + 1 < windows_.count() ? now + size : nullptr, size);
    }
  }

  Windows windows_;
  std::size_t size_;  // multiples of a window
  Slots<Point> multiples_;
  int threads_;
};

template <class Group, class Arithmetic>
void run(const typename Group::Point& base, const u64* scalars, std::size_t count, byte* out, int threads) {
  if (base.is_infinity()) {
    for (std::size_t i = 0; i < count; ++i) encode<Group>({}, out + i * Group::POINT_SIZE);
  } else {
    FixedBase<Group, Arithmetic>(base, count, threads).multiply(scalars, count, out);
  }
}

}  // namespace

template <class Group>
void fixed_base(const typename Group::Point& base, const u64* scalars, std::size_t count, byte* out, int threads) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return run<Group, VectorArithmetic<Group>>(base, scalars, count, out, threads);
#endif
  run<Group, PortableArithmetic<Group>>(base, scalars, count, out, threads);
}

template void fixed_base<G1>(const G1::Point&, const u64*, std::size_t, byte*, int);
template void fixed_base<G2>(const G2::Point&, const u64*, std::size_t, byte*, int);

}  // namespace cuzk
