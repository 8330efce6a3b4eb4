// What a Poseidon kernel for some instruction set offers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuzk {

struct PoseidonShape {
  std::size_t width, full_rounds, partial_rounds;
};

inline constexpr std::size_t MAX_POSEIDON_WIDTH = 64;

// Hashes up to `lanes` preimages at once. `constants` are prepared from canonical words: the round constants, then the
// columns of the MDS matrix, the columns of the matrix before the partial rounds, and the sparse matrices, each first
// column, then first row without its first entry.
struct PoseidonKernel {
  std::size_t lanes;
  std::size_t constant_size;  // bytes of a prepared constant
  void (*prepare)(const std::uint64_t* canonical, std::size_t count, void* constants);
  // `count` preimages of width - 1 elements; canonical words in and out.
  void (*hash)(const PoseidonShape& shape, const void* constants, const std::uint64_t* domain_tag,
               const std::uint64_t* preimages, std::size_t count, std::uint64_t* digests);
};

extern const PoseidonKernel PORTABLE_POSEIDON_KERNEL;
extern const PoseidonKernel IFMA_POSEIDON_KERNEL;  // where CUZK_HAS_IFMA_KERNELS

}  // namespace cuzk
