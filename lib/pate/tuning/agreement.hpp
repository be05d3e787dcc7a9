#pragma once

#include <cstdint>
#include <vector>

#include "pate/accounting/query_counts.hpp"

namespace pate {

/// Queries with one selection statistic (0 without a selection), and how many of them are expected
/// to get the plurality for a label if all are answered.
struct AgreeingQueries {
  std::int64_t statistic = 0;
  double agreeing = 0.0;
};

/// The agreement of the queries of a run, which were counted under `sorted_histogram`: by
/// statistic, increasing; `plurality_probability` of each of them, summed in canonical order, so
/// that threads change no bit.
[[nodiscard]] std::vector<AgreeingQueries> agreement_of(const NoisyMax& noisy_max,
                                                        std::int64_t classes,
                                                        const DistinctQueries& counted,
                                                        unsigned threads);

/// The same for every query by itself, in the order of the selection; counted `by_query`.
[[nodiscard]] std::vector<AgreeingQueries> agreement_by_query(const NoisyMax& noisy_max,
                                                              std::int64_t classes,
                                                              const DistinctQueries& counted,
                                                              unsigned threads);

/// The expected number of answers of the aggregator that are the plurality.
[[nodiscard]] double expected_agreeing(const Aggregator& aggregator,
                                       const std::vector<AgreeingQueries>& agreement);

}  // namespace pate
