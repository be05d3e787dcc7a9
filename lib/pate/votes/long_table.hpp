#pragma once

#include <string>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// Throws `input_error` where the headings of a table say that it has a row for each vote (teacher,
/// query, label), or for each class of a query (query, class, votes): three columns, beside an
/// index at most. The message has the line that makes a table of votes of it, with a row for each
/// query.
void refuse_long_table(const NumericTable& table);

/// Returns how a refusal of such a table goes on, "" of another one; `names`: queries, teachers or
/// classes have names, which are not numbers.
[[nodiscard]] std::string help_with_long_table(const std::string& name, const ColumnHeader& header,
                                               bool names);

}  // namespace pate
