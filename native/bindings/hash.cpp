// Hashes over arrays.
#include "bindings/module.hpp"
#include "field/fr.hpp"
#include "hash/poseidon.hpp"
#include "util/parallel.hpp"

namespace cuzk::bindings {
namespace {

using Preimages = Array<const std::uint64_t, nb::shape<-1, -1, 4>>;

Fr load(const std::uint64_t* limbs) {
  Fr::Words words;
  std::copy_n(limbs, Fr::LIMBS, words.begin());
  require(Fr::is_canonical(words), "poseidon: a scalar is not below the field's modulus");
  return Fr::from_canonical(words);
}

std::vector<Fr> load_all(FrIn array) {
  std::vector<Fr> scalars(array.shape(0));
  for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = load(array.data() + 4 * i);
  return scalars;
}

void create_poseidon(Poseidon* self, std::size_t width, std::size_t full_rounds, std::size_t partial_rounds,
                     FrIn round_constants, FrIn mds, FrIn pre_sparse, FrIn sparse) {
  new (self) Poseidon({width, full_rounds, partial_rounds}, load_all(round_constants), load_all(mds),
                      load_all(pre_sparse), load_all(sparse));
}

void poseidon_hash(const Poseidon& poseidon, FrIn domain_tag, Preimages preimages, FrInOut out, int threads) {
  const std::size_t arity = poseidon.arity();
  require(domain_tag.shape(0) == 1, "poseidon: one domain tag is needed");
  require(preimages.shape(1) == arity, "poseidon: the preimages have the wrong arity");
  require(preimages.shape(0) == out.shape(0), "poseidon: preimages and digests differ in number");
  nb::gil_scoped_release release;
  const Fr tag = load(domain_tag.data());
  parallel_for(out.shape(0), threads, [&](int, std::size_t begin, std::size_t end) {
    std::vector<Fr> preimage(arity);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < arity; ++j) preimage[j] = load(preimages.data() + 4 * (arity * i + j));
      const auto digest = poseidon.hash(tag, preimage).to_canonical();
      std::copy_n(digest.begin(), Fr::LIMBS, out.data() + 4 * i);
    }
  });
}

}  // namespace

void register_hash(nb::module_& module) {
  nb::class_<Poseidon>(module, "Poseidon")
      .def("__init__", &create_poseidon, nb::arg("width"), nb::arg("full_rounds"), nb::arg("partial_rounds"),
           nb::arg("round_constants"), nb::arg("mds"), nb::arg("pre_sparse"), nb::arg("sparse"))
      .def("hash", &poseidon_hash, nb::arg("domain_tag"), nb::arg("preimages"), nb::arg("out"), nb::arg("threads"));
}

}  // namespace cuzk::bindings
