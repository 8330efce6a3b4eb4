// Points in 52-bit limbs and the kernels over them, which are in *_ifma.cpp. Types and declarations alone: the kernels'
// files include this (see util/isa.hpp).
//
// A point (x, y) is held as (x / R, y / (R S)) in Montgomery form, R = 2^416 and S = 2^208: with u = 2^-208 that is
// (u^2 x, u^3 y), a point of the isomorphic curve y^2 = x^3 + u^6 b, and the formulas of addition do not use b. The
// Montgomery form of x / R is x itself, and that of y / (R S) is y / S, half a Montgomery reduction: points can be
// added as they are in the file, without a converted copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/entry.hpp"

namespace cuzk::ifma {

// A finite point: rows x, y in G1; x.c0, x.c1, y.c0, y.c1 in G2. A row is lazily reduced: canonical when just prepared,
// below 2.01 p after an addition.
template <int ROWS_>
struct alignas(64) LimbPoint {
  static constexpr int ROWS = ROWS_;
  std::uint64_t row[ROWS][8];
};
using G1Limbs = LimbPoint<2>;
using G2Limbs = LimbPoint<4>;

// The images of a point under the units 1, w and w^2 (eisenstein.hpp), which have the same y: x, beta x, beta^2 x.
// Entries name image i of the point at n by 4 n + i.
template <class Point>
struct alignas(256 * (Point::ROWS / 2)) LimbImages {
  std::uint64_t x[3][Point::ROWS / 2][8], y[Point::ROWS / 2][8];
};

// Eight sums side by side: limb l of row r of the sum in lane i is row[r][l][i].
template <class Point>
struct alignas(64) LaneSums {
  std::uint64_t row[Point::ROWS][8][8];
};

// Bytes of scratch memory that eight additions take.
template <class Point>
inline constexpr std::size_t WORKSPACE_SIZE = Point::ROWS == 2 ? 1600 : 3136;

// Sums in groups of eight. Bit i of empty[g] is set while the sum in lane i of group g is infinity.
template <class Point>
struct SumsView {
  LaneSums<Point>* sums;
  std::uint8_t* empty;
  void* workspace;  // WORKSPACE_SIZE for each group
};

// Additions to the first `count` sums: sum i += the point that entries[i] names. `upcoming`, as long or null, tells
// what comes next, to be called for from memory.
struct EntryRange {
  const Entry* entries;
  const Entry* upcoming;
  std::size_t count;
};

void add_encoded(SumsView<G1Limbs> sums, const std::uint8_t* points, EntryRange range);
void add_encoded(SumsView<G2Limbs> sums, const std::uint8_t* points, EntryRange range);
void add_points(SumsView<G1Limbs> sums, const G1Limbs* points, EntryRange range);
void add_points(SumsView<G2Limbs> sums, const G2Limbs* points, EntryRange range);
void add_images(SumsView<G1Limbs> sums, const LimbImages<G1Limbs>* images, EntryRange range);
void add_images(SumsView<G2Limbs> sums, const LimbImages<G2Limbs>* images, EntryRange range);
// The first `groups` groups: sum i += addend i.
void add_sums(SumsView<G1Limbs> sums, SumsView<G1Limbs> addends, std::size_t groups);
void add_sums(SumsView<G2Limbs> sums, SumsView<G2Limbs> addends, std::size_t groups);

// The sums of one group as points; what is infinity becomes anything.
void store_group(const LaneSums<G1Limbs>& sums, G1Limbs points[8]);
void store_group(const LaneSums<G2Limbs>& sums, G2Limbs points[8]);

// The uncompressed points at the given indices, finite and canonical, in the form above.
void convert(const std::uint8_t* encoded, const std::uint32_t* indices, std::size_t count, G1Limbs* points);
void convert(const std::uint8_t* encoded, const std::uint32_t* indices, std::size_t count, G2Limbs* points);

// The images of points; beta is that of eisenstein.hpp times 2^416.
void make_images(const G1Limbs* points, std::size_t count, const std::uint64_t beta[8], LimbImages<G1Limbs>* images);
void make_images(const G2Limbs* points, std::size_t count, const std::uint64_t beta[8], LimbImages<G2Limbs>* images);

// Called by the kernels: 1 / element in Montgomery form, canonical limbs; zero maps to zero. The element is below 8 p.
void invert(const std::uint64_t element[8], std::uint64_t inverse[8]);

}  // namespace cuzk::ifma
