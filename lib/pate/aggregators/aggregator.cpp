#include "pate/aggregators/aggregator.hpp"

#include <cmath>

#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  return interactive ? "interactive" : "confident";
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
  if (aggregator.selection) {
    validate(*aggregator.selection);
    if (!aggregator.is_gaussian()) {
      throw parameter_error(
          "a threshold check goes with Gaussian noise (sigma2), not with Laplace");
    }
  } else if (aggregator.interactive) {
    throw parameter_error("the interactive aggregator needs a threshold and sigma1");
  }
}

double probability_answered(const Aggregator& aggregator, std::int64_t statistic) {
  return aggregator.selection ? std::exp(log_answered(*aggregator.selection, statistic)) : 1.0;
}

QueryCost data_independent_cost(const Aggregator& aggregator, double order) {
  QueryCost cost;
  if (aggregator.selection) {
    cost.selection = threshold_data_independent(aggregator.selection->sigma1, order);
  }
  cost.noisy_max = data_independent_cost(aggregator.noisy_max, order);
  return cost;
}

double squared_gaussian_sensitivity(const Aggregator& aggregator) {
  const auto noisy_max = aggregator.noisy_max.squared_mu();
  if (!noisy_max) throw parameter_error("Laplace noise has no Gaussian sensitivity");
  if (!aggregator.selection) return *noisy_max;
  const double sigma1 = aggregator.selection->sigma1;
  return *noisy_max + 1.0 / sigma1 / sigma1;
}

}  // namespace pate
