#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/run.hpp"
#include "pate/base/parallel/parallel_for.hpp"

namespace pate {

/// What one shard contributes to the report of its run. From those of all shards the run is
/// accounted as if it had never been cut: counts, and of single teachers exact sums.
struct Partials {
  Shard shard = {};
  QueryCounts query_counts;
  bool has_decisions = false;
  std::optional<UtilityCounts> utility = {};  ///< with labels
  std::optional<ExactPartials> exact = {};    ///< with exact costs
};

/// The shards of one run together, in any order. Throws `parameter_error` unless their queries add
/// up to a run, and where teachers or orders differ.
[[nodiscard]] Partials merge(std::span<const Partials> shards);

/// A run that was read: what it contributes, and what stays in memory.
struct CountedRun {
  Partials partials;
  /// Position in `partials.exact->distinct` of every query; with `by_query`.
  std::vector<std::uint32_t> distinct_of_query;
  std::unique_ptr<TeacherVotes> teachers;  ///< exact costs of predictions
};

struct RunCounting {
  unsigned threads = 0;            ///< 0: all processors; changes nothing of the result
  ProgressCallback progress = {};  ///< queries that were read
  /// The run's, for the exact costs, or null. It and the run must outlive the result.
  const ExactMechanism* exact = nullptr;
  bool by_query = false;  ///< with `exact`: fill in `distinct_of_query`, not `teachers`
};

/// Reads the votes of a run, or of its shard, once, and counts all that accounts are made of: the
/// query counts, with labels the utility, and with `exact` the distinct queries and the teachers'
/// votes; `partials.exact` has no sums of teachers yet. Throws and takes memory as `count_distinct`
/// and `TeacherVotes` do.
[[nodiscard]] CountedRun count_run(const Run& run, const RunCounting& counting);

}  // namespace pate
