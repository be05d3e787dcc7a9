#pragma once

namespace pate {

/// How RDP at an order becomes (epsilon, delta)-DP.
enum class Conversion {
  classic,   ///< Mironov (2017), Proposition 3; S18, Theorem 5: what the papers' tables use
  improved,  ///< Canonne, Kamath, Steinke (2020), Proposition 12: never larger
  optimal,   ///< the smallest there is (`optimal_epsilon`): for one pair of distributions
};

/// Throws `parameter_error` unless 0 < delta < 1.
void validate_delta(double delta);

/// What the conversion adds to the RDP at `order`, rounded upwards:
///
///     classic   log(1/delta) / (order - 1)
///     improved  log((order - 1)/order) - (log delta + log order) / (order - 1)
///
/// The improved term can be negative, and so can the sum: it says that epsilon = 0 holds. The
/// optimal conversion adds no term: its epsilon is no sum, and to ask for its term throws
/// `parameter_error`. Domain: order > 1, 0 < delta < 1.
[[nodiscard]] double conversion_term(Conversion conversion, double order, double delta);

/// epsilon = rdp + conversion term, rounded upwards; not clamped at 0. Of the optimal conversion
/// `optimal_epsilon`, which is never below 0.
[[nodiscard]] double epsilon_from_rdp(Conversion conversion, double rdp, double order,
                                      double delta);

}  // namespace pate
