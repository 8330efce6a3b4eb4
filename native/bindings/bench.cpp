// Chains of multiplications, for benchmarks: what one field multiplication takes, without conversions around it.
#include "bindings/module.hpp"
#include "field/fp.hpp"

namespace cuzk::bindings {
namespace {

// x <- x * y, count times; the last value is returned so that no step can be left out.
template <class Field>
std::uint64_t mul_chain(std::uint64_t count) {
  nb::gil_scoped_release release;
  typename Field::Words words{};
  words[0] = 3;
  const Field y = Field::from_canonical(words);
  Field x = y;
  for (std::uint64_t i = 0; i < count; ++i) x = x * y;
  return x.to_canonical()[0];
}

}  // namespace

void register_bench(nb::module_& module) { module.def("fp_mul_chain", &mul_chain<Fp>, nb::arg("count")); }

}  // namespace cuzk::bindings
