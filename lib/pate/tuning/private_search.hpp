#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "pate/accounting/best_of_tries.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate {

/// By what the best of several tries is chosen: a number that follows from the labels of a try, and
/// what is public, alone. How many labels the teachers would give follows from their votes, and is
/// none.
enum class TryScore {
  answered,  ///< queries that were answered
  correct,   ///< labels that are the public ones
};
template <>
inline constexpr std::array<Named<TryScore>, 2> kNames<TryScore>{{
    {TryScore::answered, "answered"},
    {TryScore::correct, "correct"},
}};

/// The best of the tries: all of it is released.
struct BestTry {
  std::size_t index = 0;     ///< its point, in the canonical order of the grid
  LabelledQueries labelled;  ///< with the parameters of the point
  std::int64_t score = 0;
};

/// The steps of one try at most, whichever point of the grid it has and whatever is answered: those
/// of the least noise, for costs of a step fall with its noise at every order. Throws
/// `parameter_error` for PTR.
[[nodiscard]] MechanismCounts steps_of_one_try(const TuningGrid& grid, std::int64_t queries);

/// Tries points of the grid, each drawn uniformly and with replacement, with fresh noise
/// (`label_queries`), as often as a number says that is drawn; the first of the best by score.
/// Nothing where that number is 0. What it costs: `BestOfTriesCost` of `steps_of_one_try`. The
/// grid must not depend on the votes.
///
/// stop: asked before every try; where it says so nothing is returned, and nothing is released.
/// threads (0: all processors) changes no label. Throws `parameter_error` for a bad grid or number,
/// for the score `correct` without a public label for every row of the votes, and what reading the
/// votes and the source throw.
[[nodiscard]] std::optional<BestTry> best_of_tries(const TuningVotes& votes, const TuningGrid& grid,
                                                   const NumberOfTries& tries, TryScore score,
                                                   BitSource& source, unsigned threads,
                                                   const std::function<bool()>& stop = {});

}  // namespace pate
