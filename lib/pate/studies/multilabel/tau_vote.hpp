#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/bernoulli_pair.hpp"
#include "pate/studies/multilabel/label_ballots.hpp"

namespace pate {

/// tau voting: each ballot of a teacher is scaled to an L2 norm of at most tau = sqrt(positives),
/// the ballots are added up, every sum gets independent N(0, sigma^2) noise, and a label is given
/// where that is above half of the teachers. Source: Dziedzic et al., "Private Multi-Winner Voting
/// for Machine Learning" (2023). Theorems and proofs are in the README of this folder.
struct TauVote {
  double positives = 0.0;  ///< T: ballots with no more labels than that are not scaled
  double sigma = 0.0;      ///< standard deviation of the noise on each sum, in votes

  /// What a label of a ballot with `marked` >= 1 labels counts: min(1, sqrt(T / marked)).
  [[nodiscard]] double share(std::int64_t marked) const;

  /// The square of the L2 distance that one ballot moves the sums by at most:
  ///
  ///     min(2 T, labels)
  ///
  /// 2 T: scaled ballots a, b have norms <= sqrt T and no negative entry, so that |a - b|^2 =
  /// |a|^2 + |b|^2 - 2 a.b <= 2 T. labels: entries are in [0, 1].
  [[nodiscard]] double squared_sensitivity(std::int64_t labels) const;

  /// GNMax that has the same sensitivity in standard deviations: N(0, 2 sigma^2 / min(2 T,
  /// labels)).
  [[nodiscard]] GaussianNoisyMax as_noisy_max(std::int64_t labels) const;
};

/// Throws `parameter_error` unless T and sigma are positive and finite and the noise is in its
/// domain.
void validate(const TauVote& vote, std::int64_t labels);

/// The outcomes of tau voting on one query, and of every neighbour: all that does not depend on the
/// order. Outcomes of the labels are independent, so that divergences of labels add up.
class TauQuery {
 public:
  TauQuery(const TauVote& vote, const LabelBallots& ballots, std::int64_t query);

  /// By label, the sum less half of the teachers, in standard deviations.
  [[nodiscard]] std::span<const double> scores() const { return scores_; }
  /// By label, log of the probability that the noise turns it.
  [[nodiscard]] std::span<const double> log_turned() const { return log_turned_; }
  /// log q: of the probability that the noise turns any label, 1 - prod (1 - q_k).
  [[nodiscard]] double log_q() const;

  /// Ballots that are alike, and which of them each teacher cast.
  [[nodiscard]] std::size_t distinct() const { return distinct_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> of_teacher() const { return of_teacher_; }

  /// The largest Renyi cost over all ballots that a teacher could have cast instead, exactly, by
  /// order, then distinct ballot; each direction on its own. A ballot with r labels changes each of
  /// them by the same, so that the worst r are those that gain most by it; the best r is looked
  /// for. Rounded outwards (kCostMargin).
  [[nodiscard]] std::vector<std::vector<BothDirections>> replace_costs(
      std::span<const double> orders) const;

  /// The cost of one other ballot in the place of a teacher's, by its definition; for tests.
  [[nodiscard]] BothDirections replace_cost(std::span<const std::uint8_t> from,
                                            std::span<const std::uint8_t> to, double order) const;

 private:
  struct Ballot {
    std::vector<std::uint8_t> marks;
    std::size_t value = 0;  // of its labels, in values_
  };
  // Ballots with that value of a label: of so many labels at least and at most.
  struct Alternative {
    std::size_t value = 0;  // in targets_
    std::int64_t least = 0, most = 0;
  };

  [[nodiscard]] LogBernoulliPair pair(std::size_t label, double step) const;
  [[nodiscard]] static BothDirections cost(const LogBernoulliPair& pair, double step, double order);

  TauVote vote_;
  std::vector<double> scores_, log_turned_;
  std::vector<Ballot> distinct_;
  std::vector<std::uint32_t> of_teacher_;
  std::vector<double> values_;   // what ballots have; the first is 0
  std::vector<double> targets_;  // what others could have; the first is 0
  std::vector<Alternative> alternatives_;
};

}  // namespace pate
