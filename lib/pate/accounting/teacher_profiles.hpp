#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/pld_grids.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/exact_run.hpp"

namespace pate {

/// Who voted for what: rows of one group a teacher, and the rows of every distinct query.
struct TeacherRows {
  std::size_t teachers = 0;
  std::span<const std::uint16_t> groups;         ///< by row, then teacher
  std::vector<std::vector<std::uint32_t>> rows;  ///< by distinct query
};

/// The exact (epsilon, delta) of a run for every single teacher: only its own votes move.
struct TeacherProfiles {
  std::vector<double> epsilon;        ///< by teacher, certified, the larger direction
  std::vector<std::int64_t> refined;  ///< teachers whose epsilon is from the finer grid, increasing
  BothDirections upper;               ///< the largest
  double lower = 0.0;                 ///< what the largest is at least
  double step = 0.0, coarse_step = 0.0;
};

/// Profiles of all teachers on a coarse grid, then, from the most costly on, on the finer one until
/// no other can cost more. None where that is too much work (more than a minute or so); the run has
/// outcome probabilities. Threads change no bit.
[[nodiscard]] std::optional<TeacherProfiles> teacher_profiles(
    ExactRun& run, const TeacherRows& votes, const ProfileHints& hints,
    const ProfileSettings& settings, unsigned threads, const ProgressCallback& progress = {});

}  // namespace pate
