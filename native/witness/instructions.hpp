// Witness programs: straight-line code that computes one instance of a template, for many instances at once.
//
// A program works on field registers and bit registers and is a sequence of 32-bit words:
//
//   LOAD_FIELD dst, formal       LOAD_BIT dst, formal         value of a variable of the enclosing template
//   DATA dst, index              DATA_BIT dst, index, bit     from the vanilla data; bit of the canonical integer
//   PRODUCT dst, x, y            x * y
//   LINEAR dst, constant, s, p, m, b, (coefficient, x) * s, x * p, x * m, (coefficient, bit) * b
//                                constant + sum coefficient * x + sum x - sum x + sum of coefficients whose bit is set
//   SELECT dst, bit, x, y        bit ? x : y
//   AND dst, x, y   NOT dst, x   XOR dst, x, y   CHOICE dst, x, y, z (x ? y : z)   MAJORITY dst, x, y, z   on bits
//   SUM size, k, n, dst * size, (bit * n) * k                 low bits of the sum of k words of n bits, lowest bit
//   first;
//                                                             dst are none of the operands
//   CONSTANT_BIT dst, value      0 or 1
//   BIT dst, x, position         bit of the canonical integer of a field element
//   PACK dst, constant, n, (bit, position) * n                constant + sum of bit << position, without carries, < r
//   STORE_FIELD src, n, place * n     STORE_BIT src, n, place * n     STORE_CONSTANT coefficient, n, place * n
//   STORE_CHOSEN k, bit * k, coefficient * 2^k, n, place * n  the coefficient whose number the bits are, lowest first
//
// A coefficient is an index into the circuit's table. A place is index * 4 + kind: 0 aux (of a field element its number
// among the wide aux, of a bit its number among all), 1 a row of a = A z, 2 a row of b = B z, 3 an input. Indices count
// from the instance's own. An instruction reads its operands before it writes its destination.
#pragma once

#include <cstdint>

namespace cuzk {

using Word = std::int32_t;

enum class Op : Word {
  load_field,
  load_bit,
  data,
  data_bit,
  product,
  linear,
  select,
  conjunction,
  negation,
  store_field,
  store_bit,
  store_constant,
  constant_bit,
  bit,
  exclusive_or,
  choice,
  majority,
  pack,
  store_chosen,
  sum,
};

inline constexpr int MAX_CHOSEN_BY = 2;  // bits of STORE_CHOSEN
inline constexpr int MAX_SUM_BITS = 64;  // of the result of SUM, and of its words

struct Place {
  enum class Kind { aux, a, b, input };

  explicit constexpr Place(Word word)
      : kind(static_cast<Kind>(word & 3)), index(static_cast<std::uint32_t>(word) >> 2) {}

  Kind kind;
  std::uint32_t index;
};

struct Words {
  const Word* first;
  const Word* last;

  constexpr const Word* begin() const { return first; }
  constexpr const Word* end() const { return last; }
};

// The operands of LINEAR after its destination and constant; `scaled` and `bits` are pairs.
struct LinearTerms {
  Words scaled, added, subtracted, bits;
};

// Calls one member function of `visitor` for each instruction. The code is valid, or the visitor checks it: then
// take(count, left) is asked before `count` words are used of which `left` are there, and unknown() must not return.
template <class Visitor>
void walk(const Word* at, const Word* end, Visitor& visitor) {
  const auto take = [&](std::uint64_t count) {
    visitor.take(count, static_cast<std::uint64_t>(end - at));
    const Words words{at, at + count};
    at = words.last;
    return words;
  };
  const auto count = [](Word word) { return std::uint64_t{static_cast<std::uint32_t>(word)}; };
  while (at != end) {
    const Op op = static_cast<Op>(*at++);
    switch (op) {
      case Op::load_field: {
        const Word* const words = take(2).first;
        visitor.load_field(words[0], words[1]);
        break;
      }
      case Op::load_bit: {
        const Word* const words = take(2).first;
        visitor.load_bit(words[0], words[1]);
        break;
      }
      case Op::data: {
        const Word* const words = take(2).first;
        visitor.data(words[0], words[1]);
        break;
      }
      case Op::data_bit: {
        const Word* const words = take(3).first;
        visitor.data_bit(words[0], words[1], words[2]);
        break;
      }
      case Op::product: {
        const Word* const words = take(3).first;
        visitor.product(words[0], words[1], words[2]);
        break;
      }
      case Op::linear: {
        const Word* const words = take(6).first;
        const Words scaled = take(2 * count(words[2])), added = take(count(words[3]));
        const Words subtracted = take(count(words[4])), bits = take(2 * count(words[5]));
        visitor.linear(words[0], words[1], {scaled, added, subtracted, bits});
        break;
      }
      case Op::select: {
        const Word* const words = take(4).first;
        visitor.select(words[0], words[1], words[2], words[3]);
        break;
      }
      case Op::conjunction: {
        const Word* const words = take(3).first;
        visitor.conjunction(words[0], words[1], words[2]);
        break;
      }
      case Op::negation: {
        const Word* const words = take(2).first;
        visitor.negation(words[0], words[1]);
        break;
      }
      case Op::store_field: {
        const Word* const words = take(2).first;
        visitor.store_field(words[0], take(count(words[1])));
        break;
      }
      case Op::store_bit: {
        const Word* const words = take(2).first;
        visitor.store_bit(words[0], take(count(words[1])));
        break;
      }
      case Op::store_constant: {
        const Word* const words = take(2).first;
        visitor.store_constant(words[0], take(count(words[1])));
        break;
      }
      case Op::constant_bit: {
        const Word* const words = take(2).first;
        visitor.constant_bit(words[0], words[1]);
        break;
      }
      case Op::bit: {
        const Word* const words = take(3).first;
        visitor.bit(words[0], words[1], words[2]);
        break;
      }
      case Op::exclusive_or: {
        const Word* const words = take(3).first;
        visitor.exclusive_or(words[0], words[1], words[2]);
        break;
      }
      case Op::choice: {
        const Word* const words = take(4).first;
        visitor.choice(words[0], words[1], words[2], words[3]);
        break;
      }
      case Op::majority: {
        const Word* const words = take(4).first;
        visitor.majority(words[0], words[1], words[2], words[3]);
        break;
      }
      case Op::pack: {
        const Word* const words = take(3).first;
        visitor.pack(words[0], words[1], take(2 * count(words[2])));
        break;
      }
      case Op::store_chosen: {
        const Word bits = *take(1).first;
        if (bits < 0 || bits > MAX_CHOSEN_BY) visitor.unknown();
        const Words registers = take(count(bits)), coefficients = take(std::uint64_t{1} << bits);
        visitor.store_chosen(registers, coefficients, take(count(*take(1).first)));
        break;
      }
      case Op::sum: {
        const Word* const words = take(3).first;
        const Words bits = take(count(words[0]));
        visitor.sum(bits, words[2], take(count(words[1]) * count(words[2])));
        break;
      }
      default:
        visitor.unknown();
    }
  }
}

}  // namespace cuzk
