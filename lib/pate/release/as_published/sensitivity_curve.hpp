#pragma once

#include <cstdint>
#include <vector>

#include "pate/release/as_published/cost_curve.hpp"

namespace pate {

/// By how much one vote can change the published cost of a noisy maximum at one q, and what
/// Algorithm 3 of W19 says of that.
struct QuerySensitivity {
  double up = 0.0;     ///< beta(B_U(q)) - beta(q)
  double down = 0.0;   ///< beta(q) - beta(B_L(q))
  double bound = 0.0;  ///< Algorithm 3: the larger one, from q1 to q0 that of q1
  /// By how much `bound` is above the larger of both, as a share of that; 0 where both are 0.
  double loss = 0.0;
};

/// The same as a function of q: what figure 1 of W19 shows.
struct SensitivityCurve {
  std::vector<double> log_q;  ///< from the unanimous histogram's to that of 1 - 1/m, q1 and q0 too
  std::vector<double> up, down, bound;  ///< as in `QuerySensitivity`
  /// The largest loss at any q: what footnote 1 of W19 would gain at most. It is where `up` and
  /// `down` meet between q1 and q0; within 1e-9.
  double loss = 0.0;
};

/// Domain: log_q at most 0. Right to 1e-9 relative to the cost, as differences of `curve` are.
/// Source: S18, Appendix B; W19, Algorithm 3 and its footnote 1.
[[nodiscard]] QuerySensitivity query_sensitivity(const PublishedCostCurve& curve, double log_q);

/// From `lowest`, log q of the unanimous histogram, on.
[[nodiscard]] SensitivityCurve sensitivity_curve(const PublishedCostCurve& curve, double lowest);

/// The curve of an ensemble, without votes. Domain: sigma > 0, order > 1, classes >= 2,
/// teachers >= 1, all finite; `parameter_error` otherwise. Throws `validity_error` where C5 or C6
/// fails, as Algorithm 3 bounds nothing then.
[[nodiscard]] SensitivityCurve sensitivity_curve(double sigma, double order, std::int64_t classes,
                                                 std::int64_t teachers);

}  // namespace pate
