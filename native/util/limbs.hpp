// Words of multi-precision integers and the carry chains over them.
#pragma once

#include <cstdint>

namespace cuzk {

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;

// Returns the low word of a + b + carry; carry becomes the high word (0 or 1).
constexpr u64 add_carry(u64 a, u64 b, u64& carry) {
  const u128 sum = u128{a} + b + carry;
  carry = static_cast<u64>(sum >> 64);
  return static_cast<u64>(sum);
}

// Returns a - b - borrow modulo 2^64; borrow becomes 1 if the difference was negative.
constexpr u64 sub_borrow(u64 a, u64 b, u64& borrow) {
  const u128 difference = u128{a} - b - borrow;
  borrow = static_cast<u64>(difference >> 64) & 1;
  return static_cast<u64>(difference);
}

// Returns the low word of a + b * c + carry; carry becomes the high word.
constexpr u64 mul_add(u64 a, u64 b, u64 c, u64& carry) {
  const u128 sum = u128{b} * c + a + carry;
  carry = static_cast<u64>(sum >> 64);
  return static_cast<u64>(sum);
}

}  // namespace cuzk
