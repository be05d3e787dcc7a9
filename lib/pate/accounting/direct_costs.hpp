#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/cost_sums.hpp"

namespace pate {

/// How the costs of a run's queries are summed.
enum class QuerySum {
  interpolated,  ///< `run_costs`: fast at many orders, for the search of the best one
  direct,        ///< `DirectCosts`: query by query, for what is reported of that order
};

/// Costs of a run at single orders, summed query by query: every term is an upper bound of that
/// query's cost with a proof, rounded outwards and at most 1e-7 above it, so that the sum is one
/// whatever an interpolation does. An order of Gaussian noise costs some microseconds a distinct q,
/// of very many q some nanoseconds each.
class DirectCosts {
 public:
  /// The inputs must outlive this. `threads` (0: all processors) changes no bit.
  DirectCosts(const CostInputs& inputs, unsigned threads);

  /// The costs under `bound` (published or tradeoff) at an order > 1.
  [[nodiscard]] RunCost at(Bound bound, double order) const;
  [[nodiscard]] std::vector<RunCost> at(Bound bound, std::span<const double> orders) const;

  /// `RunCost::joint` of the trade-off bound with another check, that of the ladder, for Gaussian
  /// noise. The ladder has the statistics of the query counts.
  [[nodiscard]] double joint(const AnswerTable& ladder, double order) const;

 private:
  struct Terms;
  [[nodiscard]] Terms terms(Bound bound, double order) const;

  const CostInputs& inputs_;
  unsigned threads_;
  std::vector<double> log_q_;        // that occur, increasing; of Gaussian noise
  std::vector<std::uint32_t> q_of_;  // by distinct query: which of these it has
};

}  // namespace pate
