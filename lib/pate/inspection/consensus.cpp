#include "pate/inspection/consensus.hpp"

#include <algorithm>

namespace pate {

Consensus consensus(std::span<const std::int32_t> histogram) {
  Consensus result;
  for (const std::int32_t votes : histogram) {
    result.second = std::max(result.second, std::min(votes, result.top));
    result.top = std::max(result.top, votes);
  }
  result.gap = result.top - result.second;
  result.tied = result.top > 0 && result.gap == 0;
  result.unanimous = result.top > 0 && result.second == 0;
  return result;
}

}  // namespace pate
