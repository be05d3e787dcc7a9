#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/row_selection.hpp"

namespace pate {

// The one-dimensional files beside the votes: labels, decisions, row numbers. Each is an array of
// shape (N,) or (N, 1); of any other shape, (1, N) above all, is an `input_error` that says so.
// Text with two columns of which the first is called "row", as `pate label` writes it, has the
// number of a row of the votes and then its value; rows are in any order then.

/// What a file of decisions holds.
enum class DecisionsAre {
  answered,  ///< 1 for answered, 0 for refused
  labels,    ///< what a run released: class ids, and -1 for refused
};

/// Whose values the rows of a file without row numbers are.
enum class RowsOf {
  file,      ///< of the rows of the votes, as they lie in their file
  selected,  ///< of the selected queries, in their order
};

/// The votes that a file lies beside.
struct VotesShape {
  std::int64_t rows;
  std::int64_t classes;
  const RowSelection& queries;
};

/// True class ids (`--labels`), one entry per row of the votes; 0 for those of which the file says
/// nothing, and which are not selected.
///
/// Where `rows_of` says nothing, the number of rows tells: as many as rows of the votes, or as
/// selected queries. Throws `input_error` where it is neither; where it is both and the readings
/// differ, or an index of rows that is not 0, 1, 2, ... was left out (--labels-rows settles it);
/// where a selected query is missing or two rows of the file contradict each other; naming row and
/// value where one is not an integer in 0 .. classes - 1. Domain: classes < 2^31.
[[nodiscard]] std::vector<std::int32_t> read_labels(const NumericTable& table,
                                                    const VotesShape& votes,
                                                    std::optional<RowsOf> rows_of = {});

/// Which queries a run answered, and what it released.
struct Decisions {
  std::vector<std::uint8_t> answered;  ///< by row of the votes: 1 answered, 0 refused, not selected
  std::vector<std::int32_t> labels;    ///< by row: -1 where not answered; empty: the file has none
};

/// Which queries a run answered (`--decisions`).
///
/// Where `are` says nothing, the file must tell what it holds: bool are decisions, integers of
/// which one is -1 or above 1 are released labels. Throws `input_error` for all other files of
/// zeros and ones (they may be labels of the classes 0 and 1, all of them answered), naming row and
/// value for what is neither, and in the cases of `read_labels`.
[[nodiscard]] Decisions read_decisions(const NumericTable& table, const VotesShape& votes,
                                       std::optional<DecisionsAre> are = {},
                                       std::optional<RowsOf> rows_of = {});

/// Row numbers, any number of them (`--indices`). Throws `input_error` naming the row where one is
/// no integer; whether the rows exist is for `RowSelection::check` to say.
[[nodiscard]] std::vector<std::int64_t> read_indices(const NumericTable& table);

/// A student's scores, queries x classes: for each query a probability per class. What the
/// Interactive aggregator compares the votes with.
class StudentScores {
 public:
  /// `rows` and `classes` are those of the votes. Throws `input_error` naming both shapes when the
  /// table has another one, and says so when it looks transposed.
  StudentScores(std::shared_ptr<const NumericTable> table, std::int64_t rows, std::int64_t classes);

  [[nodiscard]] const std::string& name() const { return table_->name(); }
  [[nodiscard]] std::int64_t rows() const { return table_->rows(); }
  [[nodiscard]] std::int64_t classes() const { return table_->columns(); }

  /// Writes the scores of rows `[first, first + count)` to `out`, row-major.
  ///
  /// Throws `input_error` for a score outside [0, 1], and where a row does not sum to 1 within
  /// 1e-4, or what rounding to its decimals can do (0.02 at most): no cost rests on it. Thread
  /// safe.
  void read(std::int64_t first, std::int64_t count, std::span<double> out) const;

 private:
  std::shared_ptr<const NumericTable> table_;
};

}  // namespace pate
