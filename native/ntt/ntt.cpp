#include "ntt/ntt.hpp"

#include <utility>
#include <vector>

#include "field/fr.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

// A transform is linear, so scalars are never converted: canonical words are read as the Montgomery form of x / R, and
// the product with a factor in Montgomery form is again canonical.
static_assert(sizeof(Fr) == 4 * sizeof(u64));
Fr* as_field(u64* scalars) { return reinterpret_cast<Fr*>(scalars); }

std::size_t reversed(std::size_t index, int bits) {
  std::size_t result = 0;
  for (int i = 0; i < bits; ++i) result |= (index >> i & 1) << (bits - 1 - i);
  return result;
}

// x[i] *= first * ratio^i
void scale(Fr* x, std::size_t n, const Fr& first, const Fr& ratio, int threads) {
  parallel_for(n, threads, [&](int, std::size_t begin, std::size_t end) {
    Fr factor = first * ratio.pow(std::array<u64, 1>{begin});
    for (std::size_t i = begin; i < end; ++i) {
      x[i] *= factor;
      factor *= ratio;
    }
  });
}

// Cooley and Tukey's transform in place with the given root of unity of order n.
void transform(Fr* x, int log2_size, const Fr& root, int threads) {
  const std::size_t n = std::size_t{1} << log2_size;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = reversed(i, log2_size);
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Fr> twiddles(n / 2 + 1, Fr::one());
  for (std::size_t i = 1; i < n / 2; ++i) twiddles[i] = twiddles[i - 1] * root;
  for (int layer = 0; layer < log2_size; ++layer) {
    const std::size_t half = std::size_t{1} << layer;
    parallel_for(n / 2, threads, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t low = i & (half - 1), first = 2 * (i - low) + low;
        const Fr product = x[first + half] * twiddles[low << (log2_size - 1 - layer)];
        x[first + half] = x[first] - product;
        x[first] += product;
      }
    });
  }
}

}  // namespace

void ntt(u64* scalars, int log2_size, bool inverse, bool coset, int threads) {
  const std::size_t n = std::size_t{1} << log2_size;
  Fr* x = as_field(scalars);
  const Fr root = fr_root_of_unity(log2_size), generator = Fr::from_u64(FR_GENERATOR);
  if (!inverse) {
    if (coset) scale(x, n, Fr::one(), generator, threads);
    transform(x, log2_size, root, threads);
  } else {
    transform(x, log2_size, root.inverse(), threads);
    scale(x, n, Fr::from_u64(n).inverse(), coset ? generator.inverse() : Fr::one(), threads);
  }
}

void quotient(u64* a_scalars, u64* b_scalars, int log2_size, int threads) {
  const std::size_t n = std::size_t{1} << log2_size;
  Fr *a = as_field(a_scalars), *b = as_field(b_scalars);
  const Fr root = fr_root_of_unity(log2_size), inverse_root = root.inverse();
  const Fr twist = fr_root_of_unity(log2_size + 1);  // twist^n = -1
  const Fr one_over_n = Fr::from_u64(n).inverse();
  // a and b are read as A / R and B / R; the product of two such is A * B / R^2 read as Montgomery form: one more R
  const Fr restore = Fr::from_canonical(Fr::one().words);

  std::vector<Fr> c(n);
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] * b[i];
  transform(c.data(), log2_size, inverse_root, threads);
  for (Fr* x : {a, b}) {
    transform(x, log2_size, inverse_root, threads);
    scale(x, n, one_over_n, twist, threads);
    transform(x, log2_size, root, threads);
  }
  for (std::size_t i = 0; i < n; ++i) a[i] *= b[i];
  transform(a, log2_size, inverse_root, threads);
  const Fr half = one_over_n * Fr::from_u64(2).inverse() * restore;
  scale(a, n, half, twist.inverse(), threads);
  scale(c.data(), n, half, Fr::one(), threads);
  for (std::size_t i = 0; i < n; ++i) a[i] = c[i] - a[i];
}

}  // namespace cuzk
