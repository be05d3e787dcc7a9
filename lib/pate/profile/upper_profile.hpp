#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pate/profile/outcome_table.hpp"

namespace pate {

/// A privacy profile from above: delta(epsilon) of a list of queries against every neighbour, by
/// backward induction over the queries on a grid of losses.
///
///     V_N(s) = max(1 - e^-s, 0),    V_{x-1}(s) = max_b sum_o P(o) V_x(s + log(P(o)/Q_b(o)))
///
/// and delta(epsilon) <= V_0(-epsilon), for the direction of the tables. V is convex in e^-s, so
/// that chords between nodes are above it; nothing is lost to rounding but what `delta` and
/// `epsilon` add. The theorem and its proof: README of this folder.
class UpperProfile {
 public:
  /// How fine and how far.
  struct Grid {
    double step = 0x1p-12;      ///< h, a power of two
    double highest = 0.5;       ///< losses to come are told apart up to here; any is sound
    double least_delta = 1e-5;  ///< the smallest delta that will be asked for
  };

  /// The profile of nothing. Domain: step in (0, 1], highest > 0, least_delta in (0, 1).
  explicit UpperProfile(const Grid& grid);
  /// The profile of another mechanism with independent noise: start(s) bounds its V from above, is
  /// convex in e^-s and within [max(1 - e^-s, 0), 1].
  UpperProfile(const Grid& grid, const std::function<double(double)>& start);

  /// Puts a query in front of those before. No neighbours: nothing happens. Every probability is
  /// known to 1e-12, relative; those of a table add up to 1.
  void prepend(std::span<const OutcomeTable> neighbours);

  /// delta at epsilon >= 0. Never below.
  [[nodiscard]] double delta(double epsilon) const;
  /// The smallest epsilon >= 0 that is certified at delta; +inf for a delta below `least_delta`.
  [[nodiscard]] double epsilon(double delta) const;

  [[nodiscard]] std::int64_t queries() const { return queries_; }

 private:
  struct Taps {
    std::vector<std::int64_t> offset;
    std::vector<double> weight;
    double at_infinity = 0.0;
  };
  [[nodiscard]] Taps taps(const OutcomeTable& table) const;
  // V at node k: constant below the window, the chord to V = 1 at e^-s = 0 above it.
  [[nodiscard]] double at(std::int64_t k) const;

  double step_;
  double forgotten_;  // values up to here are not kept: added to delta
  std::int64_t lowest_ = 0;
  std::int64_t highest_ = 0;
  std::vector<double> values_;  // at the nodes lowest_ .. highest_
  std::int64_t queries_ = 0;
};

}  // namespace pate
