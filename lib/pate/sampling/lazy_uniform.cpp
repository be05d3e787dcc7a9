#include "pate/sampling/lazy_uniform.hpp"

#include "pate/error.hpp"

namespace pate {

std::uint32_t LazyUniform::reveal(std::size_t i, BitSource& source) {
  constexpr std::size_t kMostDigits = 1024;
  if (i >= kMostDigits) {
    throw input_error(
        "the random source repeats itself: 2^15 digits did not tell two numbers apart");
  }
  if (!has_first_) {
    first_ = source.bits(kDigitBits);
    has_first_ = true;
  }
  while (rest_.size() < i) rest_.push_back(source.bits(kDigitBits));
  return i == 0 ? first_ : rest_[i - 1];
}

Integer LazyUniform::leading(unsigned bits, BitSource& source) {
  Integer result = 0;
  const unsigned digits = (bits + kDigitBits - 1) / kDigitBits;
  for (unsigned i = 0; i < digits; ++i) {
    result <<= kDigitBits;
    result += digit(i, source);
  }
  return result >> (digits * kDigitBits - bits);
}

bool less(LazyUniform& a, LazyUniform& b, BitSource& source) {
  for (std::size_t i = 0;; ++i) {
    const std::uint32_t x = a.digit(i, source);
    const std::uint32_t y = b.digit(i, source);
    if (x != y) return x < y;
  }
}

}  // namespace pate
