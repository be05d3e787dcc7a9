#pragma once

#include <string>

#include "pate/planning/plan.hpp"

namespace pate::cli {

/// What a person wants to see of a plan at a glance, as text of at most 80 columns.
[[nodiscard]] std::string plan_summary(const Plan& plan, bool colour);

}  // namespace pate::cli
