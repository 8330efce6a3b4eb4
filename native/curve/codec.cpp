#include <algorithm>

#include "curve/groups.hpp"
#include "field/roots.hpp"
#include "util/errors.hpp"

namespace cuzk {
namespace {

constexpr const char* NOT_CANONICAL = "a coordinate is not below the field's modulus";

u64 read_word(const byte* data) {  // eight big-endian bytes
  u64 word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | data[i];
  return word;
}

// Reads 48 big-endian bytes, of which the flags' bits are left out if `masked`. False if not below p.
bool read_words(const byte* data, bool masked, Fp::Words& words) {
  for (int i = 0; i < Fp::LIMBS; ++i) words[Fp::LIMBS - 1 - i] = read_word(data + 8 * i);
  if (masked) words[Fp::LIMBS - 1] &= ~(u64{FLAGS} << 56);
  return Fp::is_canonical(words);
}

bool read_coordinate(const byte* data, bool masked, Fp& out) {
  Fp::Words words;
  if (!read_words(data, masked, words)) return false;
  out = Fp::from_canonical(words);
  return true;
}

bool read_coordinate(const byte* data, bool masked, Fp2& out) {
  return read_coordinate(data, masked, out.c1) && read_coordinate(data + 48, false, out.c0);
}

Affine<Fp> from_words(const std::array<Fp::Words, 2>& words) {
  return {Fp::from_canonical(words[0]), Fp::from_canonical(words[1])};
}

Affine<Fp2> from_words(const std::array<Fp::Words, 4>& words) {
  return {{Fp::from_canonical(words[0]), Fp::from_canonical(words[1])},
          {Fp::from_canonical(words[2]), Fp::from_canonical(words[3])}};
}

void write_coordinate(const Fp& value, byte* data) {
  const auto words = value.to_canonical();
  for (int i = 0; i < 48; ++i) data[i] = static_cast<byte>(words[5 - i / 8] >> 8 * (7 - i % 8));
}

void write_coordinate(const Fp2& value, byte* data) {
  write_coordinate(value.c1, data);
  write_coordinate(value.c0, data + 48);
}

// True if all bytes but the flags' bits of the first are zero.
bool rest_is_zero(const byte* data, std::size_t size) {
  return (data[0] & ~FLAGS) == 0 && std::all_of(data + 1, data + size, [](byte value) { return value == 0; });
}

}  // namespace

template <class Group>
const char* decode_words(const byte* data, CoordinateWords<Group>& words, bool& is_infinity) {
  if (data[0] & FLAG_COMPRESSED) return "it is flagged as compressed, expected an uncompressed point";
  if (data[0] & FLAG_LARGER_Y) return "the sign flag is set, which an uncompressed point does not have";
  is_infinity = data[0] & FLAG_INFINITY;
  words = {};
  if (is_infinity)
    return rest_is_zero(data, Group::POINT_SIZE) ? nullptr : "it is flagged as infinity but has other bits set";
  constexpr std::size_t DEGREE = std::tuple_size_v<CoordinateWords<Group>> / 2;
  for (std::size_t i = 0; i < words.size(); ++i)  // c1 comes before c0
    if (!read_words(data + 48 * (i ^ (DEGREE - 1)), false, words[i])) return NOT_CANONICAL;
  return words == CoordinateWords<Group>{} ? "it is not on the curve" : nullptr;  // (0, 0) would stand for infinity
}

template <class Group>
const char* decode(const byte* data, typename Group::Point& point) {
  CoordinateWords<Group> words;
  bool is_infinity;
  if (const char* why = decode_words<Group>(data, words, is_infinity)) return why;
  point = from_words(words);
  return nullptr;
}

template <class Group>
void encode(const typename Group::Point& point, byte* data) {
  if (point.is_infinity()) {
    std::fill_n(data, Group::POINT_SIZE, byte{0});
    data[0] = FLAG_INFINITY;
    return;
  }
  write_coordinate(point.x, data);
  write_coordinate(point.y, data + Group::COORDINATE_SIZE);
}

template <class Group>
const char* decompress(const byte* data, typename Group::Point& point) {
  if (!(data[0] & FLAG_COMPRESSED)) return "it is not flagged as compressed";
  if (data[0] & FLAG_INFINITY) {
    point = {};
    const bool clean = !(data[0] & FLAG_LARGER_Y) && rest_is_zero(data, Group::COORDINATE_SIZE);
    return clean ? nullptr : "it is flagged as infinity but has other bits set";
  }
  if (!read_coordinate(data, true, point.x)) return NOT_CANONICAL;
  const auto root = square_root(point.x.squared() * point.x + Group::B);
  if (!root) return "it is not on the curve";
  const bool larger = data[0] & FLAG_LARGER_Y;
  point.y = is_larger_than_negative(*root) == larger ? *root : -*root;
  return nullptr;
}

template <class Group>
void compress(const typename Group::Point& point, byte* data) {
  if (point.is_infinity()) {
    std::fill_n(data, Group::COORDINATE_SIZE, byte{0});
    data[0] = FLAG_COMPRESSED | FLAG_INFINITY;
    return;
  }
  write_coordinate(point.x, data);
  data[0] |= FLAG_COMPRESSED | (is_larger_than_negative(point.y) ? FLAG_LARGER_Y : 0);
}

template <class Group>
typename Group::Point decode_at(const byte* points, std::size_t index) {
  typename Group::Point point;
  if (const char* why = decode<Group>(points + index * Group::POINT_SIZE, point)) reject_point(Group::NAME, index, why);
  return point;
}

template <class Group>
bool decode_words_at(const byte* points, std::size_t index, CoordinateWords<Group>& words) {
  bool is_infinity;
  if (const char* why = decode_words<Group>(points + index * Group::POINT_SIZE, words, is_infinity))
    reject_point(Group::NAME, index, why);
  return !is_infinity;
}

template <class Group>
bool is_finite_at(const byte* points, std::size_t index) {
  const byte* const data = points + index * Group::POINT_SIZE;
  bool is_below = true;  // the modulus, in the highest word: so is then the coordinate, and there are no flags
  u64 any = 0;
  for (std::size_t offset = 0; offset < Group::POINT_SIZE; offset += 48) {
    const u64 highest = read_word(data + offset);
    is_below &= highest < Fp::MODULUS[Fp::LIMBS - 1];
    any |= highest;
  }
  if (is_below && any != 0) return true;
  CoordinateWords<Group> words;
  return decode_words_at<Group>(points, index, words);
}

void reject_point(const char* group, std::size_t index, const std::string& why) {
  throw InputError(std::string(group) + " point " + std::to_string(index) + ": " + why);
}

template bool decode_words_at<G1>(const byte*, std::size_t, CoordinateWords<G1>&);
template bool decode_words_at<G2>(const byte*, std::size_t, CoordinateWords<G2>&);
template bool is_finite_at<G1>(const byte*, std::size_t);
template bool is_finite_at<G2>(const byte*, std::size_t);
template const char* decode<G1>(const byte*, G1::Point&);
template const char* decode<G2>(const byte*, G2::Point&);
template void encode<G1>(const G1::Point&, byte*);
template void encode<G2>(const G2::Point&, byte*);
template const char* decompress<G1>(const byte*, G1::Point&);
template const char* decompress<G2>(const byte*, G2::Point&);
template void compress<G1>(const G1::Point&, byte*);
template void compress<G2>(const G2::Point&, byte*);
template G1::Point decode_at<G1>(const byte*, std::size_t);
template G2::Point decode_at<G2>(const byte*, std::size_t);

}  // namespace cuzk
