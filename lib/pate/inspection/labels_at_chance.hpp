#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "pate/accounting/report.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// A notice where the true classes or released labels of the selected queries, `labels` (one for
/// each row of the votes, as `read_labels` and `read_decisions` give them; -1: none), are the
/// plurality's no more often than labels of other queries would be: they may be of other rows, or
/// number the classes in another way. It names `path`, the file they are in, and the
/// option --`option`-rows; "student" has none.
///
///     by chance = sum_c (pluralities c) (labels c) / Q,   Q queries with a label
///
/// None where there are fewer than 30 queries, where one class has 95 % of the pluralities, so that
/// nothing can be told, and where more of them are right than chance and three standard deviations
/// of it. Of tied classes the lowest counts. Throws `input_error` as `VoteSource::read` does.
[[nodiscard]] std::optional<Notice> labels_at_chance(const VoteSource& votes,
                                                     const RowSelection& rows,
                                                     std::span<const std::int32_t> labels,
                                                     std::string_view option,
                                                     std::string_view path);

}  // namespace pate
