// A transform in cache: the operations on one block of scalars that every pass over memory is made of.
//
// A block is 2^log2_slots slots of 8 scalars (lanes) that lie in a thread's scratch memory in the form of the
// instruction set. All lanes of a block undergo the same transform over its slots. `kernels()` gives the operations for
// the instruction set in use; they are written once, in block_kernels.hpp, over the 8-lane arithmetic of each.
#pragma once

#include <cstddef>

#include "util/limbs.hpp"

namespace cuzk::ntt_detail {

inline constexpr int LOG2_LANES = 3;
inline constexpr std::size_t LANES = 8;
inline constexpr std::size_t SCALAR_WORDS = 4;

// Where a block's scalars are in memory: lane l of element e is at base + e * slot_stride + l * lane_stride, in words.
// Slot j holds element rotate_left(j, rotation), a rotation of log2_slots bits: the order in which a transform over two
// digits leaves its results (see plan.hpp).
struct Block {
  u64* base;
  std::size_t slot_stride;
  std::size_t lane_stride;
  int log2_slots;
  int rotation;
};

// Lane l of the slot with natural index j is multiplied by scale[l] * ratio[l]^j; canonical scalars.
struct Twist {
  u64 ratio[LANES * SCALAR_WORDS];
  u64 scale[LANES * SCALAR_WORDS];
};

// Factors by which all lanes are multiplied are prepared for the instruction set; a table of them is an array of words.
//
// "Reversed" means that slot s holds the value with the natural index of s's bits reversed. Between operations a value
// may be larger than r; what each takes and leaves is said in block_kernels.hpp. Memory holds values below 2 r.
struct Kernels {
  std::size_t slot_bytes;
  std::size_t factor_words;
  std::size_t twist_bytes;  // memory for a twist's tables, for up to 2^MAX_LOG2_SLOTS slots
  int product_log2;         // products are divided by 2^product_log2

  // Prepares `count` canonical scalars.
  void (*prepare_factors)(const u64* scalars, std::size_t count, u64* factors);
  // slots <- memory, natural order
  void (*load)(void* slots, const Block& from);
  // slots <- memory, slot j times factors[j], natural order
  void (*load_scaled)(void* slots, const Block& from, const u64* factors);
  // slots <- memory, twisted, natural order
  void (*load_twisted)(void* slots, const Block& from, const void* tables);
  // slots <- a * b / 2^product_log2, natural order
  void (*load_product)(void* slots, const Block& a, const Block& b);
  // Natural order to reversed: slot s becomes sum_j x[j] * w^(j * reversed(s)); twiddles[k] = w^reversed(k), the bits
  // of k reversed within log2_slots - 1 bits, for k < 2^(log2_slots - 1).
  void (*transform)(void* slots, int log2_slots, const u64* twiddles);
  // Tables for load_twisted() and store_twisted(), for blocks of 2^log2_slots slots.
  void (*prepare_twist)(int log2_slots, const Twist& twist, void* tables);
  // Reversed; the slot with natural index j times factors[j], left in reversed order or, with `reorder`, in natural.
  void (*scale)(void* slots, int log2_slots, const u64* factors, bool reorder);
  // slots <- slots * others / 2^product_log2, both reversed; left in natural order
  void (*multiply)(void* slots, const void* others, int log2_slots);
  // slots <- slots - others, both in one order
  void (*subtract)(void* slots, const void* others, int log2_slots);
  // memory <- slots, from reversed order: twisted, below 2 r
  void (*store_twisted)(const void* slots, const Block& to, const void* tables);
  // memory <- slots, from reversed order: canonical
  void (*store)(const void* slots, const Block& to);
};

inline constexpr int MAX_LOG2_SLOTS = 11;  // of a block: bounds the growth of lazily reduced values

extern const Kernels PORTABLE_KERNELS;
extern const Kernels IFMA_KERNELS;  // where CUZK_HAS_IFMA_KERNELS

}  // namespace cuzk::ntt_detail
