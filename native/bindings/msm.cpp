// Multi-scalar multiplication over dense scalars and over an assignment's packed form.
#include "msm/msm.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "bindings/module.hpp"

namespace cuzk::bindings {
namespace {

using Density = std::optional<BitmapIn>;

template <class Group>
using PointsIn = Array<const byte, nb::shape<-1, Group::POINT_SIZE>>;
template <class Group>
using PointOut = Array<byte, nb::shape<1, Group::POINT_SIZE>>;

void require_bitmap(const BitmapIn& bitmap, std::size_t length, const char* name) {
  if (bitmap.shape(0) != (length + 63) / 64)
    throw InputError(std::string("msm: the ") + name + " bitmap has " + std::to_string(bitmap.shape(0)) +
                     " words, expected one for every 64 of " + std::to_string(length) + " scalars");
}

template <class Group>
void run(PointsIn<Group> bases, const Scalars& scalars, PointOut<Group> out, int threads) {
  nb::gil_scoped_release release;
  const std::size_t expected = count_bases(scalars);
  if (bases.shape(0) != expected)
    throw InputError(std::string("msm: expected ") + std::to_string(expected) + " bases, one for each scalar that " +
                     "counts, got " + std::to_string(bases.shape(0)));
  encode<Group>(msm<Group>(bases.data(), scalars, threads), out.data());
}

template <class Group>
void dense(PointsIn<Group> bases, FrIn values, const Density& density, PointOut<Group> out, int threads) {
  Scalars scalars;
  scalars.length = values.shape(0);
  scalars.dense = values.data();
  if (density) {
    require_bitmap(*density, scalars.length, "density");
    scalars.density = density->data();
  }
  run<Group>(bases, scalars, out, threads);
}

template <class Group>
void packed(PointsIn<Group> bases, std::size_t length, BitmapIn wide, BitmapIn bit, FrIn values, const Density& density,
            PointOut<Group> out, int threads) {
  Scalars scalars;
  require_bitmap(wide, length, "wide");
  require_bitmap(bit, length, "bit");
  scalars.length = length;
  scalars.wide = wide.data();
  scalars.bit = bit.data();
  scalars.values = values.data();
  scalars.num_values = values.shape(0);
  if (density) {
    require_bitmap(*density, scalars.length, "density");
    scalars.density = density->data();
  }
  run<Group>(bases, scalars, out, threads);
}

template <class Group>
void register_group(nb::module_& module, const std::string& prefix) {
  module.def((prefix + "msm_dense").c_str(), &dense<Group>, nb::arg("bases"), nb::arg("values"),
             nb::arg("density").none(), nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "msm_packed").c_str(), &packed<Group>, nb::arg("bases"), nb::arg("length"), nb::arg("wide"),
             nb::arg("bit"), nb::arg("values"), nb::arg("density").none(), nb::arg("out"), nb::arg("threads"));
}

}  // namespace

void register_msm(nb::module_& module) {
  register_group<G1>(module, "g1_");
  register_group<G2>(module, "g2_");
}

}  // namespace cuzk::bindings
