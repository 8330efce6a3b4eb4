// The images of points under the units of Z[w] (eisenstein.hpp). Only for *_ifma.cpp.
#pragma once

#include "msm/sums_ifma.hpp"

namespace cuzk::ifma {
namespace {

// Images as addends: each is a pointer to its x.
template <class Point>
struct ImagePoints {
  const LimbImages<Point>* data;

  static constexpr int ROWS = Point::ROWS / 2;  // of a coordinate

  // x[index % 4] of data[index / 4]: y is as long as each x.
  const u64* at(std::size_t index) const { return data->x[0][0] + index * (8 * ROWS); }

  template <int ROW>
  class Loader {
   public:
    template <int STEP>
    CUZK_INLINE void step(const u64* const images[8]) {
      rows_.template step<STEP>(CUZK_BODY(i) {
        return _mm512_load_si512(ROW < ROWS ? images[i] + 8 * ROW : y(images[i]) + 8 * (ROW - ROWS));
      });
    }
    CUZK_INLINE Vector limb(int i) const { return rows_.out[i]; }

   private:
    Transposition rows_;
  };

  CUZK_INLINE static void prefetch(const u64* image) {
    CUZK_UNROLL for (int row = 0; row < ROWS; ++row) {
      _mm_prefetch(reinterpret_cast<const char*>(image + 8 * row), _MM_HINT_T1);
      _mm_prefetch(reinterpret_cast<const char*>(y(image) + 8 * row), _MM_HINT_T1);
    }
  }

 private:
  // Arrays of images start at multiples of their size.
  CUZK_INLINE static const u64* y(const u64* image) {
    const auto address = reinterpret_cast<std::uintptr_t>(image) & ~(sizeof(LimbImages<Point>) - 1);
    return reinterpret_cast<const u64*>(address + offsetof(LimbImages<Point>, y));
  }
};

template <class Point>
inline void write_images(const Point* points, std::size_t count, const u64 beta_limbs[8], LimbImages<Point>* images) {
  constexpr int ROWS = Point::ROWS / 2;
  const FpLanes beta = broadcast<FpModulus>(beta_limbs);
  for (std::size_t first = 0; first < count; first += 8) {
    const std::size_t size = first + 8 <= count ? 8 : count - first;
    for (int row = 0; row < ROWS; ++row) {
      Vector rows[8];
      for (std::size_t i = 0; i < 8; ++i) rows[i] = _mm512_load_si512(points[first + (i < size ? i : 0)].row[row]);
      FpLanes x, zero{};
      transpose(rows, x.limb);
      const FpLanes turned = x * beta;  // about p
      // beta^2 x = 4 p - x - beta x: between 0.9 p and 4 p
      const FpLanes turned_twice = normalized(reduced_once(difference(zero, sum(x, turned), 4), 2));
      Vector out[2][8];
      transpose(turned.limb, out[0]);
      transpose(turned_twice.limb, out[1]);
      for (std::size_t i = 0; i < size; ++i) {
        LimbImages<Point>& image = images[first + i];
        _mm512_store_si512(image.x[0][row], _mm512_load_si512(points[first + i].row[row]));
        _mm512_store_si512(image.x[1][row], out[0][i]);
        _mm512_store_si512(image.x[2][row], out[1][i]);
        _mm512_store_si512(image.y[row], _mm512_load_si512(points[first + i].row[ROWS + row]));
      }
    }
  }
}

}  // namespace
}  // namespace cuzk::ifma
