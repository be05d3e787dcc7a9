#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"

// From what a model says of a run by order to its costs: the one search for orders, the one maker
// of entries.

namespace pate {

/// Where the order is looked for.
struct OrderSearch {
  double delta = 0.0;
  bool grid_only = false;  ///< the orders were restricted
  double spent = 0.0;      ///< of delta, by steps that have one (`MechanismCounts::delta`)

  /// What is left of delta for a conversion, rounded down. Throws `parameter_error` where nothing
  /// is.
  [[nodiscard]] double conversion_delta() const;
};

/// The conversions of RDP that fixed promises are told by, in their order: optimal, improved,
/// classic; without the optimal one where some of delta is spent apart.
[[nodiscard]] std::span<const EpsilonMethod> fixed_conversions(double spent = 0.0);

/// RDP of a run at one order under one model, by step and reading.
struct RunCost {
  double order = 0.0;
  double selection = 0.0;           ///< threshold checks of all queries
  double noisy_max_expected = 0.0;  ///< noisy maxima weighted with Pr[answered]
  double noisy_max_realized = 0.0;  ///< noisy maxima of the answered queries (with decisions)
  double joint = 0.0;               ///< steps that are not told apart
  double spent_variance = 0.0;      ///< of the spent budget over the selection noise

  /// RDP under a reading. For any votes (`worst_case`) it is that of all steps.
  [[nodiscard]] double rdp(GuaranteeKind reading) const;
};

/// How the parts of a cost are told; what is not told apart is `steps`.
enum class CostParts { steps, noisy_max, selection_and_noisy_max };

/// What adds up to the RDP under a reading.
[[nodiscard]] std::vector<std::pair<std::string, double>> parts_of(const RunCost& cost,
                                                                   GuaranteeKind reading,
                                                                   CostParts parts);

/// What a model says of a run as a function of the order, for models that are quick at many orders.
/// Costs are kept where they were evaluated: several entries look for their best orders in the same
/// places.
class RunCurve {
 public:
  /// At increasing orders.
  using Model = std::function<std::vector<RunCost>(std::span<const double> orders)>;

  /// Evaluates the model at all of `orders`, which must outlive this.
  RunCurve(std::span<const double> orders, Model model, CostParts parts = CostParts::steps);

  [[nodiscard]] const std::vector<RunCost>& on_grid() const { return on_grid_; }
  /// Anywhere between the orders.
  [[nodiscard]] const RunCost& at(double order);
  /// Fills in epsilon, delta, order, parts and standard deviation of `entry` (its bound, reading
  /// and conversion are given), minimising over orders, and adds notices: a clamp at zero, an
  /// infinite epsilon. RDP that is zero at every order is epsilon 0 without an order.
  void fill(CostEntry& entry, const OrderSearch& search, std::vector<Notice>& notices);
  /// Entries like this one, filled in for each conversion.
  [[nodiscard]] std::vector<CostEntry> entries(const CostEntry& like,
                                               std::span<const EpsilonMethod> conversions,
                                               const OrderSearch& search,
                                               std::vector<Notice>& notices);

 private:
  [[nodiscard]] OptimalOrder best_order(const CostEntry& entry, const OrderSearch& search);

  std::span<const double> orders_;
  Model model_;
  CostParts parts_;
  std::vector<RunCost> on_grid_;
  std::map<double, RunCost> kept_;
};

/// Sets the parts of an entry that has an order, and the epsilon that they add up to.
void set_parts(CostEntry& entry, std::vector<std::pair<std::string, double>> parts,
               const OrderSearch& search);

// Models that are dear to evaluate and known by direction: each direction is converted on its own,
// at the order that is best for it, and the larger epsilon is the cost.

/// RDP of a run at increasing orders.
using DirectedModel = std::function<std::vector<BothDirections>(std::span<const double> orders)>;

/// The costs that were found, one entry a conversion.
struct DirectedCosts {
  std::vector<CostEntry> entries;
  std::vector<OptimalOrder> best;  ///< by conversion, then direction (forward, reverse)
  bool spent = false;              ///< whether any order that was looked at has a cost
};

/// Looks for the best orders: among `orders` where the search is restricted to them, and fills in
/// `curves` there unless it is null; else around those of `costs` (`order_hints`).
[[nodiscard]] DirectedCosts directed_costs(Bound bound, const DirectedModel& rdp,
                                           const OrderSearch& search,
                                           std::span<const double> orders,
                                           std::span<const CostEntry> costs,
                                           std::vector<Notice>& notices,
                                           std::optional<ExactCurves>* curves = nullptr);

/// Epsilons at an order, by conversion (`fixed_conversions`), then direction.
[[nodiscard]] std::vector<double> directed_epsilons(const BothDirections& rdp, double order,
                                                    double delta);

/// The orders at which to look first for the best one of costs that are nowhere above the trade-off
/// bound's: those of its entries among `costs`, else of any.
[[nodiscard]] std::vector<double> order_hints(std::span<const CostEntry> costs);

/// The entries of a bound, one a conversion, from the best orders of `directed_epsilons`, or of the
/// last conversions of it. Adds the notices of a clamp at zero and of an infinite epsilon. `spent`:
/// whether anything was, else the entries are zero without an order.
[[nodiscard]] std::vector<CostEntry> directed_entries(Bound bound,
                                                      std::span<const OptimalOrder> best,
                                                      bool spent, double delta,
                                                      std::vector<Notice>& notices);

/// The conversion of RDP behind a reported conversion: improved for one that is none of RDP.
[[nodiscard]] Conversion rdp_conversion(EpsilonMethod conversion);

/// "tradeoff/joint/improved": how messages call a cost.
[[nodiscard]] std::string label(const CostEntry& entry);

}  // namespace pate
