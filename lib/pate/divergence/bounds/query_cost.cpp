#include "pate/divergence/bounds/query_cost.hpp"

#include "pate/divergence/bounds/step_cost.hpp"

namespace pate {

QueryCost data_independent_cost(const Aggregator& aggregator, double order) {
  QueryCost cost;
  if (aggregator.selection) {
    cost.selection = threshold_data_independent(*aggregator.selection, order);
  }
  cost.noisy_max = data_independent_cost(aggregator.noisy_max, order);
  return cost;
}

}  // namespace pate
