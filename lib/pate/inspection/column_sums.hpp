#pragma once

#include <cstdint>
#include <optional>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// The sum that all columns of a table share, where they share one: then a table of counts whose
/// rows do not add up lies transposed (classes x queries).
///
/// None where the sums differ, where there is but one row or column, more than 10 million columns,
/// or an element is negative or no integer. Reads the table piece by piece; never throws what
/// reading throws.
[[nodiscard]] std::optional<std::int64_t> common_column_sum(const NumericTable& table);

}  // namespace pate
