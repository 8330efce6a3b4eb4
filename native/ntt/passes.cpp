#include "ntt/passes.hpp"

namespace cuzk::ntt_detail {

Twists::Rule twist_rule(const ColumnStage& stage, bool inverse, const Fr& shift) {
  return {.root = Workspace::root(inverse, stage.log2_matrix()),
          .shift = power(shift, std::size_t{1} << stage.log2_weight)};
}

void columns_to_reversed(Workspace& workspace, const ColumnStage& stage, u64* x, bool inverse, const Twists::Rule& rule,
                         const u64* factors) {
  const Kernels& kernels = workspace.kernels();
  workspace.for_blocks(workspace.plan().blocks(stage), [&](Scratch& memory, std::size_t begin, std::size_t end) {
    Twists twists(rule);
    for (std::size_t i = begin; i < end; ++i) {
      if (factors != nullptr)
        kernels.load_scaled(memory.slots(), stage.block(x, i, false), factors);
      else
        kernels.load(memory.slots(), stage.block(x, i, false));
      kernels.transform(memory.slots(), stage.log2_slots, workspace.twiddles(inverse));
      kernels.prepare_twist(stage.log2_slots, twists.at(stage.column(i)), memory.tables());
      kernels.store_twisted(memory.slots(), stage.block(x, i, true), memory.tables());
    }
  });
}

void columns_to_natural(Workspace& workspace, const ColumnStage& stage, u64* x, bool inverse,
                        const Twists::Rule& rule) {
  const Kernels& kernels = workspace.kernels();
  workspace.for_blocks(workspace.plan().blocks(stage), [&](Scratch& memory, std::size_t begin, std::size_t end) {
    Twists twists(rule);
    for (std::size_t i = begin; i < end; ++i) {
      kernels.prepare_twist(stage.log2_slots, twists.at(stage.column(i)), memory.tables());
      kernels.load_twisted(memory.slots(), stage.block(x, i, true), memory.tables());
      kernels.transform(memory.slots(), stage.log2_slots, workspace.twiddles(inverse));
      kernels.store(memory.slots(), stage.block(x, i, false));
    }
  });
}

void rows_to_reversed(Workspace& workspace, u64* x, bool inverse, const u64* factors) {
  const Kernels& kernels = workspace.kernels();
  const Plan& plan = workspace.plan();
  workspace.for_blocks(plan.row_blocks(), [&](Scratch& memory, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Block block = plan.row_block(x, i);
      kernels.load(memory.slots(), block);
      kernels.transform(memory.slots(), plan.log2_row, workspace.twiddles(inverse));
      if (factors != nullptr) kernels.scale(memory.slots(), plan.log2_row, factors, false);
      kernels.store(memory.slots(), block);
    }
  });
}

}  // namespace cuzk::ntt_detail
