// G1 and G2 of BLS12-381: the curves, their generators and their bytes.
//
// Encodings are those of the IETF draft pairing-friendly-curves, appendix C (also bellperson's and blst's): big-endian
// coordinates, for G2 c1 before c0; the three top bits of the first byte are flags.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "curve/point.hpp"
#include "field/fp2.hpp"
#include "field/fr.hpp"

namespace cuzk {

using byte = std::uint8_t;

inline constexpr byte FLAG_COMPRESSED = 0x80;
inline constexpr byte FLAG_INFINITY = 0x40;
inline constexpr byte FLAG_LARGER_Y = 0x20;  // in the compressed form only
inline constexpr byte FLAGS = FLAG_COMPRESSED | FLAG_INFINITY | FLAG_LARGER_Y;

// |x| of the curve's parameter x = -0xd201000000010000, from which p and r are built: r = x^4 - x^2 + 1.
inline constexpr u64 CURVE_X = 0xd201000000010000;

// y^2 = x^3 + 4 over Fp
struct G1 {
  using Coordinate = Fp;
  using Point = Affine<Fp>;
  static constexpr std::size_t COORDINATE_SIZE = 48;
  static constexpr std::size_t POINT_SIZE = 2 * COORDINATE_SIZE;  // uncompressed; half of it compressed
  static constexpr const char* NAME = "G1";
  static constexpr Fp B = Fp::from_u64(4);
};

// y^2 = x^3 + 4 (1 + u) over Fp2
struct G2 {
  using Coordinate = Fp2;
  using Point = Affine<Fp2>;
  static constexpr std::size_t COORDINATE_SIZE = 96;
  static constexpr std::size_t POINT_SIZE = 2 * COORDINATE_SIZE;
  static constexpr const char* NAME = "G2";
  static constexpr Fp2 B = {Fp::from_u64(4), Fp::from_u64(4)};
};

template <class Group>
bool is_on_curve(const typename Group::Point& point) {
  return point.is_infinity() || point.y.squared() == point.x.squared() * point.x + Group::B;
}

// True for a point of the curve that lies in the subgroup of order r. Fast tests by an endomorphism each.
bool is_in_subgroup(const G1::Point& point);
bool is_in_subgroup(const G2::Point& point);

// Reads an uncompressed point: flags, coordinates below p, and the one form of infinity are checked, the curve
// equation is not. Returns nullptr, or what is wrong.
template <class Group>
const char* decode(const byte* data, typename Group::Point& point);

template <class Group>
void encode(const typename Group::Point& point, byte* data);

// Reads a compressed point, which is then on the curve. Returns nullptr, or what is wrong.
template <class Group>
const char* decompress(const byte* data, typename Group::Point& point);

template <class Group>
void compress(const typename Group::Point& point, byte* data);

// Decodes the point at `index` of an array of uncompressed points; InputError names the index.
template <class Group>
typename Group::Point decode_at(const byte* points, std::size_t index);

// The coordinates of a point as canonical integers: x, y, or x.c0, x.c1, y.c0, y.c1.
template <class Group>
using CoordinateWords = std::array<Fp::Words, sizeof(typename Group::Point) / sizeof(Fp)>;

// Like decode_at, without the conversion to Montgomery form. False if the point is infinity; the words are then zero.
template <class Group>
bool decode_words_at(const byte* points, std::size_t index, CoordinateWords<Group>& words);

// Whether the point is finite, with the checks of decode_at.
template <class Group>
bool is_finite_at(const byte* points, std::size_t index);

[[noreturn]] void reject_point(const char* group, std::size_t index, const std::string& why);

}  // namespace cuzk
