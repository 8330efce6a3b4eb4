// Interprets a witness program for the instances of a block. Included by one file for each instruction set.
#pragma once

#include "witness/block.hpp"

namespace cuzk {
namespace {

using u64 = std::uint64_t;

constexpr int SCALAR_WORDS = 4;

// Lanes gives LANES; Element, a field register; Coefficient, a field element that all lanes share; load and store from
// and to canonical words; product, select; and Sum, which adds up what LINEAR is made of. Lanes beyond the last
// instance repeat it and store nothing.
template <class Lanes>
class Machine {
 public:
  using Element = typename Lanes::Element;
  using Coefficient = typename Lanes::Coefficient;
  static constexpr int LANES = Lanes::LANES;
  // Without it there are no product and Sum, an Element is its canonical words, and no program needs more.
  static constexpr bool HAS_ARITHMETIC = requires { typename Lanes::Sum; };

  static void prepare(const u64* canonical, std::size_t count, void* prepared) {
    auto* const out = static_cast<Coefficient*>(prepared);
    for (std::size_t i = 0; i < count; ++i) out[i] = Lanes::prepare(canonical + SCALAR_WORDS * i);
  }

  static void run(const Block& block, const WitnessArrays& arrays, const Coefficients& coefficients, void* fields,
                  u64* masks) {
    Machine machine(block, arrays, coefficients, static_cast<Element*>(fields), masks);
    walk(block.code, block.code_end, machine);
  }

  void take(u64, u64) const {}
  [[noreturn]] void unknown() const { __builtin_unreachable(); }

  void load_field(Word dst, Word formal) {
    gather(dst, [&](int lane) {
      const std::uint32_t binding = binding_of(lane, formal);
      return binding < FROM_INPUT ? arrays_.values + SCALAR_WORDS * std::size_t{binding}
                                  : arrays_.inputs + SCALAR_WORDS * std::size_t{binding - FROM_INPUT};
    });
  }

  void load_bit(Word dst, Word formal) {
    u64 mask = 0;
    for (int lane = 0; lane < block_.count; ++lane) {
      const std::uint32_t aux = binding_of(lane, formal);
      // Other threads set other bits of the same word meanwhile.
      const u64 word = __atomic_load_n(arrays_.bits + aux / 64, __ATOMIC_RELAXED);
      mask |= (word >> (aux % 64) & 1) << lane;
    }
    masks_[dst] = mask;
  }

  void data(Word dst, Word index) {
    gather(dst, [&](int lane) { return data_element(lane, index); });
  }

  void data_bit(Word dst, Word index, Word position) {
    u64 mask = 0;
    for (int lane = 0; lane < block_.count; ++lane)
      mask |= (data_element(lane, index)[position / 64] >> (position % 64) & 1) << lane;
    masks_[dst] = mask;
  }

  void product(Word dst, Word x, Word y) {
    if constexpr (HAS_ARITHMETIC) fields_[dst] = Lanes::product(fields_[x], fields_[y]);
  }

  void linear(Word dst, Word constant, const LinearTerms& terms) {
    if constexpr (HAS_ARITHMETIC) fields_[dst] = sum_of(constant, terms);
  }

  void select(Word dst, Word condition, Word x, Word y) {
    fields_[dst] = Lanes::select(masks_[condition], fields_[x], fields_[y]);
  }

  void conjunction(Word dst, Word x, Word y) { masks_[dst] = masks_[x] & masks_[y]; }
  void negation(Word dst, Word x) { masks_[dst] = ~masks_[x]; }
  void exclusive_or(Word dst, Word x, Word y) { masks_[dst] = masks_[x] ^ masks_[y]; }
  void choice(Word dst, Word x, Word y, Word z) { masks_[dst] = masks_[z] ^ (masks_[x] & (masks_[y] ^ masks_[z])); }
  void majority(Word dst, Word x, Word y, Word z) {
    masks_[dst] = (masks_[x] & masks_[y]) | (masks_[z] & (masks_[x] ^ masks_[y]));
  }
  // Words are added up one after another; a sum that is longer than the result is cut off.
  void sum(const Words& result, Word word_bits, const Words& operands) {
    u64 total[MAX_SUM_BITS];
    const auto size = static_cast<int>(result.last - result.first);
    for (int i = 0; i < size; ++i) total[i] = i < word_bits ? masks_[operands.first[i]] : 0;
    for (const Word* word = operands.first + word_bits; word != operands.last; word += word_bits) {
      u64 carry = 0;
      for (int i = 0; i < size; ++i) {
        const u64 x = total[i], y = i < word_bits ? masks_[word[i]] : 0, either = x ^ y;
        total[i] = either ^ carry;
        carry = (x & y) | (carry & either);
      }
    }
    for (int i = 0; i < size; ++i) masks_[result.first[i]] = total[i];
  }

  void constant_bit(Word dst, Word value) { masks_[dst] = value != 0 ? ~u64{0} : 0; }

  void bit(Word dst, Word x, Word position) {
    const auto word = static_cast<std::size_t>(position / 64);
    u64 mask = 0;
    if constexpr (HAS_ARITHMETIC) {
      alignas(64) u64 words[LANES][SCALAR_WORDS];
      Lanes::store(fields_[x], words);
      for (int lane = 0; lane < block_.count; ++lane) mask |= (words[lane][word] >> (position % 64) & 1) << lane;
    } else {
      for (int lane = 0; lane < block_.count; ++lane)
        mask |= (fields_[x].words[lane][word] >> (position % 64) & 1) << lane;
    }
    masks_[dst] = mask;
  }

