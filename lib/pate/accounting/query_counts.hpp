#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/count_distinct.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// All that the cost of a query depends on, and how often it occurs in a run.
struct DistinctQuery {
  std::int64_t statistic = 0;  ///< v; 0 without a selection
  double log_q = 0.0;          ///< of the noisy maximum
  std::int64_t count = 0;
  std::int64_t answered = 0;  ///< of these, answered in the run (with decisions)
};

/// A run boiled down to its distinct cost inputs in a canonical order (statistic, then log q):
/// every sum over queries runs over these, so that threads, shards and the order of queries change
/// no bit.
struct QueryCounts {
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;
  /// Of a shard: the queries of the whole run, and which of its checkpoints is the first here.
  std::int64_t run_queries = 0;
  std::size_t first_checkpoint = 0;
  std::vector<DistinctQuery> distinct;

  /// Numbers of queries after which the trajectory is told, increasing; the last is `queries`.
  std::vector<std::int64_t> checkpoints;
  /// The occurrences of distinct query i are occurrences[first_occurrence[i]] up to, not including,
  /// occurrences[first_occurrence[i + 1]].
  std::vector<std::size_t> first_occurrence;
  std::vector<Occurrence> occurrences;

  [[nodiscard]] std::span<const Occurrence> occurrences_of(std::size_t i) const;
};

/// The key of what the bounds tell apart: statistic and log q. Coarse: few of them, however long
/// the run.
[[nodiscard]] QueryKey cost_key(const Run& run);

/// The query counts of a run, or of its shard, from its queries as counted under `cost_key`; its
/// checkpoints are those of the whole run that lie in it, and its end.
[[nodiscard]] QueryCounts query_counts_of(const Run& run, DistinctQueries counted);

/// Reads the votes of the run once and counts; throws and takes memory as `count_distinct` does.
[[nodiscard]] QueryCounts count_queries(const Run& run, unsigned threads);

/// The query counts of a run from those of all its shards, in any order: the same, to the last bit,
/// as `count_queries` of the whole run. Throws `parameter_error` unless the shards are of one run
/// and their queries add up to all of it.
[[nodiscard]] QueryCounts merge(std::span<const QueryCounts> shards);

/// Throws `parameter_error` without a student and unless `above` is in [0, 1].
void validate_reinforcement(const Run& run, double above);

/// How many refused queries are expected to get the student's own label (S18, Algorithm 2, line 4):
///
///     sum_x (1 - Pr[answered_x]) [ max_j p_j > above ],    p the student's scores
///
/// of the queries of the run's shard. Throws as `validate_reinforcement`. Independent of threads,
/// bit for bit; relative accuracy 1e-13.
[[nodiscard]] double expected_reinforced(const Run& run, double above);

/// All that the utility of a run depends on, and how often it occurs; adds up over shards.
struct UtilityCounts {
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

/// The query counts of queries that were counted under `label_key`. Exact integrals, no sampling;
/// relative accuracy of `right` 1e-10.
[[nodiscard]] UtilityCounts count_utility(const Mechanism& aggregator,
                                          const DistinctQueries& counted, unsigned threads);

/// The query counts of all shards together.
[[nodiscard]] UtilityCounts merge(std::span<const UtilityCounts> shards);

/// How often the released labels of a run with known true labels are right:
///
///     expected_accuracy  = sum_x Pr[answered_x] Pr[output_x = label_x] / sum_x Pr[answered_x]
///     plurality_accuracy = share of the queries whose plurality (lowest class on ties) is the
///     label
///
/// NaN for a run without queries. Independent of threads and shards, bit for bit.
[[nodiscard]] Utility utility(const UtilityCounts& query_counts, const Mechanism& aggregator);

/// The selection statistic of a query (0 without a selection) and the probability that its released
/// label is right if it is answered.
struct LabelledQuery {
  std::int64_t statistic = 0;
  double right = 0.0;
};

/// Of every query of a run that was counted under `label_key` by query, in the order of the
/// selection; relative accuracy 1e-10.
[[nodiscard]] std::vector<LabelledQuery> labelled_queries(const Mechanism& aggregator,
                                                          const DistinctQueries& counted,
                                                          unsigned threads);

}  // namespace pate
