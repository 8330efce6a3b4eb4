// Transforms and the quotient on arrays of scalars.
#include "ntt/ntt.hpp"

#include <bit>

#include "bindings/module.hpp"
#include "field/canonical.hpp"
#include "field/fr.hpp"

namespace cuzk::bindings {
namespace {

int log2_of_domain(std::size_t size) {
  require(std::has_single_bit(size), "the number of values is not a power of two");
  const int log2_size = std::countr_zero(size);
  require(log2_size <= FR_TWO_ADICITY, "the number of values is above 2^32, the largest domain of the field");
  return log2_size;
}

// Smaller blocks split small transforms as only very large ones would be: for tests.
void check_max_log2_slots(int max_log2_slots) {
  require(max_log2_slots >= 4 && max_log2_slots <= NTT_MAX_LOG2_SLOTS, "max_log2_slots is not from 4 to 11");
}

void transform(FrInOut values, bool inverse, bool coset, int threads, int max_log2_slots) {
  check_max_log2_slots(max_log2_slots);
  const int log2_size = log2_of_domain(values.shape(0));
  nb::gil_scoped_release release;
  require_canonical<Fr>(values.data(), values.shape(0), "values", threads);
  ntt(values.data(), log2_size, inverse, coset, threads, max_log2_slots);
}

void divide(FrInOut a, FrInOut b, int threads, int max_log2_slots) {
  check_max_log2_slots(max_log2_slots);
  require(a.shape(0) == b.shape(0), "a and b have different lengths");
  require(a.data() != b.data(), "a and b are the same array");
  const int log2_size = log2_of_domain(a.shape(0));
  require(log2_size < FR_TWO_ADICITY, "the quotient needs a root of unity of twice the domain's size");
  nb::gil_scoped_release release;
  require_canonical<Fr>(a.data(), a.shape(0), "a", threads);
  require_canonical<Fr>(b.data(), b.shape(0), "b", threads);
  quotient(a.data(), b.data(), log2_size, threads, max_log2_slots);
}

}  // namespace

void register_ntt(nb::module_& module) {
  module.def("ntt", &transform, nb::arg("values"), nb::arg("inverse"), nb::arg("coset"), nb::arg("threads"),
             nb::arg("max_log2_slots") = NTT_MAX_LOG2_SLOTS);
  module.def("quotient", &divide, nb::arg("a"), nb::arg("b"), nb::arg("threads"),
             nb::arg("max_log2_slots") = NTT_MAX_LOG2_SLOTS);
}

}  // namespace cuzk::bindings
