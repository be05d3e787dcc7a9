#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random.hpp"
#include "support/votes.hpp"

namespace pate_test {

inline constexpr std::int32_t kContestedTeachers = 100;

/// Votes of `kContestedTeachers` on queries on which they agree more or less.
inline std::vector<Histogram> contested_counts(std::size_t queries, std::int32_t classes,
                                               Random& random) {
  std::vector<Histogram> counts;
  for (std::size_t i = 0; i < queries; ++i) {
    Histogram row(static_cast<std::size_t>(classes), 0);
    const auto agreeing = random.integer(0, 9);
    const auto label = random.integer(0, classes - 1);
    for (int teacher = 0; teacher < kContestedTeachers; ++teacher) {
      const auto vote = random.integer(0, 9) < agreeing ? label : random.integer(0, classes - 1);
      ++row[static_cast<std::size_t>(vote)];
    }
    counts.push_back(row);
  }
  return counts;
}

}  // namespace pate_test
