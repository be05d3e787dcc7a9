#pragma once

namespace pate {

/// The Renyi cost of releasing one number by smooth sensitivity with a safety shift.
///
/// On votes with cost f and smooth sensitivity S the number f + S sigma (k + N(0, 1)) is released;
/// neighbours have f' and S' with |f - f'| <= min(S, S') and e^-beta <= S/S' <= e^beta. With x =
/// S/S' and y = lambda - (lambda-1) x^2 the divergence at order lambda is at most
///
///     g(x) = lambda (min(1, x) + k sigma |x - 1|)^2 / (2 sigma^2 y) - log x - log(y)/(2
///     (lambda-1))
///
/// and its maximum over [e^-beta, e^beta] is at x = e^beta, for every k >= 0: there every part of g
/// is increasing for x >= 1, and g(1/x) <= g(x) part by part. Hence, with v = lambda - (lambda-1)
/// e^(2 beta),
///
///     c = lambda (1 + k sigma (e^beta - 1))^2 / (2 sigma^2 v) - beta - log(v)/(2 (lambda-1)).
///
/// Rounded outwards, at most 1e-9 above. +inf where v <= 0, that is beta >= largest_beta(order).
/// Domain: order > 1, beta > 0, sigma > 0, k >= 0; finite.
/// (S18, Theorem 23, prints a smaller number that is too small: it leaves out that unequal
/// variances also amplify the difference of the means.)
[[nodiscard]] double release_cost(double order, double beta, double sigma, double k);

/// 1/2 log(order / (order - 1)): smaller beta has a finite release cost.
[[nodiscard]] double largest_beta(double order);

}  // namespace pate
