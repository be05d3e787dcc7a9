#pragma once

#include "pate/planning/plan.hpp"

namespace pate {

/// The smallest noise, or the largest number of queries or answers, with which the headline of
/// plan(run, settings) is at most `epsilon`:
///
///     sigma2, sigma1, laplace_scale   smallest value, within 1e-9 relative
///     queries, max_answers            largest value, at most kMostPlannedQueries (and, for
///     answers,
///                                     the number of queries)
///
/// The parameter's own value in `run` is not read. The result is the plan with the value found,
/// with `solved` filled in; its headline never exceeds `epsilon`, and plugging the value back in
/// gives the same plan. A notice tells where a limit of the value was reached instead of the
/// target.
///
/// Throws `parameter_error` where the run has no such parameter or epsilon is not finite and >= 0,
/// and `validity_error` where no value keeps the target.
[[nodiscard]] Plan solve(PlannedRun run, const PlanSettings& settings, PlanParameter parameter,
                         double epsilon);

}  // namespace pate
