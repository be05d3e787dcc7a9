#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/inspection/content_doubts.hpp"

namespace pate {

/// Whether class ids are a table with a row for each vote (query, teacher, class): three to five
/// lines of which two, neither of them a numbering of all entries, never have the same pair twice,
/// which of so many pairs is no chance, below 1e-5 even where all values are alike often. Votes of
/// teachers who agree have pairs again and again.
///
/// `lines` are the few rows of the table (`are_rows`) or its few columns, whichever is given; none
/// of other shapes. Certain, unless a person says how many teachers there are.
[[nodiscard]] std::optional<ContentDoubt> long_table_doubt(
    const VotesLookedAt& looked_at, const std::vector<std::vector<std::int64_t>>& lines,
    bool are_rows);

}  // namespace pate
