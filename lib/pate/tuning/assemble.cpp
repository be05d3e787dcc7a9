#include "pate/tuning/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

// Points that are refined together while looking for the first that keeps the limit.
constexpr std::size_t kAtOnce = 16;

// By this points are ranked, the smallest first.
std::tuple<double, double, std::size_t> rank(const TunedPoint& p, double epsilon,
                                             const TuningGoal& goal) {
  const double value = goal.value(p.point);
  return goal.objective == Objective::epsilon ? std::tuple(epsilon, -value, p.index)
                                              : std::tuple(-value, epsilon, p.index);
}

class Assembly {
 public:
  Assembly(std::vector<TunedPoint>& points, const TuningGoal& goal, const RefinePoints& refine)
      : points_(points), goal_(goal), refine_(refine) {}

  TuningChoice run() {
    if (refine_) {
      // On the grid values, before anything is refined: whether points are in one piece or in
      // shards, the same ones are chosen.
      std::vector<std::size_t> chosen = front();
      if (const auto first = first_within_limits()) chosen.push_back(*first);
      refine(chosen);
    }
    for (const std::size_t i : front()) points_[i].pareto = true;
    TuningChoice choice;
    choice.best = best();
    if (!choice.best) choice.nearest_misses = nearest_misses();
    return choice;
  }

 private:
  [[nodiscard]] double value(const TunedPoint& p) const { return goal_.value(p.point); }

  void use(std::size_t position, const std::optional<AccountEpsilon>& found) {
    TunedPoint& p = points_[position];
    if (!found) {
      throw parameter_error(
          fmt::format("the refined epsilon of grid point {} is missing", p.index));
    }
    // Where the grid happened to find less, that is a bound too.
    if (found->epsilon <= p.grid_epsilon) {
      p.point.epsilon = found->epsilon;
      p.point.order = found->order;
    }
    p.refined = true;
  }

  void refine(std::vector<std::size_t> positions) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    std::erase_if(positions, [&](std::size_t i) { return points_[i].refined; });
    const auto found = refine_(positions);
    for (std::size_t k = 0; k < positions.size(); ++k) use(positions[k], found[k]);
  }

  // The best point by grid values that keeps the limits: of the smallest epsilon it need not be on
  // the front, as limits on shares are not about what is set against epsilon. Those that may or may
  // not keep max_epsilon are refined, in order, until one does.
  std::optional<std::size_t> first_within_limits() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const TunedPoint& p = points_[i];
      if (!goal_.allows(p.point) || !goal_.keeps_answers(p.point)) continue;
      if (goal_.keeps_epsilon(p.grid_epsilon) || straddles(p)) candidates.push_back(i);
    }
    std::ranges::sort(candidates, {}, [&](std::size_t i) {
      return rank(points_[i], points_[i].grid_epsilon, goal_);
    });
    for (std::size_t k = 0; k < candidates.size();) {
      if (!straddles(points_[candidates[k]])) return candidates[k];
      std::size_t end = k;
      while (end < candidates.size() && end - k < kAtOnce && straddles(points_[candidates[end]])) {
        ++end;
      }
      // Some of these may turn out not to be needed; they then stay as they are.
      const auto found = refine_(std::span(candidates).subspan(k, end - k));
      for (std::size_t i = 0; k < end; ++k, ++i) {
        use(candidates[k], found[i]);
        if (goal_.keeps_epsilon(points_[candidates[k]].point.epsilon)) return candidates[k];
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool straddles(const TunedPoint& p) const {
    return goal_.max_epsilon && !p.refined && p.grid_epsilon > *goal_.max_epsilon &&
           p.grid_epsilon * (1.0 - kGridAccuracy) <= *goal_.max_epsilon;
  }

  [[nodiscard]] std::vector<std::size_t> front() const {
    std::vector<std::tuple<double, double, std::size_t, std::size_t>> order;  // and the position
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const TunedPoint& p = points_[i];
      const bool is_listed = goal_.allows(p.point) && p.point.answered >= 1.0 &&
                             goal_.keeps(Limit::min_agreement, p.point, p.point.epsilon) &&
                             goal_.keeps(Limit::min_accuracy, p.point, p.point.epsilon);
      if (is_listed) order.emplace_back(p.point.epsilon, -value(p), p.index, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> result;
    for (const auto& entry : order) {
      const std::size_t i = std::get<3>(entry);
      if (!result.empty()) {
        const TunedPoint& here = points_[i];
        const TunedPoint& last = points_[result.back()];
        const bool twin = value(here) == value(last) && here.point.epsilon == last.point.epsilon;
        if (!twin && !(value(here) > value(last))) continue;
      }
      result.push_back(i);
    }
    return result;
  }

  [[nodiscard]] std::optional<std::size_t> best() const {
    std::optional<std::size_t> result;
    const auto key = [&](std::size_t i) {
      return rank(points_[i], points_[i].point.epsilon, goal_);
    };
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const TuningPoint& p = points_[i].point;
      if (!goal_.allows(p) || !goal_.keeps_answers(p) || !goal_.keeps_epsilon(p.epsilon)) continue;
      if (!result || key(i) < key(*result)) result = i;
    }
    return result;
  }

  [[nodiscard]] bool keeps_all_but(Limit one, const TuningPoint& p) const {
    return goal_.allows(p) && std::ranges::all_of(kNames<Limit>, [&](const auto& named) {
             return named.value == one || goal_.keeps(named.value, p, p.epsilon);
           });
  }

  // For every limit the point that comes nearest to it of those that keep all others.
  [[nodiscard]] std::vector<NearestMiss> nearest_misses() const {
    std::vector<NearestMiss> result;
    for (const auto& [limit, name] : kNames<Limit>) {
      if (!goal_.bound(limit)) continue;
      std::optional<std::size_t> nearest;
      double least = kInfinity;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (!keeps_all_but(limit, points_[i].point)) continue;
        const double excess = goal_.excess(limit, points_[i].point, points_[i].point.epsilon);
        if (nearest && !(excess < least)) continue;
        nearest = i;
        least = excess;
      }
      if (nearest) result.push_back({*nearest, limit});
    }
    return result;
  }

  std::vector<TunedPoint>& points_;
  const TuningGoal& goal_;
  const RefinePoints& refine_;
};

}  // namespace

