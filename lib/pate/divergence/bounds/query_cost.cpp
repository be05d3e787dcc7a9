#include "pate/divergence/bounds/query_cost.hpp"

#include "pate/divergence/bounds/step_cost.hpp"

namespace pate {

QueryCost data_independent_cost(const Mechanism& mechanism, const Neighbours& neighbours,
                                double order) {
  QueryCost cost;
  if (const auto rule = mechanism.answer_rule()) {
    cost.selection = threshold_data_independent(*rule, neighbours, order);
  }
  if (const Aggregator* const aggregator = mechanism.aggregator()) {
    cost.noisy_max = data_independent_cost(aggregator->step(neighbours), order);
  }
  return cost;
}

}  // namespace pate
