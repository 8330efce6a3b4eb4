#include "msm/scalars.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "msm/entry.hpp"
#include "util/errors.hpp"
#include "util/parallel.hpp"

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

bool is_zero(const u64* words) { return (words[0] | words[1] | words[2] | words[3]) == 0; }

void require_canonical(const u64* words, std::uint32_t row) {
  if (words[Fr::LIMBS - 1] < Fr::MODULUS[Fr::LIMBS - 1]) return;
  Fr::Words scalar;
  std::copy_n(words, Fr::LIMBS, scalar.begin());
  if (!Fr::is_canonical(scalar))
    throw InputError("scalar " + std::to_string(row) + " is not below the field's modulus");
}

}  // namespace

std::size_t count_bases(const Scalars& scalars) {
  return scalars.density ? popcount(scalars.density, scalars.length) : scalars.length;
}

Selection::Selection(const Scalars& scalars, IsFinite is_finite, int threads)
    : scalars_(scalars), is_finite_(std::move(is_finite)) {
  require(scalars.length < MAX_POINTS, "more than 2^31 - 1 scalars");
  if (scalars.density) check_bitmap(scalars.density, scalars.length, "the density bitmap");
  if (!scalars.dense) {
    check_bitmap(scalars.wide, scalars.length, "the wide bitmap");
    check_bitmap(scalars.bit, scalars.length, "the bit bitmap");
    require(popcount(scalars.wide, scalars.length) == scalars.num_values,
            "the number of values differs from the number of bits set in the wide bitmap");
  }

  const std::size_t words = bitmap_words(scalars.length);
  std::uint32_t base = 0, row = 0;
  for (std::size_t word = 0; word < words; ++word) {
    if (word % (PART / 64) == 0) parts_.push_back({word, std::min(word + PART / 64, words), base, row});
    base += static_cast<std::uint32_t>(std::popcount(word_or_all(scalars.density, word)));
    row += static_cast<std::uint32_t>(std::popcount(word_or_all(scalars.wide, word)));
  }

  parallel_tasks(parts_.size(), threads, [&](int, std::size_t part) { count(parts_[part]); });
  std::vector<std::size_t> starts;
  std::size_t num_terms = 0;
  for (const Part& part : parts_) {
    starts.push_back(num_terms);
    num_terms += part.terms;
    num_ones_ += part.ones;
    num_infinities_ += part.infinities;
  }

  terms_ = PageArray<Term>(num_terms);
  parallel_tasks(parts_.size(), threads, [&](int, std::size_t part) {
    Term* next = terms_.data() + starts[part];
    const auto take = [&](std::uint32_t term_base, std::uint32_t term_row) {
      const u64* scalar = scalars_.words(term_row);
      if (!is_zero(scalar) && !is_one(scalar) && counts(term_base)) *next++ = {term_base, term_row};
    };
    visit(parts_[part], take, [](std::uint32_t) {});
  });
}

// Checks a part's scalars, and the bases of those that are not zero, and counts them.
void Selection::count(Part& part) const {
  Part counted = part;
  const auto take = [&](std::uint32_t base, bool one) {
    if (!is_finite_(base)) {
      ++counted.infinities;
    } else if (one) {
      ++counted.ones;
    } else {
      ++counted.terms;
    }
  };
  visit(
      part,
      [&](std::uint32_t base, std::uint32_t row) {
        const u64* scalar = scalars_.words(row);
        require_canonical(scalar, row);
        if (!is_zero(scalar)) take(base, is_one(scalar));
      },
      [&](std::uint32_t base) { take(base, true); });
  part = counted;
}

}  // namespace cuzk
