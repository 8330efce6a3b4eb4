#include "ntt/small.hpp"

#include <algorithm>
#include <array>

#include "field/canonical.hpp"

namespace cuzk::ntt_detail {
namespace {

using Values = std::array<Fr, 32>;

Values load(const u64* x, std::size_t n) {
  Values values{};
  for (std::size_t i = 0; i < n; ++i) values[i] = Fr::from_canonical(load_words<Fr>(x + i * Fr::LIMBS));
  return values;
}

void store(const Values& values, u64* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(values[i].to_canonical(), x + i * Fr::LIMBS);
}

// The values at point, point * root, point * root^2, ... of the polynomial with these n coefficients, by Horner's rule.
Values evaluate(const Values& coefficients, std::size_t n, Fr point, const Fr& root) {
  Values values{};
  for (std::size_t k = 0; k < n; ++k, point *= root)
    for (std::size_t i = n; i-- > 0;) values[k] = values[k] * point + coefficients[i];
  return values;
}

}  // namespace

void small_ntt(u64* x, int log2_size, const Fr& root, const Fr& before, const Fr& scale, const Fr& after) {
  const std::size_t n = std::size_t{1} << log2_size;
  Values values = evaluate(load(x, n), n, before, root);
  Fr factor = scale;
  for (std::size_t k = 0; k < n; ++k, factor *= after) values[k] *= factor;
  store(values, x, n);
}

void small_quotient(u64* a, u64* b, int log2_size) {
  const std::size_t n = std::size_t{1} << log2_size;
  const Fr inverse_root = fr_root_of_unity(log2_size).inverse();
  // n A and n B
  const Values left = evaluate(load(a, n), n, Fr::one(), inverse_root);
  const Values right = evaluate(load(b, n), n, Fr::one(), inverse_root);
  Values h{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = n - i; j < n; ++j) h[i + j - n] += left[i] * right[j];
  const Fr scale = (Fr::from_u64(n) * Fr::from_u64(n)).inverse();
  for (std::size_t k = 0; k < n; ++k) h[k] *= scale;
  store(h, a, n);
}

}  // namespace cuzk::ntt_detail
