#include "msm/msm.hpp"

#include "msm/base_sum.hpp"
#include "msm/many_terms.hpp"
#include "msm/pippenger.hpp"
#include "msm/portable_arithmetic.hpp"
#include "msm/tuning.hpp"
#include "msm/vector_arithmetic.hpp"
#include "util/isa.hpp"

namespace cuzk {
namespace {

constexpr std::size_t MANY = std::size_t{1} << 16;  // more terms than that are worth a copy of their points

template <class Group, class Arithmetic, class Source>
typename Group::Point run(const Source* points, const Bases& bases, const Scalars& scalars,
                          const Selection::IsFinite& is_finite, int threads) {
  const Selection selection(scalars, is_finite, threads);
  const PageArray<Term>& terms = selection.terms();
  Jacobian<typename Group::Coordinate> total;
  if (selection.num_ones() > 0) total += sum_of_ones<Group, Arithmetic>(points, bases.multiples, selection, threads);
  if (terms.size() > MANY && bases.multiples == 1) {
    total += ManyTerms<Group, Arithmetic, Source>(points, scalars, terms, threads).run();
  } else if (terms.size() > 0) {
    const bool shares = bases.multiples > 1;
    const int width = best_width(terms.size(), bases.multiples,
                                 [&](int candidate) { return !shares || bases.spacing % candidate == 0; });
    const auto sets = static_cast<std::size_t>(shares ? bases.spacing / width : Windows(width).count());
    total += Pippenger<Group, Arithmetic, Source>(points, bases.multiples, scalars, terms, width, sets, threads).run();
  }
  return total.to_affine();
}

template <class Group, class Arithmetic>
typename Group::Point run(const Bases& bases, const Scalars& scalars, int threads) {
  if (bases.is_prepared)
    return run<Group, Arithmetic>(
        reinterpret_cast<const typename Arithmetic::Point*>(bases.data), bases, scalars,
        [](std::size_t) { return true; }, threads);
  const auto is_finite = [data = bases.data](std::size_t base) { return is_finite_at<Group>(data, base); };
  return run<Group, Arithmetic>(bases.data, bases, scalars, is_finite, threads);
}

}  // namespace

template <class Group>
typename Group::Point msm(const Bases& bases, const Scalars& scalars, int threads) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return run<Group, VectorArithmetic<Group>>(bases, scalars, threads);
#endif
  return run<Group, PortableArithmetic<Group>>(bases, scalars, threads);
}

template G1::Point msm<G1>(const Bases&, const Scalars&, int);
template G2::Point msm<G2>(const Bases&, const Scalars&, int);

}  // namespace cuzk
