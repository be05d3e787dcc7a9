#include "pate/mechanisms/sampling/bit_source.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <span>
#include <system_error>

#include "pate/base/error.hpp"
#include "pate/base/system.hpp"

namespace pate {

std::uint64_t BitSource::below(std::uint64_t n) {
  if (n <= 1) return 0;
  const auto width = static_cast<unsigned>(std::bit_width(n - 1));
  std::uint64_t result = bits(width);
  while (result >= n) result = bits(width);
  return result;
}

SystemBits::SystemBits() : reader_(system::fill_with_random) {}

SystemBits::~SystemBits() {
  system::erase(words_.data(), sizeof words_);
}

std::uint64_t SystemBits::next_word() {
  if (left_ == 0) refill();
  --left_;
  const std::uint64_t word = words_[left_];
  words_[left_] = 0;
  return word;
}

void SystemBits::refill() {
  std::span<std::byte> rest = std::as_writable_bytes(std::span(words_));
  while (!rest.empty()) {
    const ssize_t got = reader_(rest.data(), rest.size());
    if (got > 0 && static_cast<std::size_t>(got) <= rest.size()) {
      rest = rest.subspan(static_cast<std::size_t>(got));
    } else if (got >= 0 || errno != EINTR) {
      throw input_error(fmt::format("the operating system's random source cannot be read: {}",
                                    got < 0 ? std::generic_category().message(errno) : "it ended"));
    }
  }
  left_ = words_.size();
}

}  // namespace pate
