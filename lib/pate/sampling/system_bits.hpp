#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "pate/sampling/bit_source.hpp"

namespace pate {

/// The operating system's random source, getrandom(2): what every real release draws from. It has
/// no seed.
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
