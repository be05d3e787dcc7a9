#include "pate/as_published/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "pate/bounds/published.hpp"

namespace pate {

namespace {

// By v: by how much the cost changes at most when v changes by one.
std::vector<double> steps(const ThresholdCheck& check, double order, std::size_t teachers) {
  std::vector<double> costs(teachers + 1);
  for (std::size_t v = 0; v <= teachers; ++v) {
    costs[v] = threshold_published(log_q(check, static_cast<std::int64_t>(v)), check.sigma1, order);
  }
  std::vector<double> result(teachers + 1, 0.0);
  for (std::size_t v = 0; v < teachers; ++v) {
    const double step = std::abs(costs[v + 1] - costs[v]);
    result[v] = std::max(result[v], step);
    result[v + 1] = step;
  }
  return result;
}

}  // namespace

std::vector<double> published_threshold_sensitivity(const ThresholdCheck& check, double order,
                                                    std::span<const WeightedStatistic> queries,
                                                    std::int64_t teachers) {
  const auto size = static_cast<std::size_t>(teachers);
  const std::vector<double> step = steps(check, order, size);
  std::vector<double> total(size, 0.0);
  for (const WeightedStatistic& query : queries) {
    const auto v = static_cast<std::size_t>(query.statistic);
    double largest = 0.0;
    for (std::size_t d = 0; d < size; ++d) {
      if (v + d <= size) largest = std::max(largest, step[v + d]);
      if (d <= v) largest = std::max(largest, step[v - d]);
      total[d] += query.weight * largest;
    }
  }
  return total;
}

}  // namespace pate
