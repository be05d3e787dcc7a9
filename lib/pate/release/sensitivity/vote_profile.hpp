#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// A run boiled down to its distinct queries, with the histograms themselves: what a cost is worth
/// on neighbours, and on their neighbours, depends on more than v and q. In a canonical order, so
/// that neither threads nor the order of queries changes a bit of what is computed from it.
struct VoteProfile {
  struct Query {
    std::int64_t statistic = 0;  ///< v; 0 without a selection
    double log_q = 0.0;          ///< of the noisy maximum
    std::int64_t count = 0;
    std::int64_t answered = 0;  ///< of these, answered in the run (with decisions)
  };

  Aggregator aggregator;
  Neighbours neighbours;  ///< between whom costs are asked for
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;
  std::int64_t answered = 0;  ///< with decisions
  bool has_decisions = false;
  std::vector<Query> distinct;  ///< by statistic, then histogram

  /// The same run without its queries.
  [[nodiscard]] VoteProfile without_queries() const;
  /// Adds a query: its histogram in decreasing order, of which zeros may be left out.
  void add(const Query& query, std::span<const std::int32_t> histogram);
  /// The counts of a query that are not zero, in decreasing order, and all of them.
  [[nodiscard]] std::span<const std::int32_t> voted(std::size_t i) const;
  [[nodiscard]] std::vector<std::int32_t> histogram(std::size_t i) const;

 private:
  std::vector<std::int32_t> counts_;  // that are not zero, query after query
  std::vector<std::size_t> ends_;
};

}  // namespace pate
