#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/planning/plan.hpp"

namespace pate {

/// Of so many answers as a share most must be what the teachers say, or people are told.
inline constexpr double kReliableShare = 0.9;

/// How many votes there will be, and for how many classes.
struct PlannedEnsemble {
  double votes = 0.0;  ///< of all teachers, in the votes that the noise is told in
  /// Unknown: two, of which noise names the right one most often.
  std::optional<std::int64_t> classes;
};

/// What noise leaves of queries on which all teachers of an ensemble agree, the best there are.
struct UnanimousOutlook {
  PlannedEnsemble ensemble;
  /// Pr[an answer names the class that all vote for]; of unknown classes an upper bound.
  double named = 0.0;
  /// By how much more likely than any other such a query passes the threshold check, at most,
  /// whatever the threshold; without a check none.
  std::optional<double> check_tells;
};

/// What noise will leave of the agreement of teachers, whose votes nobody has seen. No cost, and
/// no part of a guarantee.
struct AgreementOutlook {
  /// The smallest whole number of votes by which a class must lead the only other one for
  /// kReliableShare of the answers to name it; with more classes it must lead by more.
  double least_lead = 0.0;
  std::optional<UnanimousOutlook> unanimous;  ///< where it is known who will vote
};

/// The lead L at which Pr[the first of two classes wins] = share, in votes, not rounded:
///
///     Gaussian            Phi(L / (sqrt 2 sigma))
///     Laplace             1 - (2 + L/b) e^(-L/b) / 4
///     one Laplace noise   1 - e^(-L/(2b)) / 2
///
/// Domain: 1/2 < share < 1, else `parameter_error`; also for bad noise. Relative accuracy 1e-13.
[[nodiscard]] double lead_for_share(const NoisyMax& noisy_max, double share);

/// The outlook of a run with noise in every count: unanimous teachers by `outcome_probability`; of
/// M votes the check tells erf(M / (2 sqrt 2 sigma1)) at most, the most that two normal
/// distributions whose means are M apart differ by on a half-line. None for PTR and for samples of
/// the teachers.
///
/// Throws `parameter_error` for a run that `validate` refuses, unless votes are >= 1 and fewer than
/// 2^31, classes >= 2, and exactly 2 with one noise.
[[nodiscard]] std::optional<AgreementOutlook> agreement_outlook(
    const PlannedRun& run, const std::optional<PlannedEnsemble>& ensemble);

/// A share in percent with one decimal, rounded up: what holds at most is not told smaller.
[[nodiscard]] double percent_at_most(double share);

/// What the outlook warns of: `low_agreement` where fewer than kReliableShare of the answers of
/// unanimous teachers are theirs, `check_at_random` where the check hardly tells queries apart.
[[nodiscard]] std::vector<Notice> agreement_notices(const AgreementOutlook& outlook);

}  // namespace pate
