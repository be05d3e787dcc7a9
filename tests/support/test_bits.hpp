#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate::test {

/// The same bits on every run and every platform, for tests and simulations of the mechanisms.
/// Never for a release: who knows the seed knows the noise. No command makes one.
class TestBits final : public BitSource {
 public:
  explicit TestBits(std::uint64_t seed) : engine_(seed) {}
  std::unique_ptr<BitSource> another() override { return std::make_unique<TestBits>(engine_()); }

 private:
  std::uint64_t next_word() override { return engine_(); }

  std::mt19937_64 engine_;
};

}  // namespace pate::test
