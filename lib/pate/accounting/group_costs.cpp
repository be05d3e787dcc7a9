#include "pate/accounting/group_costs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

std::vector<GroupCost> group_costs(const TeacherGroups& groups, const Account& account,
                                   const TeacherWeights* weights) {
  if (!account.per_teacher) {
    throw parameter_error(
        "costs of groups need those of every teacher: exact costs of predictions");
  }
  const PerTeacher& teachers = *account.per_teacher;
  require(groups.of_teacher.size() == teachers.epsilon.size(),
          "every teacher needs a group, and no other");
  require(weights == nullptr || weights->units.size() == groups.of_teacher.size(),
          "every teacher needs a weight, and no other");
  std::vector<GroupCost> costs;
  std::vector<std::int64_t> units(groups.names.size(), 0);
  for (const std::string& name : groups.names) costs.push_back({name});
  for (std::size_t t = 0; t < groups.of_teacher.size(); ++t) {
    GroupCost& cost = costs[groups.of_teacher[t]];
    ++cost.teachers;
    units[groups.of_teacher[t]] += weights != nullptr ? weights->units[t] : 1;
    cost.epsilon = max_or_nan(cost.epsilon, teachers.epsilon[t]);
    if (teachers.profile) {
      cost.profile = max_or_nan(cost.profile.value_or(0.0), (*teachers.profile)[t]);
    }
  }
  const auto squared_mu = account.steps.squared_mu();
  if (!squared_mu || account.query_delta > 0.0) return costs;
  const auto unit = static_cast<double>(weights != nullptr ? weights->heaviest() : 1);
  for (std::size_t g = 0; g < costs.size(); ++g) {
    costs[g].whole_group = gaussian_dp_epsilon(
        static_cast<double>(units[g]) / unit * std::sqrt(*squared_mu), account.delta);
  }
  return costs;
}

}  // namespace pate
