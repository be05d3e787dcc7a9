#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

/// The privacy loss distributions of a query on a grid of losses: for every neighbour its losses as
/// weights at whole steps, those of chords between the nodes ("connect the dots", Doroshenko et al.
/// 2022). What profiles on the same grid share.
class DiscretizedPairs {
 public:
  /// Domain: step in [2^-24, 1]. Every probability is known to 1e-12, relative; those of a table
  /// add up to 1. Losses of 40 and more count as infinite ones.
  DiscretizedPairs(std::span<const DistributionPair> neighbours, double step);

  [[nodiscard]] std::size_t neighbours() const { return infinity_mass_.size(); }
  /// Multiplications a node: for neighbours begin .. end - 1.
  [[nodiscard]] std::size_t terms(std::size_t begin, std::size_t end) const {
    return first_[end] - first_[begin];
  }

  /// Of one neighbour: `times` of these queries as one, by squaring; none where that takes more
  /// than so many products. At both ends masses that are `beyond` together at most, all queries
  /// together, move to larger losses, which no profile is the smaller for; sums are rounded up.
  [[nodiscard]] std::optional<DiscretizedPairs> repeated(std::int64_t times, double beyond,
                                                         double most_products) const;

 private:
  friend class PessimisticProfile;
  DiscretizedPairs() = default;

  std::vector<std::size_t> first_{0};  // of a neighbour's in the next two
  std::vector<std::int32_t> offset_;   // by neighbour, increasing
  std::vector<double> weight_;
  std::vector<double> infinity_mass_;
  std::int64_t queries_ = 1;  // which it is of
};

/// A pessimistic estimate of the privacy profile: delta(epsilon), the hockey-stick divergence at
/// e^epsilon, of a list of queries against every neighbour, by backward induction over the queries
/// on a grid of privacy losses.
///
///     V_N(s) = max(1 - e^-s, 0),    V_{x-1}(s) = max_b sum_o P(o) V_x(s + log(P(o)/Q_b(o)))
///
/// and delta(epsilon) <= V_0(-epsilon), for the direction of the tables. V is convex in e^-s, so
/// that chords between nodes are above it; nothing is lost to rounding but what `delta` and
/// `epsilon` add. The theorem and its proof: README of this folder.
class PessimisticProfile {
 public:
  /// How fine and how far.
  struct Grid {
    double step = 0x1p-12;      ///< h, a power of two
    double highest = 0.5;       ///< losses to come are told apart up to here; any is sound
    double least_delta = 1e-5;  ///< the smallest delta that will be asked for
  };

  /// The profile of nothing. Domain: step in [2^-24, 1], highest > 0, least_delta in (0, 1).
  explicit PessimisticProfile(const Grid& grid);
  /// The profile of another mechanism with independent noise: start(s) bounds its V from above, is
  /// convex in e^-s and within [max(1 - e^-s, 0), 1].
  PessimisticProfile(const Grid& grid, const std::function<double(double)>& start);

  /// Puts a query in front of those before, `times` of it; neighbours are those at begin .. end
  /// - 1. No neighbours: nothing happens. `query` is on this grid.
  void compose_query(const DiscretizedPairs& query, std::size_t begin, std::size_t end,
                     std::int64_t times = 1);
  /// The same with all neighbours.
  void compose_query(std::span<const DistributionPair> neighbours) {
    compose_query(DiscretizedPairs(neighbours, step_), 0, neighbours.size());
  }

  /// delta at epsilon, of either sign. Never below.
  [[nodiscard]] double delta(double epsilon) const;
  /// The smallest epsilon >= 0 that is certified at delta; +inf for a delta below `least_delta`.
  [[nodiscard]] double epsilon(double delta) const;

  /// The grid: its step, and the least and the greatest epsilon at which there is a node.
  [[nodiscard]] double grid_step() const { return step_; }
  [[nodiscard]] double least_epsilon() const { return -static_cast<double>(highest_) * step_; }
  [[nodiscard]] double greatest_epsilon() const { return -static_cast<double>(lowest_) * step_; }

  [[nodiscard]] std::int64_t queries() const { return queries_; }
  /// How many nodes are kept.
  [[nodiscard]] double nodes() const { return static_cast<double>(values().size()); }

 private:
  void step(const DiscretizedPairs& query, std::size_t begin, std::size_t end);
  // V at node k: constant below the window, the chord to V = 1 at e^-s = 0 above it.
  [[nodiscard]] double at(std::int64_t k) const;
  [[nodiscard]] std::span<const double> values() const {
    return std::span<const double>(values_).subspan(
        before_, static_cast<std::size_t>(highest_ - lowest_ + 1));
  }

  double step_;
  double forgotten_;  // values up to here are not kept: added to delta
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = 0;
  // Room for `before_` numbers, the values at the nodes lowest_ .. highest_, and room again: where
  // a step has the values beyond.
  std::vector<double> values_;
  std::size_t before_ = 0;
  std::int64_t queries_ = 0;
  std::vector<double> shrinking_;  // e^-s of the steps above the window
  std::vector<std::int32_t> offsets_;
};

}  // namespace pate
