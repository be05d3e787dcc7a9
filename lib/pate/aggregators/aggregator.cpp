#include "pate/aggregators/aggregator.hpp"

#include "pate/bounds/data_independent.hpp"
#include "pate/error.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!is_gaussian()) return "lnmax";
  if (!selection) return "gnmax";
  return interactive ? "interactive" : "confident";
}

void validate(const Aggregator& aggregator) {
  std::visit([](const auto& mechanism) { validate(mechanism); }, aggregator.noisy_max);
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

UnionBoundTable union_bound_table(const Aggregator& aggregator, std::int64_t teachers) {
  return {[mechanism = aggregator.noisy_max](std::int64_t gap) {
            return std::visit([gap](const auto& m) { return log_pair_probability(m, gap); },
                              mechanism);
          },
          teachers};
}

QueryCost data_independent_cost(const Aggregator& aggregator, double order) {
  QueryCost cost;
  if (aggregator.selection) {
    cost.selection = threshold_data_independent(aggregator.selection->sigma1, order);
  }
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    cost.noisy_max = gaussian_noisy_max_data_independent(gaussian->sigma, order);
  } else {
    const auto& laplace = std::get<LaplaceNoisyMax>(aggregator.noisy_max);
    cost.noisy_max = laplace_noisy_max_data_independent(laplace.gamma(), order);
  }
  return cost;
}

double squared_gaussian_sensitivity(const Aggregator& aggregator) {
  const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max);
  if (gaussian == nullptr) throw parameter_error("Laplace noise has no Gaussian sensitivity");
  double squared = 2.0 / gaussian->sigma / gaussian->sigma;
  if (aggregator.selection) {
    const double sigma1 = aggregator.selection->sigma1;
    squared += 1.0 / sigma1 / sigma1;
  }
  return squared;
}

}  // namespace pate
