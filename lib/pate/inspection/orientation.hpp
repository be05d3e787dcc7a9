#pragma once

#include <cstdint>
#include <optional>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// How much class ids agree along the two axes of a table of predictions: the share of pairs that
/// are equal, in one row and in one column, averaged.
struct Agreement {
  double in_row = 0.0;
  double in_column = 0.0;
  double row_error = 0.0;  ///< standard error over the rows
  double column_error = 0.0;
};

/// The agreement of up to 96 rows and 96 columns, drawn with a fixed seed. On one query teachers
/// agree more than one teacher does over the queries: with the same share of a class in all queries
/// as much, by Jensen's inequality never less, but where teachers prefer classes of their own.
///
/// None for tables with less than 5 rows or columns, of which that says little. Throws what reading
/// throws.
[[nodiscard]] std::optional<Agreement> agreement_of(const NumericTable& ids);

/// Whether those along `other` agree more than those along `query` by 0.05, and by 5 standard
/// errors.
[[nodiscard]] bool agrees_more(double other, double other_error, double query, double query_error);

}  // namespace pate
