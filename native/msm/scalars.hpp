// The scalars of a multi-exponentiation, as the caller holds them, and which of them need which work.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "field/fr.hpp"
#include "util/limbs.hpp"
#include "util/pages.hpp"

namespace cuzk {

// Either `dense` (length x 4 words), or `wide`, `bit` and `values` (an assignment's packed form: scalar i is the next
// of `values` if bit i of `wide` is set, else bit i of `bit`). With `density`, only the scalars whose bit is set
// count; the bases are then those scalars' bases, in order.
struct Scalars {
  std::size_t length = 0;
  const u64* dense = nullptr;
  const u64* wide = nullptr;
  const u64* bit = nullptr;
  const u64* values = nullptr;
  std::size_t num_values = 0;
  const u64* density = nullptr;

  const u64* words(std::uint32_t row) const { return (dense ? dense : values) + Fr::LIMBS * std::size_t{row}; }
};

// Number of bases that go with `scalars`: its length, or the number of bits set in its density.
std::size_t count_bases(const Scalars& scalars);

// A scalar other than 0 and 1: `row` is its place in `dense` or `values`.
struct Term {
  std::uint32_t base, row;
};

// The terms of a sum, and the bases whose scalar is 1. These are many in a witness of bits: they are not listed but
// read from the bitmaps again.
class Selection {
 public:
  // Whether the base of that number counts, for scalars that are not zero: false if it is infinity.
  using IsFinite = std::function<bool(std::size_t)>;

  // Checks that bitmaps have no bit set beyond the length and agree with num_values, and that every scalar is canonical
  // (InputError names one that is not), and sorts the scalars out.
  Selection(const Scalars& scalars, IsFinite is_finite, int threads);

  const PageArray<Term>& terms() const { return terms_; }
  std::size_t num_ones() const { return num_ones_; }

  // The scalars are dealt into parts; calls take(base) for the bases of one part whose scalar is 1.
  std::size_t num_parts() const { return parts_.size(); }
  template <class Take>
  void for_each_one(std::size_t part, Take take) const {
    if (parts_[part].ones == 0) return;
    visit(
        parts_[part],
        [&](std::uint32_t base, std::uint32_t row) {
          if (is_one(scalars_.words(row)) && counts(base)) take(base);
        },
        [&](std::uint32_t base) {
          if (counts(base)) take(base);
        });
  }

 private:
  static constexpr std::size_t PART = std::size_t{1} << 15;  // scalars, a multiple of 64

  struct Part {
    std::size_t first_word, last_word;
    std::uint32_t base, row;  // of its first scalar
    std::size_t terms = 0, ones = 0, infinities = 0;
  };

  static bool is_one(const u64* words) { return words[0] == 1 && (words[1] | words[2] | words[3]) == 0; }
  bool counts(std::size_t base) const { return num_infinities_ == 0 || is_finite_(base); }

  u64 word_or_all(const u64* bitmap, std::size_t word) const {
    if (bitmap) return bitmap[word];
    const std::size_t left = scalars_.length - 64 * word;
    return left < 64 ? (u64{1} << left) - 1 : ~u64{0};
  }

  // Calls on_wide(base, row) or on_bit(base) for the scalars that count and have a row, or are a bit that is set.
  template <class OnWide, class OnBit>
  void visit(const Part& part, OnWide on_wide, OnBit on_bit) const {
    std::uint32_t base = part.base, row = part.row;
    for (std::size_t word = part.first_word; word < part.last_word; ++word) {
      const u64 counted = word_or_all(scalars_.density, word), wide = word_or_all(scalars_.wide, word);
      const auto rank = [](u64 bits, int i) {
        return static_cast<std::uint32_t>(std::popcount(bits & ((u64{1} << i) - 1)));
      };
      if ((counted & wide) == ~u64{0}) {  // all of them, as in a dense sum
        for (std::uint32_t i = 0; i < 64; ++i) on_wide(base + i, row + i);
        base += 64;
        row += 64;
        continue;
      }
      for (u64 left = counted & wide; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        on_wide(base + rank(counted, i), row + rank(wide, i));
      }
      if (scalars_.bit)
        for (u64 left = counted & ~wide & scalars_.bit[word]; left != 0; left &= left - 1)
          on_bit(base + rank(counted, std::countr_zero(left)));
      base += static_cast<std::uint32_t>(std::popcount(counted));
      row += static_cast<std::uint32_t>(std::popcount(wide));
    }
  }

  void count(Part& part) const;

  Scalars scalars_;
  IsFinite is_finite_;
  std::vector<Part> parts_;
  PageArray<Term> terms_;
  std::size_t num_ones_ = 0, num_infinities_ = 0;
};

}  // namespace cuzk
