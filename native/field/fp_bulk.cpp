#include "field/fp_bulk.hpp"

#include <algorithm>

#include "field/fp.hpp"
#include "field/limbs52.hpp"
#include "util/isa.hpp"

namespace cuzk {

void fp_powers(u64 times, u64* powers) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) {
    u64 limbs[FP_SIDE_BY_SIDE][8];
    fp_powers_ifma(times, limbs);
    for (std::size_t i = 0; i < FP_SIDE_BY_SIDE; ++i) std::ranges::copy(join(limbs[i]), powers + i * FP_WORDS);
    return;
  }
#endif
  static_assert(Fp::LIMBS == FP_WORDS);
  Fp bases[FP_SIDE_BY_SIDE], products[FP_SIDE_BY_SIDE];
  for (std::size_t i = 0; i < FP_SIDE_BY_SIDE; ++i) {
    Fp::Words number{};
    number[0] = i + 2;
    products[i] = bases[i] = Fp::from_canonical(number);
  }
  for (u64 n = 0; n < times; ++n)
    for (std::size_t i = 0; i < FP_SIDE_BY_SIDE; ++i) products[i] *= bases[i];
  for (std::size_t i = 0; i < FP_SIDE_BY_SIDE; ++i)
    std::ranges::copy(products[i].to_canonical(), powers + i * FP_WORDS);
}

}  // namespace cuzk
