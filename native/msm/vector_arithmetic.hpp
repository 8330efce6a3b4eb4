// Arithmetic for the accumulator over AVX-512 IFMA, eight additions at a time; its kernels are in *_ifma.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "curve/groups.hpp"
#include "msm/limb_point.hpp"
#include "util/pages.hpp"

namespace cuzk {

template <class Group>
struct VectorArithmetic {
  using F = typename Group::Coordinate;
  using Point = ifma::LimbPoint<sizeof(typename Group::Point) / sizeof(Fp)>;

  class Workspace {
   public:
    explicit Workspace(std::size_t capacity) : bytes_((capacity + 7) / 8 * ifma::WORKSPACE_SIZE<Point>) {}
    void* data() { return bytes_.data(); }

   private:
    PageArray<byte> bytes_;
  };

  static void copy(Point& target, const Point& source, bool negate);
  static Affine<F> to_affine(const Point& point);
  static Point from_affine(const Affine<F>& point);  // finite
  static void load(const byte* bases, const std::uint32_t* indices, std::size_t count, Point* out, bool* is_infinity);
  static bool add(std::vector<Addition<Point>>& additions, const std::vector<Addition<Point>>& upcoming,
                  Workspace& workspace) {
    return ifma::add_points({additions.data(), additions.size()}, {upcoming.data(), upcoming.size()}, workspace.data());
  }
};

}  // namespace cuzk
