#pragma once

#include <vector>

namespace pate {

/// One outcome of a query: its probability on the votes and on a neighbour's, and the privacy loss
/// log(p/q), from logarithms where either underflows: +inf for q = 0, -inf for p = 0.
struct OutcomeMass {
  double p = 0.0;
  double q = 0.0;
  double loss = 0.0;
};

/// All outcomes of a query, the votes against one neighbour: its privacy loss distribution, with
/// the probabilities under either of the two adjacent inputs.
using DistributionPair = std::vector<OutcomeMass>;

/// The neighbour against the votes.
[[nodiscard]] inline DistributionPair reversed(DistributionPair table) {
  for (OutcomeMass& outcome : table) outcome = {outcome.q, outcome.p, -outcome.loss};
  return table;
}

}  // namespace pate
