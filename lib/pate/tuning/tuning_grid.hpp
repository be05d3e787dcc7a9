#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/parallel/shard.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// One axis of a grid of parameters: its values, increasing and without repetitions.
struct GridAxis {
  std::vector<double> values;
  bool shares = false;  ///< values are percentages of the teachers
};

/// Whether the values of an axis may be shares of the teachers, "60%".
enum class Shares { refused, allowed };

/// The largest number of points a grid may have.
inline constexpr std::int64_t kMaxGrid = 1'000'000'000;
/// The largest number of values an axis may have: all of them are made before any is used.
inline constexpr std::int64_t kMaxAxis = 1'000'000;

/// A number with 12 digits: values of a grid are rounded so, and 0.1 apart means 0.1, 0.2, 0.3.
[[nodiscard]] double to_12_digits(double value);

/// Reads the specification of an axis:
///
///     50:200:10        start:stop:step; stop is included when it is hit
///     50,100,150       a list
///     log:10:1000:25   25 values from 10 to 1000, evenly spaced in the logarithm
///
/// With `Shares::allowed` all numbers of it may carry a percent sign (the count of `log:` does
/// not). Values of ranges are rounded by `to_12_digits`.
///
/// Throws `parameter_error` naming `axis` for anything else: an empty specification, a number that
/// is none or not finite, a stop below the start, a step that is not positive, more than
/// `kMaxAxis` values.
[[nodiscard]] GridAxis parse_grid_axis(std::string_view text, std::string_view axis, Shares shares);

/// The parameters that are tried: every combination of the values of the axes.
///
/// Points are numbered in canonical order: the noise of the maximum outermost, then sigma1, the
/// threshold innermost.
struct TuningGrid {
  std::vector<double> noise;      ///< sigma2, or the Laplace scale; of PTR the delta of a query
  std::vector<double> sigma1;     ///< empty without a selection; of PTR what gives its test's noise
  std::vector<double> threshold;  ///< in votes; empty without a selection
  bool laplace = false;
  bool one_noise = false;  ///< with `laplace`: one noise on one of two counts
  bool interactive = false;
  std::optional<TestNoise> ptr = {};
  Neighbours neighbours = {};  ///< whose costs are meant

  /// Whether points have a threshold of their own.
  [[nodiscard]] bool has_selection() const { return !threshold.empty(); }
  [[nodiscard]] std::size_t sigma1_values() const {
    return has_selection() || ptr ? sigma1.size() : 1;
  }
  [[nodiscard]] std::size_t thresholds() const { return has_selection() ? threshold.size() : 1; }
  /// Number of points.
  [[nodiscard]] std::size_t size() const { return noise.size() * sigma1_values() * thresholds(); }
  [[nodiscard]] std::size_t noise_of(std::size_t point) const {
    return point / thresholds() / sigma1_values();
  }
  [[nodiscard]] std::size_t sigma1_of(std::size_t point) const {
    return point / thresholds() % sigma1_values();
  }
  [[nodiscard]] std::size_t threshold_of(std::size_t point) const { return point % thresholds(); }
  [[nodiscard]] std::size_t index(std::size_t i_noise, std::size_t i_sigma1,
                                  std::size_t i_threshold) const {
    return (i_noise * sigma1_values() + i_sigma1) * thresholds() + i_threshold;
  }

  /// What answers queries with the parameters of a point.
  [[nodiscard]] Mechanism mechanism(std::size_t point) const;
  /// The aggregator with the parameters of a point; throws `parameter_error` where it is PTR.
  [[nodiscard]] Aggregator aggregator(std::size_t point) const;
};

/// Throws `parameter_error` naming the axis for an empty axis, noise that is not positive and
/// finite, a threshold that is not finite, neighbours that the mechanism does not know, and a grid
/// of more than `kMaxGrid` points.
void validate(const TuningGrid& grid);

/// Thresholds whose points are evaluated one after the other, each starting from the one before;
/// blocks are independent of each other, and shards consist of whole blocks.
inline constexpr std::size_t kBlockThresholds = 32;

/// The points first .. last - 1 of a shard. Shards in order make up the grid; a shard of a small
/// grid may be empty. Throws `parameter_error` unless 1 <= index <= of.
[[nodiscard]] std::pair<std::size_t, std::size_t> points_of_shard(const TuningGrid& grid,
                                                                  const Shard& shard);

/// The epsilon or sigma that gives a stability test its noise, as people wrote it.
[[nodiscard]] double test_parameter(const StabilityTest& test);

/// Noise that costs more than this for any votes is none: no point with it is recommended, however
/// little the votes at hand cost.
inline constexpr double kMostForAnyVotes = 1000.0;
/// Searches look at no noise below one vote: with leads of a few votes the cost for these votes
/// alone falls to 0 there.
inline constexpr double kLeastNoise = 1.0;

/// What is known of one point of a grid.
struct TuningPoint {
  double epsilon =
      std::numeric_limits<double>::quiet_NaN();  ///< an upper bound; NaN: not evaluated
  double order = 0.0;        ///< at which it is attained; 0 where nothing was spent
  double answered = 0.0;     ///< expected
  double right = 0.0;        ///< expected number of right answers; needs true labels
  std::int64_t queries = 0;  ///< how many of the queries are asked
  double agreeing = 0.0;     ///< expected number of answers that are the plurality
  /// What any votes may cost, at the same conversion (+inf: none); NaN: not known.
  double any_votes = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] bool evaluated() const { return epsilon == epsilon; }
};

struct KeptSums;

/// What points of a grid are evaluated for and how; refers to all of it.
struct TuningTask {
  const TuningVotes& votes;
  const TuningGrid& grid;
  const GridSettings& settings;
  const Watcher& watcher;
  KeptSums* kept = nullptr;  ///< where several grids with a selection share values of the noise
};

/// Grid values of epsilon are at most this much above those of `account`, relative.
inline constexpr double kGridAccuracy = 5e-3;

}  // namespace pate
