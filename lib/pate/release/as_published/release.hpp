#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/release/as_published/cost_curve.hpp"
#include "pate/release/as_published/sensitivity_curve.hpp"

namespace pate {

/// What S18's Theorem 23 charges, at order lambda, for releasing a number f as
/// f + S N(0, sigma_ss^2) with S its beta-smooth sensitivity (the GNSS mechanism):
///
///     lambda e^(2 beta) / sigma_ss^2 + ( -1/2 log(1 - 2 lambda beta) + lambda beta ) / (lambda-1)
///
/// THIS IS NOT AN UPPER BOUND unless beta <= 1/(4 lambda): the two noises have different variances,
/// which amplifies the term of the means too, and the formula leaves that out. It is here to
/// reproduce printed numbers.
/// Domain: sigma_ss > 0, beta > 0 (`parameter_error`), 1 < lambda < 1/(2 beta) (`validity_error`).
[[nodiscard]] double gnss_cost(double order, double beta, double sigma_ss);

/// max over d of e^(-beta d) local_sensitivity[d]. 0 for an empty span. Source: S18, Theorem 20.
[[nodiscard]] double gnss_smooth_sensitivity(std::span<const double> local_sensitivity,
                                             double beta);

/// The parameters of a release at one order and what they give.
struct Gnss {
  double beta = 0.0;
  double smooth_sensitivity = 0.0;
  double sigma_ss = 0.0;  ///< in units of the smooth sensitivity; +inf where that is zero
  double cost = 0.0;      ///< gnss_cost
  double sd = 0.0;        ///< of the noise: smooth_sensitivity sigma_ss
};

/// S18's choice of the parameters that are not given: beta = .30/lambda, .31/lambda, ... .49/lambda
/// and for each sigma_ss = (lambda e^(2 beta) / SS_beta)^(1/3), minimising cost + 2 sd. Where the
/// smooth sensitivity is zero the number is the same for all votes: no noise, and of the cost only
/// what does not depend on it.
/// Domain: as `gnss_cost`.
[[nodiscard]] Gnss choose_gnss(std::span<const double> local_sensitivity, double order,
                               std::optional<double> beta, std::optional<double> sigma_ss);

/// How to follow S18's procedure. What is not given is chosen from the votes as S18 does.
struct AsPublishedSettings {
  double delta = 0.0;
  GuaranteeKind reading = GuaranteeKind::expected;  ///< or realized
  std::optional<double> order;                      ///< else the best of as_published_orders()
  std::optional<double> beta;
  std::optional<double> sigma_ss;
  unsigned threads = 0;  ///< 0: all processors; changes no bit of the result
  bool curve = false;    ///< wants `AsPublishedRelease::curve`
};

/// What S18's procedure for releasing epsilon finds and claims. THE CLAIM DOES NOT HOLD where beta
/// is above 1/(4 order): see `gnss_cost`; the reading `expected` of a run with a selection moreover
/// takes Pr[answered] for a constant, which a neighbour's votes change; and half of all values that
/// it would draw lie below the cost. It reproduces printed numbers and nothing else.
struct AsPublishedRelease {
  double order = 0.0;
  double rdp = 0.0;             ///< of the run at the order, private
  double epsilon_before = 0.0;  ///< the same as an epsilon, without a release
  double epsilon = 0.0;         ///< what is claimed: the mean of the released epsilon
  Gnss gnss;                    ///< beta, smooth sensitivity, sigma_ss, cost, sd of the noise
  /// Of the run's RDP, at distances 0..teachers-1: of the threshold checks (empty without a
  /// selection), of the noisy maxima, and their sum.
  std::vector<double> selection_sensitivity, noisy_max_sensitivity, local_sensitivity;
  /// Between q1 and q0 the sensitivity is largest (`PublishedCostCurve`); none for one class.
  std::optional<double> log_q0, log_q1;
  std::optional<SensitivityCurve> curve;
  CurveConditions conditions;
  /// Whether no votes cost less in the noisy maximum than any others at this order; it then counts
  /// with its data-independent cost and has no sensitivity, and the conditions do not matter.
  bool noisy_max_data_independent = false;
};

/// The orders among which S18's scripts look: 2, 2.5, ... 100.5 and 100 points, evenly spaced on a
/// logarithmic scale, from 100 to 500; sorted.
[[nodiscard]] std::span<const double> as_published_orders();

/// S18's procedure (Appendix B and W19, Section 3) for the run: Theorem 6 and the classic
/// conversion at one order, smooth sensitivity of the run's RDP, cost by Theorem 23. Numbers agree
/// with exact evaluation of the published formulas to 1e-9 relative.
///
/// Throws `validity_error` where C5 or C6 fails or the order is outside the domain of Theorem 23,
/// `parameter_error` for Laplace noise (S18 has no analysis for it), other readings, and settings
/// out of range, and whatever reading the votes throws.
[[nodiscard]] AsPublishedRelease release_as_published(const Run& run,
                                                      const AsPublishedSettings& settings);

}  // namespace pate
