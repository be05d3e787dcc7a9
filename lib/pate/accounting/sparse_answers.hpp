#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// What a run of PTR's sparse form is expected to answer.
struct SparseAnswers {
  std::vector<double> answered;  ///< by query: the probability that it is asked and answered
  double expected = 0.0;         ///< answers of the run
  double sd = 0.0;               ///< their standard deviation
  double refusals = 0.0;         ///< expected
};

/// Goes through the stabilities of a run's queries, in their order, with the probability of being
/// in each round with each noise of its threshold: a query is answered with Pr[q + its noise >=
/// threshold with its noise], and a refusal begins a new round with fresh noise. A quadrature
/// over the noise: absolute errors below 1e-6 a query; rounds of less probability than 1e-15 are
/// left out. Time grows with queries times rounds that are likely at a time.
[[nodiscard]] SparseAnswers sparse_answers(const StabilityTest& test,
                                           std::span<const std::int64_t> stabilities);

/// The stabilities of a run's queries, in their order; reads its votes.
[[nodiscard]] std::vector<std::int64_t> stabilities_of(const Run& run);

/// Reads the run's votes once more for its answers, by the above (and by decisions, where there are
/// some), and for its utility, where there are labels. Throws `input_error` for an answer after as
/// many refusals as end the run.
void fill_sparse_answers(const Run& run, Account& account);

}  // namespace pate