  void pack(Word dst, Word constant, const Words& bits) {
    alignas(64) u64 words[LANES][SCALAR_WORDS];
    for (auto& lane : words) copy(canonical_coefficient(constant), lane);
    for (const Word* pair = bits.first; pair != bits.last; pair += 2) {
      const u64 mask = masks_[pair[0]];
      const int word = pair[1] / 64, shift = pair[1] % 64;
      for (int lane = 0; lane < block_.count; ++lane) words[lane][word] |= (mask >> lane & 1) << shift;
    }
    fields_[dst] = Lanes::load(words);
  }

  void store_field(Word src, const Words& places) {
    alignas(64) u64 words[LANES][SCALAR_WORDS];
    Lanes::store(fields_[src], words);
    for (const Word place : places)
      for (int lane = 0; lane < block_.count; ++lane) copy(words[lane], target(lane, Place(place)));
  }

  void store_constant(Word coefficient, const Words& places) {
    const u64* const words = canonical_coefficient(coefficient);
    for (const Word place : places)
      for (int lane = 0; lane < block_.count; ++lane) copy(words, target(lane, Place(place)));
  }

  void store_chosen(const Words& bits, const Words& coefficients, const Words& places) {
    const u64* choices[1 << MAX_CHOSEN_BY];
    std::size_t count = 0;
    for (const Word coefficient : coefficients) choices[count++] = canonical_coefficient(coefficient);
    const u64 low = masks_[bits.first[0]], high = bits.last - bits.first > 1 ? masks_[bits.first[1]] : 0;
    for (const Word place : places)
      for (int lane = 0; lane < block_.count; ++lane)
        copy(choices[(low >> lane & 1) | (high >> lane & 1) << 1], target(lane, Place(place)));
  }

  void store_bit(Word src, const Words& places) {
    for (const Word word : places) {
      const Place place(word);
      for (int lane = 0; lane < block_.count; ++lane) {
        const u64 words[SCALAR_WORDS] = {masks_[src] >> lane & 1, 0, 0, 0};
        if (place.kind != Place::Kind::aux)
          copy(words, target(lane, place));
        else if (words[0])
          set_bit(block_.begins[lane].aux + std::size_t{place.index});
      }
    }
  }

 private:
  Machine(const Block& block, const WitnessArrays& arrays, const Coefficients& coefficients, Element* fields,
          u64* masks)
      : block_(block),
        arrays_(arrays),
        coefficients_(static_cast<const Coefficient*>(coefficients.prepared)),
        canonical_coefficients_(coefficients.canonical),
        fields_(fields),
        masks_(masks) {}

  Element sum_of(Word constant, const LinearTerms& terms) const {
    typename Lanes::Sum sum(coefficients_[constant]);
    for (const Word* term = terms.scaled.first; term != terms.scaled.last; term += 2)
      sum.add_product(coefficients_[term[0]], fields_[term[1]]);
    for (const Word x : terms.added) sum.add(fields_[x]);
    for (const Word x : terms.subtracted) sum.subtract(fields_[x]);
    for (const Word* term = terms.bits.first; term != terms.bits.last; term += 2)
      sum.add_where(masks_[term[1]], coefficients_[term[0]]);
    return sum.value();
  }

  const u64* canonical_coefficient(Word coefficient) const {
    return canonical_coefficients_ + SCALAR_WORDS * static_cast<std::size_t>(coefficient);
  }

  template <class Address>
  void gather(Word dst, Address address) {
    alignas(64) u64 words[LANES][SCALAR_WORDS];
    for (int lane = 0; lane < LANES; ++lane) copy(address(lane < block_.count ? lane : block_.count - 1), words[lane]);
    fields_[dst] = Lanes::load(words);
  }

  std::uint32_t binding_of(int lane, Word formal) const {
    return block_.bindings[block_.formals * static_cast<std::size_t>(lane) + static_cast<std::size_t>(formal)];
  }

  const u64* data_element(int lane, Word index) const {
    return arrays_.data + SCALAR_WORDS * (std::int64_t{block_.begins[lane].data} + index);
  }

  u64* target(int lane, const Place& place) const {
    const Extent& begin = block_.begins[lane];
    switch (place.kind) {
      case Place::Kind::aux:
        return arrays_.values + SCALAR_WORDS * (std::size_t{begin.wide} + place.index);
      case Place::Kind::a:
        return arrays_.a + SCALAR_WORDS * (std::size_t{begin.rows} + place.index);
      case Place::Kind::b:
        return arrays_.b + SCALAR_WORDS * (std::size_t{begin.rows} + place.index);
      case Place::Kind::input:
        return arrays_.inputs + SCALAR_WORDS * (std::size_t{begin.inputs} + place.index);
    }
    __builtin_unreachable();
  }

  static void copy(const u64* from, u64* to) { __builtin_memcpy(to, from, SCALAR_WORDS * sizeof(u64)); }

  // A bit is stored once, but neighbouring instances share words.
  void set_bit(std::size_t aux) const {
    __atomic_fetch_or(arrays_.bits + aux / 64, u64{1} << (aux % 64), __ATOMIC_RELAXED);
  }

  const Block& block_;
  const WitnessArrays& arrays_;
  const Coefficient* coefficients_;
  const u64* canonical_coefficients_;
  Element* fields_;
  u64* masks_;
};

template <class Lanes>
constexpr BlockKernel block_kernel() {
  static_assert(Lanes::LANES <= 64 && alignof(typename Lanes::Element) <= 64);
  return {Lanes::LANES, sizeof(typename Lanes::Element), sizeof(typename Lanes::Coefficient), &Machine<Lanes>::prepare,
          &Machine<Lanes>::run};
}

}  // namespace
}  // namespace cuzk
