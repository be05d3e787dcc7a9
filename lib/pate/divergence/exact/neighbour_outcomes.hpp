#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/noise_rules.hpp"
#include "pate/divergence/exact/vote_groups.hpp"

namespace pate {

/// The outcome probabilities of a noisy maximum on a query and on each of its neighbours: all that
/// the Renyi divergences between them depend on beside the order.
///
/// With P_j = Pr[class j wins] on the query, P'_j on a neighbour, and l_j = log(P'_j / P_j), the
/// excesses (the Renyi moments less one) are sums of terms that are never negative,
///
///     sum_j P_j^order P'_j^(1-order) - 1 = sum_j P_j h_j(1 - order)      (forward)
///     sum_j P'_j^order P_j^(1-order) - 1 = sum_j P_j h_j(order)          (reverse)
///     h_j(p) = e^(p l_j) - 1 - p (e^(l_j) - 1)
///
/// because both P and P' add up to one. Neighbours and classes that no formula tells apart are
/// taken once. The relative accuracy of an excess is 1e-12 order / (order - 1).
class NeighbourOutcomes {
 public:
  /// A neighbour: one vote moved from a class of group `from` to another of group `to`.
  struct Neighbour {
    std::uint32_t from;
    std::uint32_t to;
  };

  /// The rule's nodes must be those of `votes`. only: positions, increasing, of the neighbours that
  /// are wanted among all of them; none: all. What is known of a neighbour does not depend on the
  /// others.
  NeighbourOutcomes(const GroupedVotes& votes, const NoiseAtNodes& noise,
                    std::span<const std::uint32_t> only = {});

  /// Neighbours by `from`, then `to`.
  [[nodiscard]] const std::vector<Neighbour>& neighbours() const { return neighbours_; }

  /// log P_j of one class of every group.
  [[nodiscard]] const std::vector<double>& log_probabilities() const { return log_probabilities_; }

  /// log(P'_j / P_j) for neighbour k: of the classes of every group that neither lost nor gained
  /// the vote, then of the one that lost it, then of the one that gained it.
  [[nodiscard]] const double* log_ratios(std::size_t k) const {
    return log_ratios_.data() + k * (groups_ + 2);
  }

  /// P'_j / P_j of element e of these.
  [[nodiscard]] double ratio(std::size_t k, std::size_t e) const {
    const std::size_t at = k * (groups_ + 2) + e;
    const double l = log_ratios_[at];
    return std::abs(l) <= 1.0 ? 1.0 + (l + expm1_tails_[at]) : std::exp(l);
  }

  /// How many classes element e of `log_ratios(k)` stands for, and log P_j of each.
  [[nodiscard]] double classes(std::size_t k, std::size_t e) const;
  [[nodiscard]] double log_probability(std::size_t k, std::size_t e) const;

  /// The excesses of neighbour k; +inf where they overflow.
  [[nodiscard]] BothDirections excess(std::size_t k, double order) const;
  /// The logarithms of the excesses, where those overflow.
  [[nodiscard]] BothDirections log_excess(std::size_t k, double order) const;

  /// Whether every number came out: false where probabilities of a neighbour differ by more than
  /// doubles hold, which happens for noise far below one vote only.
  [[nodiscard]] bool is_complete() const { return complete_; }

  /// Bytes of memory this holds, about.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Kernel;

  // e^l - 1 - l of neighbour k, from the logarithms l of its ratios.
  void fill_tails(std::size_t k);
  void take_plurality_from_others(const GroupedVotes& votes);
  // The probabilities on the votes of the elements of neighbour k.
  void write_weights(std::size_t k, double* weights) const;

  std::size_t groups_;
  std::vector<std::int32_t> classes_;
  std::vector<double> log_probabilities_;
  std::vector<double> probabilities_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> log_ratios_;   // l by neighbour and element
  std::vector<double> expm1_tails_;  // e^l - 1 - l, likewise
  std::vector<double> most_;         // at least the largest |l| of a neighbour
  std::vector<double> weights_;      // probability of all classes of a group
  bool faint_ = false;               // some probability is below the range of doubles
  bool complete_ = true;
};

}  // namespace pate
