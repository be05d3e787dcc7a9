#pragma once

#include <span>
#include <vector>

#include "pate/accounting/exact_tally.hpp"
#include "pate/accounting/run.hpp"
#include "pate/accounting/teacher_costs.hpp"

namespace pate {

/// What one shard contributes to the exact costs of its run. From those of all shards they are
/// computed as if the run had never been cut.
struct ExactPartials {
  std::vector<ExactQuery> distinct;  ///< in canonical order
  /// With predictions: the sums of the teachers, at all orders of the grid, by order, then teacher.
  std::vector<double> orders;
  std::vector<std::vector<TeacherSum>> teachers;
};

/// Those of the run's shard; `orders` is the grid. Reads the votes once for the queries and, with
/// predictions, once for every few orders. Throws what reading the votes throws.
[[nodiscard]] ExactPartials exact_partials(const Run& run, std::span<const double> orders,
                                           unsigned threads);

/// The shards of one run together. Throws `parameter_error` where there are none, or where teachers
/// or orders differ.
[[nodiscard]] ExactPartials merge(std::span<const ExactPartials> shards);

}  // namespace pate
