#include "msm/fixed_base.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "msm/accumulator.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/vector_arithmetic.hpp"
#include "msm/windows.hpp"
#include "util/isa.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

constexpr std::size_t BATCH = 1024;
constexpr std::size_t BLOCK = 8 * BATCH;  // products that a thread has at hand: many batches, so that none meets itself

// The width with the least additions; no wider than lets one window's multiples stay in a core's cache.
int window_width(std::size_t count) {
  constexpr int WIDEST = 14;
  int best = 2;
  for (int width = 3; width <= WIDEST; ++width) {
    const Windows narrow(best), wide(width);
    if (wide.count() * (count + wide.buckets()) < narrow.count() * (count + narrow.buckets())) best = width;
  }
  return best;
}

template <class Group, class Arithmetic>
class FixedBase {
  using F = typename Group::Coordinate;
  using Point = typename Arithmetic::Point;

 public:
  FixedBase(const Affine<F>& base, std::size_t count, int threads)
      : windows_(window_width(count)), multiples_(windows_.count() * windows_.buckets()), threads_(threads) {
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
    parallel_for(count, threads_, [&](int, std::size_t begin, std::size_t end) {
      Slots<Point> products(std::min(BLOCK, end - begin));
      std::vector<Digit> digits(products.size() * windows_.count());
      Accumulator<Arithmetic> accumulator(BATCH);
      for (std::size_t start = begin; start < end; start += BLOCK) {
        const std::size_t size = std::min(BLOCK, end - start);
        products.clear();
        multiply_block(scalars + Fr::LIMBS * start, size, digits, products, accumulator);
        for (std::size_t i = 0; i < size; ++i)
          encode<Group>(products.is_empty(i) ? Affine<F>{} : Arithmetic::to_affine(products.point(i)),
                        out + (start + i) * Group::POINT_SIZE);
      }
    });
  }

 private:
  // Fills the windows [begin, end) of the table: entry d - 1 of window w is d * powers[w]. With the first k entries
  // known, the next k are each of them plus the k-th.
  void tabulate(const std::vector<Affine<F>>& powers, std::size_t begin, std::size_t end) {
    const std::size_t size = windows_.buckets();
    Accumulator<Arithmetic> accumulator(BATCH);
    for (std::size_t w = begin; w < end; ++w) {
      if (powers[w].is_infinity()) continue;
      const Point first = Arithmetic::from_affine(powers[w]);
      accumulator.add(multiples_, w * size, first);  // a copy, made at once
    }
    for (std::size_t known = 1; known < size; known *= 2) {
      for (std::size_t w = begin; w < end; ++w)
        for (std::size_t i = 0; i < known; ++i) {
          const std::size_t entry = w * size + i;
          add_multiple(accumulator, multiples_, entry + known, entry, false);
          add_multiple(accumulator, multiples_, entry + known, w * size + known - 1, false);
        }
      accumulator.flush();
    }
  }

  // Entries are empty where the multiple is infinity: for bases of small order.
  void add_multiple(Accumulator<Arithmetic>& accumulator, Slots<Point>& targets, std::size_t target, std::size_t entry,
                    bool negate) const {
    if (!multiples_.is_empty(entry)) accumulator.add(targets, target, multiples_.point(entry), negate);
  }

  void multiply_block(const u64* scalars, std::size_t size, std::vector<Digit>& digits, Slots<Point>& products,
                      Accumulator<Arithmetic>& accumulator) const {
    for (std::size_t i = 0; i < size; ++i) windows_.split(scalars + Fr::LIMBS * i, &digits[i], size);
    for (int w = 0; w < windows_.count(); ++w)
      for (std::size_t i = 0; i < size; ++i)
        if (const Digit digit = digits[w * size + i]) {
          const std::size_t entry = w * windows_.buckets() + static_cast<std::size_t>(std::abs(digit)) - 1;
          add_multiple(accumulator, products, i, entry, digit < 0);
        }
    accumulator.flush();
  }

  Windows windows_;
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
