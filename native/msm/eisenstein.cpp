#include "msm/eisenstein.hpp"

#include <algorithm>

namespace cuzk {
namespace {

__extension__ typedef __int128 i128;

constexpr u128 LAMBDA = u128{CURVE_X} * CURVE_X - 1;

// floor(2^319 / LAMBDA), by long division
constexpr std::array<u64, 3> RECIPROCAL = [] {
  std::array<u64, 3> quotient{};
  u128 remainder = 0;
  for (int bit = 319; bit >= 0; --bit) {
    const bool carry = remainder >> 127 != 0;
    remainder = remainder << 1 | (bit == 319 ? 1 : 0);
    if (carry || remainder >= LAMBDA) {
      remainder -= LAMBDA;
      quotient[bit / 64] |= u64{1} << bit % 64;
    }
  }
  return quotient;
}();

struct Parts {
  u128 one, omega;  // two's complement
};

// A scalar's parts: |one|, |omega| < 0.63 lambda, and far enough inside of the hexagon of radius 2^127 for 16 digits:
// |2 one - omega|, |one - 2 omega| and |one + omega| are below 0.93 * 2^128, for which no digit is left over.
Parts split(const u64* scalar) {
  // omega = scalar / lambda, to the nearest: scalar / 2^64 * RECIPROCAL / 2^255
  // without what is below 2^-60.
  u64 product[6] = {};
  for (int i = 0; i < 3; ++i) {
    u64 carry = 0;
    for (int j = 2 - i; j < 3; ++j) product[i + j] = mul_add(product[i + j], scalar[1 + i], RECIPROCAL[j], carry);
    product[i + 3] = carry;
  }
  const u128 quotient = ((u128{product[5]} << 64 | product[4]) << 1) + (product[3] >> 63) + (product[3] >> 62 & 1);
  Parts parts{(u128{scalar[1]} << 64 | scalar[0]) - quotient * LAMBDA, quotient};
  const u128 is_large = quotient > LAMBDA / 2;  // 1 + (lambda + 1) w = 0
  parts.omega -= (0 - is_large) & (LAMBDA + 1);
  parts.one -= is_large;
  // The sharp corners of the rhombus that they are in now: lambda - w = 0.
  const i128 slant = (static_cast<i128>(parts.one) >> 1) - (static_cast<i128>(parts.omega) >> 1);
  constexpr auto LARGEST = static_cast<i128>(LAMBDA / 16 * 7);
  if (slant > LARGEST) {
    parts.one -= LAMBDA;
    parts.omega += 1;
  } else if (slant < -LARGEST) {
    parts.one += LAMBDA;
    parts.omega -= 1;
  }
  return parts;
}

// Byte i of a number, 16 of them, to out[i * stride].
void write_bytes(u128 number, std::uint8_t* out, std::size_t stride) {
  for (u64 word : {static_cast<u64>(number), static_cast<u64>(number >> 64)})
    for (int i = 0; i < 8; ++i, out += stride) *out = static_cast<std::uint8_t>(word >> 8 * i);
}

}  // namespace

const EisensteinDigits& EisensteinDigits::get() {
  static const EisensteinDigits digits;
  return digits;
}

EisensteinDigits::EisensteinDigits() : codes_(1 << 16) {
  // one + turned (1 + w) over a sixth of the hexagon: of what differs by a multiple of 256, on its edges, one half. The
  // last one's, 128, is its opposite, too: it has three codes alone.
  for (int turned = MOST_TURNED; turned >= 0; --turned)
    for (int one = 1; 2 * one + turned <= 256 && one + 2 * turned < 256; ++one) {
      const int a = one + turned, b = turned;
      const int turns[UNITS][2] = {{a, b}, {-b, a - b}, {b - a, -a}, {-a, -b}, {b, b - a}, {a - b, a}};
      for (std::size_t unit = 0; unit < UNITS; ++unit) {
        Code& code = codes_[static_cast<std::size_t>((turns[unit][0] & 255) | (turns[unit][1] & 255) << 8)];
        if (code == 0) code = static_cast<Code>(1 + UNITS * weights_.size() + unit);
      }
      weights_.push_back({static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(turned)});
    }
}

void EisensteinDigits::read(const u64* const* scalars, std::size_t count, Code* codes, std::size_t stride) const {
  // The steps of one scalar wait for each other: they are taken for as many scalars as make vectors.
  constexpr std::size_t BLOCK = 64, LANES = 8;
  typedef std::uint8_t Bytes __attribute__((vector_size(LANES), may_alias));
  typedef std::int16_t Vector __attribute__((vector_size(2 * LANES), may_alias));
  alignas(Vector) std::uint8_t ones[COUNT][BLOCK]{}, omegas[COUNT][BLOCK]{};
  alignas(Vector) std::uint16_t residues[BLOCK];
  for (std::size_t start = 0; start < count; start += BLOCK) {
    const std::size_t size = std::min(BLOCK, count - start);
    for (std::size_t i = 0; i < size; ++i) {
      const Parts parts = split(scalars[start + i]);
      write_bytes(parts.one, &ones[0][i], BLOCK);
      write_bytes(parts.omega, &omegas[0][i], BLOCK);
    }
    Vector one_carries[BLOCK / LANES]{}, omega_carries[BLOCK / LANES]{};
    for (std::size_t digit = 0; digit < COUNT; ++digit) {
      for (std::size_t i = 0; i < size; i += LANES) {
        Vector &one_carry = one_carries[i / LANES], &omega_carry = omega_carries[i / LANES];
        const Vector one = __builtin_convertvector(*reinterpret_cast<Bytes*>(&ones[digit][i]), Vector) + one_carry;
        const Vector omega =
            __builtin_convertvector(*reinterpret_cast<Bytes*>(&omegas[digit][i]), Vector) + omega_carry;
        const Vector a = one & 255, b = omega & 255;
        *reinterpret_cast<Vector*>(&residues[i]) = a | b << 8;
        // Which of (a, b), (a - 256, b), (a, b - 256) and (a - 256, b - 256) is in the hexagon; -1 where it is so.
        const Vector both = a + b - (a >= b) > 256;
        one_carry = (one >> 8) - ((both & (a + a >= b)) | (~both & (a + a - b > 256)));
        omega_carry = (omega >> 8) - ((both & (b + b > a)) | (~both & (b + b - a - (a > 0) > 256)));
      }
      for (std::size_t i = 0; i < size; ++i) codes[digit * stride + start + i] = codes_[residues[i]];
    }
  }
}

}  // namespace cuzk
