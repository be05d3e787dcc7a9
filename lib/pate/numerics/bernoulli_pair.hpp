#pragma once

namespace pate {

/// Two probabilities that are compared, each with its complement, and their ratios, all as
/// logarithms: the answer of a threshold check on the votes (p) and on a neighbour (p').
struct LogBernoulliPair {
  double log_p;
  double log_not_p;
  double log_p_neighbour;
  double log_not_p_neighbour;
  double log_ratio;      ///< log(p / p'), computed without cancellation
  double log_not_ratio;  ///< log((1-p) / (1-p'))
};

/// log of the excess  p^order p'^(1-order) + (1-p)^order (1-p')^(1-order) - 1  of the divergence
/// of Bernoulli(p) from Bernoulli(p'); -inf where they are equal. Relative accuracy 1e-13.
[[nodiscard]] double log_bernoulli_excess(const LogBernoulliPair& pair, double order);

/// The same pair seen in the other direction.
[[nodiscard]] LogBernoulliPair reversed(const LogBernoulliPair& pair);

}  // namespace pate
