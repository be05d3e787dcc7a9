#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pate {

/// Independent fair bits. One source serves one thread; others have their own.
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

  /// A source of bits that are independent of this one's. Throws what the source throws.
  [[nodiscard]] virtual std::unique_ptr<BitSource> another() = 0;

 private:
  /// 64 fresh bits.
  virtual std::uint64_t next_word() = 0;

  std::uint64_t pool_ = 0;
  unsigned pooled_ = 0;
};

/// The operating system's random source (`system::fill_with_random`): what every real release draws
/// from. It has no seed.
///
/// Bits are fetched a page at a time, and are erased from the page as they are handed out. A
/// process that forks must make a new source in the child: the page would be shared.
class SystemBits final : public BitSource {
 public:
  /// Fills a buffer; returns the number of bytes or -1 with `errno` set, like getrandom(2).
  using Reader = ssize_t (*)(void* to, std::size_t size);

  SystemBits();
  /// Reads from something else, so that tests can make it fail.
  explicit SystemBits(Reader reader) : reader_(reader) {}
  SystemBits(const SystemBits&) = delete;
  SystemBits& operator=(const SystemBits&) = delete;
  ~SystemBits() override;

  [[nodiscard]] std::unique_ptr<BitSource> another() override {
    return std::make_unique<SystemBits>(reader_);
  }

 private:
  /// Throws `input_error` with the system's reason when there are no random numbers.
  std::uint64_t next_word() override;
  void refill();

  static constexpr std::size_t kWords = 512;

  Reader reader_;
  std::array<std::uint64_t, kWords> words_{};
  std::size_t left_ = 0;
};

}  // namespace pate
