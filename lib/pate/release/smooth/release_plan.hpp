#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate {

/// A number that was released from the same votes before.
struct EarlierRelease {
  double beta = 0.0;
  double sigma = 0.0;
  double k = 0.0;
  bool chosen_from_votes = false;  ///< these three, to suit the votes
};

/// How the epsilon of a release counts another entry of the ledger it goes into.
enum class Counted {
  same_answers,    ///< a labelling that gave the answers of this run: counted once, with the run
  noise,           ///< an earlier number about the same answers: what its noise cost
  added,           ///< its epsilon and delta are added
  within_another,  ///< by the epsilon of a later entry, about the same answers, that is added
};
template <>
inline constexpr std::array<Named<Counted>, 4> kNames<Counted>{{
    {Counted::same_answers, "same_answers"},
    {Counted::noise, "noise"},
    {Counted::added, "added"},
    {Counted::within_another, "within_another"},
}};

/// Another entry of the ledger. Nothing in it depends on the votes but what is public.
struct OtherEntry {
  std::int64_t line = 0;
  std::string kind;
  std::string time;
  Counted counted = Counted::added;
  double epsilon = 0.0;  ///< what is added
  double delta = 0.0;
  bool chosen_from_votes = false;  ///< parameters of a release
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
  /// Released about the same answers before: the new epsilon covers all of them.
  std::vector<EarlierRelease> earlier;
  /// All entries of the ledger, which the new epsilon counts; none without a ledger.
  std::optional<std::vector<OtherEntry>> ledger;
  unsigned threads = 0;  ///< 0: all processors; changes no bit of the result
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
  std::vector<EarlierRelease> earlier;
  double earlier_cost = 0.0;  ///< of the earlier releases, RDP at the order of this one
  std::optional<std::vector<OtherEntry>> ledger;
  double added_epsilon = 0.0;  ///< of entries of the ledger; sums are rounded upwards

  /// The epsilon of this run that a released RDP z stands for: z + c and the cost of earlier
  /// releases, converted at the order, at least 0.
  [[nodiscard]] double epsilon(double released_rdp) const;
  /// Whether any parameters were chosen from votes, here or where an entry is counted.
  [[nodiscard]] bool rests_on_chosen() const;
};

/// The safety factor k = Phi^-1(confidence), rounded upwards; 0 for confidence 1/2. Throws
/// `parameter_error` unless 1/2 <= confidence < 1. Unset is 1 - delta, but at least 1/2.
[[nodiscard]] double safety_factor(std::optional<double> confidence, double delta);

/// Computes f, its smooth sensitivity and the release cost, with the parameters given or with those
/// that make the mean published value smallest. Throws `parameter_error` for settings out of range,
/// `validity_error` where the cost, or that of an earlier release at this order, is not finite, and
/// where the deltas add up to 1 or more.
///
/// Entries of a ledger that are about other answers are added by sequential composition: with an
/// epsilon E_i(o) that is told with its output o, (E_i, delta_i) holds where the excess, the mean
/// of max(0, 1 - e^(E_i - loss)), is at most delta_i; since 1 - ab <= (1 - a) + (1 - b) for a, b in
/// [0, 1], excesses add up, also when a step depends on the outputs of those before.
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
  double epsilon = 0.0;      ///< of the run, and of all that it counts of the ledger
  double delta = 0.0;        ///< with the noise in E, and all that it counts
  double run_epsilon = 0.0;  ///< of the run and the numbers released about its answers alone
  double run_delta = 0.0;
  double confidence = 0.0;  ///< Phi(k)
  double order = 0.0;
  std::int64_t queries = 0;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::optional<std::int64_t> answered;  ///< with decisions only: it is public then
  Aggregator aggregator;
  ReleasedBound bound = ReleasedBound::tradeoff;
  ReleasedCost reading = ReleasedCost::joint;
  bool chosen_from_votes = false;  ///< parameters, here or where an entry is counted
  std::optional<std::vector<OtherEntry>> ledger;
  std::string statement;  ///< what the number means, in plain words
};

/// What a release promises: what its statement says, nothing where nothing was drawn or where the
/// parameters were chosen from the votes.
[[nodiscard]] Guarantee guarantee_of(const std::optional<PublicRelease>& published);

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
