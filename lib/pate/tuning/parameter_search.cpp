#include "pate/tuning/parameter_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/tuning/evaluate_grid.hpp"
#include "pate/tuning/single_points.hpp"

namespace pate {

namespace {

// Values of the coarse grid, and of the finer ones, by axis.
constexpr std::size_t kCoarseNoise = 9, kCoarseSigma1 = 7, kCoarseThresholds = 12;
constexpr int kMaxGrids = 20;
// Of the noise of the maximum, in the logarithm, and how many values on either side are looked at.
constexpr double kNoiseSpacing = 0.14;
constexpr int kNoiseReach = 5;
// Of sigma1, in the logarithm, where a search may end.
constexpr double kFineSpacing = 0.05;
constexpr double kSmallChange = 1e-3;
// At an edge the search goes on for less: along a ridge every grid brings little, and all of them
// much.
constexpr double kAnyChange = 1e-5;
// Thresholds that are tried when what was found is rounded.
constexpr int kRoundings = 3;
// Pieces between two values of sigma2.
constexpr int kBetween = 8;

std::vector<double> logarithmic_axis(double low, double high, std::size_t size) {
  std::vector<double> values;
  for (std::size_t k = 0; k < size; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(size - 1);
    values.push_back(to_digits(low * std::pow(high / low, share), kFoundDigits));
  }
  return values;
}

// Where the best point lies: the noises by their logarithms, the threshold by its distance from the
// largest statistic in units of sigma1, on which the answers of the clearest queries depend. So
// sigma1 can grow, and the threshold with it, along the ridge that points under a limit make.
struct Spot {
  double log_noise = 0.0, log_sigma1 = 0.0, distance = 0.0;
  double merit = kInfinity;
  bool at_edge = false;  ///< of the noise's values, or of sigma1's, or of the thresholds'
};

// A point between two: numbers that are positive by their logarithms.
TuningPoint between(const TuningPoint& a, const TuningPoint& b, double share) {
  const auto mix = [share](double x, double y) {
    return x > 0.0 && y > 0.0 ? std::exp((1.0 - share) * std::log(x) + share * std::log(y))
                              : (1.0 - share) * x + share * y;
  };
  TuningPoint p = a;
  p.epsilon = mix(a.epsilon, b.epsilon);
  p.answered = mix(a.answered, b.answered);
  p.right = mix(a.right, b.right);
  p.agreeing = mix(a.agreeing, b.agreeing);
  p.any_votes = mix(a.any_votes, b.any_votes);
  return p;
}

// Points with one sigma1 and threshold, by increasing noise.
struct Column {
  double distance;
  std::vector<TuningPoint> points;
};

// Looks for a better spot among the points of a column, and between them.
void improve(Spot& best, const TuningGoal& goal, std::span<const double> noise, double log_sigma1,
             const Column& column, bool at_edge) {
  for (std::size_t n = 0; n < noise.size(); ++n) {
    const bool last = n + 1 == noise.size();
    for (int k = 0; k < (last ? 1 : kBetween); ++k) {
      const double share = static_cast<double>(k) / kBetween;
      const double value = merit(
          goal, k == 0 ? column.points[n] : between(column.points[n], column.points[n + 1], share));
      if (!(value < best.merit)) continue;
      const double here = std::log(noise[n]);
      best.log_noise = k == 0 ? here : here + share * (std::log(noise[n + 1]) - here);
      best.log_sigma1 = log_sigma1;
      best.distance = column.distance;
      best.merit = value;
      best.at_edge = at_edge || (k == 0 && (n == 0 || last));
    }
  }
}

// The same among the columns of one sigma1, and between them; those at the ends are edges where
// `edge`, and all of them where sigma1 is at its own.
void improve(Spot& best, const TuningGoal& goal, std::span<const double> noise, double log_sigma1,
             std::span<const Column> columns, bool edge, bool sigma1_at_edge) {
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const bool end = edge && (t == 0 || t + 1 == columns.size());
    improve(best, goal, noise, log_sigma1, columns[t], sigma1_at_edge || end);
    if (t + 1 == columns.size()) break;
    for (int k = 1; k < kBetween; ++k) {
      const double share = static_cast<double>(k) / kBetween;
      Column middle{columns[t].distance + share * (columns[t + 1].distance - columns[t].distance),
                    {}};
      for (std::size_t n = 0; n < noise.size(); ++n) {
        middle.points.push_back(between(columns[t].points[n], columns[t + 1].points[n], share));
      }
      improve(best, goal, noise, log_sigma1, middle, sigma1_at_edge);
    }
  }
}

// The points of a row of a grid.
std::vector<Column> columns_of(const TuningGrid& grid, std::size_t i_sigma1, double largest,
                               std::span<const TuningPoint> points) {
  std::vector<Column> columns;
  for (std::size_t t = 0; t < grid.thresholds(); ++t) {
    columns.push_back({(grid.threshold[t] - largest) / grid.sigma1[i_sigma1], {}});
    for (std::size_t n = 0; n < grid.noise.size(); ++n) {
      columns.back().points.push_back(points[grid.index(n, i_sigma1, t)]);
    }
  }
  return columns;
}

// The best spot of a coarse grid; what is between its points is too far from them.
Spot best_spot(const TuningGrid& grid, const TuningGoal& goal, double largest,
               std::span<const TuningPoint> points) {
  Spot best;
  for (std::size_t s = 0; s < grid.sigma1_values(); ++s) {
    for (const Column& column : columns_of(grid, s, largest, points)) {
      improve(best, goal, grid.noise, std::log(grid.sigma1[s]), column, false);
    }
  }
  return best;
}

// Values of the noise around one, from a lattice that all finer grids share: their sums over the
// votes are kept.
std::vector<double> lattice_around(double log_value) {
  const double middle = std::round(log_value / kNoiseSpacing);
  std::vector<double> values;
  for (int k = -kNoiseReach; k <= kNoiseReach; ++k) {
    const double value = std::exp((middle + k) * kNoiseSpacing);
    if (value >= kLeastNoise || k == kNoiseReach) values.push_back(std::max(value, kLeastNoise));
  }
  return values;
}

// How far apart the values of a finer grid are.
struct Spacings {
  double sigma1, distance;
};

// The points of a grid with one sigma1; none where the search is to stop.
std::vector<Column> evaluated_columns(const TuningTask& task, const TuningGrid& grid,
                                      double largest, SearchTrace& trace) {
  const Watcher only_stops{{}, task.watcher.stop};
  std::vector<TuningPoint> points(grid.size());
  evaluate_grid({task.votes, grid, task.settings, only_stops, task.kept}, 0, points);
  if (task.watcher.wants_stop()) return {};
  trace.points += points.size();
  return columns_of(grid, 0, largest, points);
}

// The best spot of a finer grid around one, whose thresholds keep their distance in sigma1.
Spot best_around(const TuningTask& task, const TuningGoal& goal, double largest, const Spot& centre,
                 const Spacings& spacing, SearchTrace& trace) {
  constexpr int kHalf = 2;  // values on either side of the middle
  // With still more noise the check answers at random: that is to ask fewer queries.
  const double most = std::log(task.grid.sigma1.back()) * (1.0 + 1e-12);
  TuningGrid fine = task.grid;
  fine.noise = lattice_around(centre.log_noise);
  Spot best;
  for (int s = -kHalf; s <= kHalf; ++s) {
    const double log_sigma1 = centre.log_sigma1 + s * spacing.sigma1;
    if (log_sigma1 > most || log_sigma1 < std::log(kLeastNoise)) continue;
    fine.sigma1 = {std::exp(log_sigma1)};
    fine.threshold.clear();
    for (int t = -kHalf; t <= kHalf; ++t) {
      fine.threshold.push_back(largest +
                               (centre.distance + t * spacing.distance) * fine.sigma1.front());
    }
    const std::vector<Column> columns = evaluated_columns(task, fine, largest, trace);
    if (columns.empty()) return {};
    improve(best, goal, fine.noise, log_sigma1, columns, true, std::abs(s) == kHalf);
  }
  ++trace.grids;
  return best;
}

// A check whose numbers have the digits that are kept, and the noise of the maximum that suits it.
struct RoundedCheck {
  double sigma1, threshold, noise;
};

// The best of those near a spot: where few answers are wanted of large thresholds, the last digit
// that is kept changes their number by more than a search may miss.
RoundedCheck best_rounded(const TuningTask& task, const TuningGoal& goal, double largest,
                          const Spot& centre, SearchTrace& trace) {
  constexpr int kHalf = 2;  // values of sigma1 on either side, so far apart in the logarithm:
  constexpr double kSpacing = 0.015;
  const double most = task.grid.sigma1.back();
  TuningGrid fine = task.grid;
  // Close together: what is interpolated between values far apart is not known well enough here.
  fine.noise.clear();
  for (int k = -4; k <= 4; ++k) {
    const double value =
        to_digits(std::exp(centre.log_noise + k * kNoiseSpacing / 4.0), kFoundDigits);
    if (value >= kLeastNoise) fine.noise.push_back(value);
  }
  Spot best;
  RoundedCheck found{};
  for (int s = -kHalf; s <= kHalf; ++s) {
    const double sigma1 = to_digits(std::exp(centre.log_sigma1 + s * kSpacing), kFoundDigits);
    if (s != 0 && (sigma1 > most || sigma1 < kLeastNoise)) continue;
    const double middle = to_digits(largest + centre.distance * sigma1, kFoundDigits);
    fine.sigma1 = {sigma1};
    fine.threshold.clear();
    for (const int k : {-1, 0, 1}) {
      fine.threshold.push_back(to_digits(middle + k * last_digit(middle), kFoundDigits));
    }
    const std::vector<Column> columns = evaluated_columns(task, fine, largest, trace);
    if (columns.empty()) return {};
    for (std::size_t t = 0; t < columns.size(); ++t) {
      const double before = best.merit;
      improve(best, goal, fine.noise, std::log(sigma1), columns[t], false);
      if (best.merit < before) found = {sigma1, fine.threshold[t], std::exp(best.log_noise)};
    }
  }
  return found;
}

// The point as it is, or without its check where that refuses nothing: a check that never refuses
// is none. A student's scores need one.
OffGridPoint without_idle_check(const TuningTask& task, const TuningGoal& goal,
                                const OffGridPoint& found) {
  constexpr double kIdle = 0.01;  // refusals expected
  const double refused = static_cast<double>(found.point.queries) - found.point.answered;
  if (task.grid.interactive || task.settings.max_answers || !(refused < kIdle)) return found;
  TuningGrid unchecked = task.grid;
  unchecked.sigma1.clear();
  unchecked.threshold.clear();
  const TuningTask without{task.votes, unchecked, task.settings, task.watcher};
  const double noise = found.aggregator.noisy_max.parameter();
  return SinglePoints(without, goal).best_noise(noise, 0.0, 0.0).value_or(found);
}

}  // namespace

