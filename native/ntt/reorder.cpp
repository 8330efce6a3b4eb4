#include "ntt/reorder.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "util/parallel.hpp"

namespace cuzk::ntt_detail {
namespace {

using Scalar = std::array<u64, SCALAR_WORDS>;
constexpr std::size_t TILE = 8;

// Exchanges tile (x, z) with the transpose of tile (z, x); row i of the matrix begins at matrix + i * stride.
void exchange_tiles(Scalar* matrix, std::size_t stride, std::size_t x, std::size_t z) {
  for (std::size_t i = 0; i < TILE; ++i)
    for (std::size_t j = x == z ? i + 1 : 0; j < TILE; ++j)
      std::swap(matrix[(x + i) * stride + z + j], matrix[(z + j) * stride + x + i]);
}

// The rows of the next tile are far apart in memory, which the processor does not foresee.
[[gnu::always_inline]] inline void prefetch_tile(const Scalar* matrix, std::size_t stride, std::size_t x,
                                                 std::size_t z) {
  constexpr std::size_t LINE_SCALARS = 2;
  for (std::size_t i = 0; i < TILE; ++i)
    for (std::size_t j = 0; j < TILE; j += LINE_SCALARS) __builtin_prefetch(matrix + (x + i) * stride + z + j, 1, 2);
}

}  // namespace

void exchange_digits(u64* words, const Plan& plan, int threads) {
  auto* x = reinterpret_cast<Scalar*>(words);
  const std::size_t side = std::size_t{1} << plan.log2_row, middle = plan.size() / (side * side);
  const std::size_t tiles = side / TILE;
  // For each y, a square matrix with a row each x, `middle` rows of memory apart. A row of tiles up to the diagonal
  // goes together with the one as far from the end, so that all parts are of one length.
  const std::size_t pairs = (tiles + 1) / 2;
  parallel_for(middle * pairs, threads, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      Scalar* matrix = x + part / pairs * side;
      const std::size_t first = part % pairs, last = tiles - 1 - first;
      for (const std::size_t row : {first, last}) {
        for (std::size_t column = 0; column <= row; ++column) {
          if (column < row) prefetch_tile(matrix, side * middle, (column + 1) * TILE, row * TILE);
          exchange_tiles(matrix, side * middle, row * TILE, column * TILE);
        }
        if (first == last) break;
      }
    }
  });
}

}  // namespace cuzk::ntt_detail
