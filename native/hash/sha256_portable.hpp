// The compression function in plain C++, on one message or on as many as a vector has lanes.
#pragma once

#include "hash/sha256.hpp"

namespace cuzk::sha256 {

void compress_portable(State& state, const std::uint8_t* blocks, std::size_t count);
void compress_portable_lanes(State* states, const std::uint8_t* const* blocks, std::size_t count);

inline constexpr std::size_t PORTABLE_LANES = 8;

}  // namespace cuzk::sha256
