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
/// query's cost with a proof, rounded outwards, and a sum over the run at most 1e-7 above that of
/// the bounds, so that it is one whatever an interpolation does. An order of Gaussian noise costs
/// some microseconds a q that is far from others, of very many q some nanoseconds each.
class DirectCosts {
 public:
  /// The inputs must outlive this. `threads` (0: all processors) changes no bit.
  DirectCosts(const CostInputs& inputs, unsigned threads);

  /// The costs under `bound` (published or tradeoff) at an order > 1.
  [[nodiscard]] RunCost at(Bound bound, double order) const;
  [[nodiscard]] std::vector<RunCost> at(Bound bound, std::span<const double> orders) const;
  /// RDP under a reading after each checkpoint of the query counts. What is not close in a sum over
  /// all queries may be less so in one over the first ones.
  [[nodiscard]] std::vector<double> at_checkpoints(Bound bound, GuaranteeKind reading,
                                                   double order) const;

  /// `RunCost::joint` of the trade-off bound with another check, that of the ladder, for Gaussian
  /// noise. The ladder has the statistics of the query counts.
  [[nodiscard]] double joint(const AnswerTable& ladder, double order) const;

 private:
  struct Terms;
  [[nodiscard]] Terms terms(Bound bound, double order) const;
  [[nodiscard]] double check_cost(const Terms& terms, std::int64_t statistic, double order) const;

  const CostInputs& inputs_;
  unsigned threads_;
  std::vector<double> log_q_;        // that occur, increasing; of Gaussian noise
  std::vector<double> weights_;      // how many of its queries are answered, by q
  std::vector<std::uint32_t> q_of_;  // by distinct query: which of these it has
};

}  // namespace pate
