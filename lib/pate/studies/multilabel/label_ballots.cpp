#include "pate/studies/multilabel/label_ballots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

void require_columns(const NumericTable& table, int dimensions, const char* expected) {
  if (table.dimensions() != dimensions) {
    throw input_error(fmt::format("{}: expected {}, found an array of {} dimension{}", table.name(),
                                  expected, table.dimensions(),
                                  table.dimensions() == 1 ? "" : "s"));
  }
  if (table.rows() == 0 || table.columns() == 0) {
    throw input_error(fmt::format("{}: expected {}, found an empty array", table.name(), expected));
  }
}

// A table of numbers that are computed when they are asked for.
class ComputedTable : public NumericTable {
 public:
  [[nodiscard]] int dimensions() const override { return 2; }
  [[nodiscard]] TableDescription description() const override {
    return {"npy", "<i8", {rows(), columns()}};
  }

 protected:
  [[nodiscard]] virtual std::int64_t at(std::int64_t row, std::int64_t column) const = 0;

 private:
  template <typename Number>
  void fill(const Block& block, std::span<Number> out) const {
    auto to = out.begin();
    for (std::int64_t i = 0; i < block.row_count; ++i) {
      for (std::int64_t j = 0; j < block.column_count; ++j, ++to) {
        *to = static_cast<Number>(at(block.first_row + i, block.first_column + j));
      }
    }
  }
  void copy(const Block& block, std::span<std::int64_t> out) const override { fill(block, out); }
  void copy(const Block& block, std::span<double> out) const override { fill(block, out); }
};

// Class ids, queries x teachers.
class BallotTable final : public ComputedTable {
 public:
  BallotTable(std::shared_ptr<const LabelBallots> ballots, BallotClasses classes)
      : ballots_(std::move(ballots)), by_label_(classes == BallotClasses::labels) {}

  [[nodiscard]] const std::string& name() const override { return ballots_->name(); }
  [[nodiscard]] std::int64_t rows() const override {
    return ballots_->queries() * (by_label_ ? ballots_->labels() : 1);
  }
  [[nodiscard]] std::int64_t columns() const override { return ballots_->teachers(); }

 private:
  [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t column) const override {
    const std::int64_t labels = ballots_->labels();
    if (by_label_) {
      return ballots_->ballot(row / labels, column)[static_cast<std::size_t>(row % labels)];
    }
    std::int64_t set = 0;
    const auto ballot = ballots_->ballot(row, column);
    for (std::size_t k = ballot.size(); k-- > 0;) set = 2 * set + ballot[k];
    return set;
  }

  std::shared_ptr<const LabelBallots> ballots_;
  bool by_label_;
};

// Counts of the teachers that did not give a label and of those that did.
class YesNoTable final : public ComputedTable {
 public:
  explicit YesNoTable(std::shared_ptr<const LabelCounts> counts) : counts_(std::move(counts)) {}

  [[nodiscard]] const std::string& name() const override { return counts_->name(); }
  [[nodiscard]] std::int64_t rows() const override {
    return static_cast<std::int64_t>(counts_->positives().size());
  }
  [[nodiscard]] std::int64_t columns() const override { return 2; }

 private:
  [[nodiscard]] std::int64_t at(std::int64_t row, std::int64_t column) const override {
    const std::int64_t positive = counts_->positives()[static_cast<std::size_t>(row)];
    return column == 1 ? positive : counts_->teachers() - positive;
  }

  std::shared_ptr<const LabelCounts> counts_;
};

}  // namespace

LabelsFile::Size LabelBallots::size_of(const NumericTable& table, PredictionLayout layout,
                                       const RowSelection& rows) {
  const bool by_teacher = layout == PredictionLayout::teachers_by_queries;
  require_columns(table, 3,
                  by_teacher ? "predictions of several labels (teachers x queries x labels)"
                             : "predictions of several labels (queries x teachers x labels)");
  const std::vector<std::int64_t> shape = table.description().shape;
  rows.check(table.name(), shape[by_teacher ? 1 : 0]);
  return {shape[by_teacher ? 0 : 1], rows.size(), shape[2]};
}

