#pragma once

#include "pate/mechanisms/mechanism.hpp"

namespace pate {

/// The data-independent RDP of one query that is answered, by step, of the sparse form of a round;
/// rounded outwards.
struct QueryCost {
  double selection = 0.0;
  double noisy_max = 0.0;

  [[nodiscard]] double total() const { return selection + noisy_max; }
};
[[nodiscard]] QueryCost data_independent_cost(const Mechanism& mechanism,
                                              const Neighbours& neighbours, double order);

}  // namespace pate
