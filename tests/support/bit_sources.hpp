#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "support/test_bits.hpp"

namespace pate::test {

/// The given words, in order; asking for more is an error of the test. Bits are handed out from the
/// low end of a word.
class ScriptedBits final : public BitSource {
 public:
  explicit ScriptedBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  std::unique_ptr<BitSource> another() override { throw std::logic_error("there is one script"); }

 private:
  std::uint64_t next_word() override {
    if (next_ == words_.size()) throw std::logic_error("the script has ended");
    return words_[next_++];
  }

  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

/// A word forever.
class ConstantBits final : public BitSource {
 public:
  explicit ConstantBits(std::uint64_t word) : word_(word) {}
  std::unique_ptr<BitSource> another() override { return std::make_unique<ConstantBits>(word_); }

 private:
  std::uint64_t next_word() override { return word_; }

  std::uint64_t word_;
};

/// Bits that are 1 with probability 1/2 + 2^-(rarity + 1): statistics must notice.
class BiasedBits final : public BitSource {
 public:
  BiasedBits(std::uint64_t seed, int rarity) : engine_(seed), rarity_(rarity) {}
  std::unique_ptr<BitSource> another() override {
    return std::make_unique<BiasedBits>(engine_(), rarity_);
  }

 private:
  std::uint64_t next_word() override {
    std::uint64_t extra = ~std::uint64_t{0};
    for (int i = 0; i < rarity_; ++i) extra &= engine_();
    return engine_() | extra;
  }

  std::mt19937_64 engine_;
  int rarity_;
};

}  // namespace pate::test
