#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/votes/tables/teacher_groups.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate {

/// What the teachers of a group pay.
struct GroupCost {
  std::string name;
  std::int64_t teachers = 0;
  double epsilon = 0.0;                ///< the largest of its teachers, conversion `optimal`
  std::optional<double> profile = {};  ///< the same, conversion `profile`
  /// All of them replaced at once, for any votes; Gaussian noise only.
  std::optional<double> whole_group = {};
};

/// What groups of teachers pay, in their order, from what every teacher pays
/// (`Account::per_teacher`):
///
///     epsilon, profile   the largest of the group's teachers: exact, of one teacher replaced,
///                        whichever of the group it is
///     whole_group        all S teachers of the group replaced at once, for any votes: S moved
///                        votes are S sqrt 2 apart, and move what a threshold is compared with by S
///                        at most, so that the run is a Gaussian mechanism of S times the
///                        sensitivity; none where a step has other noise. With weights S is how
///                        many times the heaviest teacher's weight they have together, whose vote
///                        is the unit of the account's steps
///
/// Accuracy: `whole_group` is rounded outwards by less than 1e-9 relative. Throws
/// `parameter_error` without costs of teachers, and for groups or weights of another number of
/// them.
[[nodiscard]] std::vector<GroupCost> group_costs(const TeacherGroups& groups,
                                                 const Account& account,
                                                 const TeacherWeights* weights = nullptr);

}  // namespace pate
