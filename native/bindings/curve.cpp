// Points: element-wise arithmetic, codecs and checks.
#include <string>

#include "bindings/module.hpp"
#include "field/canonical.hpp"
#include "msm/fixed_base.hpp"
#include "util/parallel.hpp"

namespace cuzk::bindings {
namespace {

template <class Group>
using PointsIn = Array<const byte, nb::shape<-1, Group::POINT_SIZE>>;
template <class Group>
using PointsInOut = Array<byte, nb::shape<-1, Group::POINT_SIZE>>;
template <class Group>
using CompressedIn = Array<const byte, nb::shape<-1, Group::COORDINATE_SIZE>>;
template <class Group>
using CompressedInOut = Array<byte, nb::shape<-1, Group::COORDINATE_SIZE>>;

constexpr const char* LENGTHS_DIFFER = "the arrays differ in length";

// out[i] = function(i-th points of a and b)
template <class Group, class Function>
void for_each_point(std::size_t count, byte* out, int threads, Function function) {
  nb::gil_scoped_release release;
  parallel_for(count, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) encode<Group>(function(i), out + i * Group::POINT_SIZE);
  });
}

template <class Group>
void add(PointsIn<Group> a, PointsIn<Group> b, PointsInOut<Group> out, int threads) {
  require(a.shape(0) == out.shape(0) && b.shape(0) == out.shape(0), LENGTHS_DIFFER);
  for_each_point<Group>(out.shape(0), out.data(), threads, [&](std::size_t i) {
    return (Jacobian(decode_at<Group>(a.data(), i)) + decode_at<Group>(b.data(), i)).to_affine();
  });
}

template <class Group>
void neg(PointsIn<Group> a, PointsInOut<Group> out) {
  require(a.shape(0) == out.shape(0), LENGTHS_DIFFER);
  for_each_point<Group>(out.shape(0), out.data(), 1, [&](std::size_t i) { return -decode_at<Group>(a.data(), i); });
}

template <class Group>
void mul(PointsIn<Group> points, FrIn scalars, PointsInOut<Group> out, int threads) {
  require(points.shape(0) == out.shape(0) && scalars.shape(0) == out.shape(0), LENGTHS_DIFFER);
  require_canonical<Fr>(scalars.data(), scalars.shape(0), "scalars", 1);
  for_each_point<Group>(out.shape(0), out.data(), threads, [&](std::size_t i) {
    const std::span<const u64> scalar(scalars.data() + Fr::LIMBS * i, Fr::LIMBS);
    return multiply(Jacobian(decode_at<Group>(points.data(), i)), scalar).to_affine();
  });
}

template <class Group>
void fixed_base_of(PointsIn<Group> base, FrIn scalars, PointsInOut<Group> out, int threads) {
  require(base.shape(0) == 1 && scalars.shape(0) == out.shape(0), LENGTHS_DIFFER);
  nb::gil_scoped_release release;
  require_canonical<Fr>(scalars.data(), scalars.shape(0), "scalars", threads);
  fixed_base<Group>(decode_at<Group>(base.data(), 0), scalars.data(), scalars.shape(0), out.data(), threads);
}

template <class Group>
void check_at(const typename Group::Point& point, std::size_t index, bool subgroup, bool infinity) {
  if (point.is_infinity() && !infinity) reject_point(Group::NAME, index, "it is infinity, which is not allowed here");
  if (!is_on_curve<Group>(point)) reject_point(Group::NAME, index, "it is not on the curve");
  if (subgroup && !is_in_subgroup(point)) reject_point(Group::NAME, index, "it is not in the subgroup of order r");
}

template <class Group>
void check(PointsIn<Group> points, bool subgroup, bool infinity, int threads) {
  nb::gil_scoped_release release;
  parallel_for(points.shape(0), threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      check_at<Group>(decode_at<Group>(points.data(), i), i, subgroup, infinity);
  });
}

template <class Group>
void compress_points(PointsIn<Group> points, CompressedInOut<Group> out, int threads) {
  require(points.shape(0) == out.shape(0), LENGTHS_DIFFER);
  nb::gil_scoped_release release;
  parallel_for(points.shape(0), threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      compress<Group>(decode_at<Group>(points.data(), i), out.data() + i * Group::COORDINATE_SIZE);
  });
}

template <class Group>
void decompress_points(CompressedIn<Group> data, PointsInOut<Group> out, bool subgroup, int threads) {
  require(data.shape(0) == out.shape(0), LENGTHS_DIFFER);
  for_each_point<Group>(data.shape(0), out.data(), threads, [&](std::size_t i) {
    typename Group::Point point;
    if (const char* why = decompress<Group>(data.data() + i * Group::COORDINATE_SIZE, point))
      reject_point(Group::NAME, i, why);
    check_at<Group>(point, i, subgroup, true);
    return point;
  });
}

template <class Group>
void register_group(nb::module_& module, const std::string& prefix) {
  const auto define = [&](const char* name, auto function) { module.def((prefix + name).c_str(), function); };
  define("add", &add<Group>);
  define("neg", &neg<Group>);
  define("mul", &mul<Group>);
  define("fixed_base", &fixed_base_of<Group>);
  define("check", &check<Group>);
  define("compress", &compress_points<Group>);
  define("decompress", &decompress_points<Group>);
}

}  // namespace

void register_curve(nb::module_& module) {
  register_group<G1>(module, "g1_");
  register_group<G2>(module, "g2_");
}

}  // namespace cuzk::bindings
