#pragma once

#include <optional>

#include "pate/release/curve/curve_release.hpp"
#include "pate/release/public_release.hpp"

namespace pate {

/// How a number is to be released through a curve.
struct CurvePlanSettings : ReleaseTerms {
  std::optional<CurveCost> bound;  ///< unset: `default_cost`
  /// `public_inputs` and `released_labels` find the parameters, the latter s and beta alone; for
  /// others they are at hand.
  ParameterOrigin origin = ParameterOrigin::public_inputs;
  CurveParameters parameters;  ///< as far as they are at hand
};

/// All that such a release needs but the draw: the mechanism, which is public, and the place of the
/// run on its curve, which is private.
struct CurvePlan {
  ReleaseTerms terms;
  ParameterOrigin origin{};
  CurveMechanism mechanism;
  CurvePlace place;
  double run_delta = 0.0;     ///< of the run and of all that is told about it
  double earlier_cost = 0.0;  ///< of numbers told before, RDP at the order: part of every UB

  [[nodiscard]] const CurveParameters& parameters() const {
    return mechanism.settings().parameters;
  }
  /// What UB(0) of the run alone converts to at the order: the cost before it was released.
  [[nodiscard]] double epsilon_before() const;
  [[nodiscard]] bool uses_chosen_parameters() const { return terms.counts_chosen(); }
};

/// Finds the parameters, makes the curve, and the place of the run on it. An earlier number about
/// the same answers is part of what is released: its RDP at the order is added to every UB(d), so
/// that the new number speaks for all. Refusals depend on public inputs alone: `parameter_error`
/// for settings out of range and labels without `votes.has_decisions` or a selection,
/// `validity_error` as `CurveMechanism`, `cost_of_earlier` and `added_entries` do.
[[nodiscard]] CurvePlan curve_plan(const VoteProfile& votes, const CurvePlanSettings& settings,
                                   const CurveTableSource& source = {},
                                   const ProgressCallback& progress = {});

/// What `curve_plan` would publish on average with default parameters, the cost and reading of
/// `settings`; `coarse`: an estimate (`estimated_release`) where there is a quick one.
[[nodiscard]] ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes,
                                                    const CurvePlanSettings& settings,
                                                    bool coarse = false);

/// What is published of a plan that drew `drawn`.
[[nodiscard]] PublicRelease public_release(const VoteProfile& votes, const CurvePlan& plan,
                                           const CurveDraw& drawn);

}  // namespace pate
