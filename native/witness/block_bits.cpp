// Blocks of 64 instances for programs that only move field elements and do arithmetic on bits: one machine word has a
// bit of every instance. Nearly all of SHA-256 is such programs.
#include "witness/machine.hpp"

namespace cuzk {
namespace {

struct BitLanes {
  static constexpr int LANES = 64;
  struct alignas(64) Element {
    u64 words[LANES][SCALAR_WORDS];  // canonical
  };
  struct Coefficient {};

  static Coefficient prepare(const u64*) { return {}; }
  static Element load(const u64 (&words)[LANES][SCALAR_WORDS]) {
    Element x;
    __builtin_memcpy(x.words, words, sizeof(words));
    return x;
  }
  static void store(const Element& x, u64 (&words)[LANES][SCALAR_WORDS]) {
    __builtin_memcpy(words, x.words, sizeof(words));
  }
  static Element select(u64 mask, const Element& set, const Element& clear) {
    Element z;
    for (int lane = 0; lane < LANES; ++lane)
      __builtin_memcpy(z.words[lane], ((mask >> lane) & 1 ? set : clear).words[lane], sizeof(z.words[lane]));
    return z;
  }
};

}  // namespace

const BlockKernel BIT_BLOCK_KERNEL = block_kernel<BitLanes>();

}  // namespace cuzk
