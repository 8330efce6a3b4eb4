// SHA-256 over arrays of messages, and the labels of StackedDRG that are made with it.
#include "hash/sha256.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/module.hpp"
#include "hash/stacked_labels.hpp"
#include "util/parallel.hpp"

namespace cuzk::bindings {
namespace {

using Messages = Array<const std::uint8_t, nb::ndim<2>>;
using Nodes = Array<const std::uint8_t, nb::shape<-1, 32>>;
using NodesOut = Array<std::uint8_t, nb::shape<-1, 32>>;
using Parents = Array<const std::uint32_t, nb::shape<-1, stacked::DEGREE>>;

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const sha256::Engine& engine : sha256::engines()) names.emplace_back(engine.name);
  return names;
}

void hash(Messages messages, NodesOut digests, int threads, const std::string& engine_name) {
  require(messages.shape(0) == digests.shape(0), "sha256: messages and digests differ in number");
  const sha256::Engine& engine = sha256::engine(engine_name);
  const std::size_t length = messages.shape(1);
  nb::gil_scoped_release release;
  parallel_for(digests.shape(0), threads, [&](int, std::size_t begin, std::size_t end) {
    sha256::hash_many(engine, messages.data() + begin * length, end - begin, length,
                      digests.data() + begin * sha256::DIGEST_SIZE);
  });
}

void stacked_labels(Nodes replica_id, std::uint32_t layer, std::size_t first, Parents parents,
                    const std::optional<Nodes>& previous, NodesOut labels) {
  require(replica_id.shape(0) == 1, "labels: one replica id is needed");
  require(!previous || previous->shape(0) == labels.shape(0), "labels: two layers differ in length");
  require(first <= labels.shape(0) && parents.shape(0) <= labels.shape(0) - first,
          "labels: there are parents for more nodes than the layer has");
  const stacked::Layer description = {replica_id.data(), layer, labels.shape(0), previous ? previous->data() : nullptr,
                                      labels.data()};
  nb::gil_scoped_release release;
  stacked::create_labels(description, parents.data(), first, parents.shape(0));
}

}  // namespace

void register_sha256(nb::module_& module) {
  module.def("sha256_engines", &engine_names);
  module.def("sha256", &hash, nb::arg("messages"), nb::arg("digests"), nb::arg("threads"), nb::arg("engine"));
  module.def("stacked_labels", &stacked_labels, nb::arg("replica_id"), nb::arg("layer"), nb::arg("first"),
             nb::arg("parents"), nb::arg("previous").none(), nb::arg("labels"));
}

}  // namespace cuzk::bindings
