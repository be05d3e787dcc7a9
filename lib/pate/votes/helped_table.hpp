#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// What is read of a table of votes.
struct VotesWanted {
  bool class_ids = false;                     ///< else counts
  std::optional<std::int64_t> teachers = {};  ///< as a person says
  bool by_query = false;                      ///< class ids with one row per query
};

/// What a table that does not hold votes may hold instead, and the line that makes votes of it, as
/// the end of a message that begins with "; ", or nothing. Looks at a part of it; never throws for
/// what is in it.
///
/// Shares whose rows sum to 1 are votes times the number of teachers where that was said; scores
/// of every teacher are votes for the best class (argmax), as are ties; several ones in one-hot
/// vectors are several labels; missing values are abstentions; other fractions may be counts after
/// the noise.
[[nodiscard]] std::string help_with_values(const NumericTable& table, const VotesWanted& wanted);

/// How a message goes on about counts that are negative or fractions.
inline constexpr std::string_view kNoisyCounts =
    "; counts after the noise, which have fractions and negatives, are not the votes: dump the "
    "counts before the noise is added (numpy: counts.copy() above the line that adds it)";

/// Throws `input_error` for a table of one dimension where counts are asked for and the number of
/// teachers is known: the line makes votes for two classes of those for class 1.
void refuse_ones_only(const NumericTable& table, std::optional<std::int64_t> teachers);

/// What an array of three dimensions that is no one-hot predictions may be, in the same form: class
/// ids with an axis of length 1, or several of each teacher and query (top k).
[[nodiscard]] std::string help_with_axes(const NumericTable& table);

/// A table of votes, with that help at the end of what reading it throws.
class HelpedTable final : public NumericTable {
 public:
  HelpedTable(std::shared_ptr<const NumericTable> table, const VotesWanted& wanted);

  [[nodiscard]] const std::string& name() const override { return table_->name(); }
  [[nodiscard]] int dimensions() const override { return table_->dimensions(); }
  [[nodiscard]] std::int64_t rows() const override { return table_->rows(); }
  [[nodiscard]] std::int64_t columns() const override { return table_->columns(); }
  [[nodiscard]] TableDescription description() const override { return table_->description(); }
  [[nodiscard]] ColumnHeader header() const override { return table_->header(); }

 private:
  void copy(const Block& block, std::span<std::int64_t> out) const override;
  void copy(const Block& block, std::span<double> out) const override;

  std::shared_ptr<const NumericTable> table_;
  VotesWanted wanted_;
};

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

/// The line that makes decisions of a list of the rows that were answered, of `rows`.
[[nodiscard]] std::string answered_line(const NumericTable& table, std::int64_t rows);

}  // namespace pate
