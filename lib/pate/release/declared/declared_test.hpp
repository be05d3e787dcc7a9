#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pate/release/curve/top_count_costs.hpp"
#include "pate/release/declared/pass_ladder.hpp"

namespace pate {

/// The budget of a run, written down before anybody looks at its votes.
struct DeclaredBudget {
  double epsilon = 0.0;
  double delta = 0.0;
  /// Whether a failed test is followed by another mechanism, fixed beforehand: half of epsilon and
  /// a tenth of delta are kept for it (`fallback_epsilon`, `fallback_delta`).
  bool has_fallback = false;

  /// What is left for the other mechanism, and for the test and the run. The two deltas add up to
  /// no more than `delta`.
  [[nodiscard]] double fallback_epsilon() const;
  [[nodiscard]] double fallback_delta() const;
  [[nodiscard]] double test_delta() const;
  [[nodiscard]] LadderTerms ladder() const;
};

/// The Renyi orders at which runs are looked at whose epsilon is in from .. below. They enter the
/// analysis only, and several cost nothing.
struct DeclaredOrders {
  double from = 0.0;
  double below = 0.0;
  std::span<const double> orders;
};

/// All of them, rising; together they cover every epsilon.
[[nodiscard]] std::span<const DeclaredOrders> declared_order_tables();

/// The orders for an epsilon: a function of epsilon alone.
[[nodiscard]] std::span<const double> declared_orders(double epsilon);

/// Costs of one run within d = 0..M teachers at each of some orders: UB(d) of
/// `CostsWithinDistance`, in the sequence of the orders.
using CostsByOrder = std::vector<std::vector<CostUnits>>;

/// The private test that decides whether a run is made. With the conditions
///
///     holds(i, d)  :  UB(d) + conversion term(order, delta / p_i) <= epsilon - log(p_i / p_(i+1))
///
/// at some order, a run is at the smallest level j of 0..J for which holds(i, i - j) for all i =
/// j..J-1, and passes with probability p_j. One teacher moves the level by at most one, because
/// UB'(d) <= UB(d + 1) between neighbours and the thresholds that UB is compared with are integers
/// that depend on public numbers alone. README.md of this folder has the proof that test and run
/// together are (epsilon, delta)-differentially private.
class DeclaredTest {
 public:
  explicit DeclaredTest(const DeclaredBudget& budget);
  /// With another ladder and other orders, for the same condition. Throws `parameter_error` without
  /// orders, or for one that is not above 1.
  DeclaredTest(double epsilon, double delta, PassLadder ladder, std::vector<double> orders);

  [[nodiscard]] const PassLadder& ladder() const { return ladder_; }
  [[nodiscard]] std::span<const double> orders() const { return orders_; }

  /// The most that UB(d) may be at order number `order` for holds(i, d): -1 where nothing is little
  /// enough, or where a number is not finite.
  [[nodiscard]] CostUnits threshold(std::size_t level, std::size_t order) const {
    return thresholds_[order][level];
  }

  /// The level of a run. Throws `parameter_error` unless there are costs for every order, as many
  /// for each, which do not fall with the distance. Private.
  [[nodiscard]] std::size_t level(const CostsByOrder& costs) const;

  /// The level of a run that would cost nothing: no run passes with a larger probability. Public.
  [[nodiscard]] std::size_t best_level() const;

 private:
  PassLadder ladder_;
  std::vector<double> orders_;
  std::vector<std::vector<CostUnits>> thresholds_;  // by order, then level
};

}  // namespace pate
