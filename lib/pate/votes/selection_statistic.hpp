#pragma once

#include <cstdint>
#include <span>

namespace pate {

// What the threshold check of a query compares with the threshold.

/// max_j n_j: the number of votes for the plurality, the statistic of the Confident aggregator.
/// 0 for an empty histogram. When one teacher changes its vote, it changes by at most 1.
[[nodiscard]] std::int32_t top_count(std::span<const std::int32_t> histogram);

/// r_j = ceil(M p_j - 1/2): the votes the student expects for a class it gives the score p_j, as an
/// integer.
[[nodiscard]] std::int64_t expected_votes(double score, std::int64_t teachers);

/// The statistic of the Interactive aggregator: by how many votes the teachers exceed what the
/// student expects already,
///
///     v = max_j (n_j - r_j),   r_j = ceil(M p_j - 1/2),   clamped to [0, M].
///
/// The student's side is rounded once, to integers (half goes down), before the subtraction. So r_j
/// does not depend on the votes, and v changes by at most 1 when one teacher changes its vote. To
/// round n_j - M p_j after the subtraction, in floating point, can move by 2. Accounting and
/// mechanism must both use this function.
///
/// `scores` are the student's p_j in [0, 1], as many as classes; `teachers` is M, 0 <= M < 2^31.
/// (math.md section 2; the statistic before rounding: S18, Algorithm 2.)
[[nodiscard]] std::int32_t interactive_statistic(std::span<const std::int32_t> histogram,
                                                 std::span<const double> scores,
                                                 std::int64_t teachers);

}  // namespace pate
