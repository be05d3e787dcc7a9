#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pate/votes/numeric_table.hpp"

namespace pate {

// What a table may hold instead of what is asked for: how a message goes on, from "; " on, with the
// line that makes it right; "" where nothing fits. None throws for what is in the table.

/// What is read of a table of votes.
struct VotesWanted {
  bool class_ids = false;                     ///< else counts
  std::optional<std::int64_t> teachers = {};  ///< as a person says
  bool by_query = false;                      ///< class ids with one row per query
};

/// Of a table that does not hold votes, by a part of it: shares, scores, ties, several labels,
/// missing values, counts after the noise.
[[nodiscard]] std::string help_with_values(const NumericTable& table, const VotesWanted& wanted);

/// How a message goes on about counts that are negative or fractions.
inline constexpr std::string_view kNoisyCounts =
    "; counts after the noise, which have fractions and negatives, are not the votes: dump the "
    "counts before the noise is added (numpy: counts.copy() above the line that adds it)";

/// The same of a class id that is the number of classes.
inline constexpr std::string_view kCountFromOne =
    "; ids count from 0: subtract 1 where these count from 1";

/// Of counts whose rows have different sums, by the first 2^24 of them: transposed, wrapped at 256,
/// with a column too many, percentages, class ids.
[[nodiscard]] std::string fitting_layout(const NumericTable& table);

/// Throws `input_error` for a table of one dimension where counts are asked for and the number of
/// teachers is known: the line makes votes for two classes of those for class 1.
void refuse_ones_only(const NumericTable& table, std::optional<std::int64_t> teachers);

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

/// Of decisions that are instead the increasing numbers of the rows that were answered, of `rows`;
/// and the line that makes decisions of such a list.
[[nodiscard]] std::string help_with_row_numbers(const NumericTable& table,
                                                std::span<const std::int64_t> values,
                                                std::int64_t rows);
[[nodiscard]] std::string answered_line(const NumericTable& table, std::int64_t rows);

}  // namespace pate
