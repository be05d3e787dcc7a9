#pragma once

#include <optional>
#include <span>

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

}  // namespace pate
