#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "pate/mechanisms/neighbours.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/votes.hpp"

namespace pate_test {

/// Calls f(n') for every other histogram that may be a neighbour's: of as many votes, of which at
/// most S lie otherwise, or with at most S votes more and less in all. By looking at every
/// histogram there is, not by making moves.
inline void for_each_neighbour(const Counts& counts, const pate::Neighbours& neighbours,
                               const std::function<void(const Counts&)>& f) {
  const auto moved = static_cast<std::int32_t>(neighbours.teachers);
  Counts other(counts.size());
  const std::function<void(std::size_t)> fill = [&](std::size_t j) {
    if (j < counts.size()) {
      for (std::int32_t n = std::max(counts[j] - moved, 0); n <= counts[j] + moved; ++n) {
        other[j] = n;
        fill(j + 1);
      }
      return;
    }
    std::int32_t more = 0;
    std::int32_t less = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      more += std::max(other[k] - counts[k], 0);
      less += std::max(counts[k] - other[k], 0);
    }
    const bool is_one =
        neighbours.adds_or_removes() ? more + less <= moved : more == less && more <= moved;
    if (is_one && more + less > 0) f(other);
  };
  fill(0);
}

}  // namespace pate_test
