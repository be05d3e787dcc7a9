#pragma once

#include <span>
#include <vector>

namespace pate {

/// The common grid of Renyi orders: 1.01 to 10,000, dense between 2 and 64, where optima of vote
/// aggregation lie. Reports tabulate RDP on it, and results that are added up later share it.
[[nodiscard]] std::span<const double> default_orders();

/// The orders sorted, without repetitions. Throws `parameter_error` unless there is at least one
/// and every order is finite and > 1.
[[nodiscard]] std::vector<double> validated_orders(std::vector<double> orders);

}  // namespace pate
