#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/count_distinct.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// All that the utility of a run depends on, and how often it occurs; adds up over shards.
struct UtilityTally {
  /// Queries that are answered and answered rightly with the same probability.
  struct Kind {
    double right = 0.0;          ///< Pr[output = label], given that it is answered
    std::int64_t statistic = 0;  ///< v; 0 without a selection
    std::int64_t count = 0;

    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  std::vector<Kind> kinds;  ///< in order of `right`, then `statistic`, all different
  std::int64_t plurality_right = 0;
  std::int64_t queries = 0;
};

/// The key of what the utility tells apart; throws `parameter_error` without labels.
[[nodiscard]] QueryKey label_key(const Run& run);

/// The tally of queries that were counted under `label_key`. Exact integrals, no sampling; relative
/// accuracy of `right` 1e-10.
[[nodiscard]] UtilityTally utility_tally(const Aggregator& aggregator,
                                         const DistinctQueries& counted, unsigned threads);

/// The tally of all shards together.
[[nodiscard]] UtilityTally merge(std::span<const UtilityTally> shards);

/// How often the released labels of a run with known true labels are right:
///
///     expected_accuracy  = sum_x Pr[answered_x] Pr[output_x = label_x] / sum_x Pr[answered_x]
///     plurality_accuracy = share of the queries whose plurality (lowest class on ties) is the
///     label
///
/// NaN for a run without queries. Independent of threads and shards, bit for bit.
[[nodiscard]] Utility utility(const UtilityTally& tally, const Aggregator& aggregator);

/// The same from the run itself, which it reads once. Throws `parameter_error` without labels, and
/// what reading the votes throws.
[[nodiscard]] Utility utility(const Run& run, unsigned threads);

/// The selection statistic of a query (0 without a selection) and the probability that its released
/// label is right if it is answered.
struct LabelledQuery {
  std::int64_t statistic = 0;
  double right = 0.0;
};

/// Of every query of the run, in the order of the selection; relative accuracy 1e-10. Throws like
/// `utility`.
[[nodiscard]] std::vector<LabelledQuery> labelled_queries(const Run& run, unsigned threads);

}  // namespace pate
