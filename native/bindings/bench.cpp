// What one field multiplication takes, without conversions around it; for benchmarks.
#include "bindings/module.hpp"
#include "field/fp_bulk.hpp"

namespace cuzk::bindings {
namespace {

void powers(Array<u64, nb::shape<FP_SIDE_BY_SIDE, FP_WORDS>> out, u64 times) {
  nb::gil_scoped_release release;
  fp_powers(times, out.data());
}

}  // namespace

void register_bench(nb::module_& module) { module.def("fp_powers", &powers, nb::arg("out"), nb::arg("times")); }

}  // namespace cuzk::bindings
