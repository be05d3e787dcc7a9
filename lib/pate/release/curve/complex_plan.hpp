#pragma once

#include <cstdint>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/curve/complex_curve.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/public_release.hpp"

namespace pate {

/// How a number is to be released through a curve by complex orders. Everything here is public.
struct ComplexPlanSettings : ReleaseTerms {
  /// `public_inputs` finds the parameters; for others they are at hand.
  ParameterOrigin origin = ParameterOrigin::public_inputs;
  ComplexParameters parameters;
};

/// All that such a release needs but the draw: the curve, which is public, and the index of the
/// run, which is private.
struct ComplexPlan {
  ReleaseTerms terms;
  ParameterOrigin origin{};
  ComplexParameters parameters;
  ComplexCurve curve;
  std::int64_t index = 0;
  /// What runs within d teachers certify, d = 0 .. M. Private.
  std::vector<double> epsilon_at;

  [[nodiscard]] PublishedMoments published() const { return curve.published(index); }
  /// The cost of the run alone, before it is told. Private.
  [[nodiscard]] double epsilon_before() const { return epsilon_at.front(); }
  [[nodiscard]] bool uses_chosen_parameters() const { return terms.counts_chosen(); }
  /// Draws the index with its noise. The one thing here that costs privacy.
  [[nodiscard]] CurveDraw draw(BitSource& source) const;
};

/// Finds the parameters, makes the curve, and the index of the run on it: for lists of queries that
/// were fixed beforehand. Refusals depend on public inputs alone: `parameter_error` for settings
/// out of range, a reading other than joint, a run without complex moments, and numbers told before
/// about the same answers, whose noise may have depended on them; `validity_error` as
/// `complex_curve` and `added_entries` do.
[[nodiscard]] ComplexPlan complex_plan(const VoteProfile& votes,
                                       const ComplexPlanSettings& settings,
                                       const CurveTableSource& source = {},
                                       const ProgressCallback& progress = {});

/// What is published of a plan that drew `drawn`.
[[nodiscard]] PublicRelease public_release(const VoteProfile& votes, const ComplexPlan& plan,
                                           const CurveDraw& drawn);

}  // namespace pate
