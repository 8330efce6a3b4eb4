// Words of multi-precision integers and the carry chains over them.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cuzk {

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;

// Returns the low word of a + b + carry, where carry is 0 or 1; carry becomes the high word (0 or 1).
constexpr u64 add_carry(u64 a, u64 b, u64& carry) {
#if defined(__x86_64__)  // gcc 12 makes no carry chain of the plain form: three times slower
  if (!std::is_constant_evaluated()) {
    unsigned long long sum;
    carry = _addcarry_u64(static_cast<unsigned char>(carry), a, b, &sum);
    return sum;
  }
#endif
  const u128 sum = u128{a} + b + carry;
  carry = static_cast<u64>(sum >> 64);
  return static_cast<u64>(sum);
}

// Returns a - b - borrow modulo 2^64, where borrow is 0 or 1; borrow becomes 1 if the difference was negative.
constexpr u64 sub_borrow(u64 a, u64 b, u64& borrow) {
#if defined(__x86_64__)
  if (!std::is_constant_evaluated()) {
    unsigned long long difference;
    borrow = _subborrow_u64(static_cast<unsigned char>(borrow), a, b, &difference);
    return difference;
  }
#endif
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
