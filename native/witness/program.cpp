#include "witness/program.hpp"

#include <algorithm>

#include "util/errors.hpp"
#include "util/limbs.hpp"

namespace cuzk {
namespace {

class Validator {
 public:
  Validator(const Program& program, std::size_t coefficients) : program_(program), coefficients_(coefficients) {}

  const Needs& needs() const { return needs_; }

  void take(u64 count, u64 left) const { require(count <= left, "witness program: an instruction is cut off"); }
  [[noreturn]] void unknown() const { throw InputError("witness program: unknown instruction"); }

  void load_field(Word dst, Word formal) {
    field(dst);
    check_formal(formal, false);
  }
  void load_bit(Word dst, Word formal) {
    bit(dst);
    check_formal(formal, true);
  }
  void data(Word dst, Word index) {
    field(dst);
    check_data(index);
  }
  void data_bit(Word dst, Word index, Word position) {
    bit(dst);
    check_data(index);
    check_position(position);
  }
  void product(Word dst, Word x, Word y) {
    needs_.arithmetic = true;
    for (const Word reg : {dst, x, y}) field(reg);
  }
  void linear(Word dst, Word constant, const LinearTerms& terms) {
    needs_.arithmetic = true;
    field(dst);
    coefficient(constant);
    for (const Word* term = terms.scaled.first; term != terms.scaled.last; term += 2) {
      coefficient(term[0]);
      field(term[1]);
    }
    for (const Word reg : terms.added) field(reg);
    for (const Word reg : terms.subtracted) field(reg);
    for (const Word* term = terms.bits.first; term != terms.bits.last; term += 2) {
      coefficient(term[0]);
      bit(term[1]);
    }
  }
  void select(Word dst, Word condition, Word x, Word y) {
    for (const Word reg : {dst, x, y}) field(reg);
    bit(condition);
  }
  void conjunction(Word dst, Word x, Word y) {
    for (const Word reg : {dst, x, y}) bit(reg);
  }
  void negation(Word dst, Word x) {
    for (const Word reg : {dst, x}) bit(reg);
  }
  void sum(const Words& result, Word word_bits, const Words& operands) {
    require(word_bits > 0 && word_bits <= MAX_SUM_BITS && result.last - result.first <= MAX_SUM_BITS &&
                operands.first != operands.last,
            "witness program: a sum has 1 to 64 bits");
    for (const Word reg : result) bit(reg);
    for (const Word reg : operands) bit(reg);
  }
  void constant_bit(Word dst, Word) { bit(dst); }
  void bit(Word dst, Word x, Word position) {
    bit(dst);
    field(x);
    check_position(position);
  }
  void exclusive_or(Word dst, Word x, Word y) {
    for (const Word reg : {dst, x, y}) bit(reg);
  }
  void choice(Word dst, Word x, Word y, Word z) {
    for (const Word reg : {dst, x, y, z}) bit(reg);
  }
  void majority(Word dst, Word x, Word y, Word z) {
    for (const Word reg : {dst, x, y, z}) bit(reg);
  }
  void pack(Word dst, Word constant, const Words& bits) {
    field(dst);
    coefficient(constant);
    for (const Word* pair = bits.first; pair != bits.last; pair += 2) {
      bit(pair[0]);
      check_position(pair[1]);
    }
  }
  void store_chosen(const Words& bits, const Words& coefficients, const Words& places) {
    require(bits.first != bits.last, "witness program: a choice without bits");
    for (const Word reg : bits) bit(reg);
    for (const Word index : coefficients) coefficient(index);
    check_places(places, program_.extent.wide);
  }
  void store_field(Word src, const Words& places) {
    field(src);
    check_places(places, program_.extent.wide);
  }
  void store_bit(Word src, const Words& places) {
    bit(src);
    check_places(places, program_.extent.aux);
  }
  void store_constant(Word constant, const Words& places) {
    coefficient(constant);
    check_places(places, program_.extent.wide);
  }

 private:
  static void check(Word index, std::size_t count, const char* message) {
    require(index >= 0 && static_cast<std::size_t>(index) < count, message);
  }
  void field(Word reg) const { check(reg, program_.field_registers, "witness program: no such field register"); }
  void bit(Word reg) const { check(reg, program_.bit_registers, "witness program: no such bit register"); }
  void coefficient(Word index) const { check(index, coefficients_, "witness program: no such coefficient"); }
  static void check_position(Word position) {
    require(position >= 0 && position < 256, "witness program: a scalar has no such bit");
  }
  void check_formal(Word formal, bool is_bit) const {
    check(formal, program_.formal_is_bit.size(), "witness program: no such formal");
    require(program_.formal_is_bit[static_cast<std::size_t>(formal)] == is_bit,
            "witness program: wrong kind of formal");
  }
  void check_data(Word index) {
    needs_.data_begin = std::min<std::int64_t>(needs_.data_begin, index);
    needs_.data_end = std::max<std::int64_t>(needs_.data_end, std::int64_t{index} + 1);
  }
  void check_places(const Words& places, std::uint32_t aux) const {
    for (const Word word : places) {
      const Place place(word);
      const std::uint32_t counts[] = {aux, program_.extent.rows, program_.extent.rows, program_.extent.inputs};
      require(place.index < counts[static_cast<int>(place.kind)], "witness program: a value is stored nowhere");
    }
  }

  const Program& program_;
  std::size_t coefficients_;
  Needs needs_;
};

}  // namespace

Needs require_valid(const Program& program, std::size_t coefficients) {
  Validator validator(program, coefficients);
  walk(program.code.data(), program.code.data() + program.code.size(), validator);
  return validator.needs();
}

}  // namespace cuzk
