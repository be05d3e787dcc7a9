#pragma once

#include <vector>

namespace pate {

/// One outcome of a query: its probability on the votes and on a neighbour's, and the privacy loss
/// log(p/q), from logarithms where either underflows: +inf for q = 0, -inf for p = 0.
struct OutcomePair {
  double p = 0.0;
  double q = 0.0;
  double loss = 0.0;
};

/// All outcomes of a query, the votes against one neighbour.
using OutcomeTable = std::vector<OutcomePair>;

/// The neighbour against the votes.
[[nodiscard]] inline OutcomeTable reversed(OutcomeTable table) {
  for (OutcomePair& outcome : table) outcome = {outcome.q, outcome.p, -outcome.loss};
  return table;
}

}  // namespace pate
