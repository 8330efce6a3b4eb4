#include "msm/msm.hpp"

#include "msm/base_sum.hpp"
#include "msm/pippenger.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/vector_arithmetic.hpp"
#include "util/isa.hpp"

namespace cuzk {
namespace {

// The width that takes least, counted in additions: one a term; for a bucket, as measured, 0.6 each time it is taken up
// (once a chunk) and 2.5 to reduce it.
int width_for(std::size_t terms, std::size_t chunks) {
  int best = 0;
  double least = 0;
  for (int width = 3; width <= 20; ++width) {
    const Windows windows(width);
    double cost = 0;
    for (int w = 0; w < windows.count(); ++w)
      cost += static_cast<double>(terms) +
              (2.5 + 0.6 * static_cast<double>(chunks)) * static_cast<double>(windows.buckets(w));
    if (best == 0 || cost < least) {
      least = cost;
      best = width;
    }
  }
  return best;
}

template <class Group, class Arithmetic>
typename Group::Point run(const byte* bases, const Scalars& scalars, int threads) {
  const auto is_finite = [bases](std::size_t base) {
    CoordinateWords<Group> words;
    return decode_words_at<Group>(bases, base, words);
  };
  const Selection selection(scalars, is_finite, threads);
  Jacobian<typename Group::Coordinate> total;
  if (selection.num_ones() > 0) total += sum_of_ones<Group, Arithmetic>(bases, 1, selection, threads);
  if (selection.terms().size() > 0) {
    using Method = Pippenger<Group, Arithmetic, byte>;
    const std::size_t terms = selection.terms().size();
    const int width = width_for(terms, Method::num_chunks(terms));
    const auto sets = static_cast<std::size_t>(Windows(width).count());
    total += Method(bases, 1, scalars, selection.terms(), width, sets, threads).run();
  }
  return total.to_affine();
}

}  // namespace

template <class Group>
typename Group::Point msm(const byte* bases, const Scalars& scalars, int threads) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return run<Group, VectorArithmetic<Group>>(bases, scalars, threads);
#endif
  return run<Group, PortableArithmetic<Group>>(bases, scalars, threads);
}

template G1::Point msm<G1>(const byte*, const Scalars&, int);
template G2::Point msm<G2>(const byte*, const Scalars&, int);

}  // namespace cuzk
