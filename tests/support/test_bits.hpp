#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>

#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate::test {

/// The same bits on every run and every platform, for tests and simulations of the mechanisms.
/// Never for a release: who knows the seed knows the noise. No command makes one.
class TestBits final : public BitSource {
 public:
  explicit TestBits(std::uint64_t seed) : seed_(seed) {}
  std::unique_ptr<BitSource> another() override { return std::make_unique<TestBits>(next_word()); }

 private:
  std::uint64_t next_word() override {
    if (!engine_) engine_.emplace(seed_);
    return (*engine_)();
  }

  std::uint64_t seed_;
  std::optional<std::mt19937_64> engine_;  // a long state, and many sources are never asked
};

}  // namespace pate::test
