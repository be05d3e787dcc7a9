#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "pate/tuning/tune.hpp"

namespace pate {

/// So many of the points that are known are evaluated again, and as many of their Pareto front.
inline constexpr std::size_t kPointsAgain = 16;

/// Evaluates some of the points that an earlier run evaluated, and says the index of one that has
/// other numbers than the votes give it; nothing where all agree. Looked at are the best point by
/// `goal`, which is what somebody would act on, and up to `kPointsAgain` of the front and of all
/// points, chosen by the seed: of a grid of which a share s was changed, one that is chosen by
/// nobody but the seed misses all with probability (1 - s)^16.
///
/// A point must agree to the bit where all points of its block (`kBlockThresholds`) are known;
/// elsewhere, where its value may have begun from another one, to `kGridAccuracy`.
/// task: of the same votes, grid and settings; its watcher may stop this, which is no difference.
/// known: increasing in `index`. Takes one evaluation of the blocks of the points it looks at.
[[nodiscard]] std::optional<std::size_t> differing_point(const TuningTask& task,
                                                         const TuningGoal& goal,
                                                         const KnownPoints& known,
                                                         std::uint64_t seed);

}  // namespace pate
