// One entry of a batch of affine additions: *target += +-*addend.
#pragma once

#include <cstdint>

namespace cuzk {

// What a slot's stamp says: nothing in it yet, or the number of the batch that last had it as a target.
using Stamp = std::uint32_t;
inline constexpr Stamp EMPTY = 0, FILLED = 1;  // batches are numbered from 2

template <class Point>
struct Addition {
  Point* target;
  const Point* addend;
  Stamp* stamp;  // the target's
  bool negate;
  bool emptied = false;
};

}  // namespace cuzk
