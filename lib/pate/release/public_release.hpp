#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/release/release_plan.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate {

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
