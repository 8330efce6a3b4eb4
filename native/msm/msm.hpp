// Multi-scalar multiplication: the sum of scalar * base.
#pragma once

#include "curve/groups.hpp"
#include "msm/scalars.hpp"

namespace cuzk {

// `bases` are count_bases(scalars) uncompressed points; they need not be in the subgroup. The result does not depend on
// the number of threads.
template <class Group>
typename Group::Point msm(const byte* bases, const Scalars& scalars, int threads);

}  // namespace cuzk
