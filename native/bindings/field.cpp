// Element-wise field arithmetic on arrays.
#include "bindings/module.hpp"
#include "field/fr.hpp"
#include "util/parallel.hpp"

namespace cuzk::bindings {
namespace {

Fr load(const std::uint64_t* limbs) {
  Fr::Words words;
  std::copy_n(limbs, Fr::LIMBS, words.begin());
  require(Fr::is_canonical(words), "a scalar is not below the field's modulus");
  return Fr::from_canonical(words);
}

void fr_mul(FrIn a, FrIn b, FrInOut out, int threads) {
  require(a.shape(0) == b.shape(0) && a.shape(0) == out.shape(0), "fr_mul: lengths differ");
  nb::gil_scoped_release release;
  parallel_for(a.shape(0), threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto product = (load(a.data() + 4 * i) * load(b.data() + 4 * i)).to_canonical();
      std::copy_n(product.begin(), Fr::LIMBS, out.data() + 4 * i);
    }
  });
}

}  // namespace

void register_field(nb::module_& module) {
  module.def("fr_mul", &fr_mul, nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("threads"));
}

}  // namespace cuzk::bindings
