// Multi-scalar multiplication over dense scalars and over an assignment's packed form.
#include "msm/msm.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "bindings/module.hpp"
#include "msm/entry.hpp"
#include "msm/prepare.hpp"
#include "msm/tuning.hpp"
#include "util/errors.hpp"

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
void run(const Bases& bases, std::size_t count, const Scalars& scalars, PointOut<Group> out, int threads) {
  nb::gil_scoped_release release;
  const std::size_t expected = count_bases(scalars);
  if (count != expected)
    throw InputError(std::string("msm: expected ") + std::to_string(expected) + " bases, one for each scalar that " +
                     "counts, got " + std::to_string(count));
  encode<Group>(msm<Group>(bases, scalars, threads), out.data());
}

Scalars dense_scalars(const FrIn& values, const Density& density) {
  Scalars scalars;
  scalars.length = values.shape(0);
  scalars.dense = values.data();
  if (density) {
    require_bitmap(*density, scalars.length, "density");
    scalars.density = density->data();
  }
  return scalars;
}

Scalars packed_scalars(std::size_t length, const BitmapIn& wide, const BitmapIn& bit, const FrIn& values,
                       const Density& density) {
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
  return scalars;
}

// Prepared points, [count, multiples, size].
using PreparedIn = Array<const byte, nb::shape<-1, -1, -1>>;

template <class Group>
void require_prepared(const byte* data, std::size_t count, std::size_t multiples, std::size_t size, int spacing) {
  const PreparedLayout layout = prepared_layout<Group>();
  if (size != layout.point_size)
    throw InputError("prepared points: expected " + std::to_string(layout.point_size) + " bytes each, got " +
                     std::to_string(size));
  if (count > 0 && reinterpret_cast<std::uintptr_t>(data) % layout.alignment != 0)
    throw InputError("prepared points must start at a multiple of " + std::to_string(layout.alignment) + " bytes");
  if (!is_spacing(multiples, spacing))
    throw InputError("prepared points: " + std::to_string(multiples) + " multiples with a spacing of " +
                     std::to_string(spacing) + " bits do not cover a scalar, or no window divides it");
}

template <class Group>
Bases prepared_bases(const PreparedIn& points, int spacing) {
  require_prepared<Group>(points.data(), points.shape(0), points.shape(1), points.shape(2), spacing);
  require(points.shape(0) < MAX_POINTS / points.shape(1), "more than 2^31 prepared points with their multiples");
  return {points.data(), true, points.shape(1), spacing};
}

template <class Group>
void prepare_points(PointsIn<Group> points, int spacing, Array<byte, nb::shape<-1, -1, -1>> out, int threads) {
  nb::gil_scoped_release release;
  require_prepared<Group>(out.data(), out.shape(0), out.shape(1), out.shape(2), spacing);
  if (out.shape(0) != points.shape(0))
    throw InputError("prepare: " + std::to_string(points.shape(0)) + " points do not fit an array of " +
                     std::to_string(out.shape(0)));
  prepare<Group>(points.data(), points.shape(0), out.shape(1), spacing, out.data(), threads);
}

template <class Group>
void register_group(nb::module_& module, const std::string& prefix) {
  module.def((prefix + "msm_dense").c_str(),
             [](PointsIn<Group> bases, FrIn values, const Density& density, PointOut<Group> out, int threads) {
               run<Group>({bases.data()}, bases.shape(0), dense_scalars(values, density), out, threads);
             },
             nb::arg("bases"), nb::arg("values"), nb::arg("density").none(), nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "msm_packed").c_str(),
             [](PointsIn<Group> bases, std::size_t length, BitmapIn wide, BitmapIn bit, FrIn values,
                const Density& density, PointOut<Group> out, int threads) {
               run<Group>({bases.data()}, bases.shape(0), packed_scalars(length, wide, bit, values, density), out,
                          threads);
             },
             nb::arg("bases"), nb::arg("length"), nb::arg("wide"), nb::arg("bit"), nb::arg("values"),
             nb::arg("density").none(), nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "msm_dense_prepared").c_str(),
             [](PreparedIn points, int spacing, FrIn values, const Density& density, PointOut<Group> out, int threads) {
               const Bases bases = prepared_bases<Group>(points, spacing);
               run<Group>(bases, points.shape(0), dense_scalars(values, density), out, threads);
             },
             nb::arg("points"), nb::arg("spacing"), nb::arg("values"), nb::arg("density").none(), nb::arg("out"),
             nb::arg("threads"));
  module.def((prefix + "msm_packed_prepared").c_str(),
             [](PreparedIn points, int spacing, std::size_t length, BitmapIn wide, BitmapIn bit, FrIn values,
                const Density& density, PointOut<Group> out, int threads) {
               const Bases bases = prepared_bases<Group>(points, spacing);
               run<Group>(bases, points.shape(0), packed_scalars(length, wide, bit, values, density), out, threads);
             },
             nb::arg("points"), nb::arg("spacing"), nb::arg("length"), nb::arg("wide"), nb::arg("bit"),
             nb::arg("values"), nb::arg("density").none(), nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "prepare").c_str(), &prepare_points<Group>, nb::arg("points"), nb::arg("spacing"),
             nb::arg("out"), nb::arg("threads"));
  module.def((prefix + "prepared_layout").c_str(), [] {
    const PreparedLayout layout = prepared_layout<Group>();
    return std::make_tuple(layout.name, layout.point_size, layout.alignment);
  });
}

}  // namespace

void register_msm(nb::module_& module) {
  register_group<G1>(module, "g1_");
  register_group<G2>(module, "g2_");
  module.def("is_prepared_spacing", &is_spacing, nb::arg("multiples"), nb::arg("spacing"));
  module.def("prepared_spacing", &prepared_spacing, nb::arg("count"), nb::arg("multiples"));
}

}  // namespace cuzk::bindings
