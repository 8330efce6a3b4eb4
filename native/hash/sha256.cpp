#include "hash/sha256.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "hash/sha256_portable.hpp"
#include "hash/sha256_x86.hpp"
#include "util/errors.hpp"

namespace cuzk::sha256 {
namespace {

std::vector<Engine> find_engines() {
  std::vector<Engine> found;
#if defined(__x86_64__)
  if (has_sha_extensions())
    found.push_back({"sha-ni", &compress_sha_extensions, SHA_EXTENSIONS_LANES, &compress_sha_extensions_lanes});
#endif
  found.push_back({"portable", &compress_portable, PORTABLE_LANES, &compress_portable_lanes});
  return found;
}

void store_big_endian(std::uint8_t* bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}

}  // namespace

std::span<const Engine> engines() {
  static const std::vector<Engine> found = find_engines();
  return found;
}

const Engine& engine(std::string_view name) {
  for (const Engine& candidate : engines())
    if (name.empty() || name == candidate.name) return candidate;
  throw InputError("sha256: this CPU has no engine named " + std::string(name));
}

std::uint8_t* pad(std::uint8_t* end, std::uint64_t length) {
  const std::size_t used = length % BLOCK_SIZE + 1;  // with the byte 0x80
  const std::size_t zeros = (used <= BLOCK_SIZE - 8 ? BLOCK_SIZE - 8 : 2 * BLOCK_SIZE - 8) - used;
  *end++ = 0x80;
  std::memset(end, 0, zeros);
  end += zeros;
  store_big_endian(end, static_cast<std::uint32_t>(length >> 29));
  store_big_endian(end + 4, static_cast<std::uint32_t>(length << 3));
  return end + 8;
}

void write_digest(const State& state, std::uint8_t* digest) {
  for (std::size_t i = 0; i < state.size(); ++i) store_big_endian(digest + 4 * i, state[i]);
}

void hash_many(const Engine& engine, const std::uint8_t* messages, std::size_t count, std::size_t length,
               std::uint8_t* digests) {
  const std::size_t whole_blocks = length / BLOCK_SIZE;
  std::array<std::array<std::uint8_t, 2 * BLOCK_SIZE>, MAX_LANES> tails;
  std::array<State, MAX_LANES> states;
  std::array<const std::uint8_t*, MAX_LANES> bodies, ends;
  for (std::size_t first = 0; first < count;) {
    const std::size_t lanes = count - first >= engine.lanes ? engine.lanes : 1;
    std::size_t tail_blocks = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint8_t* rest = messages + (first + lane) * length + whole_blocks * BLOCK_SIZE;
      std::uint8_t* tail = tails[lane].data();
      std::copy_n(rest, length % BLOCK_SIZE, tail);  // unlike memcpy, takes no bytes from nowhere
      tail_blocks = static_cast<std::size_t>(pad(tail + length % BLOCK_SIZE, length) - tail) / BLOCK_SIZE;
      states[lane] = INITIAL_STATE;
      bodies[lane] = messages + (first + lane) * length;
      ends[lane] = tail;
    }
    if (lanes == 1) {
      engine.compress(states[0], bodies[0], whole_blocks);
      engine.compress(states[0], ends[0], tail_blocks);
    } else {
      engine.compress_lanes(states.data(), bodies.data(), whole_blocks);
      engine.compress_lanes(states.data(), ends.data(), tail_blocks);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) write_digest(states[lane], digests + (first + lane) * DIGEST_SIZE);
    first += lanes;
  }
}

}  // namespace cuzk::sha256
