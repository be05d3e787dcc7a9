#pragma once

#include "pate/mechanisms/noisy_max.hpp"
#include "pate/studies/multilabel/label_ballots.hpp"
#include "pate/studies/multilabel/tau_vote.hpp"

namespace pate {

/// What answers are expected to be worth, over the noise. Shares of all queries and their labels.
struct LabelAgreement {
  /// Labels that are as the majority of the teachers has them, which is the same for every
  /// mechanism; a tie is no label.
  double labels = 0.0;
  /// Queries whose whole answer is the mechanism's own without noise.
  double answers = 0.0;
};

/// Of a vote on each label, by noise on both counts. A tie without noise is no label.
[[nodiscard]] LabelAgreement binary_agreement(const GaussianNoisyMax& noise,
                                              const LabelCounts& counts);

/// Of tau voting; `counts` are those of the ballots.
[[nodiscard]] LabelAgreement tau_agreement(const TauVote& vote, const LabelBallots& ballots,
                                           const LabelCounts& counts, unsigned threads);

/// Of a vote on sets: every set that nobody voted for is as likely as the next, and together they
/// have a label as often as the sets that were voted for do not. Without noise the set with the
/// most votes wins, the lowest on ties.
[[nodiscard]] LabelAgreement powerset_agreement(const GaussianNoisyMax& noise,
                                                const LabelBallots& ballots,
                                                const LabelCounts& counts, unsigned threads);

}  // namespace pate
