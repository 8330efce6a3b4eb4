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
//   AND dst, x, y   NOT dst, x   on bits
//   STORE_FIELD src, n, place * n     STORE_BIT src, n, place * n     STORE_CONSTANT coefficient, n, place * n
//
// A coefficient is an index into the circuit's table. A place is index * 4 + kind: 0 aux (of a field element its number
// among the wide aux, of a bit its number among all), 1 a row of a = A z, 2 a row of b = B z, 3 an input. Indices count
// from the instance's own. An instruction reads its operands before it writes its destination.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "util/errors.hpp"
#include "util/limbs.hpp"

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
};

struct Place {
  enum class Kind { aux, a, b, input };

  explicit constexpr Place(Word word)
      : kind(static_cast<Kind>(word & 3)), index(static_cast<std::uint32_t>(word) >> 2) {}

  Kind kind;
  std::uint32_t index;
};

// The operands of LINEAR after its destination and constant.
struct LinearTerms {
  std::span<const Word> scaled;  // pairs
  std::span<const Word> added;
  std::span<const Word> subtracted;
  std::span<const Word> bits;  // pairs
};

// How much one instance adds to the circuit, or where it begins.
struct Extent {
  std::uint32_t rows, inputs, aux, wide, data;
};

struct Program {
  std::vector<Word> code;
  std::uint32_t field_registers, bit_registers;
  std::vector<bool> formal_is_bit;
  Extent extent;
};

// Calls one member function of `visitor` an instruction. Unless Visitor::CHECKS_LENGTH the code must be valid.
template <class Visitor>
void walk(std::span<const Word> code, Visitor& visitor) {
  const Word* at = code.data();
  const Word* const end = at + code.size();
  auto take = [&](u64 count) -> std::span<const Word> {
    if constexpr (Visitor::CHECKS_LENGTH)
      require(count <= static_cast<u64>(end - at), "witness program: an instruction is cut off");
    const std::span<const Word> words(at, count);
    at += count;
    return words;
  };
  auto count = [](Word word) { return u64{static_cast<std::uint32_t>(word)}; };
  while (at != end) {
    const Op op = static_cast<Op>(*at++);
    switch (op) {
      case Op::load_field:
      case Op::load_bit: {
        const auto words = take(2);
        op == Op::load_field ? visitor.load_field(words[0], words[1]) : visitor.load_bit(words[0], words[1]);
        break;
      }
      case Op::data: {
        const auto words = take(2);
        visitor.data(words[0], words[1]);
        break;
      }
      case Op::data_bit: {
        const auto words = take(3);
        visitor.data_bit(words[0], words[1], words[2]);
        break;
      }
      case Op::product: {
        const auto words = take(3);
        visitor.product(words[0], words[1], words[2]);
        break;
      }
      case Op::linear: {
        const auto words = take(6);
        visitor.linear(words[0], words[1],
                       {.scaled = take(2 * count(words[2])),
                        .added = take(count(words[3])),
                        .subtracted = take(count(words[4])),
                        .bits = take(2 * count(words[5]))});
        break;
      }
      case Op::select: {
        const auto words = take(4);
        visitor.select(words[0], words[1], words[2], words[3]);
        break;
      }
      case Op::conjunction: {
        const auto words = take(3);
        visitor.conjunction(words[0], words[1], words[2]);
        break;
      }
      case Op::negation: {
        const auto words = take(2);
        visitor.negation(words[0], words[1]);
        break;
      }
      case Op::store_field: {
        const auto words = take(2);
        visitor.store_field(words[0], take(count(words[1])));
        break;
      }
      case Op::store_bit: {
        const auto words = take(2);
        visitor.store_bit(words[0], take(count(words[1])));
        break;
      }
      case Op::store_constant: {
        const auto words = take(2);
        visitor.store_constant(words[0], take(count(words[1])));
        break;
      }
      default:
        throw InputError("witness program: unknown instruction");
    }
  }
}

// The smallest and one past the largest data index that a program reads.
struct DataRange {
  std::int64_t begin = 0, end = 0;
};

// Throws InputError unless every register, formal, coefficient and place of the program exists.
DataRange require_valid(const Program& program, std::size_t coefficients);

}  // namespace cuzk
