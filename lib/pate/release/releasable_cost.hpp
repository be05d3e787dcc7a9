#pragma once

#include "pate/sensitivity/local_sensitivity.hpp"
#include "pate/sensitivity/vote_profile.hpp"

namespace pate {

/// Which cost of a run is to be released.
enum class ReleasedBound {
  tradeoff,
  exact,  ///< two classes only (TwoClassCost)
};

/// The data-dependent RDP of a run at one order, forward, and how it changes with the votes.
struct CostAtOrder {
  double order = 0.0;
  double rdp = 0.0;          ///< f, an upper bound of the run's D(M(votes) || M(neighbour))
  double largest_rdp = 0.0;  ///< f_max, the data-independent RDP, which is public
  LocalSensitivity local;
};

/// What is to be released and how carefully it is computed.
struct CostChoice {
  ReleasedBound bound = ReleasedBound::tradeoff;
  ReleasedCost cost = ReleasedCost::joint;
  GridResolution resolution;
  std::int64_t most_votes = 0;  ///< the largest distance at which sensitivities are computed
  unsigned threads = 0;
};

/// f as computed is a fixed function of the votes to the last bit, whatever the threads. Costs are
/// rounded outwards by up to 1e-9; the local sensitivity allows for that, and for the rounding of
/// the sum. Throws `parameter_error` for an order that is not finite and > 1, for an exact cost
/// where there is none (TwoClassCost), for `realized` without decisions or selection;
/// `validity_error` where moments are beyond every floating point number.
[[nodiscard]] CostAtOrder cost_at_order(const VoteProfile& votes, double order,
                                        const CostChoice& choice);

}  // namespace pate
