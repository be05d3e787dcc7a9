#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pate/accounting/teacher_costs.hpp"
#include "pate/rdp/optimal_order.hpp"

namespace pate {

/// The sums of every teacher at orders of the grid, by order, then teacher.
using TeacherSums =
    std::function<std::vector<std::vector<TeacherSum>>(std::span<const double> orders)>;

/// What `search_teachers` finds.
struct TeacherOptima {
  /// The teacher who pays most, at the best order for every epsilon of `exact_epsilons`.
  std::vector<OptimalOrder> run;
  std::vector<double> epsilon;  ///< by teacher, conversion improved: the larger direction
  bool spent = false;           ///< whether anybody pays anything
};

/// The smallest epsilons of every teacher and of the teacher who pays most over the orders of
/// `grid`. Epsilons fall and then rise with the order: the search begins around `hint`, which is
/// clamped to the grid, and ends when no minimum is at an end of the orders it took.
[[nodiscard]] TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                                            std::span<const double> grid, double hint,
                                            double delta);

/// The same from all orders of the grid.
[[nodiscard]] TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                                            std::span<const double> grid, double delta);

}  // namespace pate
