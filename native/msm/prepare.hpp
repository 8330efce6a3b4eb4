// Points in the form that the multiplication works on, to be kept: made once, then used without conversion.
#pragma once

#include <cstddef>
#include <string>

#include "curve/groups.hpp"

namespace cuzk {

// The form depends on the instruction set in use. `name` changes with the form; arrays start at a multiple of
// `alignment`.
struct PreparedLayout {
  std::string name;
  std::size_t point_size, alignment;
};
template <class Group>
PreparedLayout prepared_layout();

// The number of bits between multiples that goes best with that many points and multiples; 0 for one.
int prepared_spacing(std::size_t count, std::size_t multiples);

// Writes point i's multiples 2^(spacing * j) * point to out[i * multiples + j]. InputError for a point that is not
// canonical or is infinity.
template <class Group>
void prepare(const byte* points, std::size_t count, std::size_t multiples, int spacing, byte* out, int threads);

}  // namespace cuzk
