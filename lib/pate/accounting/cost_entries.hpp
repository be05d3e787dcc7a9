#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"

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
  double delta = 0.0;
  bool grid_only = false;  ///< the orders were restricted
  double spent = 0.0;      ///< of delta, by steps that have one (`MechanismCounts::delta`)

  /// What is left of delta for a conversion, rounded down. Throws `parameter_error` where nothing
  /// is.
  [[nodiscard]] double conversion_delta() const;
};

/// Fills in epsilon, delta, order and parts of `entry` (its bound, reading and conversion are
/// given), minimising over orders, and adds notices: an optimum at an end of the orders, a clamp at
/// zero, an infinite epsilon. RDP that is zero at every order is epsilon 0 without an order.
void fill_rdp_entry(CostEntry& entry, const RdpFunction& function, const OrderSearch& search,
                    std::vector<Notice>& notices);

/// Fills in what the best order of an entry decides: epsilon, order and the parts, with `delta`,
/// what the conversion adds to them. Adds the notices of a clamp at zero and of an infinite
/// epsilon.
void set_epsilon(CostEntry& entry, const OptimalOrder& best,
                 std::vector<std::pair<std::string, double>> parts, std::vector<Notice>& notices);

/// Sets the parts of an entry that has an order, and the epsilon that they add up to.
void set_parts(CostEntry& entry, std::vector<std::pair<std::string, double>> parts,
               const OrderSearch& search);

/// One notice for each end of `orders` at which the optimum of a cost lies.
void add_order_notices(std::span<const CostEntry> costs, std::span<const double> orders,
                       bool restricted, std::vector<Notice>& notices);

/// The conversion of RDP behind a reported conversion: improved for one that is none of RDP.
[[nodiscard]] Conversion rdp_conversion(EpsilonMethod conversion);

/// The conversions of RDP that fixed promises are told by, in their order: optimal, improved,
/// classic; without the optimal one where some of delta is spent apart.
[[nodiscard]] std::span<const EpsilonMethod> fixed_conversions(double spent = 0.0);

/// "tradeoff/joint/improved": how messages call a cost.
[[nodiscard]] std::string label(const CostEntry& entry);

/// A cost that holds for any votes and has no order; `part` names what it is the cost of.
[[nodiscard]] CostEntry data_independent_entry(EpsilonMethod conversion, double epsilon,
                                               double delta, const std::string& part);

/// Adds the costs of pure steps: the sum of their epsilons, rounded upwards, at the delta that is
/// spent apart, and for steps of one epsilon their exact composition, where delta is left for it.
void add_pure_entries(std::span<const PureSteps> steps, const OrderSearch& search,
                      const std::string& part, std::vector<CostEntry>& entries);

/// The costs of steps that hold for every votes, all releasable:
///
///     optimal             RDP of the steps, at the best order, where no step has a delta
///     improved, classic   the same, whatever steps have
///     gdp                 Gaussian noise only: their exact composition
///     pure                Laplace noise only: the sum of pure epsilons, delta 0 or that of the
///                         steps
///     kov                 Laplace noise of one scale only: the exact composition of its pure steps
///
/// Deltas of steps are added apart: entries have `wanted.delta`, of which `wanted.spent`, and the
/// steps' own delta at least, is not there for conversions.
///
/// The counts are all that must be fixed in advance: which step comes when, and on which query, may
/// depend on the answers to earlier ones. A run that takes fewer steps costs no more.
[[nodiscard]] std::vector<CostEntry> data_independent_entries(const MechanismCounts& steps,
                                                              std::span<const double> orders,
                                                              const OrderSearch& wanted,
                                                              std::vector<Notice>& notices);

}  // namespace pate
