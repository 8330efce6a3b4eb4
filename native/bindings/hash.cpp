// Poseidon over arrays.
#include "bindings/module.hpp"
#include "hash/poseidon.hpp"

namespace cuzk::bindings {
namespace {

using Preimages = Array<const std::uint64_t, nb::shape<-1, -1, 4>>;

std::span<const u64> words(const FrIn& scalars) { return {scalars.data(), scalars.size()}; }

void create_poseidon(Poseidon* self, std::size_t width, std::size_t full_rounds, std::size_t partial_rounds,
                     FrIn round_constants, FrIn mds, FrIn pre_sparse, FrIn sparse) {
  new (self) Poseidon({width, full_rounds, partial_rounds}, words(round_constants), words(mds), words(pre_sparse),
                      words(sparse));
}

void poseidon_hash(const Poseidon& poseidon, FrIn domain_tag, Preimages preimages, FrInOut out, int threads) {
  require(preimages.shape(1) == poseidon.arity(), "poseidon: the preimages have the wrong arity");
  nb::gil_scoped_release release;
  poseidon.hash(words(domain_tag), {preimages.data(), preimages.size()}, {out.data(), out.size()}, threads);
}

}  // namespace

void register_hash(nb::module_& module) {
  nb::class_<Poseidon>(module, "Poseidon")
      .def("__init__", &create_poseidon, nb::arg("width"), nb::arg("full_rounds"), nb::arg("partial_rounds"),
           nb::arg("round_constants"), nb::arg("mds"), nb::arg("pre_sparse"), nb::arg("sparse"))
      .def("hash", &poseidon_hash, nb::arg("domain_tag"), nb::arg("preimages"), nb::arg("out"), nb::arg("threads"));
}

}  // namespace cuzk::bindings
