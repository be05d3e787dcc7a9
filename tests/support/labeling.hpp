#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"

namespace pate::test {

/// Votes from the numbers of a test, row-major.
inline std::unique_ptr<VoteSource> votes_of(std::int64_t queries, std::int64_t classes,
                                            const std::vector<std::int64_t>& counts) {
  return std::make_unique<CountVotes>(
      npy_table(npy_array<std::int64_t>({queries, classes}, counts)));
}

inline std::unique_ptr<StudentScores> scores_of(std::int64_t queries, std::int64_t classes,
                                                const std::vector<double>& scores) {
  return std::make_unique<StudentScores>(npy_table(npy_array<double>({queries, classes}, scores)),
                                         queries, classes);
}

inline Aggregator gnmax(double sigma2) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma2};
  return aggregator;
}

inline Aggregator lnmax(double scale) {
  Aggregator aggregator;
  aggregator.noisy_max = LaplaceNoisyMax{scale};
  return aggregator;
}

inline Aggregator confident(double threshold, double sigma1, double sigma2) {
  Aggregator aggregator = gnmax(sigma2);
  aggregator.selection = ThresholdCheck{threshold, sigma1};
  return aggregator;
}

inline Aggregator interactive(double threshold, double sigma1, double sigma2) {
  Aggregator aggregator = confident(threshold, sigma1, sigma2);
  aggregator.interactive = true;
  return aggregator;
}

/// What costs of the mechanism are asked for between these neighbours.
inline CostedMechanism protecting(const Mechanism& mechanism, const Neighbours& neighbours) {
  return {mechanism, neighbours};
}

/// A run of all queries of the votes, without files beside them.
inline Run run_of(const VoteSource& votes, const Mechanism& aggregator,
                  const StudentScores* student = nullptr) {
  return {votes, RowSelection::all(votes.queries()), aggregator, {}, student, {}, {}};
}

inline Run run_of(const VoteSource& votes, const CostedMechanism& costed,
                  const StudentScores* student = nullptr) {
  return {
      votes, RowSelection::all(votes.queries()), costed.mechanism, costed.neighbours, student, {},
      {}};
}

}  // namespace pate::test
