#include "hash/sha256_portable.hpp"

namespace cuzk::sha256 {
namespace {

using Scalar = std::uint32_t;
// Eight messages side by side; the compiler maps it to whatever vectors the target has.
typedef std::uint32_t Vector __attribute__((vector_size(4 * PORTABLE_LANES)));

std::uint32_t load_big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

// The word at `offset` of every message.
void load(Scalar& word, const std::uint8_t* const* blocks, std::size_t offset) {
  word = load_big_endian(blocks[0] + offset);
}
void load(Vector& word, const std::uint8_t* const* blocks, std::size_t offset) {
  for (std::size_t lane = 0; lane < PORTABLE_LANES; ++lane) word[lane] = load_big_endian(blocks[lane] + offset);
}

template <class Word>
Word rotate(const Word& x, int count) {
  return x >> count | x << (32 - count);
}

// FIPS 180-4, 6.2.2; the message schedule is kept in sixteen words that are used in turn.
template <class Word>
void compress_block(std::array<Word, 8>& state, const std::uint8_t* const* blocks, std::size_t offset) {
  std::array<Word, 16> schedule;
  for (std::size_t t = 0; t < 16; ++t) load(schedule[t], blocks, offset + 4 * t);

  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    if (t >= 16) {
      const Word& w15 = schedule[(t - 15) % 16];
      const Word& w2 = schedule[(t - 2) % 16];
      const Word sigma0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >> 3);
      const Word sigma1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >> 10);
      schedule[t % 16] += sigma0 + sigma1 + schedule[(t - 7) % 16];
    }
    const Word choice = (e & f) ^ (~e & g);
    const Word majority = (a & b) ^ (a & c) ^ (b & c);
    const Word sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const Word sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const Word first = h + sum1 + choice + ROUND_CONSTANTS[t] + schedule[t % 16];
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + sum0 + majority;
  }
  const std::array<Word, 8> last = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += last[i];
}

}  // namespace

void compress_portable(State& state, const std::uint8_t* blocks, std::size_t count) {
  for (std::size_t block = 0; block < count; ++block) compress_block<Scalar>(state, &blocks, block * BLOCK_SIZE);
}

void compress_portable_lanes(State* states, const std::uint8_t* const* blocks, std::size_t count) {
  std::array<Vector, 8> state;
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t lane = 0; lane < PORTABLE_LANES; ++lane) state[i][lane] = states[lane][i];
  for (std::size_t block = 0; block < count; ++block) compress_block<Vector>(state, blocks, block * BLOCK_SIZE);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t lane = 0; lane < PORTABLE_LANES; ++lane) states[lane][i] = state[i][lane];
}

}  // namespace cuzk::sha256
