#pragma once

#include <cstdint>
#include <span>

namespace pate {

/// The output function of splitmix64: a bijection in which every input bit changes every output bit
/// with probability 1/2.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// 64 bits that tell sequences of numbers of one length apart: of n distinct sequences, two have
/// the same fingerprint with a probability of about n^2 / 2^65. The same on every machine.
/// No protection against sequences made to collide.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::span<const std::int32_t> values) {
  std::uint64_t state = 0;
  for (const std::int32_t value : values) {
    state = (state ^ static_cast<std::uint32_t>(value)) * 0xd6e8feb86659fd93U;
    state ^= state >> 32U;
  }
  return mix_bits(state);
}

}  // namespace pate
