#pragma once

#include <compare>
#include <cstdint>
#include <numbers>

namespace pate {

/// A round of AboveThreshold with Gaussian noise: its threshold has noise N(0, sigma^2/2), every
/// query new noise N(0, sigma^2), and it ends with the first query that stays below, or after
/// `queries`. One vote moves the statistic of every query by at most 1, either way.
struct SparseRound {
  double sigma = 0.0;
  std::int64_t queries = 0;

  [[nodiscard]] double threshold_sigma() const { return sigma / std::numbers::sqrt2; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const SparseRound&, const SparseRound&) = default;
};

/// The largest Renyi moment of the answers of a round beyond that of its threshold, as a logarithm:
///
///     V_0 = 1,   V_k = max over 0 <= g <= 1 of  h(g) + (1 - g) V_(k-1)
///     h(g) = g^order Phi(Phi^-1(g) - 2/sigma)^(1-order)
///
/// where g is the probability that a query ends the round, given the threshold; log V of `queries`.
/// The proof is in the README of this folder. Rounded outwards by less than 2 % of V - 1: from
/// the 64th query on a maximum counts for several. Domain: sigma > 0, queries >= 0, order > 1;
/// other parameters give NaN.
///
/// Source: Zhu and Wang, "Improving Sparse Vector Technique with Renyi Differential Privacy"
/// (2020), Theorem 8, bounds the same sum by the largest ratio of one query times how many are
/// expected.
[[nodiscard]] double log_sparse_moment(const SparseRound& round, double order);

/// Renyi cost of a round, whatever the votes and the queries, also where each is chosen by the
/// answers before:
///
///     order / sigma^2 + log V / (order - 1),   +inf where that is too large to compute.
[[nodiscard]] double sparse_round_cost(const SparseRound& round, double order);

}  // namespace pate
