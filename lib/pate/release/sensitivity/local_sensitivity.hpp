#pragma once

#include <cstdint>
#include <vector>

#include "pate/release/sensitivity/q_grid.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// Which cost of a run a sensitivity belongs to.
enum class ReleasedCost {
  joint,     ///< every query as one mechanism, refusals included
  realized,  ///< checks of all queries, noisy maxima of the answered ones
};

/// Bounds on how much the cost of a run changes when one teacher's votes change, on all votes at
/// distance d from the given ones: `at[d]`, d = 0, 1, ..., non-decreasing.
struct LocalSensitivity {
  std::vector<double> at;
  double beyond = 0.0;   ///< bounds the local sensitivity at every distance
  bool complete = true;  ///< whether `at` reaches the number of teachers
};

/// LS(d) of the run's forward trade-off cost at the curve's order, for d = 0..most_votes (at most
/// the number of teachers). Per query
///
///     LS(d) = max { H(v', q') : |v' - v| <= d, 0 <= v' <= teachers, q_lo(d) <= q' <= q_hi(d) }
///
/// with H of SensitivityTable and the ends of q of QWalk; the rectangles at distance d lie within
/// those of every neighbour at distance d + 1. Never below the true local sensitivity. For
/// `realized`, where decisions are public, the checks' and the noisy maxima's parts are bounded
/// apart; it needs a selection. Results do not depend on `threads`.
[[nodiscard]] LocalSensitivity tradeoff_local_sensitivity(
    const VoteProfile& votes, const ExcessCurve& curve, ReleasedCost cost,
    const GridResolution& resolution, std::int64_t most_votes, unsigned threads);

/// The smooth sensitivity SS_beta = max over d of e^(-beta d) LS(d), where distances that were not
/// computed count with the bound of all: between votes and their neighbours it differs by a factor
/// e^beta at most. Source: Nissim, Raskhodnikova, Smith (2007), Definition 2.2.
/// Domain: beta >= 0.
struct SmoothSensitivity {
  double value = 0.0;
  bool at_end = false;  ///< the maximum is where distances were not computed
};
[[nodiscard]] SmoothSensitivity smooth_sensitivity(const LocalSensitivity& local, double beta);

}  // namespace pate