TuningGrid search_grid(const TuningVotes& votes, unsigned threads) {
  const auto teachers = static_cast<double>(votes.votes.teachers());
  require(teachers > 0.0 && votes.rows.size() != 0,
          "the search for parameters needs votes: there are none");
  TuningGrid grid;
  grid.interactive = votes.student != nullptr;
  const double most = std::max(teachers, 4.0 * kLeastNoise);
  grid.noise = logarithmic_axis(std::max(teachers / 250.0, kLeastNoise), most, kCoarseNoise);
  grid.sigma1 = logarithmic_axis(std::max(teachers / 50.0, kLeastNoise), 4.0 * most, kCoarseSigma1);
  grid.threshold = {0.0};
  const QueryCounts counted =
      count_queries(run_of(votes, grid.aggregator(0), grid.neighbours, votes.rows.size()), threads);
  const double low = std::min(0.0, static_cast<double>(counted.distinct.front().statistic));
  const double high = static_cast<double>(counted.distinct.back().statistic) + teachers;
  grid.threshold.clear();
  for (std::size_t k = 0; k < kCoarseThresholds; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(kCoarseThresholds - 1);
    grid.threshold.push_back(to_digits(low + share * (high - low), 4));
  }
  return grid;
}

std::optional<OffGridPoint> search_parameters(const TuningTask& task, const TuningGoal& goal,
                                              std::span<const TunedPoint> points,
                                              std::optional<std::size_t> best_on_grid,
                                              SearchTrace& trace) {
  const TuningGrid& coarse = task.grid;
  std::vector<TuningPoint> evaluated;
  for (const TunedPoint& p : points) evaluated.push_back(p.point);
  // The thresholds of the grid end one number of teachers above the largest statistic.
  const double largest = coarse.threshold.back() - static_cast<double>(task.votes.votes.teachers());
  Spot best = best_spot(coarse, goal, largest, evaluated);
  if (!(best.merit < kInfinity)) return std::nullopt;
  Spacings spacing{0.5, 0.4};
  for (int k = 0; k < kMaxGrids; ++k) {
    const Spot next = best_around(task, goal, largest, best, spacing, trace);
    if (task.watcher.wants_stop()) return std::nullopt;
    const double change = (best.merit - next.merit) / std::abs(best.merit);
    // What was interpolated between distant values is known better now, for better or worse.
    best = next;
    if (next.at_edge && change > kAnyChange) continue;
    if (spacing.sigma1 < kFineSpacing && std::abs(change) <= kSmallChange) break;
    spacing.sigma1 *= 0.5;
    spacing.distance *= 0.5;
  }
  const SinglePoints single(task, goal);
  const RoundedCheck check = best_rounded(task, goal, largest, best, trace);
  if (task.watcher.wants_stop()) return std::nullopt;
  double threshold = check.threshold;
  std::optional<OffGridPoint> found;
  // A limit that the noise of the maximum cannot keep, as it cannot make up for what rounding
  // changed, is kept with a few answers less.
  for (int k = 0; k < kRoundings && !found; ++k) {
    found = single.best_noise(check.noise, check.sigma1, threshold);
    threshold = to_digits(threshold + last_digit(threshold), kFoundDigits);
  }
  if (found) found = without_idle_check(task, goal, *found);
  if (found && best_on_grid && !is_better(goal, found->point, points[*best_on_grid].point)) {
    return std::nullopt;
  }
  return found;
}

}  // namespace pate
