// The exchange of digits that takes results in reversed order (plan.hpp) to natural order.
#pragma once

#include "ntt/plan.hpp"

namespace cuzk::ntt_detail {

// Exchanges the scalars at (x, y, z) and (z, y, x) for all digits.
void exchange_digits(u64* x, const Plan& plan, int threads);

}  // namespace cuzk::ntt_detail
