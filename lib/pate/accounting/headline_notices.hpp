#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"

namespace pate {

/// What a reader must know of the headline, costs[headline]: that it must not be published, that a
/// cost that may be is no larger, that it is an expectation, holds at a fixed order or in one
/// direction only.
void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline,
                          std::vector<Notice>& notices);

}  // namespace pate
