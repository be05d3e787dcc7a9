#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "pate/numerics/whole_division.hpp"

namespace pate {

/// A whole number of least .. most, each about as likely; `least` where there is no other.
[[nodiscard]] inline std::int64_t random_integer(std::mt19937_64& random, std::int64_t least,
                                                 std::int64_t most) {
  if (most <= least) return least;
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// The second and third count of a key.
struct CountsBehind {
  std::int64_t second, third;
};

/// Those of some histogram whose largest count is v, for a table's check at random: v in
/// [teachers / classes, teachers], at least two classes. The third is 0 where there are two.
[[nodiscard]] inline CountsBehind random_counts_behind(std::mt19937_64& random, std::int64_t v,
                                                       std::int64_t teachers,
                                                       std::int64_t classes) {
  const std::int64_t behind = teachers - v;
  const std::int64_t second =
      random_integer(random, ceil_divide(behind, classes - 1), std::min(v, behind));
  const std::int64_t rest = behind - second;
  if (classes == 2) return {second, 0};
  return {second, random_integer(random, ceil_divide(rest, classes - 2), std::min(second, rest))};
}

}  // namespace pate
