#pragma once

#include <optional>

#include "pate/accounting/run.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/public_release.hpp"
#include "pate/release/smooth/release_cost.hpp"

namespace pate {

/// How a number is to be released with noise scaled to its smooth sensitivity.
struct ReleaseSettings : ReleaseTerms {
  /// Probability that the published epsilon is no failure of the release itself, Phi(k); unset is
  /// 1 - delta.
  std::optional<double> confidence;
  ReleasedBound bound = ReleasedBound::tradeoff;
  /// Fixed in advance; unset: chosen from the votes.
  std::optional<ReleaseParameters> parameters;
  /// The parameters given are not fixed in advance: a rehearsal on the same votes chose them.
  bool chosen_before = false;
};

/// All that a release needs but the draw. Private but for the parameters, k and largest_rdp.
struct ReleasePlan {
  ReleaseParameters parameters;
  bool chosen_from_votes = false;
  double delta = 0.0;
  double k = 0.0;
  double confidence = 0.0;   ///< at most Phi(k)
  double run_delta = 0.0;    ///< delta + 1 - confidence, rounded upwards
  double total_delta = 0.0;  ///< with the deltas that are added
  double rdp = 0.0;          ///< f
  double largest_rdp = 0.0;  ///< f_max
  ReleaseNumbers numbers;
  ReleaseTerms terms;
  double earlier_cost = 0.0;  ///< of the earlier releases, RDP at the order of this one

  /// The epsilon of this run that a released RDP z stands for: z + c and the cost of earlier
  /// releases, converted at the order, at least 0.
  [[nodiscard]] double epsilon(double released_rdp) const;
  /// Whether any parameters were chosen from votes, here or where an entry is counted.
  [[nodiscard]] bool uses_chosen_parameters() const;
};

/// The safety factor k = Phi^-1(confidence), rounded upwards; 0 for confidence 1/2. Throws
/// `parameter_error` unless 1/2 <= confidence < 1. Unset is 1 - delta, but at least 1/2.
[[nodiscard]] double safety_factor(std::optional<double> confidence, double delta);

/// Computes f, its smooth sensitivity and the release cost, with the parameters given or with those
/// that make the mean published value smallest. Throws `parameter_error` for settings out of range,
/// `validity_error` where the cost, or that of an earlier release at this order, is not finite, and
/// where the deltas add up to 1 or more.
[[nodiscard]] ReleasePlan release_plan(const VoteProfile& votes, const ReleaseSettings& settings);

/// The mean of what `release_plan` would publish, and its standard deviation: what a release of
/// this run can be expected to cost, for comparing settings of the aggregator. Private. With
/// `coarse` on a coarse grid of q: a few tenths of a per cent larger, and several times faster.
[[nodiscard]] ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes,
                                                    const ReleaseSettings& settings,
                                                    bool coarse = false);

/// What is published of a plan whose released RDP came out as `released_rdp`.
[[nodiscard]] PublicRelease public_release(const VoteProfile& votes,
                                           const ReleaseSettings& settings, const ReleasePlan& plan,
                                           double released_rdp);

/// The released RDP of a plan,
///
///     z = min(max(f + S sigma (k + N(0, 1)), 0), f_max), rounded up to a multiple of 2^-30,
///
/// from an exact normal deviate in exact arithmetic; S sigma is the double `noise_sd`. The grid and
/// f_max are the same for all votes, so that clamping and rounding give nothing away. The one thing
/// in this folder that costs privacy: every call releases a number.
[[nodiscard]] double draw_released_rdp(const ReleasePlan& plan, BitSource& source);

}  // namespace pate
