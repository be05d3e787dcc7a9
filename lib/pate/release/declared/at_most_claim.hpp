#pragma once

#include <cstddef>
#include <functional>

#include "pate/release/declared/budget_test.hpp"

namespace pate {

/// "At most c": what is said of a run whose labels are out already, or come out in any case. The
/// test decides the claim alone: c where it passes, else a larger epsilon E_f that holds whatever
/// the votes are; both are public beforehand. For all votes D, their neighbours D' and events over
/// the labels and the claim,
///
///     Pr[D in event]  <=  the integral over the event of e^claim under D'  +  delta.
///
/// That is no (c, delta)-differential privacy of the run, also where c is claimed: other outcomes
/// have the other claim. Passing has .99 of delta, as in README.md of this folder; failing has the
/// rest, since with x_j = .01 delta / (1 - p_j)
///
///     (1 - p_j) delta_any(E_f - log((1 - p_j)/(1 - p_(j-1)))) <= .01 delta,   and at j = 0 without
///                                                                            the logarithm,
///
/// where delta_any(eps) <= x is known from the epsilon at x that holds for any votes.
class AtMostClaim {
 public:
  /// By what failing grows from level to level at most: a claim that fails need not be of use.
  static constexpr double kGrowth = 2.0;

  /// `any_votes`: an epsilon of the run at a delta, whatever the votes. Throws `parameter_error` as
  /// `PassLadder` does.
  AtMostClaim(double claim, double delta, const std::function<double(double delta)>& any_votes,
              const CertificateRule& rule = Certificate::renyi);

  [[nodiscard]] const BudgetTest& test() const { return test_; }
  [[nodiscard]] double claim() const { return claim_; }
  /// E_f; what has to be reserved before the coin is tossed. +inf where nothing holds for any
  /// votes.
  [[nodiscard]] double failed_claim() const { return failed_claim_; }

 private:
  double claim_;
  BudgetTest test_;
  double failed_claim_;
};

}  // namespace pate
