// Multi-scalar multiplication: the sum of scalar * base.
#pragma once

#include "curve/groups.hpp"
#include "msm/scalars.hpp"

namespace cuzk {

// count_bases(scalars) points: uncompressed, or prepared (prepare.hpp), `multiples` of each.
struct Bases {
  const byte* data;
  bool is_prepared = false;
  std::size_t multiples = 1;
  int spacing = 0;  // bits between multiples
};

// The bases are in the subgroup: what is returned for others is not defined. The result does not depend on the number
// of threads.
template <class Group>
typename Group::Point msm(const Bases& bases, const Scalars& scalars, int threads);

}  // namespace cuzk
