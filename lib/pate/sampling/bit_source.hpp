#pragma once

#include <cstdint>

namespace pate {

/// Independent fair bits. One source serves one thread.
class BitSource {
 public:
  BitSource() = default;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;
  virtual ~BitSource() = default;

  /// The next `count` bits as a number in 0 .. 2^count - 1; 1 <= count <= 32. No bit is handed out
  /// twice. Throws what the source throws.
  [[nodiscard]] std::uint32_t bits(unsigned count) {
    if (pooled_ < count) {
      pool_ = next_word();
      pooled_ = 64;
    }
    const auto result = static_cast<std::uint32_t>(pool_ & ((std::uint64_t{1} << count) - 1));
    pool_ >>= count;
    pooled_ -= count;
    return result;
  }

  /// A number in 0 .. n - 1, each equally likely; 1 <= n <= 2^32. Rejection, so exactly.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  /// 64 fresh bits.
  virtual std::uint64_t next_word() = 0;

  std::uint64_t pool_ = 0;
  unsigned pooled_ = 0;
};

}  // namespace pate
