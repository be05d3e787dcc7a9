#pragma once

#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/report.hpp"
#include "pate/studies/darrm/majority_run.hpp"

namespace pate {

/// What the headline promises.
[[nodiscard]] Guarantee guarantee_of(const MajorityPlan& plan);

/// How much better than what is released another private noise function must agree with the
/// majority, at one of kAgreementsAt, to be pointed at.
inline constexpr double kNotedAgreement = 0.01;

/// What a reader must know.
[[nodiscard]] std::vector<Notice> majority_notices(const MajorityPlan& plan);

}  // namespace pate
