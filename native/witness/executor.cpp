#include "witness/executor.hpp"

#include <algorithm>
#include <atomic>

#include "field/canonical.hpp"
#include "field/fr.hpp"
#include "util/isa.hpp"
#include "util/parallel.hpp"

namespace cuzk {
namespace {

constexpr std::size_t WORDS = Fr::LIMBS;

const BlockKernel& active_kernel() {
#if defined(CUZK_HAS_IFMA_KERNELS)
  if (active_isa() == Isa::avx512ifma) return IFMA_BLOCK_KERNEL;
#endif
  return PORTABLE_BLOCK_KERNEL;
}

struct alignas(64) CacheLine {
  u64 words[8];
};

std::vector<CacheLine> storage_for(std::size_t count, std::size_t size) {
  return std::vector<CacheLine>((count * size + sizeof(CacheLine) - 1) / sizeof(CacheLine));
}

std::size_t divide_up(std::size_t x, std::size_t y) { return (x + y - 1) / y; }
std::size_t round_up(std::size_t x, std::size_t step) { return divide_up(x, step) * step; }

bool fits(u64 begin, u64 count, u64 total) { return begin + count <= total; }

}  // namespace

WitnessPlan::WitnessPlan(std::span<const u64> coefficients, Extent total)
    : coefficients_(coefficients.begin(), coefficients.end()), total_(total) {
  require_canonical<Fr>(coefficients_.data(), coefficients_.size() / WORDS, "coefficients", 1);
}

std::size_t WitnessPlan::add_program(Program program) {
  const Needs needs = require_valid(program, coefficients_.size() / WORDS);
  programs_.push_back({std::move(program), needs});
  return programs_.size() - 1;
}

void WitnessPlan::add_group(std::size_t level, InstanceGroup group) {
  require(group.program < programs_.size(), "witness plan: no such program");
  const auto& [program, needs] = programs_[group.program];
  const std::size_t formals = program.formal_is_bit.size();
  require(group.bindings.size() == group.begins.size() * formals, "witness plan: wrong number of bindings");
  for (const Extent& begin : group.begins)
    require(fits(begin.rows, program.extent.rows, total_.rows) &&
                fits(begin.inputs, program.extent.inputs, total_.inputs) &&
                fits(begin.aux, program.extent.aux, total_.aux) && fits(begin.wide, program.extent.wide, total_.wide) &&
                std::int64_t{begin.data} + needs.data_begin >= 0 &&
                std::int64_t{begin.data} + needs.data_end <= std::int64_t{total_.data},
            "witness plan: an instance lies outside the circuit");
  for (std::size_t i = 0; i < group.bindings.size(); ++i) {
    const std::uint32_t binding = group.bindings[i];
    const bool is_bit = program.formal_is_bit[i % formals];
    require(is_bit                 ? binding < total_.aux
            : binding < FROM_INPUT ? binding < total_.wide
                                   : binding - FROM_INPUT < total_.inputs,
            "witness plan: a formal is bound to nothing");
  }
  if (group.begins.empty()) return;
  if (levels_.size() <= level) levels_.resize(level + 1);
  levels_[level].push_back(std::move(group));
}

void WitnessPlan::run(const WitnessBuffers& buffers, int threads) const {
  require(buffers.data.size() == WORDS * total_.data, "witness: wrong number of data elements");
  require(buffers.inputs.size() == WORDS * total_.inputs, "witness: wrong number of inputs");
  require(buffers.values.size() == WORDS * total_.wide, "witness: wrong number of values");
  require(buffers.bits.size() == (std::size_t{total_.aux} + 63) / 64, "witness: the bitmap has the wrong size");
  require(buffers.a.size() >= WORDS * total_.rows && buffers.b.size() >= WORDS * total_.rows,
          "witness: a or b is too short");
  require_canonical<Fr>(buffers.data.data(), total_.data, "data", threads);

  const BlockKernel& kernel = active_kernel();
  std::vector<CacheLine> prepared = storage_for(coefficients_.size() / WORDS, kernel.coefficient_size);
  kernel.prepare(coefficients_.data(), coefficients_.size() / WORDS, prepared.data());
  for (const auto& level : levels_)
    run_level(level, kernel, buffers, {.prepared = prepared.data(), .canonical = coefficients_.data()}, threads);
}

void WitnessPlan::run_level(const std::vector<InstanceGroup>& groups, const BlockKernel& field_kernel,
                            const WitnessBuffers& buffers, const Coefficients& coefficients, int threads) const {
  const WitnessArrays arrays{.data = buffers.data.data(),
                             .inputs = buffers.inputs.data(),
                             .values = buffers.values.data(),
                             .bits = buffers.bits.data(),
                             .a = buffers.a.data(),
                             .b = buffers.b.data()};
  struct Task {
    const BlockKernel* kernel;
    Block block;
  };
  std::vector<Task> tasks;
  std::size_t field_size = 0, bit_registers = 0;
  for (const InstanceGroup& group : groups) {
    const auto& [program, needs] = programs_[group.program];
    const BlockKernel& kernel = needs.arithmetic ? field_kernel : BIT_BLOCK_KERNEL;
    field_size = std::max(field_size, program.field_registers * kernel.register_size);
    bit_registers = std::max<std::size_t>(bit_registers, program.bit_registers);
    const std::size_t formals = program.formal_is_bit.size(), instances = group.begins.size();
    // As many blocks as share out evenly, even if their lanes are not all used: computing is cheap beside storing.
    const std::size_t workers = static_cast<std::size_t>(std::max(threads, 1));
    const std::size_t blocks = round_up(divide_up(instances, static_cast<std::size_t>(kernel.lanes)), workers);
    const std::size_t lanes = divide_up(instances, blocks);
    for (std::size_t first = 0; first < instances; first += lanes)
      tasks.push_back({&kernel,
                       {.code = program.code.data(),
                        .code_end = program.code.data() + program.code.size(),
                        .begins = group.begins.data() + first,
                        .bindings = group.bindings.data() + first * formals,
                        .formals = formals,
                        .count = static_cast<int>(std::min(lanes, instances - first))}});
  }
  std::atomic<std::size_t> next = 0;
  parallel_for(tasks.size(), threads, [&](int, std::size_t, std::size_t) {
    std::vector<CacheLine> fields = storage_for(field_size, 1);
    std::vector<u64> masks(bit_registers);
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks.size();)
      tasks[i].kernel->run(tasks[i].block, arrays, coefficients, fields.data(), masks.data());
  });
}

}  // namespace cuzk
