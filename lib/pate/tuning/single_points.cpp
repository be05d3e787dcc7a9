#include "pate/tuning/single_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "pate/numerics/infinity.hpp"
#include "pate/tuning/evaluate_grid.hpp"

namespace pate {

double last_digit(double value) {
  if (value == 0.0) return 1.0;
  return std::pow(10.0, std::floor(std::log10(std::abs(value))) - (kFoundDigits - 1));
}

double merit(const TuningGoal& goal, const TuningPoint& p) {
  double beyond = 0.0;
  if (!goal.allows(p)) return 1e9;
  bool keeps = true;
  for (const auto& [limit, name] : kNames<Limit>) {
    if (goal.keeps(limit, p, p.epsilon)) continue;
    keeps = false;
    beyond += std::min(goal.excess(limit, p, p.epsilon), 1e6);
  }
  if (!keeps) return 1.0 + beyond;
  // Of as many answers the cheaper.
  if (goal.objective == Objective::epsilon) return -1.0 / (1.0 + p.epsilon);
  return -1.0 - goal.value(p) * (1.0 + 1e-9 / (1.0 + p.epsilon));
}

OffGridPoint SinglePoints::at(double noise, double sigma1, double threshold, bool exact) const {
  TuningGrid one = task_.grid;
  one.noise = {noise};
  if (one.has_selection()) {
    one.sigma1 = {sigma1};
    one.threshold = {threshold};
  }
  const Watcher nobody;
  const TuningTask task{task_.votes, one, task_.settings, nobody, task_.kept};
  TuningPoint point;
  evaluate_grid(task, 0, std::span(&point, 1));
  if (one.has_selection() && !task_.settings.any_votes && (exact || straddles(point.epsilon))) {
    const PointToRefine wanted{0, point.queries, point.order};
    const auto refined = refine_points(task, std::span(&wanted, 1)).front();
    if (refined->epsilon <= point.epsilon) {
      point.epsilon = refined->epsilon;
      point.order = refined->order;
    }
  }
  return {one.aggregator(0), point};
}

std::optional<OffGridPoint> SinglePoints::best_noise(double near, double sigma1,
                                                     double threshold) const {
  // Numbers of three digits: 100 to 999, of each power of ten.
  constexpr std::size_t kPerDecade = 900;
  constexpr std::size_t kDecadesBelow = 6;
  constexpr std::size_t kDecades = 2 * kDecadesBelow;
  const double decade = std::floor(std::log10(near)) - kDecadesBelow;
  const auto value = [&](std::size_t i) {
    const std::size_t decades = i / kPerDecade;
    const auto mantissa = static_cast<double>(100 + i % kPerDecade);
    return to_digits(mantissa * std::pow(10.0, decade - 2.0 + static_cast<double>(decades)),
                     kFoundDigits);
  };
  const double mantissa = near / std::pow(10.0, std::floor(std::log10(near)));
  const auto start = kPerDecade * kDecadesBelow +
                     static_cast<std::size_t>(std::clamp(100.0 * mantissa - 100.0, 0.0, 899.0));
  std::map<std::size_t, OffGridPoint> known;
  const std::size_t best =
      descend_to_minimum(kPerDecade * kDecades, start, 1, 1, [&](std::size_t i) {
        if (value(i) < kLeastNoise) return kInfinity;
        auto found = known.find(i);
        if (found == known.end()) {
          found = known.emplace(i, at(value(i), sigma1, threshold, false)).first;
        }
        return merit(goal_, found->second.point);
      });
  const OffGridPoint found = at(value(best), sigma1, threshold, true);
  if (!keeps(found.point)) return std::nullopt;
  return found;
}

bool SinglePoints::straddles(double epsilon) const {
  return goal_.objective == Objective::epsilon ||
         (!goal_.keeps_epsilon(epsilon) && goal_.keeps_epsilon(epsilon * (1.0 - kGridAccuracy)));
}

bool SinglePoints::keeps(const TuningPoint& p) const {
  return goal_.allows(p) && goal_.keeps_epsilon(p.epsilon) && goal_.keeps_answers(p);
}

bool is_better(const TuningGoal& goal, const TuningPoint& a, const TuningPoint& b) {
  return merit(goal, a) < merit(goal, b);
}

double to_digits(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

std::optional<OffGridPoint> round_parameters(const TuningTask& task, const TuningGoal& goal,
                                             const OffGridPoint& found) {
  const TuningGrid& grid = task.grid;
  // Both roundings of a value; on an axis that was given one value alone this one.
  const auto both = [](double value, std::size_t values) {
    if (values == 1) return std::array{value, value};
    const double nearest = to_digits(value, kFoundDigits);
    const double unit = last_digit(value);
    return std::array{nearest,
                      to_digits(nearest < value ? nearest + unit : nearest - unit, kFoundDigits)};
  };
  const bool selects = found.aggregator.selection.has_value();
  const auto noises = both(found.aggregator.noisy_max.parameter(), grid.noise.size());
  const auto sigma1s =
      selects ? both(found.aggregator.selection->sigma1, grid.sigma1.size()) : std::array{0.0, 0.0};
  const auto thresholds = selects
                              ? both(found.aggregator.selection->threshold, grid.threshold.size())
                              : std::array{0.0, 0.0};
  const SinglePoints single(task, goal);
  std::optional<OffGridPoint> best;
  for (std::size_t code = 0; code < (selects ? 8U : 2U); ++code) {
    const OffGridPoint p =
        single.at(noises[code % 2], sigma1s[code / 2 % 2], thresholds[code / 4], true);
    if (!single.keeps(p.point)) continue;
    if (!best || merit(goal, p.point) < merit(goal, best->point)) best = p;
  }
  return best;
}

}  // namespace pate
