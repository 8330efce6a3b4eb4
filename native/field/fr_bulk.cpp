#include "field/fr_bulk.hpp"

#include <algorithm>

#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "util/isa.hpp"

namespace cuzk {

void fr_mul_repeated(u64* x, const u64* y, std::size_t count, u64 times) {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return fr_mul_repeated_ifma(x, y, count, times);
#endif
  constexpr std::size_t SIDE_BY_SIDE = 8;  // so that no multiplication waits for the one before
  for (std::size_t begin = 0; begin < count; begin += SIDE_BY_SIDE) {
    const std::size_t lanes = std::min(SIDE_BY_SIDE, count - begin);
    Fr products[SIDE_BY_SIDE], factors[SIDE_BY_SIDE];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      products[lane] = Fr{load_words<Fr>(x + (begin + lane) * Fr::LIMBS)};  // x / R in Montgomery form
      factors[lane] = Fr::from_canonical(load_words<Fr>(y + (begin + lane) * Fr::LIMBS));
    }
    for (u64 i = 0; i < times; ++i)
      for (std::size_t lane = 0; lane < SIDE_BY_SIDE; ++lane) products[lane] *= factors[lane];
    for (std::size_t lane = 0; lane < lanes; ++lane)
      std::ranges::copy(products[lane].words, x + (begin + lane) * Fr::LIMBS);
  }
}

}  // namespace cuzk
