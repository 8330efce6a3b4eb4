// Points in 52-bit limbs and the kernels over them, which are in *_ifma.cpp. Types and declarations alone: the kernels'
// files include this (see util/isa.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "msm/addition.hpp"

namespace cuzk::ifma {

// A finite point: rows x, y in G1; x.c0, x.c1, y.c0, y.c1 in G2. A row is an element of Fp in Montgomery form with
// R = 2^416, lazily reduced: about p when just loaded, below 2.01 p after an addition.
template <int ROWS_>
struct alignas(64) LimbPoint {
  static constexpr int ROWS = ROWS_;
  std::uint64_t row[ROWS][8];
};
using G1Limbs = LimbPoint<2>;
using G2Limbs = LimbPoint<4>;

// Bytes of scratch memory that eight additions take.
template <class Point>
inline constexpr std::size_t WORKSPACE_SIZE = Point::ROWS == 2 ? 1600 : 3136;

template <class Point>
struct Additions {
  Addition<Point>* data;
  std::size_t size;
};
template <class Point>
struct Upcoming {
  const Addition<Point>* data;
  std::size_t size;
};

// The accumulator's `add`; `workspace` has WORKSPACE_SIZE bytes for every eight additions, rounded up, 64-byte aligned.
bool add_points(Additions<G1Limbs> additions, Upcoming<G1Limbs> upcoming, void* workspace);
bool add_points(Additions<G2Limbs> additions, Upcoming<G2Limbs> upcoming, void* workspace);

// Canonical limbs -> Montgomery form, in place.
void to_montgomery(G1Limbs* points, std::size_t count);
void to_montgomery(G2Limbs* points, std::size_t count);

// Called by the kernels: 1 / element in Montgomery form, canonical limbs; zero maps to zero. The element is below 8 p.
void invert(const std::uint64_t element[8], std::uint64_t inverse[8]);

}  // namespace cuzk::ifma
