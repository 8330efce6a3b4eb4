// The compression function with the SHA extensions of x86-64.
#pragma once

#include "hash/sha256.hpp"

namespace cuzk::sha256 {

// Whether this CPU has them; false on other architectures, where the functions below do not exist.
bool has_sha_extensions();

#if defined(__x86_64__)
void compress_sha_extensions(State& state, const std::uint8_t* blocks, std::size_t count);
void compress_sha_extensions_lanes(State* states, const std::uint8_t* const* blocks, std::size_t count);
#endif

// The two instructions of a round depend on each other and take four cycles each: two messages fill the gaps.
inline constexpr std::size_t SHA_EXTENSIONS_LANES = 2;

}  // namespace cuzk::sha256
