// Fp: the base field of BLS12-381, a 381-bit prime.
#pragma once

#include "field/fp_params.hpp"
#include "field/montgomery.hpp"

namespace cuzk {

using Fp = Field<FpParams>;

}  // namespace cuzk
