#pragma once

#include <cstdint>
#include <optional>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// Throws `input_error` where the columns of a table, of which each is a class, are called by whole
/// numbers that are not 0, 1, 2, ... in this order: pandas keeps the order in which it met the
/// classes (`DataFrame` of Counters), and leaves out those without a vote (`crosstab`), so that
/// what is third in the table may be class 0. The message has the line that puts them into order,
/// as many as `classes` says, or as the largest number.
void check_class_headings(const NumericTable& table, std::optional<std::int64_t> classes = {});

}  // namespace pate
