// The labels of StackedDRG (SDR): a hash chain through a layer that also reads the layer before.
// Source: filecoin-project/rust-fil-proofs, storage-proofs-porep/src/stacked/vanilla/create_label/single.rs, graph.rs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuzk::stacked {

inline constexpr std::size_t LABEL_SIZE = 32;
inline constexpr std::size_t BASE_DEGREE = 6;
inline constexpr std::size_t EXPANSION_DEGREE = 8;
inline constexpr std::size_t DEGREE = BASE_DEGREE + EXPANSION_DEGREE;
inline constexpr std::size_t LABEL_PARENTS = 37;

struct Layer {
  const std::uint8_t* replica_id;  // 32 bytes
  std::uint32_t index;             // from 1
  std::size_t nodes;
  const std::uint8_t* previous;  // labels of the layer before; null for the first layer, which has no such parents
  std::uint8_t* labels;          // nodes * LABEL_SIZE; those before the first node to be computed are read
};

// Computes the labels of the nodes first, first + 1, ..., first + count - 1.
//
// label(node) = SHA-256(replica_id ‖ u32 BE layer ‖ u64 BE node ‖ 20 zeros ‖ parents), the two top bits of the last
// byte cleared. `parents` holds DEGREE node numbers for each node, the base parents (of this layer) first; their labels
// are repeated in order until there are LABEL_PARENTS. Node 0 has none. Throws InputError if a parent is no earlier
// node, or no node of the previous layer.
void create_labels(const Layer& layer, const std::uint32_t* parents, std::size_t first, std::size_t count);

}  // namespace cuzk::stacked
