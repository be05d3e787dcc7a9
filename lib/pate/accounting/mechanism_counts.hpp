#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/sparse_round.hpp"
#include "pate/mechanisms/mechanism.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// Steps that are (epsilon, 0)-DP each, whatever was done before.
struct PureSteps {
  double epsilon = 0.0;
  std::int64_t count = 0;
};

/// How many noisy steps of each kind were, or at most will be, taken: all that a cost depends on
/// that holds for every votes. Counts of runs on the same teachers add up, whatever the order of
/// the steps and whatever they were chosen by.
struct MechanismCounts {
  std::map<double, std::int64_t> threshold_checks;  ///< by sigma1, in votes
  std::map<double, std::int64_t> laplace_checks;    ///< with Laplace noise, by scale
  std::map<double, std::int64_t> sparse_rounds;     ///< of PTR's sparse form, by scale
  /// With Gaussian noise, by that of a query and the queries that its run may ask.
  std::map<SparseRound, std::int64_t> gaussian_sparse_rounds;
  std::map<NoisyMax, std::int64_t> maxima;
  /// That samples answer; both steps of a query count as one, of one sample.
  std::map<SampledGaussian, std::int64_t> sampled_queries;
  /// What PTR spends of delta beside its tests: queries asked, or rounds, by the delta of one.
  std::map<double, std::int64_t> tested_pluralities;
  /// Whose costs are asked for.
  Neighbours neighbours = {};

  /// Throws `parameter_error` when a count exceeds 2^53, beyond which doubles are no counts, and
  /// where both have steps, and those are for different neighbours.
  void add(const MechanismCounts& other);
  [[nodiscard]] bool empty() const;
  /// Whether any step decides which queries are answered.
  [[nodiscard]] bool has_checks() const;

  /// The deltas of all steps, which add up whatever their costs do; rounded outwards, by less than
  /// 1e-12. 0 unless there are tested pluralities.
  [[nodiscard]] double delta() const;

  /// RDP at an order, step by step; rounded outwards. A query of a sample counts as a maximum, its
  /// threshold check with it. Domain: order > 1. Throws `parameter_error` where steps are of a kind
  /// whose cost is not known for the neighbours: PTR's for others than one teacher that votes
  /// otherwise, samples' for others than theirs (`supports`).
  [[nodiscard]] QueryCost rdp(double order) const;

  /// Sensitivity of all steps as one Gaussian mechanism, in standard deviations, squared:
  ///
  ///     mu^2 = sum 1/sigma1^2 + sum 2/sigma2^2
  ///
  /// for one vote that moves, S^2 times that for S (1/sigma2^2 where they are added or removed),
  /// but for `delta()`; none where a step has other noise, or is of a sample. Rounding below 1e-15
  /// relative for each kind of step. Rounds of the sparse form are no Gaussian mechanism.
  [[nodiscard]] std::optional<double> squared_mu() const;

  /// The steps of pure noise by the epsilon of one: Laplace checks 1/scale, rounds of PTR's sparse
  /// form `round_epsilon`, maxima `NoisyStep::pure_epsilon`. Gaussian steps are in `squared_mu`.
  /// Throws as `rdp` does.
  [[nodiscard]] std::map<double, std::int64_t> pure_epsilons() const;

  /// The same in increasing order of epsilon; none where a step is not pure.
  [[nodiscard]] std::optional<std::vector<PureSteps>> pure_steps() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const MechanismCounts&, const MechanismCounts&) = default;
};

/// The lists of `MechanismCounts`, one for each kind of step.
inline constexpr std::tuple kKindsOfSteps{&MechanismCounts::threshold_checks,
                                          &MechanismCounts::laplace_checks,
                                          &MechanismCounts::sparse_rounds,
                                          &MechanismCounts::gaussian_sparse_rounds,
                                          &MechanismCounts::maxima,
                                          &MechanismCounts::sampled_queries,
                                          &MechanismCounts::tested_pluralities};

/// Calls visit(kind) with every one of them, a pointer to a member: what is done with all steps
/// forgets none.
template <class Visit>
void for_each_kind(const Visit& visit) {
  std::apply([&](const auto... kinds) { (visit(kinds), ...); }, kKindsOfSteps);
}

/// The steps of `queries` queries of which at most `answers` are answered: a threshold check each
/// (with a selection), a noisy maximum for every answer. A tested plurality counts for every query:
/// its delta is spent by asking; in the sparse form for every round, of which there are no more
/// than queries, or refusals. Throws `parameter_error` unless 0 <= answers <= queries.
[[nodiscard]] MechanismCounts steps_of(const Mechanism& mechanism, const Neighbours& neighbours,
                                       std::int64_t queries, std::int64_t answers);

}  // namespace pate
