#pragma once

namespace pate {

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
