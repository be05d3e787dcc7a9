#pragma once

#include <optional>
#include <string_view>

#include "pate/accounting/run.hpp"
#include "pate/inspection/content_doubts.hpp"

namespace pate {

/// A doubt about decisions that the noise of the run's own threshold check hardly gives on its
/// votes: those of another run, of other rows, with 0 and 1 exchanged, or true labels.
///
/// Of decisions d_i of queries that are answered with probability p_i two sums are looked at,
///
///     sum_i (d_i - p_i)    and    sum_i (d_i - p_i) w_i,   w_i = log(p_i / (1 - p_i)) in -8..8,
///
/// how many were answered, and whether these are the queries that should be, and the least likely
/// of them alone. Each is beyond what is allowed with probability below 2e-9 (Bernstein's
/// inequality: |d_i - p_i| <= 1, the variances are known; of the least likely one the union bound).
///
/// path: what the message calls the decisions. None without decisions or a threshold check, and of
/// PTR. Throws as `QueryReader` does.
[[nodiscard]] std::optional<ContentDoubt> decisions_doubt(const Run& run, std::string_view path);

}  // namespace pate
