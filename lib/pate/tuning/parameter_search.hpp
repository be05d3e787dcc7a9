#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "pate/tuning/off_grid_search.hpp"

namespace pate {

/// The number with so many significant digits, as people give parameters; to the nearest.
[[nodiscard]] double to_digits(double value, int digits);

/// Digits that parameters keep which were found off the grid.
inline constexpr int kFoundDigits = 3;

/// Where the search for all parameters begins: a coarse grid over all that is worth trying.
///
///     sigma2      from teachers / 250 to teachers, logarithmic
///     sigma1      from teachers / 50 to 4 teachers, logarithmic
///     threshold   from the smallest selection statistic of the votes, at most 0, to the largest
///                 plus the teachers
///
/// with `--student` (votes.student) of Interactive, else of Confident. Reads the votes once.
/// Throws `parameter_error` for votes without queries or teachers.
[[nodiscard]] TuningGrid search_grid(const TuningVotes& votes, unsigned threads);

/// Whether the first point is better than the second: it keeps the limits, and has more of what is
/// wanted, or as much for a smaller epsilon; or it comes nearer to limits that neither keeps.
[[nodiscard]] bool is_better(const TuningGoal& goal, const TuningPoint& a, const TuningPoint& b);

/// What a search looked at besides its coarse grid.
struct SearchTrace {
  std::size_t grids = 0;   ///< finer ones around the best point
  std::size_t points = 0;  ///< of them
};

/// Looks for the best parameters from the points of a coarse grid on: finer and finer grids around
/// the best point, which move where it is at their edge and are halved where it is not, until
/// values of sigma1 are less than 5 % apart and halving has changed the objective by less than .1
/// %. Their thresholds move with sigma1, so that the clearest queries are answered as often. Values
/// of sigma2 are 15 % apart, from half to twice the best: under a limit on agreement there may be
/// two best ones. Between them epsilon, in the logarithm, and the answers are interpolated, so that
/// the place where a limit is reached is found. sigma1 stays below the largest of the coarse grid:
/// with more noise the check answers at random, which is to ask fewer queries. Of thresholds and
/// sigma1 near there with `kFoundDigits` the best are taken, and of the values of sigma2 with as
/// many digits: what is returned has the epsilon of `account`, and keeps all limits as it is.
///
/// points: of the grid of the task, all evaluated. Threads change no bit. Nothing where no point
/// that was found is better than `best_on_grid` (a position), or none keeps the limits.
[[nodiscard]] std::optional<OffGridPoint> search_parameters(const TuningTask& task,
                                                            const TuningGoal& goal,
                                                            std::span<const TunedPoint> points,
                                                            std::optional<std::size_t> best_on_grid,
                                                            SearchTrace& trace);

/// A point found on the continuum with its parameters rounded to `kFoundDigits`, analysed again: of
/// all ways to round them up or down the best that keeps the limits. Axes of the task's grid with a
/// single value stay as they are. Nothing where none keeps the limits.
[[nodiscard]] std::optional<OffGridPoint> round_parameters(const TuningTask& task,
                                                           const TuningGoal& goal,
                                                           const OffGridPoint& found);

}  // namespace pate
