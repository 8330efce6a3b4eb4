#include "msm/msm.hpp"

#include "msm/base_sum.hpp"
#include "msm/pippenger.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/vector_arithmetic.hpp"
#include "util/isa.hpp"

namespace cuzk {
namespace {

// The window width with the least additions: one a term and window, and two a bucket and window.
MsmTuning tuning_for(std::size_t terms) {
  MsmTuning tuning;
  double least = 0;
  for (int width = 3; width <= 17; ++width) {
    const Windows windows(width);
    const double cost = windows.count() * (static_cast<double>(terms) + 2.2 * static_cast<double>(windows.buckets()));
    if (width == 3 || cost < least) {
      least = cost;
      tuning.width = width;
    }
  }
  return tuning;
}

template <class Group, class Arithmetic>
typename Group::Point run(const byte* bases, const Scalars& scalars, int threads) {
  const Selection selection = select(scalars);
  auto total = sum_of_bases<Group, Arithmetic>(bases, selection.ones, threads);
  if (!selection.terms.empty()) {
    Pippenger<Group, Arithmetic> pippenger(bases, scalars, tuning_for(selection.terms.size()), threads);
    total += pippenger.run(selection.terms);
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
