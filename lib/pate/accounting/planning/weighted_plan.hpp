#pragma once

#include <vector>

#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

/// A planned run whose votes will count by the weights of their teachers.
struct WeightedPlan {
  Plan plan;                        ///< of the heaviest teacher, and so of everybody
  std::vector<WeightCost> weights;  ///< what teachers of each weight pay, by weight, increasing
};

/// What a planned run costs at most whose votes count by weights (`WeightedRun`), whatever they
/// are: the costs for any votes that `account_weighted` has of as many queries, digit by digit.
///
/// `run` has its noise in votes of weight 1. A teacher of weight w pays what a run with noise
/// `noise / w` costs, both noises where there are two; what is divided is rounded down. The plan is
/// that of the heaviest teacher, told in its votes, with a notice that says so.
///
/// Throws `parameter_error` for PTR, one noise, samples of the teachers, other neighbours than one
/// teacher that votes otherwise, for a threshold check and more than kMaxThresholdUnits units; and
/// what `plan` throws.
[[nodiscard]] WeightedPlan plan_weighted(const PlannedRun& run, const TeacherWeights& weights,
                                         const PlanSettings& settings);

/// As `solve`, for the heaviest teacher: the smallest noise, told in votes of weight 1, or the
/// largest number of queries or answers, with which it pays at most `epsilon`, and so everybody.
/// `plan_weighted` of the value found gives the same plan. Throws what these two throw.
[[nodiscard]] WeightedPlan solve_weighted(PlannedRun run, const TeacherWeights& weights,
                                          const PlanSettings& settings, PlanParameter parameter,
                                          double epsilon);

/// Whether votes count by weights in a plan, which has a notice then.
[[nodiscard]] bool has_weights(const Plan& plan);

}  // namespace pate
