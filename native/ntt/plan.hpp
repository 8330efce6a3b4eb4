// How a large transform is split into passes over memory, each working on blocks that fit the cache.
//
// The indices of n = 2^(2a + b) scalars are digits (x, y, z) of a, b and a bits, x the highest. A transform to
// *reversed* order (D. Bailey, "FFTs in external or hierarchical memory", 1990) does, in place,
//   columns: for every column, a transform over the highest digit, then a twist by powers of the root; the same for y;
//   rows: for all values of the other digits, a transform over z.
// Results lie at position (k_x, k_y, k_z), k = k_x + 2^a k_y + 2^(a + b) k_z: in natural order once the first and last
// digit are exchanged. A transform to *natural* order takes its input at (i_x, i_y, i_z), i = i_x + 2^a i_y + ..., and
// does the same backwards: rows, then twist and columns. Where b is 0 or 1, x and y are one digit of a + b bits.
#pragma once

#include <cstddef>
#include <vector>

#include "ntt/block.hpp"

namespace cuzk::ntt_detail {

// A pass over the columns of matrices of 2^log2_slots rows that lie one after the other; slots are rows.
struct ColumnStage {
  int log2_slots;
  int log2_columns;
  int rotation;     // of a block on the reversed side (see Block): k_x + 2^a k_y lies in row 2^b k_x + k_y
  int log2_weight;  // natural index j of a slot counts 2^log2_weight * j in the index of the whole

  std::size_t slots() const { return std::size_t{1} << log2_slots; }
  int log2_matrix() const { return log2_slots + log2_columns; }
  std::size_t column(std::size_t block) const { return (block << LOG2_LANES) & ((std::size_t{1} << log2_columns) - 1); }

  Block block(u64* x, std::size_t index, bool reversed_side) const {
    const std::size_t matrix = index << LOG2_LANES >> log2_columns;
    return {.base = x + ((matrix << log2_matrix()) + column(index)) * SCALAR_WORDS,
            .slot_stride = SCALAR_WORDS << log2_columns,
            .lane_stride = SCALAR_WORDS,
            .log2_slots = log2_slots,
            .rotation = reversed_side ? rotation : 0};
  }
};

struct Plan {
  int log2_size;
  int log2_row;                      // a
  std::vector<ColumnStage> columns;  // in the order of a transform to reversed order

  std::size_t size() const { return std::size_t{1} << log2_size; }
  std::size_t blocks(const ColumnStage& stage) const { return size() >> stage.log2_slots >> LOG2_LANES; }
  std::size_t row_scalars() const { return std::size_t{1} << log2_row; }
  std::size_t row_blocks() const { return size() >> log2_row >> LOG2_LANES; }
  int log2_row_weight() const { return log2_size - log2_row; }  // as ColumnStage::log2_weight, for z

  Block row_block(u64* x, std::size_t index) const {
    return {.base = x + (index * LANES << log2_row) * SCALAR_WORDS,
            .slot_stride = SCALAR_WORDS,
            .lane_stride = SCALAR_WORDS << log2_row,
            .log2_slots = log2_row,
            .rotation = 0};
  }
};

inline constexpr int MIN_LOG2_SIZE = 6;  // rows of fewer than 8 scalars would not fill the lanes

// The plan for 2^log2_size >= 2^MIN_LOG2_SIZE scalars: two passes where blocks then have at most 2^max_log2_slots slots
// (which is at least 4), otherwise three.
inline Plan plan_of(int log2_size, int max_log2_slots) {
  const int half = log2_size / 2, upper = log2_size - half;
  if (upper <= max_log2_slots) return {log2_size, half, {{upper, half, upper - half, 0}}};
  const int a = (log2_size + 1) / 3, b = log2_size - 2 * a;
  return {log2_size, a, {{a, a + b, 0, 0}, {b, a, 0, a}}};
}

}  // namespace cuzk::ntt_detail
