// Operations on many field elements at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cuzk {

// Replaces every element by its inverse: one inversion and three multiplications an element (Montgomery 1987).
// No element may be zero.
template <class F>
void batch_invert(std::span<F> elements) {
  std::vector<F> prefixes(elements.size());  // prefixes[i] = elements[0] * ... * elements[i - 1]
  F product = F::one();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    prefixes[i] = product;
    product *= elements[i];
  }
  F inverse = product.inverse();  // 1 / (elements[0] * ... * elements[i]) as i falls
  for (std::size_t i = elements.size(); i-- > 0;) {
    const F element = elements[i];
    elements[i] = inverse * prefixes[i];
    inverse *= element;
  }
}

}  // namespace cuzk
