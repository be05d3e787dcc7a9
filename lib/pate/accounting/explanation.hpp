#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/divergence/bounds/cost.hpp"

namespace pate {

/// What a step of a query costs as published.
struct PublishedStep {
  double rdp = 0.0;
  bool capped = false;             ///< it is the data-independent cost: the theorem gains nothing
  std::optional<double> mu1, mu2;  ///< orders of Proposition 10 of S18; Gaussian noise, 0 < q < 1
};

/// What one query costs at an order under one bound.
struct QueryBoundCost {
  Bound bound = Bound::data_independent;
  GuaranteeKind reading = GuaranteeKind::worst_case;
  double rdp = 0.0;
  std::optional<BothDirections> directions;  ///< exact only
  /// Published only: the cost is selection + Pr[answered] noisy_max.
  std::optional<PublishedStep> selection = {}, noisy_max = {};
};

/// By how many votes the count of a class changes.
struct ChangedCount {
  std::int64_t class_ = 0;
  std::int64_t votes = 0;  ///< not 0
};

/// The neighbour that attains a query's exact cost: a vote moved from a class to another, or, of
/// other neighbours than that, what changes.
struct WorstNeighbour {
  std::optional<std::int64_t> from, to;      ///< of one vote that moves
  std::vector<ChangedCount> changes;         ///< of others
  Direction direction = Direction::forward;  ///< the larger of the two
  std::vector<std::int32_t> histogram;
};

/// What one query costs, and why.
struct QueryExplanation {
  std::int64_t query = 0;  ///< row of the votes
  std::int64_t times = 0;  ///< how often the run asked it
  std::vector<std::int32_t> histogram;
  std::int64_t plurality = 0;
  std::optional<std::int64_t> statistic;           ///< what the threshold check compares
  std::optional<std::int64_t> votes_to_flip = {};  ///< PTR only: 1 more than the statistic
  double log_q = 0.0;                              ///< of the noisy maximum
  double answered = 1.0;                           ///< Pr[answered]
  std::vector<double> outcomes;       ///< Pr[label = class], given that there is an answer
  std::vector<QueryBoundCost> costs;  ///< at the order of the explanation, asked once; tilted
                                      ///< with Gaussian noise only
  std::optional<WorstNeighbour> worst_neighbour;
  double share_tradeoff = 0.0;  ///< of the run's joint trade-off cost at that order, asked once
  double share_exact = 0.0;     ///< of the run's exact cost
  /// Epsilon of the run by its privacy profile, had the query been asked once less; where that is
  /// known.
  std::optional<double> epsilon_without = {};
};

/// What `explain` finds.
struct Explanation {
  Mechanism aggregator;
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

/// Explains queries of a run, against the neighbours of its aggregator. Of PTR exact costs are
/// those of the test, the deltas being apart, and there are no epsilons by a profile. Throws
/// `parameter_error` for settings out of range and for neighbours that are not listed
/// (`ExactMechanism`), `input_error` where a row is not among the run's queries or there are none,
/// and what reading the votes throws.
[[nodiscard]] Explanation explain(const Run& run, const AccountSettings& settings,
                                  const ExplainedQueries& which);

}  // namespace pate
