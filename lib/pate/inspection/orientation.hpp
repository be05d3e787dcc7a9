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
  double by_chance = 0.0;  ///< what pairs of any cells would
  double rows = 0.0;       ///< how many of each were looked at
  double columns = 0.0;
};

/// The agreement of up to 96 rows and 96 columns, drawn with a fixed seed. On one query teachers
/// agree more than one teacher does over the queries: with the same share of a class in all queries
/// as much, by Jensen's inequality never less, but where teachers prefer classes of their own.
///
/// None for tables with less than 5 rows or columns, of which that says little, but for 3 or 4
/// beside 20 at least. Throws what reading throws.
[[nodiscard]] std::optional<Agreement> agreement_of(const NumericTable& ids);

/// Whether those along `other` agree more than those along `query` by 0.05, and by 5 standard
/// errors.
[[nodiscard]] bool agrees_more(double other, double other_error, double query, double query_error);

/// Whether lines across the queries, `lines` of `length` cells that agree in a share `other` of
/// their pairs, differ from each other where the queries hardly do: they are then the queries.
/// Where one class is the answer to most queries both agree alike, and only that tells them apart.
///
/// The chi-squared statistic of equal shares of the classes, over its degrees of freedom, is 1 +
/// (length - 1) (other - by_chance) / (1 - by_chance): at least 2, above 1 by 10 standard errors,
/// and the queries agree beyond chance by less than a quarter of what the lines do.
[[nodiscard]] bool varies_instead(double other, double query, double by_chance, double lines,
                                  double length);

}  // namespace pate
