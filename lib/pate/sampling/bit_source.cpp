#include "pate/sampling/bit_source.hpp"

#include <bit>

namespace pate {

std::uint64_t BitSource::below(std::uint64_t n) {
  if (n <= 1) return 0;
  const auto width = static_cast<unsigned>(std::bit_width(n - 1));
  std::uint64_t result = bits(width);
  while (result >= n) result = bits(width);
  return result;
}

}  // namespace pate
