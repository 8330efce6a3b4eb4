// fp_powers() over eight lanes of AVX-512 IFMA.
#include "field/fp2_ifma.hpp"
#include "field/fp_bulk.hpp"

namespace cuzk {

using namespace cuzk::ifma;

void fp_powers_ifma(u64 times, u64 powers[FP_SIDE_BY_SIDE][8]) {
  constexpr std::size_t LANES = 8, VECTORS = FP_SIDE_BY_SIDE / LANES;
  constexpr int LIMBS = FpModulus::LIMBS;
  using Fp8 = Lanes<FpModulus>;
  const u64 one_limbs[LIMBS] = {1};
  const Fp8 one = broadcast<FpModulus>(one_limbs), radix_squared = power_of_two<FpModulus, 2 * FpModulus::LOG2_R>();
  Fp8 bases[VECTORS], products[VECTORS];
  for (std::size_t v = 0; v < VECTORS; ++v) {
    Fp8 numbers = one;
    const long long first = static_cast<long long>(v * LANES) + 2;
    numbers.limb[0] =
        _mm512_setr_epi64(first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7);
    products[v] = bases[v] = numbers * radix_squared;
  }
  for (u64 n = 0; n < times; ++n)
    for (std::size_t v = 0; v < VECTORS; ++v) products[v] = products[v] * bases[v];
  for (std::size_t v = 0; v < VECTORS; ++v) {
    const Fp8 values = products[v] * one;  // out of Montgomery form
    for (int i = 0; i < LIMBS; ++i) {
      u64 lanes[LANES];
      _mm512_storeu_si512(lanes, values.limb[i]);
      for (std::size_t lane = 0; lane < LANES; ++lane) powers[v * LANES + lane][i] = lanes[lane];
    }
  }
}

}  // namespace cuzk
