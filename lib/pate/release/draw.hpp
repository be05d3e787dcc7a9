#pragma once

#include "pate/release/release_plan.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate {

/// The released RDP of a plan,
///
///     z = min(max(f + S sigma (k + N(0, 1)), 0), f_max), rounded up to a multiple of 2^-30,
///
/// from an exact normal deviate in exact arithmetic; S sigma is the double `noise_sd`. The grid and
/// f_max are the same for all votes, so that clamping and rounding give nothing away. The one thing
/// in this folder that costs privacy: every call releases a number.
[[nodiscard]] double draw_released_rdp(const ReleasePlan& plan, BitSource& source);

}  // namespace pate
