#pragma once

#include <optional>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/pld/optimistic_profile.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "pate/divergence/rdp/orders.hpp"

namespace pate {

/// What is wanted of privacy profiles.
struct ProfileSettings {
  double delta = 0.0;
  /// Where else epsilon is told; must not be empty.
  std::vector<double> deltas{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
  std::optional<double> step = {};  ///< of the grid of losses, a power of two; unset: fine enough
  /// How far below 0 deltas are asked for, as others do who go on with a profile: losses to come
  /// are told apart up to here at least.
  double told_apart = 0.5;
};

/// The best orders of the run's exact RDP by direction, which say how fine a grid must be.
struct ProfileHints {
  OptimalOrder forward, reverse;

  [[nodiscard]] const OptimalOrder& larger() const {
    return reverse.epsilon > forward.epsilon ? reverse : forward;
  }
};

/// No profile has a coarser grid: of epsilons of millions none is kept that tells anything.
inline constexpr double kMaxStep = 1.0;
/// The coarsest grid that is begun with.
inline constexpr double kCoarsest = 0x1p-9;

/// How fine and how far profiles are.
struct Grids {
  double step = 0.0;
  double least_delta = 0.0;
  double slope_forward = 1.0, slope_reverse = 1.0;
  double epsilon = 0.0;
  double told_apart = 0.5;

  [[nodiscard]] double highest(Direction direction) const {
    return std::max(told_apart,
                    14.0 / (direction == Direction::forward ? slope_forward : slope_reverse));
  }
  [[nodiscard]] PessimisticProfile::Grid grid(Direction direction, double h) const {
    return {h, highest(direction), least_delta};
  }
  [[nodiscard]] OptimisticProfile lower(double h) const {
    return {h, kLowest, highest_of_lower(), least_delta};
  }
  /// Whether there are such profiles, and they tell anything.
  [[nodiscard]] bool is_feasible() const {
    return step <= kMaxStep &&
           (highest_of_lower() - kLowest) / step < OptimisticProfile::kMostSteps;
  }
  /// About, in the middle of a run.
  [[nodiscard]] double nodes(double h) const {
    const double slope = std::max(slope_forward, slope_reverse);
    return 0.7 * (epsilon + 25.0 / slope + highest(Direction::reverse)) / h;
  }

 private:
  static constexpr double kLowest = -1.5;
  [[nodiscard]] double highest_of_lower() const { return 1.5 * epsilon + 1.0; }
};

[[nodiscard]] double least_delta(const ProfileSettings& settings);

/// The grids of a run; `queries`: those with outcomes that are looked at.
[[nodiscard]] Grids grids_of(const ProfileHints& hints, const ProfileSettings& settings,
                             double queries);

/// An upper profile that begins with Gaussian steps of this sensitivity, or with nothing.
[[nodiscard]] PessimisticProfile upper_of(const PessimisticProfile::Grid& grid, double gaussian_mu);

}  // namespace pate
