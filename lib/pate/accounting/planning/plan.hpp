#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// A run that is yet to come: its noise, how many queries it may put to the ensemble and how many
/// of them may be answered. Without votes a threshold changes no cost, and is no part of it.
struct PlannedRun {
  std::optional<double> sigma2;         ///< Gaussian noise of the maximum, in votes
  std::optional<double> sigma1;         ///< of the threshold check; goes with sigma2
  std::optional<double> laplace_scale;  ///< Laplace noise instead
  /// Laplace noise is one noise on one of two counts (`OneLaplaceNoise`).
  bool one_noise = false;
  std::int64_t queries = 0;
  /// The run stops after so many answers; none: every query may be answered. Needs sigma1.
  std::optional<std::int64_t> max_answers;
  /// PTR instead: epsilon or sigma of its test, and the delta of a query.
  std::optional<double> ptr_laplace, ptr_sigma, ptr_delta;
  /// Its sparse form instead: epsilon of a round or, with Gaussian noise, sigma of a query; with
  /// ptr_delta, and how many rounds at most.
  std::optional<double> ptr_sparse, ptr_sparse_sigma;
  std::optional<std::int64_t> max_refusals;
  /// Whose costs are asked for.
  Neighbours neighbours = {};
  /// Every query is answered by a sample (`SampledGaussian`).
  std::optional<Sampling> sampling = {};

  /// How many queries are answered at most.
  [[nodiscard]] std::int64_t answers() const;
  /// The noise of the maximum; none of PTR.
  [[nodiscard]] std::optional<NoisyMax> noisy_max() const;
  /// PTR, where it is that. Throws `parameter_error` for parameters out of range.
  [[nodiscard]] std::optional<StabilityTest> tested() const;
  /// A query, where samples answer.
  [[nodiscard]] std::optional<SampledGaussian> sampled() const;
};

/// More queries than anybody asks; up to here counts and costs keep all their digits.
inline constexpr std::int64_t kMaxPlannedQueries = 1'000'000'000;

/// Throws `parameter_error` for noise that is missing, contradictory or out of range, and unless
/// 1 <= queries <= kMaxPlannedQueries and max_answers >= 1; for samples unless the noise is
/// Gaussian, every query may be answered, and the neighbours are those of the sample.
void validate(const PlannedRun& run);

/// The parameter a plan can be solved for.
enum class PlanParameter {
  sigma2,
  sigma1,
  laplace_scale,
  ptr_sigma,
  ptr_sparse_sigma,
  queries,
  max_answers,
  max_refusals,
  teacher_weights  ///< of groups with budgets: `weights_for_budgets`
};
template <>
inline constexpr std::array<Named<PlanParameter>, 9> kNames<PlanParameter>{{
    {PlanParameter::sigma2, "sigma2"},
    {PlanParameter::sigma1, "sigma1"},
    {PlanParameter::laplace_scale, "laplace_scale"},
    {PlanParameter::ptr_sigma, "ptr_sigma"},
    {PlanParameter::ptr_sparse_sigma, "ptr_sparse_sigma"},
    {PlanParameter::queries, "queries"},
    {PlanParameter::max_answers, "max_answers"},
    {PlanParameter::max_refusals, "max_refusals"},
    {PlanParameter::teacher_weights, "teacher_weights"},
}};

/// What a calibration found.
struct Solved {
  PlanParameter parameter = PlanParameter::sigma2;
  double value = 0.0;
  double epsilon = 0.0;  ///< the target
};

/// What a planned run costs at most.
struct Plan {
  PlannedRun run;
  double delta = 0.0;
  MechanismCounts steps;
  std::vector<double> orders;
  std::vector<QueryCost> rdp;  ///< of all steps, at the orders
  std::vector<CostEntry> costs;
  std::size_t headline = 0;  ///< index in costs
  std::optional<Solved> solved;
  std::vector<Notice> notices;
};

/// What the headline of a plan promises.
[[nodiscard]] Guarantee guarantee_of(const Plan& plan);

struct PlanSettings {
  double delta = 0.0;
  /// The headline; unset is the smallest epsilon.
  std::optional<EpsilonMethod> conversion;
  /// Restricts orders to these; unset is the default grid and the continuum.
  std::optional<std::vector<double>> orders;
};

/// The costs of a planned run that hold for every votes, whatever is answered: every query pays the
/// threshold check, and at most `answers()` pay the noisy maximum. Every epsilon is an upper bound,
/// rounded outwards by less than 1e-9 relative.
///
/// Beside ours, of k answers with Laplace noise what S17 prints, which holds but is never smaller:
///
///     moments   min over l = 1..8 of ( 2 gamma^2 k l (l + 1) + log(1/delta) ) / l    (Theorem 2)
///     strong    4 k gamma^2 + 2 gamma sqrt(2 k log(1/delta))                      (after Theorem
///     2)
///
/// Throws `parameter_error` for a run or settings out of range, and where the conversion does not
/// apply to the noise.
[[nodiscard]] Plan plan(const PlannedRun& run, const PlanSettings& settings);

/// The smallest noise, or the largest number of queries or answers, with which the headline of
/// plan(run, settings) is at most `epsilon`:
///
///     sigma2, sigma1, laplace_scale,  smallest value, within 1e-9 relative
///     ptr_sigma, ptr_sparse_sigma
///     queries, max_answers,           largest value, at most kMaxPlannedQueries (and, for answers
///     max_refusals                    and refusals, the number of queries)
///
/// Where samples of the teachers answer the value is within 1e-3 relative: their profile takes
/// long.
///
/// The parameter's own value in `run` is not read. The result is the plan with the value found,
/// with `solved` filled in; its headline never exceeds `epsilon`, and plugging the value back in
/// gives the same plan. A notice tells where a limit of the value was reached instead of the
/// target.
///
/// Throws `parameter_error` where the run has no such parameter, for weights of teachers, which
/// have a budget for each group, where epsilon is not finite and >= 0, and `validity_error` where
/// no value keeps the target.
[[nodiscard]] Plan solve(PlannedRun run, const PlanSettings& settings, PlanParameter parameter,
                         double epsilon);

}  // namespace pate
