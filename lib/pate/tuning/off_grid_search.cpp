#include "pate/tuning/off_grid_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pate/tuning/single_points.hpp"

namespace pate {

namespace {

constexpr std::size_t kAxes = 3;  // log noise, log sigma1, threshold
constexpr double kMinMove = 1e-4;
constexpr int kHalvings = 12;

using Position = std::array<double, kAxes>;

// Half the distance to the nearer neighbour on an axis; 0 where there is none.
double half_spacing(const std::vector<double>& values, std::size_t i, bool logarithmic) {
  double spacing = 0.0;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return logarithmic ? std::log(values[b] / values[a]) : values[b] - values[a];
  };
  if (i > 0) spacing = distance(i - 1, i);
  if (i + 1 < values.size()) {
    const double up = distance(i, i + 1);
    spacing = spacing == 0.0 ? up : std::min(spacing, up);
  }
  return 0.5 * spacing;
}

class Search {
 public:
  Search(const TuningTask& task, const TuningGoal& goal)
      : task_(task), grid_(task.grid), goal_(goal) {}

  std::optional<OffGridPoint> run(const TunedPoint& best) {
    const std::size_t noise = grid_.noise_of(best.index);
    Position at{std::log(grid_.noise[noise]), 0.0, 0.0};
    Position step{half_spacing(grid_.noise, noise, true), 0.0, 0.0};
    if (grid_.has_selection()) {
      const std::size_t sigma1 = grid_.sigma1_of(best.index);
      const std::size_t threshold = grid_.threshold_of(best.index);
      at[1] = std::log(grid_.sigma1[sigma1]);
      at[2] = grid_.threshold[threshold];
      step[1] = half_spacing(grid_.sigma1, sigma1, true);
      step[2] = half_spacing(grid_.threshold, threshold, false);
    }
    value_ = best.point;
    start_ = at;
    for (std::size_t k = 0; k < kAxes; ++k) reach_[k] = 2.0 * step[k] * (1.0 + 1e-9);
    for (int halving = 0; halving < kHalvings && !task_.watcher.wants_stop(); ++halving) {
      const double before = objective(value_);
      while (improve(at, step) && !task_.watcher.wants_stop()) {
      }
      const double moved = std::abs(objective(value_) - before);
      for (double& s : step) s *= 0.5;
      if (halving > 2 && !(moved > kMinMove * std::abs(before))) break;
    }
    return found_;
  }

 private:
  // To be made small.
  [[nodiscard]] double objective(const TuningPoint& p) const {
    return goal_.objective == Objective::epsilon ? p.epsilon : -goal_.value(p);
  }

  // Moves to the best of the neighbours where that is better; whether it is.
  bool improve(Position& at, const Position& step) {
    Position best_at = at;
    bool moved = false;
    for (int code = 0; code < 27; ++code) {
      const std::array<int, kAxes> sign{code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
      Position there = at;
      bool same = true;
      bool outside = false;  // or on an axis that stays as it is
      for (std::size_t k = 0; k < kAxes; ++k) {
        there[k] += sign[k] * step[k];
        same = same && sign[k] == 0;
        outside = outside || (sign[k] != 0 && step[k] == 0.0) ||
                  !(std::abs(there[k] - start_[k]) <= reach_[k]);
      }
      if (same || outside || task_.watcher.wants_stop()) continue;
      if (const auto better = better_at(there)) {
        value_ = better->point;
        found_ = *better;
        best_at = there;
        moved = true;
      }
    }
    at = best_at;
    return moved;
  }

  // The point at a position where it is better than the best one known.
  std::optional<OffGridPoint> better_at(const Position& at) const {
    const SinglePoints single(task_, goal_);
    const auto point = [&](bool exact) {
      return single.at(std::exp(at[0]), std::exp(at[1]), at[2], exact);
    };
    const OffGridPoint found = point(false);
    if (!single.keeps(found.point) || !(objective(found.point) < objective(value_))) {
      return std::nullopt;
    }
    return goal_.objective == Objective::epsilon ? found : point(true);
  }

  const TuningTask& task_;
  const TuningGrid& grid_;
  const TuningGoal& goal_;
  Position start_{};
  Position reach_{};  // how far from there
  TuningPoint value_;
  std::optional<OffGridPoint> found_;
};

}  // namespace

std::optional<OffGridPoint> search_continuum(const TuningTask& task, const TuningGoal& goal,
                                             const TunedPoint& best) {
  return Search(task, goal).run(best);
}

}  // namespace pate