std::vector<std::size_t> ranked_points(const std::vector<TunedPoint>& points,
                                       const TuningGoal& goal) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TuningPoint& p = points[i].point;
    if (goal.allows(p) && goal.keeps_epsilon(p.epsilon) && goal.keeps_answers(p)) {
      result.push_back(i);
    }
  }
  std::ranges::sort(result, {},
                    [&](std::size_t i) { return rank(points[i], points[i].point.epsilon, goal); });
  return result;
}

const std::optional<double>& TuningGoal::bound(Limit limit) const {
  switch (limit) {
    case Limit::max_epsilon:
      return max_epsilon;
    case Limit::min_answered:
      return min_answered;
    case Limit::min_right:
      return min_right;
    case Limit::min_agreement:
      return min_agreement;
    case Limit::min_accuracy:
      break;
  }
  return min_accuracy;
}

double TuningGoal::number(Limit limit, const TuningPoint& point, double epsilon) const {
  switch (limit) {
    case Limit::max_epsilon:
      return epsilon;
    case Limit::min_answered:
      return point.answered;
    case Limit::min_right:
      return right(point);
    case Limit::min_agreement:
      return point.agreeing / point.answered;
    case Limit::min_accuracy:
      break;
  }
  return point.right / point.answered;
}

double TuningGoal::excess(Limit limit, const TuningPoint& point, double epsilon) const {
  const double wanted = bound(limit).value_or(0.0);
  const double found = number(limit, point, epsilon);
  const double beyond = limit == Limit::max_epsilon ? found - wanted : wanted - found;
  if (beyond != beyond) return kInfinity;
  return wanted > 0.0 ? beyond / wanted : beyond;
}

bool TuningGoal::keeps_answers(const TuningPoint& point) const {
  return std::ranges::all_of(kNames<Limit>, [&](const auto& named) {
    return named.value == Limit::max_epsilon || keeps(named.value, point, point.epsilon);
  });
}

void validate(const TuningGoal& goal) {
  for (const auto& [limit, name] : kNames<Limit>) {
    const std::optional<double>& bound = goal.bound(limit);
    if (!bound) continue;
    const bool share = limit == Limit::min_agreement || limit == Limit::min_accuracy;
    if (!(*bound >= 0.0) || (share && !(*bound <= 1.0))) {
      throw parameter_error(
          fmt::format("{} must be {}, got {}", name, share ? "a share, 0 to 1" : ">= 0", *bound));
    }
  }
  if (!goal.labelled && (goal.objective == Objective::correct || goal.min_accuracy)) {
    throw parameter_error(fmt::format(
        "{} needs true labels", goal.min_accuracy ? "min_accuracy" : "the objective correct"));
  }
}

void validate(const TuningGoal& goal, const CostKind& cost, bool has_labels) {
  const bool joint = cost.reading == GuaranteeKind::joint && cost.bound == Bound::tradeoff;
  if (!joint && cost.reading != GuaranteeKind::expected) {
    throw parameter_error(fmt::format("the bound {} has no reading {} before a run",
                                      name(cost.bound), name(cost.reading)));
  }
  validate(goal);
  require(!goal.labelled || has_labels, "the true labels that the goal speaks of are missing");
}

TuningChoice assemble(std::vector<TunedPoint>& points, const TuningGoal& goal,
                      const RefinePoints& refine) {
  return Assembly(points, goal, refine).run();
}

std::vector<std::size_t> kept_points(const std::vector<TunedPoint>& points, const TuningGoal& goal,
                                     const TuningChoice& choice, std::optional<std::size_t> top) {
  std::vector<std::size_t> kept(points.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (!top || points.size() <= *top) return kept;
  std::vector<std::size_t> ranked = kept;
  const auto key = [&](std::size_t i) {
    const TunedPoint& p = points[i];
    const bool keeps = goal.keeps_answers(p.point) && goal.keeps_epsilon(p.grid_epsilon);
    return std::pair(!keeps, rank(p, p.grid_epsilon, goal));
  };
  std::ranges::nth_element(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(*top), {}, key);
  std::vector<char> keep(points.size(), 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Where every point is exact, being refined is nothing special.
    const bool special = points[i].refined && points[i].point.epsilon != points[i].grid_epsilon;
    keep[i] = special || points[i].pareto ? 1 : 0;
  }
  for (std::size_t k = 0; k < *top; ++k) keep[ranked[k]] = 1;
  if (choice.best) keep[*choice.best] = 1;
  for (const NearestMiss& miss : choice.nearest_misses) keep[miss.position] = 1;
  std::erase_if(kept, [&](std::size_t i) { return keep[i] == 0; });
  return kept;
}

}  // namespace pate
