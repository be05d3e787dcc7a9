#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "support/random.hpp"

namespace pate_test {

// So many distinct queries of 250 teachers, of some statistics from 150 on, that most lie in sets
// of queries with nearby q; -log q is from `smallest` to `largest`.
inline pate::QueryCounts crowded_queries(Random& random, int queries, int statistics,
                                         double smallest, double largest) {
  pate::QueryCounts result;
  result.teachers = 250;
  result.classes = 10;
  for (int i = 0; i < queries; ++i) {
    result.distinct.push_back({150 + random.integer(0, statistics - 1),
                               -random.log_uniform(smallest, largest), random.integer(1, 3), 0});
  }
  std::ranges::sort(result.distinct, {}, [](const pate::DistinctQuery& query) {
    return std::pair(query.statistic, query.log_q);
  });
  result.first_occurrence.push_back(0);
  for (pate::DistinctQuery& query : result.distinct) {
    query.answered = random.integer(0, query.count);
    result.queries += query.count;
    result.occurrences.push_back({static_cast<std::uint32_t>(random.integer(0, 1)),
                                  static_cast<std::uint32_t>(query.count),
                                  static_cast<std::uint32_t>(query.answered)});
    result.first_occurrence.push_back(result.occurrences.size());
  }
  result.run_queries = result.queries;
  result.checkpoints = {result.queries / 2, result.queries};
  return result;
}

/// Narrow cells of the q of these queries.
inline pate::QCells narrow_cells(const pate::QueryCounts& counts) {
  std::vector<double> log_q;
  for (const pate::DistinctQuery& query : counts.distinct) log_q.push_back(query.log_q);
  return pate::QCells(log_q, pate::QCells::Width::narrow);
}

}  // namespace pate_test
