#pragma once

#include <string>
#include <string_view>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// How messages call a column: "column 5 ("total")", or without its heading where it has none.
[[nodiscard]] std::string column_in_words(const NumericTable& table, std::int64_t column);

/// The line that leaves a column of the table out: cut for text, else numpy.delete.
[[nodiscard]] std::string line_without_column(const NumericTable& table, std::int64_t column);

/// The line that leaves an array of an archive out, which is a row of the table.
[[nodiscard]] std::string line_without_array(const NumericTable& table, std::string_view array);

/// What a table whose rows have different sums may be instead of counts, as the end of a message
/// that begins with "; ", or nothing where nothing fits. Reads the whole table; never throws for
/// what is in it.
///
/// Counts that lie transposed have one sum in all columns; counts that wrapped at 256 are bytes and
/// have sums that differ by multiples of 256; margins make the last row the sum of those above it;
/// with a column too many rows have one sum without it; percentages that were rounded have sums
/// about 100; class ids are below the number of columns.
[[nodiscard]] std::string fitting_layout(const NumericTable& table);

}  // namespace pate
