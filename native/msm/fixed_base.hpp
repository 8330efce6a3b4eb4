// Many scalars times one base: a table of multiples for every window of the scalar, then one addition a window.
#pragma once

#include "curve/groups.hpp"

namespace cuzk {

// out[i] = scalars[i] * base, as uncompressed bytes; scalars are canonical Fr, four words each.
template <class Group>
void fixed_base(const typename Group::Point& base, const u64* scalars, std::size_t count, byte* out, int threads);

}  // namespace cuzk
