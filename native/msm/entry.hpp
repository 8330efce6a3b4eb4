// How a point of an array is named in lists of what to add: its index and its sign.
#pragma once

#include <cstdint>

namespace cuzk {

using Entry = std::uint32_t;
inline constexpr Entry ABSENT = ~Entry{0};                           // adds nothing
inline constexpr std::uint32_t MAX_POINTS = std::uint32_t{1} << 31;  // so that no entry looks absent: one less

constexpr Entry entry(std::size_t index, bool negate) {
  return static_cast<Entry>(index << 1) | static_cast<Entry>(negate);
}
constexpr std::size_t index_of(Entry e) { return e >> 1; }
constexpr bool is_negated(Entry e) { return e & 1; }

}  // namespace cuzk
