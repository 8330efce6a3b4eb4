#include "witness/executor.hpp"

#include <algorithm>
#include <atomic>

#include "field/canonical.hpp"
#include "util/parallel.hpp"
#include "witness/lanes.hpp"

namespace cuzk {
namespace {

constexpr std::size_t WORDS = Fr::LIMBS;

// Runs one program for up to Lanes::LANES instances. Lanes beyond the last instance repeat it and store nothing.
template <class Lanes>
class Machine {
 public:
  static constexpr bool CHECKS_LENGTH = false;
  using Mask = typename Lanes::Mask;
  using Constant = typename Lanes::Constant;

  Machine(const std::vector<Constant>& constants, const std::vector<Fr::Words>& canonical_constants,
          const WitnessBuffers& buffers, std::size_t field_registers, std::size_t bit_registers)
      : constants_(constants),
        canonical_constants_(canonical_constants),
        buffers_(buffers),
        fields_(field_registers),
        bits_(bit_registers) {}

  void run(const Program& program, const InstanceGroup& group, std::size_t first, int count) {
    count_ = count;
    formals_ = program.formal_is_bit.size();
    begins_ = &group.begins[first];
    bindings_ = group.bindings.data() + first * formals_;
    walk(program.code, *this);
  }

  void load_field(Word dst, Word formal) {
    gather(dst, [&](int lane) {
      const std::uint32_t binding = bindings_[lane * formals_ + formal];
      return binding < InstanceGroup::FROM_INPUT ? &buffers_.values[WORDS * binding]
                                                 : &buffers_.inputs[WORDS * (binding - InstanceGroup::FROM_INPUT)];
    });
  }

  void load_bit(Word dst, Word formal) {
    Mask mask = 0;
    for (int lane = 0; lane < count_; ++lane) {
      const std::uint32_t binding = bindings_[lane * formals_ + formal];
      // Other threads set other bits of the same word meanwhile.
      const u64 word = std::atomic_ref(buffers_.bits[binding / 64]).load(std::memory_order_relaxed);
      mask |= Mask{word >> (binding % 64) & 1} << lane;
    }
    bits_[dst] = mask;
  }

  void data(Word dst, Word index) {
    gather(dst, [&](int lane) { return data_element(lane, index); });
  }

  void data_bit(Word dst, Word index, Word position) {
    Mask mask = 0;
    for (int lane = 0; lane < count_; ++lane)
      mask |= Mask{data_element(lane, index)[position / 64] >> (position % 64) & 1} << lane;
    bits_[dst] = mask;
  }

  void product(Word dst, Word x, Word y) { fields_[dst] = fields_[x] * fields_[y]; }

  void linear(Word dst, Word constant, const LinearTerms& terms) {
    Lanes sum = Lanes::broadcast(constants_[constant]);
    if (!terms.scaled.empty()) {
      typename Lanes::Sum products;
      for (std::size_t i = 0; i < terms.scaled.size(); i += 2)
        products.add(constants_[terms.scaled[i]], fields_[terms.scaled[i + 1]]);
      sum = sum + products.value();
    }
    for (const Word x : terms.added) sum = sum + fields_[x];
    for (const Word x : terms.subtracted) sum = sum - fields_[x];
    for (std::size_t i = 0; i < terms.bits.size(); i += 2)
      sum = Lanes::select(bits_[terms.bits[i + 1]], sum + Lanes::broadcast(constants_[terms.bits[i]]), sum);
    fields_[dst] = sum;
  }

  void select(Word dst, Word bit, Word x, Word y) { fields_[dst] = Lanes::select(bits_[bit], fields_[x], fields_[y]); }

  void conjunction(Word dst, Word x, Word y) { bits_[dst] = bits_[x] & bits_[y]; }
  void negation(Word dst, Word x) { bits_[dst] = ~bits_[x]; }

  void store_field(Word src, std::span<const Word> places) {
    const auto words = fields_[src].to_canonical();
    for (int lane = 0; lane < count_; ++lane)
      for (const Word place : places) store(lane, Place(place), words[lane]);
  }

  void store_constant(Word constant, std::span<const Word> places) {
    for (int lane = 0; lane < count_; ++lane)
      for (const Word place : places) store(lane, Place(place), canonical_constants_[constant]);
  }

  void store_bit(Word src, std::span<const Word> places) {
    for (int lane = 0; lane < count_; ++lane) {
      const u64 bit = bits_[src] >> lane & 1;
      for (const Word word : places)
        if (const Place place(word); place.kind == Place::Kind::aux)
          store_aux_bit(begins_[lane].aux + place.index, bit);
        else
          store(lane, place, {bit});
    }
  }

 private:
  template <class Address>
  void gather(Word dst, Address address) {
    typename Lanes::Words words;
    for (int lane = 0; lane < Lanes::LANES; ++lane) words[lane] = load_words<Fr>(address(std::min(lane, count_ - 1)));
    fields_[dst] = Lanes::from_canonical(words);
  }

  const u64* data_element(int lane, Word index) const {
    return &buffers_.data[WORDS * static_cast<std::size_t>(std::int64_t{begins_[lane].data} + index)];
  }

