#pragma once

namespace pate {

// The standard normal distribution with relative accuracy in its tails: phi is the density, Phi the
// distribution function. All functions accept every double; NaN goes through.

/// The Mills ratio R(x) = (1 - Phi(x)) / phi(x), for x >= -37; overflows to +inf below.
/// Relative accuracy 4e-16 for x >= 0, and (4 + x^2) * 2e-16 below.
[[nodiscard]] double mills_ratio(double x);

/// log phi(x) = -x^2/2 - log sqrt(2 pi).
[[nodiscard]] double log_normal_density(double x);

/// Phi(x), relative accuracy (4 + x^2) * 2e-16 in the lower tail; 0 where it underflows.
[[nodiscard]] double normal_cdf(double x);

/// log Phi(x), finite down to x = -1e150; relative accuracy 1e-15.
[[nodiscard]] double log_normal_cdf(double x);

/// Phi(b) - Phi(a) >= 0 for a <= b, without cancellation for close a and b.
[[nodiscard]] double normal_interval(double a, double b);

/// Phi(x + h) - Phi(x), of the sign of h, without cancellation for small h. The step is given apart
/// because x + h may not hold its digits.
[[nodiscard]] double normal_step(double x, double h);

/// log(Phi(b + h) / Phi(b)) for h of either sign, without cancellation for small h, anywhere in the
/// tails. The step is given apart because b + h may not hold its digits.
[[nodiscard]] double log_normal_cdf_ratio(double b, double h);

/// The x with log Phi(-x) = log_p, for log_p in (-inf, 0): the upper quantile of e^log_p.
/// The accuracy is that of the condition: Phi(-x) is e^log_p to about (4 + x^2) * 2e-16.
[[nodiscard]] double normal_upper_quantile(double log_p);

/// The same, from a starting value close to the result (it is only polished).
[[nodiscard]] double normal_upper_quantile(double log_p, double start);

/// How an upper tail of the standard normal distribution grows when its end moves: for p = Phi(-x),
/// log Phi(shift - x) as a function of log p. With a positive shift the result is larger than p.
/// In terms of the error function
///
///     1/2 erfc( erfcinv(2p) - t )     is the tail shifted by  sqrt(2) t.
///
/// Everything stays a logarithm, so p may be far below the smallest double. log_p = 0 and -inf stay
/// what they are. Domain: log_p <= 0, shift finite. Accuracy: the difference from log_p is right to
/// 1e-14 relative, so that neighbouring tails do not run together.
[[nodiscard]] double log_shifted_tail(double log_p, double shift);

}  // namespace pate
