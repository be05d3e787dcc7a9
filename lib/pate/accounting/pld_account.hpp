#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/exact_run.hpp"
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
  /// How far below 0 deltas are asked for, as others do who go on with a profile: losses to come are
  /// told apart up to here at least.
  double told_apart = 0.5;
};

/// The best orders of the run's exact RDP by direction, which say how fine a grid must be.
struct ProfileHints {
  OptimalOrder forward, reverse;

  [[nodiscard]] const OptimalOrder& larger() const {
    return reverse.epsilon > forward.epsilon ? reverse : forward;
  }
};

/// The exact (epsilon, delta) of a run, from the outcome probabilities of its queries without Renyi
/// DP between (README of `profile`): an interval that holds the smallest epsilon.
struct RunProfile {
  BothDirections upper;  ///< certified: every neighbour, whichever it is at each query
  BothDirections lower;  ///< one neighbour has at least this
  ProfileCurve curve;
  std::vector<PessimisticProfile> profiles;  ///< forward, then reverse: of which `upper` is told
};

/// What the ends of both directions, forward and reverse, say: epsilon at the deltas, and delta at
/// the epsilons.
[[nodiscard]] ProfileCurve profile_curve(double step, std::span<const double> deltas,
                                         std::span<const double> epsilons,
                                         std::span<const PessimisticProfile> upper,
                                         std::span<const OptimisticProfile> lower);

/// The profile of runs one after the other, each a fixed list of queries to the same teachers, and
/// of Gaussian steps on them whose sensitivity is `gaussian_mu` standard deviations. None where
/// outcome probabilities are not known (noise far below one vote).
///
/// Where all neighbours are too many, covers of theirs take their place, which costs 1e-4 of
/// epsilon; where that is too much for a minute or so, the grid is coarser. Neither the order of
/// the queries nor threads change a bit. `progress` counts what is done of the work.
[[nodiscard]] std::optional<RunProfile> run_profile(std::span<ExactRun* const> runs,
                                                    const ProfileHints& hints,
                                                    const ProfileSettings& settings,
                                                    double gaussian_mu, unsigned threads,
                                                    const ProgressCallback& progress = {});

/// The epsilon at `delta` of Gaussian steps with a sensitivity of `gaussian_mu` standard deviations
/// together and pure steps, in any order, also where one is chosen by the outcomes of others: the
/// randomized response of each pure step dominates it (Kairouz, Oh, Viswanath 2015), and products
/// of dominating pairs dominate the composition (Zhu, Dong, Wang 2022, Theorem 10). An upper bound,
/// by the grid of losses within about 1e-4 of itself. `hint`: about the best order of their RDP.
/// None where that is too much work, and where epsilon is beyond the grid.
[[nodiscard]] std::optional<double> mixture_epsilon(double gaussian_mu,
                                                    std::span<const PureSteps> steps, double delta,
                                                    const OptimalOrder& hint);

/// The privacy profile that this epsilon is read off, for every delta of the settings; the same in
/// both directions. Also of Gaussian steps alone.
[[nodiscard]] std::optional<PessimisticProfile> mixture_profile(double gaussian_mu,
                                                                std::span<const PureSteps> steps,
                                                                const ProfileSettings& settings,
                                                                const OptimalOrder& hint);

/// Who voted for what: rows of one group a teacher, and the rows of every distinct query.
struct TeacherRows {
  std::size_t teachers = 0;
  std::span<const std::uint16_t> groups;         ///< by row, then teacher
  std::vector<std::vector<std::uint32_t>> rows;  ///< by distinct query
};

/// The same for every single teacher: only its own votes move.
struct TeacherProfiles {
  std::vector<double> epsilon;        ///< by teacher, certified, the larger direction
  std::vector<std::int64_t> refined;  ///< teachers whose epsilon is from the finer grid, increasing
  BothDirections upper;               ///< the largest
  double lower = 0.0;                 ///< what the largest is at least
  double step = 0.0, coarse_step = 0.0;
};

/// Profiles of all teachers on a coarse grid, then, from the dearest on, on the finer one until no
/// other can be dearer. None where that is too much work (more than a minute or so); the run has
/// outcome probabilities. Threads change no bit.
[[nodiscard]] std::optional<TeacherProfiles> teacher_profiles(
    ExactRun& run, const TeacherRows& votes, const ProfileHints& hints,
    const ProfileSettings& settings, unsigned threads, const ProgressCallback& progress = {});

}  // namespace pate
