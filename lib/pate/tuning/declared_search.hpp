#pragma once

#include <cstddef>
#include <optional>

#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "pate/tuning/tune.hpp"

namespace pate {

/// A budget that is declared beforehand, for which parameters are wanted.
struct DeclaredGoal {
  DeclaredBudget budget;
  double least_pass = 0.99;  ///< how likely the votes at hand have to pass its test
  std::optional<Certificate> certificate = {};  ///< of the test; unset: that which suits a run
};

/// What a search for such parameters found; private, as everything that follows from votes.
struct DeclaredOutcome {
  DeclaredGoal goal;
  /// With the parameters that were found; none where no parameters pass, or none were tested.
  std::optional<double> pass_probability = {};
  std::optional<Certificate> certificate = {};  ///< of their test
  std::size_t tested = 0;                       ///< parameters whose test was computed
};

/// Looks for the parameters of a run, on a grid or with `settings.search` anywhere, that passes the
/// test of a declared budget (release/declared/README.md) with probability `least_pass` at least,
/// and has most of what `settings.goal` wants, within its limits on answers.
///
/// A test needs tables of its own for every noise and threshold. So the parameters are looked for
/// by their private cost, as `tune` does on the grid of `search_grid`, at a private budget at which
/// the test is just passed: the best of a budget are tested, the epsilon that they would need says
/// by how much the budget has to change, until that is less than `kDeclaredStep`. Where none of
/// them pass because a cost of nothing is no cost of votes nearby, the cost for any votes is
/// limited until they do. The best of those that pass are returned as `continuum`.
///
/// Of a grid the points are tested from the best on, and the first that passes is its `best`. With
/// one that fails all are left out that cost neither these votes nor any votes clearly less.
///
/// grid: for neighbours with one or several teachers that vote otherwise; with several the test is
/// by costs at Renyi orders.
///
/// settings: `max_epsilon` counts for nothing. The votes must not be those that are then labelled:
/// parameters that follow from them are not declared beforehand. Throws `parameter_error` for PTR,
/// for teachers that are added or removed, and what `tune` and `DeclaredMechanism` throw. Threads
/// change no bit. When the watcher stops it, the tuning is marked incomplete.
[[nodiscard]] Tuning search_declared(const TuningVotes& votes, const TuningGrid& grid,
                                     TuneSettings settings, const KnownPoints& known,
                                     const CurveTableSource& tables, const Watcher& watcher,
                                     DeclaredOutcome& outcome);

/// By how much, relative, the private budget may still be changed where a search ends.
inline constexpr double kDeclaredStep = 1e-2;

}  // namespace pate
