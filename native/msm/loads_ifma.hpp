// Points from memory into lanes: eight rows are read and transposed. Only for *_ifma.cpp.
#pragma once

#include "field/fp2_ifma.hpp"
#include "msm/limb_point.hpp"

namespace cuzk::ifma {
namespace {

// The 52 bits from bit SHIFT of a word on, of which the last are in the next word.
template <int SHIFT>
CUZK_INLINE Vector limb_across(Vector word, Vector next) {
  constexpr int OR_THEN_AND = 0xa8;  // (a | b) & c
  return _mm512_ternarylogic_epi64(_mm512_srli_epi64(word, SHIFT), _mm512_slli_epi64(next, 64 - SHIFT),
                                   broadcast(MASK52), OR_THEN_AND);
}

// Big-endian integers of 48 bytes into limbs. 64 bytes are read: the integer and, if LAST, what is before it, else what
// is behind.
template <bool LAST>
CUZK_INLINE void load_encoded(const std::uint8_t* const integers[8], FpLanes& out) {
  constexpr int FIRST_WORD = LAST ? 2 : 0;
  const Vector reversed = _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
  Vector in[8], words[8];
  CUZK_UNROLL for (int i = 0; i < 8; ++i) in[i] =
      _mm512_shuffle_epi8(_mm512_loadu_si512(integers[i] - 8 * FIRST_WORD), reversed);
  transpose(in, words);
  const Vector* const top = words + FIRST_WORD;  // w5, ..., w0 follow
  const Vector w0 = top[5], w1 = top[4], w2 = top[3], w3 = top[2], w4 = top[1], w5 = top[0];
  out.limb[0] = low52(w0);
  out.limb[1] = limb_across<52>(w0, w1);
  out.limb[2] = limb_across<40>(w1, w2);
  out.limb[3] = limb_across<28>(w2, w3);
  out.limb[4] = limb_across<16>(w3, w4);
  out.limb[5] = low52(_mm512_srli_epi64(w4, 4));
  out.limb[6] = limb_across<56>(w4, w5);
  out.limb[7] = _mm512_srli_epi64(w5, 44);
}

// Where a coordinate's row is in an encoded point: c1 comes before c0.
template <class Point>
constexpr int encoded_row(int row) {
  return Point::ROWS == 2 ? row : row ^ 1;
}
template <class Point>
constexpr std::size_t ENCODED_SIZE = 48 * Point::ROWS;

// Points as in files: x below p, y / 2^208 about p.
template <class Point>
struct EncodedPoints {
  const std::uint8_t* data;

  const std::uint8_t* at(std::size_t index) const { return data + index * ENCODED_SIZE<Point>; }

  // One row of eight points, in steps: limb(i) is there after the last.
  template <int ROW>
  class Loader {
   public:
    template <int STEP>
    CUZK_INLINE void step(const std::uint8_t* const points[8]) {
      if constexpr (STEP != 0) return;
      constexpr int PLACE = encoded_row<Point>(ROW);
      const std::uint8_t* integers[8];
      CUZK_UNROLL for (int i = 0; i < 8; ++i) integers[i] = points[i] + 48 * PLACE;
      load_encoded<PLACE == Point::ROWS - 1>(integers, value_);
      if constexpr (ROW >= Point::ROWS / 2) value_ = normalized(divided_columns<4>(value_));
    }
    CUZK_INLINE Vector limb(int i) const { return value_.limb[i]; }

   private:
    FpLanes value_;
  };

  CUZK_INLINE static void prefetch(const std::uint8_t* point) {
    CUZK_UNROLL for (std::size_t offset = 0; offset < ENCODED_SIZE<Point>; offset += 64)
        _mm_prefetch(reinterpret_cast<const char*>(point + offset), _MM_HINT_T1);
    _mm_prefetch(reinterpret_cast<const char*>(point + ENCODED_SIZE<Point> - 1), _MM_HINT_T1);
  }
};

// Points in limbs.
template <class Point>
struct LimbPoints {
  const Point* data;

  const Point* at(std::size_t index) const { return data + index; }

  template <int ROW>
  class Loader {
   public:
    template <int STEP>
    CUZK_INLINE void step(const Point* const points[8]) {
      rows_.template step<STEP>(CUZK_BODY(i) { return _mm512_load_si512(points[i]->row[ROW]); });
    }
    CUZK_INLINE Vector limb(int i) const { return rows_.out[i]; }

   private:
    Transposition rows_;
  };

  CUZK_INLINE static void prefetch(const Point* point) {
    CUZK_UNROLL for (int row = 0; row < Point::ROWS; ++row)
        _mm_prefetch(reinterpret_cast<const char*>(point->row[row]), _MM_HINT_T1);
  }
};

}  // namespace
}  // namespace cuzk::ifma
