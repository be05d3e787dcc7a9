#pragma once

#include <vector>

#include "pate/accounting/group_costs.hpp"
#include "pate/accounting/weighted_account.hpp"

namespace pate {

/// What teachers that are told apart pay; what is not asked for is empty.
struct CostsApart {
  std::vector<GroupCost> groups;
  std::vector<WeightCost> weights;
};

}  // namespace pate
