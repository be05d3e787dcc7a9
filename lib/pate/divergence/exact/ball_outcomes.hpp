#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/noise_rules.hpp"
#include "pate/divergence/exact/votes_ball.hpp"

namespace pate {

/// The outcome probabilities of a noisy maximum on a query and on each neighbour within several
/// teachers, one after the other: what `NeighbourOutcomes` is for one vote that moves.
///
/// A neighbour's elements are classes that nothing tells apart, on the votes or on the neighbour.
/// Logarithms of probabilities are known to kLogAccuracy, whatever the noise; what the likeliest
/// class gains or loses is what the others lose or gain.
class BallOutcomes {
 public:
  static constexpr double kLogAccuracy = 1e-12;

  struct Element {
    double classes = 0.0;
    double mass = 0.0;         ///< of all of them, on the votes
    double log_p = 0.0;        ///< of one class, on the votes
    double log_ratio = 0.0;    ///< log(P'/P)
    double uncertainty = 0.0;  ///< of log_ratio, at most
  };
  struct OfNeighbour {
    std::int64_t statistic = 0;  ///< its top count
    std::vector<Element> elements;

    /// The log excesses (`NeighbourOutcomes`), raised by what the uncertainties may add.
    [[nodiscard]] BothDirections log_excess(double order) const;
  };

  /// None where the rule has no nodes for the counts, there are more than kMaxBall neighbours, or
  /// probabilities leave the doubles. The rule must know counts up to the largest and S above.
  [[nodiscard]] static std::optional<BallOutcomes> make(const GroupedVotes& votes,
                                                        const Neighbours& neighbours,
                                                        const NoiseRule& rule);

  /// In the order of `neighbours_in_ball`.
  [[nodiscard]] const std::vector<OfNeighbour>& neighbours() const { return neighbours_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<OfNeighbour> neighbours_;
};

}  // namespace pate
