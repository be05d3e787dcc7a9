#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/as_published/conditions.hpp"
#include "pate/as_published/gnss.hpp"

namespace pate {

/// How to follow S18's procedure. What is not given is chosen from the votes as S18 does.
struct AsPublishedSettings {
  double delta = 0.0;
  Reading reading = Reading::expected;  ///< or realized
  std::optional<double> order;          ///< else the best of as_published_orders()
  std::optional<double> beta;
  std::optional<double> sigma_ss;
  unsigned threads = 0;  ///< 0: all processors; changes no bit of the result
};

/// What S18's procedure for releasing epsilon finds and claims. THE CLAIM DOES NOT HOLD: see
/// `gnss_cost`; the reading `expected` moreover takes Pr[answered] for a constant, which
/// a neighbour's votes change. It reproduces printed numbers and nothing else; there is no draw.
struct AsPublishedRelease {
  double order = 0.0;
  double rdp = 0.0;             ///< of the run at the order, private
  double epsilon_before = 0.0;  ///< the same as an epsilon, without a release
  double epsilon = 0.0;         ///< what is claimed: the mean of the released epsilon
  Gnss gnss;                    ///< beta, smooth sensitivity, sigma_ss, cost, sd of the noise
  /// Of the run's RDP, at distances 0..teachers-1.
  std::vector<double> local_sensitivity;
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
