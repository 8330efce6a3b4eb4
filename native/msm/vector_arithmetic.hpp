// Arithmetic for multi-scalar multiplication over AVX-512 IFMA, eight additions at a time; its kernels are in
// *_ifma.cpp. portable_arithmetic.hpp has the same interface.
#pragma once

#include <algorithm>
#include <cstdint>

#include "curve/groups.hpp"
#include "msm/limb_point.hpp"
#include "util/pages.hpp"

namespace cuzk {

template <class Group>
struct VectorArithmetic {
  using F = typename Group::Coordinate;
  using Point = ifma::LimbPoint<sizeof(typename Group::Point) / sizeof(Fp)>;
  static constexpr const char* LAYOUT = "ifma-1";

  static Affine<F> to_affine(const Point& point);
  static Point from_affine(const Affine<F>& point);  // finite

  // The uncompressed points at the given indices, checked and finite, as points of this arithmetic.
  static void convert(const byte* encoded, const std::uint32_t* indices, std::size_t count, Point* out) {
    ifma::convert(encoded, indices, count, out);
  }

  // The images of finite points.
  using Images = ifma::LimbImages<Point>;
  static void make_images(const Point* points, std::size_t count, Images* images);

  // Many sums, to which points are added in batches, at most one to each in a batch.
  class Sums {
   public:
    explicit Sums(std::size_t capacity)
        : groups_((capacity + LANES - 1) / LANES),
          sums_(groups_),
          empty_(groups_),
          workspace_(groups_ * ifma::WORKSPACE_SIZE<Point>) {}

    // Makes the first `count` sums infinity.
    void clear(std::size_t count) { std::fill_n(empty_.data(), (count + LANES - 1) / LANES, std::uint8_t{0xff}); }

    // Sum i += the point that entries[i] names, for i < count. `upcoming`, as long or null, names what comes next.
    void add(const byte* points, const Entry* entries, const Entry* upcoming, std::size_t count) {
      ifma::add_encoded(view(), points, {entries, upcoming, count});
    }
    void add(const Point* points, const Entry* entries, const Entry* upcoming, std::size_t count) {
      ifma::add_points(view(), points, {entries, upcoming, count});
    }
    void add(const Images* images, const Entry* entries, const Entry* upcoming, std::size_t count) {
      ifma::add_images(view(), images, {entries, upcoming, count});
    }
    // Sum i += sum i of another, for i < count rounded up to a multiple of 8.
    void add(Sums& others, std::size_t count) { ifma::add_sums(view(), others.view(), (count + LANES - 1) / LANES); }

    // take(i, point) for every i < count whose sum is finite.
    template <class Take>
    void for_each(std::size_t count, Take take) const {
      Point points[LANES];
      for (std::size_t first = 0; first < count; first += LANES) {
        ifma::store_group(sums_[first / LANES], points);
        for (std::size_t i = first; i < std::min(first + LANES, count); ++i)
          if (!(empty_[first / LANES] >> (i - first) & 1)) take(i, points[i - first]);
      }
    }

   private:
    static constexpr std::size_t LANES = 8;

    ifma::SumsView<Point> view() { return {sums_.data(), empty_.data(), workspace_.data()}; }

    std::size_t groups_;
    PageArray<ifma::LaneSums<Point>> sums_;
    PageArray<std::uint8_t> empty_;
    PageArray<byte> workspace_;
  };
};

}  // namespace cuzk
