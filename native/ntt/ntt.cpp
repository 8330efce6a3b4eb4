#include "ntt/ntt.hpp"

#include "ntt/passes.hpp"
#include "ntt/reorder.hpp"
#include "ntt/small.hpp"

namespace cuzk {

using namespace ntt_detail;

void ntt(u64* x, int log2_size, bool inverse, bool coset, int threads, int max_log2_slots) {
  const std::size_t n = std::size_t{1} << log2_size;
  // Forward, input i is multiplied by before^i; inverse, output k by scale * after^k.
  const Fr generator = Fr::from_u64(FR_GENERATOR);
  const Fr before = coset && !inverse ? generator : Fr::one(),
           after = coset && inverse ? generator.inverse() : Fr::one();
  const Fr scale = inverse ? Fr::from_u64(n).inverse() : Fr::one();
  if (log2_size < MIN_LOG2_SIZE)
    return small_ntt(x, log2_size, Workspace::root(inverse, log2_size), before, scale, after);

  Workspace workspace(log2_size, threads, max_log2_slots);
  const Plan& plan = workspace.plan();
  for (const ColumnStage& stage : plan.columns) {
    Twists::Rule rule = twist_rule(stage, inverse, after);
    std::vector<u64> factors;
    if (&stage == &plan.columns.front()) {  // i = row * columns + column
      rule.first = scale;
      rule.ratio = before;
      if (before != Fr::one())
        factors = workspace.factors(Fr::one(), power(before, std::size_t{1} << stage.log2_columns), stage.slots());
    }
    columns_to_reversed(workspace, stage, x, inverse, rule, factors.empty() ? nullptr : factors.data());
  }
  std::vector<u64> factors;
  if (after != Fr::one())
    factors = workspace.factors(Fr::one(), power(after, std::size_t{1} << plan.log2_row_weight()), plan.row_scalars());
  rows_to_reversed(workspace, x, inverse, factors.empty() ? nullptr : factors.data());
  exchange_digits(x, plan, threads);
}

}  // namespace cuzk
