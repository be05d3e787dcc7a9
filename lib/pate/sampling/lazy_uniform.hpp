#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/math/dyadic.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate {

/// A uniform deviate of (0, 1) with infinitely many binary digits, drawn from the bit source when
/// somebody looks at them and never changed after. What was not looked at is independent of
/// everything decided so far: that is what makes samplers built from comparisons exact.
class LazyUniform {
 public:
  LazyUniform() = default;
  // Not copied: two copies would go on with different digits.
  LazyUniform(LazyUniform&&) noexcept = default;
  LazyUniform& operator=(LazyUniform&&) noexcept = default;
  LazyUniform(const LazyUniform&) = delete;
  LazyUniform& operator=(const LazyUniform&) = delete;
  ~LazyUniform() = default;

  /// Digit number `i` in base 2^32, from the point on. Throws what the source throws, and
  /// `input_error` after 2^15 binary digits: nothing needs so many but a source that repeats
  /// itself.
  [[nodiscard]] std::uint32_t digit(std::size_t i, BitSource& source) {
    if (i == 0 && has_first_) return first_;
    return reveal(i, source);
  }

  /// floor(deviate * 2^bits): the first `bits` binary digits as a number.
  [[nodiscard]] Integer leading(unsigned bits, BitSource& source);

  static constexpr unsigned kDigitBits = 32;

 private:
  std::uint32_t reveal(std::size_t i, BitSource& source);

  std::uint32_t first_ = 0;
  bool has_first_ = false;
  std::vector<std::uint32_t> rest_;  // few deviates are ever looked at beyond their first digit
};

/// Whether a < b, decided on as few digits as it takes. They differ with probability 1.
[[nodiscard]] bool less(LazyUniform& a, LazyUniform& b, BitSource& source);

}  // namespace pate
