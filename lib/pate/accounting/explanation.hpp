#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/query_explanation.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/divergence/bounds/cost.hpp"

namespace pate {

/// What `explain` finds.
struct Explanation {
  Mechanism aggregator;
  Neighbours neighbours;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t run_queries = 0;
  CostEntry headline;         ///< of the run
  double order = 0.0;         ///< at which costs are told: the headline's, where it has one
  double run_tradeoff = 0.0;  ///< joint RDP of the run at the order
  BothDirections run_exact;   ///< exact RDP of the run at the order
  /// Epsilon of the run by its privacy profile, on the coarse grid that all of these are on.
  std::optional<double> run_profile = {};
  std::vector<QueryExplanation> queries;
  std::vector<Notice> notices;
};

/// Which queries to explain: rows of the votes, or the `top` most costly ones by their exact cost,
/// the most costly first (rows that cost the same in the order of their numbers).
struct ExplainedQueries {
  std::vector<std::int64_t> rows;
  std::int64_t top = 0;
};

/// Explains queries of a run, against its neighbours. Of PTR exact costs are
/// those of the test, the deltas being apart, and there are no epsilons by a profile. Throws
/// `parameter_error` for settings out of range and for neighbours that are not listed
/// (`ExactMechanism`), `input_error` where a row is not among the run's queries or there are none,
/// and what reading the votes throws.
[[nodiscard]] Explanation explain(const Run& run, const AccountSettings& settings,
                                  const ExplainedQueries& which);

}  // namespace pate
