// fr_mul_repeated() over eight lanes of AVX-512 IFMA.
#include "field/fr_bulk.hpp"
#include "field/fr_ifma.hpp"

namespace cuzk {
namespace {

using namespace cuzk::ifma;

constexpr std::size_t LANES = 8, SCALAR_WORDS = 4, VECTORS = 4;  // enough vectors that none waits for the one before
constexpr std::size_t BLOCK_WORDS = VECTORS * LANES * SCALAR_WORDS;

}  // namespace

void fr_mul_repeated_ifma(u64* x, const u64* y, std::size_t count, u64 times) {
  for (std::size_t begin = 0; begin < count * SCALAR_WORDS; begin += BLOCK_WORDS) {
    const std::size_t left = count * SCALAR_WORDS - begin, words = left < BLOCK_WORDS ? left : BLOCK_WORDS;
    u64 x_words[BLOCK_WORDS]{}, y_words[BLOCK_WORDS]{};
    for (std::size_t i = 0; i < words; ++i) {
      x_words[i] = x[begin + i];
      y_words[i] = y[begin + i];
    }
    Fr8 products[VECTORS], factors[VECTORS];  // factors times 2^260, the radix of Montgomery products
    for (std::size_t v = 0; v < VECTORS; ++v) {
      const std::size_t first = v * LANES * SCALAR_WORDS;
      products[v] = load_words(x_words + first, SCALAR_WORDS);
      factors[v] = carried(times_columns(load_words(y_words + first, SCALAR_WORDS), CommonFactor{FR_RADIX.words}));
    }
    // A product is below (2 * 2 / 35 + 1) r for factors below 2 r.
    for (u64 i = 0; i < times; ++i)
      for (std::size_t v = 0; v < VECTORS; ++v) products[v] = product_columns(carried(products[v]), factors[v]);
    for (std::size_t v = 0; v < VECTORS; ++v)
      store_words(reduced_below_r(products[v]), x_words + v * LANES * SCALAR_WORDS, SCALAR_WORDS);
    for (std::size_t i = 0; i < words; ++i) x[begin + i] = x_words[i];
  }
}

}  // namespace cuzk
