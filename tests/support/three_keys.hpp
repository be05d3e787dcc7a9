#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/three_key_costs.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "support/random.hpp"

namespace pate_test {

/// The costs of random keys at several orders at once, beside those of each move summed for itself
/// (`TiltedMoment`, over the noise of the top class and not over a noisy count): within a unit and
/// `relative`. Returns how many were compared.
inline int compare_three_keys(const std::vector<pate::TiltedCost>& costs, Random& random,
                              double relative) {
  using pate::CostUnits;
  const pate::ThreeKeyCosts computed(costs);
  pate::ThreeKeyCosts::Scratch scratch(computed);
  const std::int64_t teachers = costs.front().teachers();
  const std::int64_t m = costs.front().classes();
  int compared = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const std::int64_t v = random.integer((teachers + m - 1) / m, teachers);
    const std::int64_t behind = teachers - v;
    const std::int64_t least = (behind + m - 2) / (m - 1);
    if (least > std::min(v, behind)) continue;
    const std::int64_t x2 = random.integer(least, std::min(v, behind));
    const std::int64_t rest = behind - x2;
    std::int64_t x3 = 0;
    if (m > 2) {
      const std::int64_t least_third = (rest + m - 3) / (m - 2);
      if (least_third > std::min(x2, rest)) continue;
      x3 = random.integer(least_third, std::min(x2, rest));
    }
    CAPTURE(v);
    CAPTURE(x2);
    CAPTURE(x3);
    std::vector<CostUnits> units(costs.size());
    computed.compute(v + x2, x3, v, v, scratch, units);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      CostUnits each = pate::units_far_behind(costs[i], v, v - x2);
      if (each == pate::kNoKey) {
        each = pate::units_of_excess(costs[i],
                                     pate::three_key_moves(costs[i], v, x2, x3).largest_joint());
      }
      CHECK(static_cast<double>(std::abs(units[i] - each)) <=
            1.0 + relative * static_cast<double>(each));
      ++compared;
    }
  }
  return compared;
}

}  // namespace pate_test
