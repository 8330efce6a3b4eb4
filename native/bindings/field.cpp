// Element-wise field arithmetic on arrays of canonical integers.
#include <string>

#include "bindings/module.hpp"
#include "field/batch.hpp"
#include "field/canonical.hpp"
#include "field/fp.hpp"
#include "field/fr.hpp"
#include "field/fr_bulk.hpp"
#include "util/parallel.hpp"

namespace cuzk::bindings {
namespace {

template <class F>
using In = Array<const u64, nb::shape<-1, F::LIMBS>>;
template <class F>
using InOut = Array<u64, nb::shape<-1, F::LIMBS>>;

template <class F>
F load(const u64* limbs, std::size_t index) {
  return F::from_canonical(load_words<F>(limbs + index * F::LIMBS));
}

template <class F>
void store(const F& element, u64* limbs, std::size_t index) {
  std::ranges::copy(element.to_canonical(), limbs + index * F::LIMBS);
}

// out[i] = operation(a[i], b[i])
template <class F, class Operation>
void element_wise(In<F> a, In<F> b, InOut<F> out, int threads, Operation operation) {
  const std::size_t count = out.shape(0);
  require(a.shape(0) == count && b.shape(0) == count, "element-wise arithmetic needs arrays of one length");
  nb::gil_scoped_release release;
  require_canonical<F>(a.data(), count, "a", threads);
  require_canonical<F>(b.data(), count, "b", threads);
  parallel_for(count, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      store(operation(load<F>(a.data(), i), load<F>(b.data(), i)), out.data(), i);
  });
}

// out[i] = 1 / a[i], inverted in batches so that memory stays small and the batches do not depend on `threads`.
template <class F>
void inverse(In<F> a, InOut<F> out, int threads) {
  constexpr std::size_t BATCH = 1024;
  const std::size_t count = out.shape(0);
  require(a.shape(0) == count, "inverse needs arrays of one length");
  nb::gil_scoped_release release;
  require_canonical<F>(a.data(), count, "a", threads);
  parallel_for((count + BATCH - 1) / BATCH, threads, [&](int, std::size_t first_batch, std::size_t end_batch) {
    std::vector<F> elements;
    for (std::size_t begin = first_batch * BATCH; begin < std::min(end_batch * BATCH, count); begin += BATCH) {
      elements.resize(std::min(BATCH, count - begin));
      for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = load<F>(a.data(), begin + i);
        if (elements[i].is_zero()) throw InputError("a[" + std::to_string(begin + i) + "] is zero: it has no inverse");
      }
      batch_invert(std::span<F>(elements));
      for (std::size_t i = 0; i < elements.size(); ++i) store(elements[i], out.data(), begin + i);
    }
  });
}

// x[i] <- x[i] * y[i]^times, one multiplication after the other: what they take in bulk, for benchmarks.
void mul_repeated(FrInOut x, FrIn y, std::uint64_t times) {
  require(x.shape(0) == y.shape(0), "repeated multiplication needs arrays of one length");
  nb::gil_scoped_release release;
  require_canonical<Fr>(x.data(), x.shape(0), "x", 1);
  require_canonical<Fr>(y.data(), y.shape(0), "y", 1);
  fr_mul_repeated(x.data(), y.data(), x.shape(0), times);
}

template <class F>
void register_arithmetic(nb::module_& module, const std::string& prefix) {
  const auto define = [&](const char* name, auto operation) {
    module.def(
        (prefix + name).c_str(),
        [operation](In<F> a, In<F> b, InOut<F> out, int threads) { element_wise<F>(a, b, out, threads, operation); },
        nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("threads"));
  };
  define("_add", [](const F& a, const F& b) { return a + b; });
  define("_sub", [](const F& a, const F& b) { return a - b; });
  define("_mul", [](const F& a, const F& b) { return a * b; });
  module.def((prefix + "_inverse").c_str(), &inverse<F>, nb::arg("a"), nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "_require_canonical").c_str(),
             [](In<F> a, const char* name, int threads) {
               nb::gil_scoped_release release;
               require_canonical<F>(a.data(), a.shape(0), name, threads);
             },
             nb::arg("a"), nb::arg("name"), nb::arg("threads"));
}

}  // namespace

void register_field(nb::module_& module) {
  register_arithmetic<Fr>(module, "fr");
  register_arithmetic<Fp>(module, "fp");
  module.def("fr_mul_repeated", &mul_repeated, nb::arg("x"), nb::arg("y"), nb::arg("times"));
}

}  // namespace cuzk::bindings
