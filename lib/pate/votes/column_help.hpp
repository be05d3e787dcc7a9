#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pate/votes/numeric_table.hpp"

namespace pate {

// What helps where a file beside the votes, which has one value a query, is another: each gives
// how a message goes on, with a line for a shell, or "".

/// Of a table with more than one column: two of which the first names rows; one-hot labels or
/// scores of `classes`, of so many `rows`, by row or by column; a single row.
[[nodiscard]] std::string help_with_columns(const NumericTable& table, std::int64_t rows,
                                            std::int64_t classes);

/// Of class ids where some are `found`, out of 0 .. classes - 1, and all others right: as marks of
/// rows that have no label; or ids that count from 1.
[[nodiscard]] std::string help_with_unlabelled(const NumericTable& table,
                                               std::span<const std::int64_t> ids,
                                               std::int64_t classes, std::int64_t found);

/// Of released labels where all that are not -1 .. classes - 1 are `found`: as marks of refusals.
[[nodiscard]] std::string help_with_refusals(const NumericTable& table,
                                             std::span<const std::int64_t> labels,
                                             std::int64_t classes, std::int64_t found);

/// Of decisions that are instead the increasing numbers of the rows that were answered, of `rows`.
[[nodiscard]] std::string help_with_row_numbers(const NumericTable& table,
                                                std::span<const std::int64_t> values,
                                                std::int64_t rows);

}  // namespace pate