  void store(int lane, const Place& place, const Fr::Words& words) {
    const Extent& begin = begins_[lane];
    u64* target = nullptr;
    switch (place.kind) {
      case Place::Kind::aux:
        target = &buffers_.values[WORDS * (std::size_t{begin.wide} + place.index)];
        break;
      case Place::Kind::a:
        target = &buffers_.a[WORDS * (std::size_t{begin.rows} + place.index)];
        break;
      case Place::Kind::b:
        target = &buffers_.b[WORDS * (std::size_t{begin.rows} + place.index)];
        break;
      case Place::Kind::input:
        target = &buffers_.inputs[WORDS * (std::size_t{begin.inputs} + place.index)];
        break;
    }
    std::ranges::copy(words, target);
  }

  // The bitmap is zero at first and a bit is stored once. Neighbouring instances share words.
  void store_aux_bit(std::size_t aux, u64 bit) {
    if (bit) std::atomic_ref(buffers_.bits[aux / 64]).fetch_or(u64{1} << (aux % 64), std::memory_order_relaxed);
  }

  const std::vector<Constant>& constants_;
  const std::vector<Fr::Words>& canonical_constants_;
  WitnessBuffers buffers_;
  std::vector<Lanes> fields_;
  std::vector<Mask> bits_;
  int count_ = 0;
  std::size_t formals_ = 0;
  const Extent* begins_ = nullptr;
  const std::uint32_t* bindings_ = nullptr;
};

bool fits(u64 begin, u64 count, u64 total) { return begin + count <= total; }

}  // namespace

WitnessPlan::WitnessPlan(std::span<const u64> coefficients, Extent total)
    : coefficients_(coefficients.begin(), coefficients.end()), total_(total) {
  require_canonical<Fr>(coefficients_.data(), coefficients_.size() / WORDS, "coefficients", 1);
}

std::size_t WitnessPlan::add_program(Program program) {
  const DataRange data = require_valid(program, coefficients_.size() / WORDS);
  programs_.push_back({std::move(program), data});
  return programs_.size() - 1;
}

void WitnessPlan::add_group(std::size_t level, InstanceGroup group) {
  require(group.program < programs_.size(), "witness plan: no such program");
  const auto& [program, data] = programs_[group.program];
  const std::size_t formals = program.formal_is_bit.size();
  require(group.bindings.size() == group.begins.size() * formals, "witness plan: wrong number of bindings");
  for (const Extent& begin : group.begins)
    require(fits(begin.rows, program.extent.rows, total_.rows) &&
                fits(begin.inputs, program.extent.inputs, total_.inputs) &&
                fits(begin.aux, program.extent.aux, total_.aux) && fits(begin.wide, program.extent.wide, total_.wide) &&
                std::int64_t{begin.data} + data.begin >= 0 &&
                std::int64_t{begin.data} + data.end <= std::int64_t{total_.data},
            "witness plan: an instance lies outside the circuit");
  for (std::size_t i = 0; i < group.bindings.size(); ++i) {
    const std::uint32_t binding = group.bindings[i];
    const bool is_bit = program.formal_is_bit[i % formals];
    require(is_bit                                ? binding < total_.aux
            : binding < InstanceGroup::FROM_INPUT ? binding < total_.wide
                                                  : binding - InstanceGroup::FROM_INPUT < total_.inputs,
            "witness plan: a formal is bound to nothing");
  }
  if (levels_.size() <= level) levels_.resize(level + 1);
  levels_[level].push_back(std::move(group));
}

void WitnessPlan::run(const WitnessBuffers& buffers, int threads) const {
  using Lanes = PortableLanes<4>;
  require(buffers.data.size() == WORDS * total_.data, "witness: wrong number of data elements");
  require(buffers.inputs.size() == WORDS * total_.inputs, "witness: wrong number of inputs");
  require(buffers.values.size() == WORDS * total_.wide, "witness: wrong number of values");
  require(buffers.bits.size() == (std::size_t{total_.aux} + 63) / 64, "witness: the bitmap has the wrong size");
  require(buffers.a.size() >= WORDS * total_.rows && buffers.b.size() >= WORDS * total_.rows,
          "witness: a or b is too short");
  require_canonical<Fr>(buffers.data.data(), total_.data, "data", threads);

  std::vector<Fr::Words> canonical_constants(coefficients_.size() / WORDS);
  std::vector<Lanes::Constant> constants(canonical_constants.size());
  for (std::size_t i = 0; i < constants.size(); ++i) {
    canonical_constants[i] = load_words<Fr>(&coefficients_[WORDS * i]);
    constants[i] = Lanes::Constant::from_canonical(canonical_constants[i]);
  }
  std::size_t field_registers = 0, bit_registers = 0;
  for (const auto& [program, data] : programs_) {
    field_registers = std::max<std::size_t>(field_registers, program.field_registers);
    bit_registers = std::max<std::size_t>(bit_registers, program.bit_registers);
  }

  struct Block {
    const InstanceGroup* group;
    std::size_t first;
    int count;
  };
  for (const auto& level : levels_) {
    std::vector<Block> blocks;
    for (const InstanceGroup& group : level)
      for (std::size_t first = 0; first < group.begins.size(); first += Lanes::LANES)
        blocks.push_back(
            {&group, first, static_cast<int>(std::min<std::size_t>(Lanes::LANES, group.begins.size() - first))});
    std::atomic<std::size_t> next = 0;
    parallel_for(blocks.size(), threads, [&](int, std::size_t, std::size_t) {
      Machine<Lanes> machine(constants, canonical_constants, buffers, field_registers, bit_registers);
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks.size();) {
        const auto& [group, first, count] = blocks[i];
        machine.run(programs_[group->program].program, *group, first, count);
      }
    });
  }
}

}  // namespace cuzk
