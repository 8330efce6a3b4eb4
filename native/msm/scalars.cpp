#include "msm/scalars.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "field/fr.hpp"
#include "util/errors.hpp"

namespace cuzk {
namespace {

std::size_t bitmap_words(std::size_t length) { return (length + 63) / 64; }

std::size_t popcount(const u64* bitmap, std::size_t length) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bitmap_words(length); ++i) count += std::popcount(bitmap[i]);
  return count;
}

void check_bitmap(const u64* bitmap, std::size_t length, const char* name) {
  if (length % 64 != 0 && bitmap[length / 64] >> length % 64 != 0)
    throw InputError(std::string(name) + " has bits set beyond its length of " + std::to_string(length));
}

bool is_bit(const u64* bitmap, std::size_t i) { return bitmap[i / 64] >> i % 64 & 1; }

// Puts the scalar in row `index` where it belongs.
void sort_out(const u64* words, std::uint32_t base, std::uint32_t index, Selection& out) {
  Fr::Words scalar;
  std::copy_n(words, Fr::LIMBS, scalar.begin());
  if (!Fr::is_canonical(scalar))
    throw InputError("scalar " + std::to_string(index) + " is not below the field's modulus");
  if (scalar == Fr::Words{1}) {
    out.ones.push_back(base);
  } else if (scalar != Fr::Words{}) {
    out.terms.push_back({base, index});
  }
}

}  // namespace

std::size_t count_bases(const Scalars& scalars) {
  return scalars.density ? popcount(scalars.density, scalars.length) : scalars.length;
}

Selection select(const Scalars& scalars) {
  require(scalars.length < (std::size_t{1} << 32), "more than 2^32 - 1 scalars");
  if (scalars.density) check_bitmap(scalars.density, scalars.length, "the density bitmap");
  if (!scalars.dense) {
    check_bitmap(scalars.wide, scalars.length, "the wide bitmap");
    check_bitmap(scalars.bit, scalars.length, "the bit bitmap");
    require(popcount(scalars.wide, scalars.length) == scalars.num_values,
            "the number of values differs from the number of bits set in the wide bitmap");
  }
  Selection selection;
  std::uint32_t base = 0, value = 0;
  for (std::size_t i = 0; i < scalars.length; ++i) {
    const bool counts = !scalars.density || is_bit(scalars.density, i);
    const bool wide = scalars.dense || is_bit(scalars.wide, i);
    if (counts && wide) {
      const auto index = scalars.dense ? static_cast<std::uint32_t>(i) : value;
      sort_out(scalars.words(index), base, index, selection);
    } else if (counts && is_bit(scalars.bit, i)) {
      selection.ones.push_back(base);
    }
    base += counts;
    value += wide;
  }
  return selection;
}

}  // namespace cuzk
