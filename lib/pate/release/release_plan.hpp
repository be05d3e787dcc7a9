#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/release/release_cost.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate {

/// A number that was released from the same votes before.
struct EarlierRelease {
  double beta = 0.0;
  double sigma = 0.0;
  double k = 0.0;
  bool chosen_from_votes = false;  ///< these three, to suit the votes
};

/// How a number is to be released.
struct ReleaseSettings {
  double delta = 0.0;
  /// Probability that the published epsilon is no failure of the release itself, Phi(k); unset is
  /// 1 - delta.
  std::optional<double> confidence;
  ReleasedBound bound = ReleasedBound::tradeoff;
  ReleasedCost cost = ReleasedCost::joint;
  /// Fixed in advance; unset: chosen from the votes.
  std::optional<ReleaseParameters> parameters;
  /// The parameters given are not fixed in advance: a rehearsal on the same votes chose them.
  bool chosen_before = false;
  /// Released from the same votes before: the new epsilon covers all of them.
  std::vector<EarlierRelease> earlier;
  unsigned threads = 0;  ///< 0: all processors; changes no bit of the result
};

/// All that a release needs but the draw. Private but for the parameters, k and largest_rdp.
struct ReleasePlan {
  ReleaseParameters parameters;
  bool chosen_from_votes = false;
  double delta = 0.0;
  double k = 0.0;
  double confidence = 0.0;   ///< at most Phi(k)
  double total_delta = 0.0;  ///< delta + 1 - confidence, rounded upwards
  double rdp = 0.0;          ///< f
  double largest_rdp = 0.0;  ///< f_max
  ReleaseNumbers numbers;
  std::vector<EarlierRelease> earlier;
  double earlier_cost = 0.0;  ///< of the earlier releases, RDP at the order of this one

  /// The epsilon that a released RDP z stands for: z + c and the cost of earlier releases,
  /// converted at the order, at least 0.
  [[nodiscard]] double epsilon(double released_rdp) const;
};

/// The safety factor k = Phi^-1(confidence), rounded upwards; 0 for confidence 1/2. Throws
/// `parameter_error` unless 1/2 <= confidence < 1. Unset is 1 - delta, but at least 1/2.
[[nodiscard]] double safety_factor(std::optional<double> confidence, double delta);

/// Computes f, its smooth sensitivity and the release cost, with the parameters given or with those
/// that make the mean published value smallest. Throws `parameter_error` for settings out of range,
/// `validity_error` where the cost, or that of an earlier release at this order, is not finite.
[[nodiscard]] ReleasePlan release_plan(const VoteProfile& votes, const ReleaseSettings& settings);

/// The mean of what `release_plan` would publish, and its standard deviation: what a release of
/// this run can be expected to cost, for comparing settings of the aggregator. Private. With
/// `coarse` on a coarse grid of q: a few tenths of a per cent larger, and several times faster.
struct ReleasedEpsilon {
  double mean = 0.0;
  double sd = 0.0;
  ReleaseParameters parameters;
};
[[nodiscard]] ReleasedEpsilon mean_released_epsilon(const VoteProfile& votes,
                                                    const ReleaseSettings& settings,
                                                    bool coarse = false);

/// An epsilon that may be published, and all that may be published beside it.
struct PublicRelease {
  double epsilon = 0.0;
  double delta = 0.0;       ///< of the run and of the release
  double confidence = 0.0;  ///< Phi(k)
  double order = 0.0;
  std::int64_t queries = 0;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::optional<std::int64_t> answered;  ///< with decisions only: it is public then
  Aggregator aggregator;
  ReleasedBound bound = ReleasedBound::tradeoff;
  ReleasedCost reading = ReleasedCost::joint;
  bool chosen_from_votes = false;
  std::string statement;  ///< what the number means, in plain words
};

template <>
inline constexpr std::array<Named<ReleasedBound>, 2> kNames<ReleasedBound>{{
    {ReleasedBound::tradeoff, "tradeoff"},
    {ReleasedBound::exact, "exact"},
}};
template <>
inline constexpr std::array<Named<ReleasedCost>, 2> kNames<ReleasedCost>{{
    {ReleasedCost::joint, "joint"},
    {ReleasedCost::realized, "realized"},
}};

/// "fixed" or "chosen from the votes".
[[nodiscard]] std::string_view parameters_name(bool chosen_from_votes);

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
