#pragma once

#include <optional>
#include <vector>

#include "pate/composition/composition.hpp"

namespace pate {

/// The cost entries of a sum whose counts, orders and curves are filled in: those of every bound
/// and reading that it has, then the data-independent ones; published epsilons are added to each.
/// Without `delta` nothing but published epsilons is there to be added. `grid_only`: the orders
/// were restricted. Adds the notices of `set_epsilon`.
[[nodiscard]] std::vector<CostEntry> composed_costs(const Composition& sum,
                                                    std::optional<double> delta, bool grid_only,
                                                    std::vector<Notice>& notices);

/// a + b for costs, rounded up where anything is rounded.
[[nodiscard]] double added_up(double a, double b);

}  // namespace pate
