#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/count_distinct.hpp"
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
struct Tally {
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

/// The tally of a run, or of its shard, from its queries as counted under `cost_key`; its
/// checkpoints are those of the whole run that lie in it, and its end.
[[nodiscard]] Tally tally_of(const Run& run, DistinctQueries counted);

/// Reads the votes of the run once and counts; throws and takes memory as `count_distinct` does.
[[nodiscard]] Tally tally(const Run& run, unsigned threads);

/// The tally of a run from those of all its shards, in any order: the same, to the last bit, as
/// `tally` of the whole run. Throws `parameter_error` unless the shards are of one run and their
/// queries add up to all of it.
[[nodiscard]] Tally merge(std::span<const Tally> shards);

}  // namespace pate
