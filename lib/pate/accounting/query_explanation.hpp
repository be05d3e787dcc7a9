#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/exact_mechanism.hpp"
#include "pate/mechanisms/stability_test.hpp"

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

/// The run that an explained query is of, and the order at which costs are told.
struct ExplainedRun {
  const Run& run;
  double order = 0.0;
  double tradeoff = 0.0;  ///< joint RDP at the order
  BothDirections exact;   ///< exact RDP at the order
};

/// What a query costs that the run asks `times`, against the neighbours of its aggregator. Throws
/// what reading the votes throws.
[[nodiscard]] QueryExplanation explain_query(const ExplainedRun& about,
                                             const ExactMechanism& mechanism, std::int64_t row,
                                             std::int64_t times);

/// The same of PTR.
[[nodiscard]] QueryExplanation explain_tested_query(const ExplainedRun& about, std::int64_t row,
                                                    std::int64_t times);

/// What the test of a query of PTR costs: the neighbours that differ in its statistic q have one
/// less or one more.
struct TestedCosts {
  BothDirections less, more;  ///< 0 where there is no such neighbour

  [[nodiscard]] BothDirections most_costly() const;
};
[[nodiscard]] TestedCosts tested_costs(const StabilityTest& test, std::int64_t q,
                                       const StabilityMoves& moves, double order);

}  // namespace pate
