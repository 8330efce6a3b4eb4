#include "hash/sha256_x86.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#include <utility>

// Every function that uses the extensions says so itself, since the file is compiled for any x86-64.
#define CUZK_SHA __attribute__((target("sha,sse4.1,ssse3"), always_inline)) inline

namespace cuzk::sha256 {
namespace {

// The working variables as SHA256RNDS2 wants them, highest lane first: (a, b, e, f) and (c, d, g, h).
template <std::size_t LANES>
struct Working {
  __m128i abef[LANES], cdgh[LANES];
};

CUZK_SHA __m128i* vectors(State& state) { return reinterpret_cast<__m128i*>(state.data()); }

template <std::size_t LANES>
CUZK_SHA void unpack(State* states, Working<LANES>& working) {
  for (std::size_t lane = 0; lane < LANES; ++lane) {
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(vectors(states[lane])), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(vectors(states[lane]) + 1), 0x1b);
    working.abef[lane] = _mm_alignr_epi8(badc, efgh, 8);
    working.cdgh[lane] = _mm_blend_epi16(efgh, badc, 0xf0);
  }
}

template <std::size_t LANES>
CUZK_SHA void pack(const Working<LANES>& working, State* states) {
  for (std::size_t lane = 0; lane < LANES; ++lane) {
    const __m128i feba = _mm_shuffle_epi32(working.abef[lane], 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(working.cdgh[lane], 0xb1);
    _mm_storeu_si128(vectors(states[lane]), _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(vectors(states[lane]) + 1, _mm_alignr_epi8(dchg, feba, 8));
  }
}

// Rounds 4 * GROUP to 4 * GROUP + 3; schedule[i] holds the message words of the last group that is i modulo 4.
template <std::size_t LANES, std::size_t GROUP>
CUZK_SHA void four_rounds(Working<LANES>& working, __m128i (&schedule)[4][LANES], const std::uint8_t* const* blocks,
                          std::size_t offset) {
  const __m128i constants = _mm_load_si128(reinterpret_cast<const __m128i*>(ROUND_CONSTANTS.data() + 4 * GROUP));
  for (std::size_t lane = 0; lane < LANES; ++lane) {
    __m128i& words = schedule[GROUP % 4][lane];
    if constexpr (GROUP < 4) {
      const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
      const auto* bytes = reinterpret_cast<const __m128i*>(blocks[lane] + offset + 16 * GROUP);
      words = _mm_shuffle_epi8(_mm_loadu_si128(bytes), big_endian);
    } else {  // W[t] = s1(W[t - 2]) + W[t - 7] + s0(W[t - 15]) + W[t - 16]
      const __m128i before = schedule[(GROUP + 3) % 4][lane];
      const __m128i minus_7 = _mm_alignr_epi8(before, schedule[(GROUP + 2) % 4][lane], 4);
      const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(words, schedule[(GROUP + 1) % 4][lane]), minus_7);
      words = _mm_sha256msg2_epu32(partial, before);
    }
    const __m128i sum = _mm_add_epi32(words, constants);
    working.cdgh[lane] = _mm_sha256rnds2_epu32(working.cdgh[lane], working.abef[lane], sum);
    working.abef[lane] = _mm_sha256rnds2_epu32(working.abef[lane], working.cdgh[lane], _mm_shuffle_epi32(sum, 0x0e));
  }
}

template <std::size_t LANES, std::size_t... GROUPS>
CUZK_SHA void all_rounds(Working<LANES>& working, const std::uint8_t* const* blocks, std::size_t offset,
                         std::index_sequence<GROUPS...>) {
  __m128i schedule[4][LANES];
  (four_rounds<LANES, GROUPS>(working, schedule, blocks, offset), ...);
}

template <std::size_t LANES>
CUZK_SHA void compress(State* states, const std::uint8_t* const* blocks, std::size_t count) {
  Working<LANES> working;
  unpack<LANES>(states, working);
  for (std::size_t block = 0; block < count; ++block) {
    const Working<LANES> before = working;
    all_rounds<LANES>(working, blocks, block * BLOCK_SIZE, std::make_index_sequence<16>());
    for (std::size_t lane = 0; lane < LANES; ++lane) {
      working.abef[lane] = _mm_add_epi32(working.abef[lane], before.abef[lane]);
      working.cdgh[lane] = _mm_add_epi32(working.cdgh[lane], before.cdgh[lane]);
    }
  }
  pack<LANES>(working, states);
}

}  // namespace

bool has_sha_extensions() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  return (ebx >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
}

__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_extensions(State& state, const std::uint8_t* blocks,
                                                                         std::size_t count) {
  compress<1>(&state, &blocks, count);
}

__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_extensions_lanes(State* states,
                                                                               const std::uint8_t* const* blocks,
                                                                               std::size_t count) {
  compress<SHA_EXTENSIONS_LANES>(states, blocks, count);
}

}  // namespace cuzk::sha256

#else

namespace cuzk::sha256 {

bool has_sha_extensions() { return false; }

}  // namespace cuzk::sha256

#endif