LabelBallots::LabelBallots(const NumericTable& table, PredictionLayout layout,
                           const RowSelection& rows)
    : LabelsFile(table.name(), size_of(table, layout, rows)) {
  const bool by_teacher = layout == PredictionLayout::teachers_by_queries;
  marks_.resize(static_cast<std::size_t>(queries()) * static_cast<std::size_t>(teachers()) *
                static_cast<std::size_t>(labels()));
  std::vector<std::int64_t> marks(static_cast<std::size_t>(labels()));
  auto to = marks_.begin();
  for (std::int64_t i = 0; i < queries(); ++i) {
    for (std::int64_t teacher = 0; teacher < teachers(); ++teacher) {
      const std::int64_t row = by_teacher ? teacher : rows[i];
      const std::int64_t column = by_teacher ? rows[i] : teacher;
      table.read_integers(row, 1, column * labels(), labels(), marks);
      for (std::int64_t k = 0; k < labels(); ++k, ++to) {
        const std::int64_t mark = marks[static_cast<std::size_t>(k)];
        if (mark != 0 && mark != 1) {
          throw input_error(
              fmt::format("{}: row {}, column {}, label {}: expected 0 or 1, found {}", name(), row,
                          column, k, mark));
        }
        *to = static_cast<std::uint8_t>(mark);
      }
    }
  }
}

std::unique_ptr<PredictionVotes> votes_of(std::shared_ptr<const LabelBallots> ballots,
                                          BallotClasses classes) {
  const bool by_label = classes == BallotClasses::labels;
  require(by_label || ballots->labels() <= kMaxSetLabels,
          "sets of labels (powerset) must be of <= {} labels, got {}: leave powerset out",
          kMaxSetLabels, ballots->labels());
  const std::int64_t count = by_label ? 2 : std::int64_t{1} << ballots->labels();
  return std::make_unique<PredictionVotes>(
      std::make_shared<const BallotTable>(std::move(ballots), classes),
      PredictionLayout::queries_by_teachers, count);
}

LabelsFile::Size LabelCounts::size_of(const NumericTable& table, std::int64_t teachers,
                                      const RowSelection& rows) {
  constexpr std::int64_t kMost = 2147483647;
  require_count(teachers, kMost, "teachers");
  require_columns(table, 2, "counts of teachers that gave a label (queries x labels)");
  rows.check(table.name(), table.rows());
  return {teachers, rows.size(), table.columns()};
}

LabelCounts::LabelCounts(const NumericTable& table, std::int64_t teachers, const RowSelection& rows)
    : LabelsFile(table.name(), size_of(table, teachers, rows)) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(labels()));
  for (std::int64_t i = 0; i < queries(); ++i) {
    table.read_integers(rows[i], 1, 0, labels(), counts);
    for (std::int64_t k = 0; k < labels(); ++k) {
      const std::int64_t count = counts[static_cast<std::size_t>(k)];
      if (count < 0 || count > teachers) {
        throw input_error(fmt::format(
            "{}: row {}, column {}: expected how many of {} teachers gave the label, found {}",
            name(), rows[i], k, teachers, count));
      }
      positives_.push_back(static_cast<std::int32_t>(count));
    }
  }
}

LabelCounts::LabelCounts(const LabelBallots& ballots)
    : LabelsFile(ballots.name(), {ballots.teachers(), ballots.queries(), ballots.labels()}),
      positives_(static_cast<std::size_t>(queries() * labels())) {
  for (std::int64_t query = 0; query < queries(); ++query) {
    const auto sums = std::span(positives_).subspan(static_cast<std::size_t>(query * labels()));
    for (std::int64_t teacher = 0; teacher < teachers(); ++teacher) {
      const auto ballot = ballots.ballot(query, teacher);
      for (std::size_t k = 0; k < ballot.size(); ++k) sums[k] += ballot[k];
    }
  }
}

std::unique_ptr<VoteSource> votes_of(std::shared_ptr<const LabelCounts> counts) {
  return std::make_unique<CountVotes>(std::make_shared<const YesNoTable>(std::move(counts)));
}

}  // namespace pate
