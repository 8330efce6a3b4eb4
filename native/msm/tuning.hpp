// How wide the windows are, by a model of what they cost.
#pragma once

#include <cstddef>

#include "msm/windows.hpp"

namespace cuzk {

inline constexpr int NARROWEST_WINDOW = 3, WIDEST_WINDOW = 20;

// The cost of a width, counted in additions: one a term and window, and, as measured, BUCKET for each bucket, to take
// it up and to reduce it. Windows share buckets: `multiples` of them.
inline double cost_of(int width, std::size_t terms, std::size_t multiples) {
  constexpr double BUCKET = 3.1;
  const Windows windows(width);
  const double each = static_cast<double>(windows.buckets(0));
  const auto count = static_cast<std::size_t>(windows.count()), sets = (count + multiples - 1) / multiples;
  const double buckets =
      static_cast<double>(sets - 1) * each +
      static_cast<double>(multiples > 1 ? windows.most_buckets() : windows.buckets(windows.count() - 1));
  return static_cast<double>(count) * static_cast<double>(terms) + BUCKET * buckets;
}

// Whether multiples that many bits apart are of use: they cover a scalar, and there are windows that divide them.
inline bool is_spacing(std::size_t multiples, int spacing) {
  if (multiples == 1) return spacing == 0;
  if (multiples < 1 || multiples > Windows::SCALAR_BITS || spacing < NARROWEST_WINDOW ||
      spacing > Windows::SCALAR_BITS || multiples * static_cast<std::size_t>(spacing) < Windows::SCALAR_BITS)
    return false;
  for (int width = NARROWEST_WINDOW; width <= WIDEST_WINDOW; ++width)
    if (spacing % width == 0) return true;
  return false;
}

// The best width among those that `is_allowed`.
template <class IsAllowed>
int best_width(std::size_t terms, std::size_t multiples, IsAllowed is_allowed) {
  int best = 0;
  for (int width = NARROWEST_WINDOW; width <= WIDEST_WINDOW; ++width)
    if (is_allowed(width) && (best == 0 || cost_of(width, terms, multiples) < cost_of(best, terms, multiples)))
      best = width;
  return best;
}

}  // namespace cuzk
