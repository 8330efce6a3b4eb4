// Passes over memory that the transforms and the quotient are composed of.
#pragma once

#include "ntt/workspace.hpp"

namespace cuzk::ntt_detail {

// The twists of a stage, by powers of its root, and such that index k (or i) of the whole is multiplied by shift^k.
Twists::Rule twist_rule(const ColumnStage& stage, bool inverse, const Fr& shift);

// Transforms the columns of x towards reversed order and twists them; with `factors`, row j is multiplied by factors[j]
// before.
void columns_to_reversed(Workspace& workspace, const ColumnStage& stage, u64* x, bool inverse, const Twists::Rule& rule,
                         const u64* factors = nullptr);

// Twists the columns of x and transforms them towards natural order.
void columns_to_natural(Workspace& workspace, const ColumnStage& stage, u64* x, bool inverse, const Twists::Rule& rule);

// Transforms the rows of x; with `factors`, the result for index z is multiplied by factors[z]. Leaves canonical
// scalars.
void rows_to_reversed(Workspace& workspace, u64* x, bool inverse, const u64* factors = nullptr);

}  // namespace cuzk::ntt_detail
