#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "pate/composition/compose.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

/// RDP of all parts together at `orders`, under each bound that every part with votes has: each
/// curve is the sum of the parts', and is there if all of them have it. Parts without votes add
/// their data-independent RDP. Empty where no part has votes. Notes bounds that are left out.
[[nodiscard]] std::map<Bound, RdpCurves> summed_curves(std::span<const Part> parts,
                                                       std::span<const double> orders,
                                                       std::vector<Notice>& notices);

/// The same for exact RDP, each direction on its own; none unless all parts with votes have it.
[[nodiscard]] std::optional<ExactCurves> summed_exact_curves(std::span<const Part> parts,
                                                             std::span<const double> orders,
                                                             std::vector<Notice>& notices);

/// Where realized costs of a sum are told.
struct RealizedOrders {
  std::vector<double> orders;  ///< of those of the sum
  bool chosen_after = false;   ///< not all were fixed before the answers
};

/// The best orders of exact RDP at these orders, as `exact_entries` takes them.
struct ExactOptima {
  std::vector<OptimalOrder> best;
  bool spent = false;
};
[[nodiscard]] ExactOptima exact_optima(const ExactCurves& exact, std::span<const double> orders,
                                       double delta);

/// The cost entries of a sum whose counts, orders and curves are filled in: those of every bound
/// and reading that it has, then the data-independent ones; released epsilons are added to each.
/// Where anything published is among the parts, what would hold for any votes has bound and reading
/// `released`, and is releasable unless parameters were chosen from votes. Without `delta` nothing
/// but released epsilons is there to be added. `grid_only`: the orders were restricted. Adds the
/// notices of `fill_rdp_entry`. `profile`: that of the sum, which is told next to its exact costs
/// and never above them.
[[nodiscard]] std::vector<CostEntry> composed_costs(const Composition& sum,
                                                    const RealizedOrders& realized,
                                                    std::optional<double> delta, bool grid_only,
                                                    const std::optional<CostEntry>& profile,
                                                    std::vector<Notice>& notices);

}  // namespace pate
