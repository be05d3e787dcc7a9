#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/optimal_order.hpp"

namespace pate {

/// The RDP of a run as a function of the order, with the values on the grid known already.
struct RdpFunction {
  std::span<const double> orders;    ///< increasing
  std::vector<double> rdp;           ///< at the orders
  std::function<double(double)> at;  ///< anywhere between
  /// Named parts of the RDP at an order, which add up to it.
  std::function<std::vector<std::pair<std::string, double>>(double)> parts;
};

/// Where the order was looked for.
struct OrderSearch {
  double delta;
  bool grid_only;  ///< the orders were restricted
};

/// Fills in epsilon, delta, order and parts of `entry` (its bound, reading and conversion are
/// given), minimising over orders, and adds notices: an optimum at an end of the orders, a clamp at
/// zero, an infinite epsilon. RDP that is zero at every order is epsilon 0 without an order.
void fill_rdp_entry(CostEntry& entry, const RdpFunction& function, const OrderSearch& search,
                    std::vector<Notice>& notices);

/// Fills in what the best order of an entry decides: epsilon, order and the parts, of which `delta`
/// is what the conversion adds. Adds the notices of a clamp at zero and of an infinite epsilon.
void set_epsilon(CostEntry& entry, const OptimalOrder& best,
                 std::vector<std::pair<std::string, double>> parts, std::vector<Notice>& notices);

/// One notice for each end of `orders` at which the optimum of a cost lies.
void add_order_notices(std::span<const CostEntry> costs, std::span<const double> orders,
                       bool restricted, std::vector<Notice>& notices);

/// The conversion of RDP behind a reported conversion: classic, or improved for any other.
[[nodiscard]] Conversion rdp_conversion(ReportedConversion conversion);

/// "tradeoff/joint/improved": how messages call a cost.
[[nodiscard]] std::string label(const CostEntry& entry);

}  // namespace pate
