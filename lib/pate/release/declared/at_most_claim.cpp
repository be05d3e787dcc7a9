#include "pate/release/declared/at_most_claim.hpp"

#include <algorithm>
#include <cmath>

#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

constexpr double kClaimRounding = 1e-12;

// Of delta, rounded so that both add up to no more than it.
double failing_delta(double delta) {
  return 0.01 * delta;
}

double passing_delta(double delta) {
  double left = 0.99 * delta;
  while (Dyadic(left) + Dyadic(failing_delta(delta)) > Dyadic(delta)) {
    left = std::nextafter(left, 0.0);
  }
  return left;
}

BudgetTest claim_test(double claim, double delta, const CertificateRule& rule) {
  validate_delta(delta);
  const double passing = passing_delta(delta);
  return {claim, passing, PassLadder({claim, AtMostClaim::kGrowth, passing}),
          order_cell(rule, claim, delta).orders};
}

// The least that every level of failing allows.
double least_failed_claim(const PassLadder& ladder, double delta,
                          const std::function<double(double)>& any_votes) {
  double least = 0.0;
  for (std::size_t j = 0; j <= ladder.last(); ++j) {
    const double share = failing_delta(delta) / ladder.fail(j) * (1.0 - kClaimRounding);
    if (!(share < 1.0)) continue;  // failing is rare enough by itself
    const double rise = j > 0 ? ladder.rise(j) : 0.0;
    least = std::max(least, (any_votes(share) + rise) * (1.0 + kClaimRounding));
  }
  return least;
}

}  // namespace

AtMostClaim::AtMostClaim(double claim, double delta,
                         const std::function<double(double delta)>& any_votes,
                         const CertificateRule& rule)
    : claim_(claim),
      test_(claim_test(claim, delta, rule)),
      failed_claim_(least_failed_claim(test_.ladder(), delta, any_votes)) {}

}  // namespace pate
