#include "pate/bounds/threshold_exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/error.hpp"

namespace pate {

double threshold_exact(const ThresholdCheck& check, std::int64_t v, std::int64_t teachers,
                       double order) {
  validate(check);
  if (v < 0 || v > teachers) {
    throw parameter_error(
        fmt::format("the selection statistic must be in 0..{}, got {}", teachers, v));
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (const std::int64_t w : {v - 1, v + 1}) {
    if (w < 0 || w > teachers) continue;
    const LogBernoulliPair pair = answer_pair(check, v, w);
    largest = std::max(
        {largest, log_bernoulli_excess(pair, order), log_bernoulli_excess(reversed(pair), order)});
  }
  return cost_of_log_excess(largest, order, threshold_data_independent(check.sigma1, order));
}

}  // namespace pate
