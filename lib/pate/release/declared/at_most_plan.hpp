#pragma once

#include <cstddef>
#include <optional>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/at_most_claim.hpp"
#include "pate/release/public_release.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// How a claim of a run is to be tested. Everything here is public.
struct AtMostSettings : ReleaseTerms {
  double claim = 0.0;
  /// Of a certificate by Renyi orders; unset: `default_cost`.
  std::optional<CurveCost> bound;
  /// Unset: `default_certificate`, and that by Renyi orders where there is a `bound`.
  std::optional<Certificate> certificate = {};
};

/// All that such a release needs but the coin: the claim and its test, which are public, and the
/// level of the run, which is private.
struct AtMostPlan {
  ReleaseTerms terms;
  AtMostClaim claim;
  CurveCost cost = CurveCost::tilted;
  std::size_t level = 0;
  Neighbours neighbours = {};  ///< whom the claim is for

  [[nodiscard]] const PassLadder& ladder() const { return claim.test().ladder(); }
  [[nodiscard]] double pass_probability() const { return ladder().pass(level); }
  /// What is said on average. Private.
  [[nodiscard]] double mean_published() const;
  /// A pure epsilon of whether the test passes, labels aside: levels of neighbours differ by one.
  [[nodiscard]] double telling_epsilon() const;
  [[nodiscard]] bool uses_chosen_parameters() const { return terms.counts_chosen(); }
};

/// Makes the test of a claim, and finds the level of the run. Refusals depend on public inputs
/// alone: `parameter_error` for settings out of range, `validity_error` for a claim that could not
/// pass with probability 1/2 if the run cost nothing, and for one that is not below what is said
/// where the test does not pass.
[[nodiscard]] AtMostPlan at_most_plan(const VoteProfile& votes, const AtMostSettings& settings,
                                      const CurveTableSource& source = {},
                                      const ProgressCallback& progress = {});

/// What is published where the test passed, or did not.
[[nodiscard]] PublicRelease public_release(const VoteProfile& votes, const AtMostPlan& plan,
                                           bool passed);

}  // namespace pate
