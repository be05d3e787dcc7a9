#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/threshold_rule.hpp"
#include "pate/mechanisms/stability_test.hpp"

namespace pate {

/// What the answers of a run of PTR's sparse forms cost on known votes.
///
/// In a round that begins with query s, query t is asked when those before it were answered, with
/// probability S(t), and then refused with probability h(t): with the noise z of the round's
/// threshold, of density p, and the distribution function F of a query's noise, Gaussian or
/// Laplace,
///
///     S(t) = integral p(z) prod_{s <= i < t} F(q_i - T - z) dz
///     h(t) = 1 / S(t) integral p(z) prod_{s <= i < t} F(q_i - T - z) (1 - F(q_t - T - z)) dz.
///
/// One vote moves every stability q_i by at most 1, either way. On all neighbours h(t) is between
/// what it is with q_i - 1 of the answered queries and q_t + 1, and with q_i + 1 and q_t - 1; so is
/// the probability of a refusal, S(t) h(t). Rounds are drawn apart, so that the Renyi moment of a
/// run with r refusals left is at most W_r(s), W_0 = 1, the smaller of two bounds:
///
///     by outcome   sum over t of P(t)^order P'(t)^(1-order) W_(r-1)(t + 1), each with its own
///                  worst P'
///     by query     V(s), V(t) = max over h' of h^order h'^(1-order) W_(r-1)(t + 1)
///                                             + (1 - h)^order (1 - h')^(1-order) V(t + 1)
///
/// and likewise in reverse. Beyond the queries that are looked at, and where a round all but never
/// goes on so long, what holds for any votes takes their place (`log_sparse_moment`). The README of
/// `divergence/bounds` has the proofs.
class SparseOutcomes {
 public:
  /// Queries that are looked at; the time grows with their square.
  static constexpr std::size_t kMostQueries = 800;

  /// `stabilities`: of the queries in their order, of which the first `looked_at` are, fewer where
  /// tables would be too large. Throws `parameter_error` for a test that is no sparse form, or ends
  /// before that many queries.
  SparseOutcomes(const StabilityTest& test, std::span<const std::int64_t> stabilities,
                 unsigned threads, std::size_t looked_at);
  SparseOutcomes(const StabilityTest& test, std::span<const std::int64_t> stabilities,
                 unsigned threads = 1)
      : SparseOutcomes(test, stabilities, threads, kMostQueries) {}

  /// Renyi cost of the run at an order > 1 but for the deltas of its rounds, the larger of both
  /// directions; at most that for any votes, which with Gaussian noise it is at orders that are of
  /// no use (above 4 sigma^2). Probabilities are known to 1e-10, and moved outwards by 1e-9 each.
  [[nodiscard]] double rdp(double order) const;

  /// How many queries were looked at: none where quadratures would be too fine.
  [[nodiscard]] std::size_t looked_at() const { return queries_; }
  /// Whether those are all.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  // Of the votes, and of what is a neighbour at most: where refusals are least and most likely.
  enum Side : std::size_t { votes, least, most };
  // A query of a round; logarithms of probabilities, by side.
  struct Query {
    std::array<double, 3> asked;     // S
    std::array<double, 3> refused;   // h
    std::array<double, 3> answered;  // 1 - h
  };
  // All queries of a round that begins with one of them.
  struct Round {
    std::vector<Query> queries;
    std::array<double, 3> end{};  // that all are answered; where it was given up, at most that
    bool given_up = false;
    // Where it was: that all so far are answered, by the threshold's noise.
    std::vector<double> going_on;
  };
  struct Rows;
  struct Terms;

  [[nodiscard]] Round round_from(const Rows& rows, std::size_t first) const;
  [[nodiscard]] std::vector<Terms> terms_of(Direction direction, double order) const;
  // By rounds, what their part that was given up adds but for the rounds to follow; of one round,
  // with Laplace noise.
  [[nodiscard]] std::vector<double> log_going_on(Direction direction, double order) const;
  [[nodiscard]] double log_pure_going_on(const Round& round, Direction direction,
                                         double order) const;
  // The Renyi cost of a round, whatever the votes.
  [[nodiscard]] double any_round(double order) const;
  // any_votes: the logarithm of the moment of a round, whatever the votes.
  [[nodiscard]] double log_moment(Direction direction, double order, double any_votes) const;
  [[nodiscard]] std::int64_t most_rounds() const;

  StabilityTest test_;
  std::int64_t run_ = 0;  // its queries
  ThresholdRule rule_;
  std::size_t queries_ = 0;  // that are looked at
  bool is_complete_ = true;
  std::vector<Round> rounds_;
};

}  // namespace pate
