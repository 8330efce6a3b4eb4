#include "hash/stacked_labels.hpp"

#include <array>
#include <cstring>

#include "hash/sha256.hpp"
#include "util/errors.hpp"

namespace cuzk::stacked {
namespace {

constexpr std::size_t PREFIX_SIZE = sha256::BLOCK_SIZE;
constexpr std::size_t MESSAGE_SIZE = PREFIX_SIZE + LABEL_PARENTS * LABEL_SIZE;
constexpr std::size_t PADDED_SIZE = (MESSAGE_SIZE + 8) / sha256::BLOCK_SIZE * sha256::BLOCK_SIZE + sha256::BLOCK_SIZE;

template <class Integer>
void write_big_endian(std::uint8_t* bytes, Integer value) {
  for (std::size_t i = sizeof(Integer); i-- > 0; value = static_cast<Integer>(value >> 8))
    bytes[i] = static_cast<std::uint8_t>(value);
}

// Where the labels of a node's parents are; returns their number.
std::size_t locate(const Layer& layer, const std::uint32_t* parents, std::size_t node,
                   std::array<const std::uint8_t*, DEGREE>& labels) {
  for (std::size_t i = 0; i < BASE_DEGREE; ++i) {
    require(parents[i] < node, "labels: a base parent is not an earlier node");
    labels[i] = layer.labels + parents[i] * LABEL_SIZE;
  }
  if (layer.previous == nullptr) return BASE_DEGREE;
  for (std::size_t i = BASE_DEGREE; i < DEGREE; ++i) {
    require(parents[i] < layer.nodes, "labels: an expander parent is not a node");
    labels[i] = layer.previous + parents[i] * LABEL_SIZE;
  }
  return DEGREE;
}

}  // namespace

void create_labels(const Layer& layer, const std::uint32_t* parents, std::size_t first, std::size_t count) {
  const sha256::Engine& engine = sha256::engine("");
  std::array<std::uint8_t, PADDED_SIZE> message{};
  std::memcpy(message.data(), layer.replica_id, 32);
  write_big_endian(message.data() + 32, layer.index);
  std::array<const std::uint8_t*, DEGREE> labels;

  for (std::size_t node = first; node < first + count; ++node, parents += DEGREE) {
    write_big_endian(message.data() + 36, static_cast<std::uint64_t>(node));
    std::uint8_t* end = message.data() + PREFIX_SIZE;
    if (node > 0) {
      const std::size_t number = locate(layer, parents, node, labels);
      for (std::size_t i = 0; i < LABEL_PARENTS; ++i, end += LABEL_SIZE)
        std::memcpy(end, labels[i % number], LABEL_SIZE);
    }
    end = sha256::pad(end, static_cast<std::uint64_t>(end - message.data()));

    sha256::State state = sha256::INITIAL_STATE;
    engine.compress(state, message.data(), static_cast<std::size_t>(end - message.data()) / sha256::BLOCK_SIZE);
    std::uint8_t* label = layer.labels + node * LABEL_SIZE;
    sha256::write_digest(state, label);
    label[LABEL_SIZE - 1] &= 0x3f;
  }
}

}  // namespace cuzk::stacked
