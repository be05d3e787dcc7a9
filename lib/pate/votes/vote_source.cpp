#include "pate/votes/vote_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/helped_table.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxVotes = std::numeric_limits<std::int32_t>::max();
// Classes of predictions: a histogram is made for every query, however few of them get votes. All
// sets of 20 labels.
constexpr std::int64_t kMaxPredicted = std::int64_t{1} << 20;

// The sum of a row of counts, each of them checked.
std::int64_t votes_in_row(std::span<const std::int64_t> counts, std::int64_t row,
                          const std::string& name) {
  std::int64_t sum = 0;
  bool good = true;
  for (const std::int64_t count : counts) {
    good = count >= 0 && count <= kMaxVotes && good;
    // Modulo 2^64 as long as it is not known whether the counts are small.
    sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                    static_cast<std::uint64_t>(count));
  }
  if (good) return sum;  // exact: at most 2^31 columns of less than 2^31 each
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      throw input_error(
          fmt::format("{}: row {}, column {}: expected a count of votes >= 0, found {}{}", name,
                      row, i, counts[i], kNoisyCounts));
    }
    if (counts[i] > kMaxVotes) {
      throw input_error(
          fmt::format("{}: row {}, column {}: expected a count of at most {} votes, found {}", name,
                      row, i, kMaxVotes, counts[i]));
    }
  }
  return sum;
}

// Numbers read at once, 128 KiB: they stay in the cache between being read, checked and narrowed.
constexpr std::int64_t kPiece = 16384;

void check_block(const VoteSource& votes, std::int64_t first, std::int64_t count,
                 std::int64_t width, std::span<const std::int32_t> out) {
  if (first < 0 || count < 0 || count > votes.queries() || first > votes.queries() - count ||
      out.size() != static_cast<std::size_t>(count * width)) {
    throw std::out_of_range("votes: queries outside the table or a buffer of another size");
  }
}

}  // namespace

namespace {

// What three dimensions may be where counts are asked for.
std::string shape_help(const NumericTable& table) {
  const std::vector<std::int64_t> shape = table.description().shape;
  return fmt::format(
      "shape ({}); one-hot predictions are read with \1layout predictions (teachers x queries x "
      "classes) or predictions-by-query, and scores with them are told what makes ids of them; "
      "ballots of zeros and ones (teachers x queries x labels) are for pate multilabel; "
      "counts of several labels a query, and nothing else, are as many queries, made by {}",
      fmt::join(shape, ", "),
      conversion_line(table.name(),
                      fmt::format(R"(python3 -c 'import numpy as n; n.save("{{1}}.npy", )"
                                  R"(n.load("{{0}}").reshape(-1, {}))')",
                                  shape.back())));
}

}  // namespace

namespace {

// The line that makes one array of one file a teacher; their names differ in a number.
std::string stacking_line(const std::string& name, bool by_teacher) {
  return conversion_line(
      name,
      fmt::format(
          R"(python3 -c 'import glob, re, numpy as n; f = sorted(glob.glob(re.sub(r"[0-9]+", "*", glob.escape("{{0}}"))), key=lambda f: (len(f), f)); assert len(f) > 1, "no other file has such a name"; n.save("{{1}}.npy", n.stack([n.load(x) for x in f]{}))')",
          by_teacher ? "" : ", 1"));
}

// What a table of one dimension is where class ids of teachers and queries are asked for.
std::string one_line_of(const NumericTable& table, bool by_teacher) {
  if (table.description().format.starts_with("np")) {
    return fmt::format(
        "a one-dimensional array of {} numbers; of one file a teacher all together are made by {}",
        table.rows(), stacking_line(table.name(), by_teacher));
  }
  return fmt::format(
      "a single column of {0} numbers. If these are the votes of {0} teachers on one query, what "
      "writes them on one line, to be read with \1layout predictions-by-query: {1}; of one file a "
      "teacher all together, to be read so too, are made by paste -d, of the files",
      table.rows(), conversion_line(table.name(), "paste -sd, < {0} > {1}.csv"));
}

}  // namespace

std::vector<ClassVotes> VoteSource::read_voted(std::int64_t first, std::int64_t count) const {
  const std::int64_t width = classes();
  const std::int64_t piece = std::max<std::int64_t>(1, (1 << 16) / width);
  std::vector<std::int32_t> counts;
  std::vector<ClassVotes> result;
  for (const std::int64_t end = first + count; first < end; first += piece) {
    const std::int64_t now = std::min(piece, end - first);
    counts.resize(static_cast<std::size_t>(now * width));
    read(first, now, counts);
    for (std::int64_t cell = 0; cell < now * width; ++cell) {
      const std::int32_t votes = counts[static_cast<std::size_t>(cell)];
      if (votes != 0) result.push_back({first + cell / width, cell % width, votes});
    }
  }
  return result;
}

CountVotes::CountVotes(std::shared_ptr<const NumericTable> table,
                       std::optional<std::int64_t> all_teachers, Abstentions abstentions)
    : table_(std::move(table)),
      may_abstain_(all_teachers.has_value()),
      has_none_(may_abstain_ && abstentions == Abstentions::as_class) {
  if (table_->dimensions() != 2) {
    throw input_error(fmt::format(
        "{}: expected counts with one row per query and one column per class (queries x "
        "classes), found {}",
        name(),
        table_->dimensions() == 1
            ? fmt::format("a one-dimensional array of {} numbers; if these are labels that a run "
                          "released, looking at them costs nothing, and what the run cost for any "
                          "votes is said by 'pate plan'; if they are what one teacher of several "
                          "predicts, what is read with \1layout predictions is made by {}; if they "
                          "are the votes for "
                          "class 1 of two, add \1teachers M, and a line is shown that makes both",
                          table_->rows(), stacking_line(name(), true))
            : shape_help(*table_)));
  }
  if (all_teachers) require_count(*all_teachers, kMaxVotes, "teachers");
  if (table_->columns() == 0) {
    throw input_error(
        fmt::format("{}: expected one column per class, found a table of {} rows without columns",
                    name(), queries()));
  }
  if (classes() > kMaxVotes) {
    throw input_error(
        fmt::format("{}: expected at most {} classes, found {}", name(), kMaxVotes, classes()));
  }
  if (queries() == 0) return;
  if (all_teachers) {
    teachers_ = *all_teachers;
    return;
  }
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes()));
  table_->read_integers(0, 1, 0, classes(), counts);
  teachers_ = votes_in_row(counts, 0, name());
  if (teachers_ == 0) {
    throw input_error(fmt::format(
        "{}: row 0: expected the votes of at least one teacher, found only zeros", name()));
  }
  if (teachers_ > kMaxVotes) {
    throw input_error(fmt::format("{}: row 0: expected at most {} votes in a row, found {}", name(),
                                  kMaxVotes, teachers_));
  }
}

void CountVotes::read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const {
  check_block(*this, first, count, classes(), out);
  if (count == 0) return;
  const std::int64_t columns = table_->columns();
  const std::int64_t piece_rows = std::clamp<std::int64_t>(kPiece / columns, 1, count);
  const auto width = static_cast<std::size_t>(columns);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(piece_rows) * width);
  for (std::int64_t done = 0; done < count; done += piece_rows) {
    const std::int64_t rows = std::min(piece_rows, count - done);
    const auto piece = std::span(counts).first(static_cast<std::size_t>(rows) * width);
    table_->read_integers(first + done, rows, 0, columns, piece);
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto row =
          std::span<const std::int64_t>(piece).subspan(static_cast<std::size_t>(i) * width, width);
      const std::int64_t sum = votes_in_row(row, first + done + i, name());
      if (may_abstain_ ? sum > teachers_ : sum != teachers_) {
        throw input_error(
            may_abstain_
                ? fmt::format("{}: row {}: expected at most {} votes, one per teacher, found a sum "
                              "of {}",
                              name(), first + done + i, teachers_, sum)
                : fmt::format(
                      "{}: row {}: expected {} votes, the sum of row 0, found a sum of {}{}",
                      name(), first + done + i, teachers_, sum, fitting_layout(*table_)));
      }
      const auto end = std::transform(
          row.begin(), row.end(), out.begin() + static_cast<std::ptrdiff_t>((done + i) * classes()),
          [](std::int64_t votes) { return static_cast<std::int32_t>(votes); });
      if (has_none_) *end = static_cast<std::int32_t>(teachers_ - sum);
    }
  }
}

OneHotPredictions::OneHotPredictions(std::shared_ptr<const NumericTable> table, bool by_query)
    : table_(std::move(table)), by_query_(by_query) {
  if (table_->dimensions() != 3) {
    throw input_error(fmt::format("{}: expected one-hot predictions of three dimensions, found {}",
                                  name(), table_->dimensions()));
  }
  const TableDescription description = table_->description();
  columns_ = description.shape[1];
  classes_ = description.shape[2];
}

void OneHotPredictions::copy(const Block& block, std::span<std::int64_t> out) const {
  const std::int64_t piece =
      std::clamp<std::int64_t>(kPiece / std::max<std::int64_t>(1, classes_), 1, block.column_count);
  std::vector<std::int64_t> numbers;
  auto to = out.begin();
  for (std::int64_t row = block.first_row; row < block.first_row + block.row_count; ++row) {
    for (std::int64_t done = 0; done < block.column_count; done += piece) {
      const std::int64_t count = std::min(piece, block.column_count - done);
      const std::int64_t first = block.first_column + done;
      numbers.resize(static_cast<std::size_t>(count * classes_));
      table_->read_integers(row, 1, first * classes_, count * classes_, numbers);
      const std::int64_t* number = numbers.data();
      for (std::int64_t column = first; column < first + count; ++column, ++to) {
        *to = -1;
        for (std::int64_t id = 0; id < classes_; ++id, ++number) {
          if (*number == 0) continue;
          if (*number == 1 && *to < 0) {
            *to = id;
            continue;
          }
          throw input_error(fmt::format(
              "{}: row {}, column {}, class {}: expected one-hot, {}, found {}{}", name(), row,
              column, id, *to < 0 ? "0 or 1" : fmt::format("0 after the 1 of class {}", *to),
              *number, help_with_values(*table_, {.class_ids = true, .by_query = by_query_})));
        }
      }
    }
  }
}

void OneHotPredictions::copy(const Block& block, std::span<double> out) const {
  std::vector<std::int64_t> ids(out.size());
  copy(block, std::span(ids));
  std::ranges::transform(ids, out.begin(), [](std::int64_t id) { return static_cast<double>(id); });
}

PredictionVotes::PredictionVotes(std::shared_ptr<const NumericTable> table, PredictionLayout layout,
                                 std::int64_t classes, std::optional<Abstentions> abstentions)
    : table_(std::move(table)),
      layout_(layout),
      abstentions_(abstentions),
      named_(classes),
      classes_(classes + (abstentions == Abstentions::as_class ? 1 : 0)) {
  require(classes >= 1, "classes must be >= 1, got {}", classes);
  require(classes <= kMaxPredicted, "classes must be <= {}, got {}", kMaxPredicted, classes);
  const bool by_teacher = layout == PredictionLayout::teachers_by_queries;
  if (table_->dimensions() != 2) {
    throw input_error(fmt::format(
        "{}: expected class ids with one row per {} and one column per {} ({}), found {}", name(),
        by_teacher ? "teacher" : "query", by_teacher ? "query" : "teacher",
        by_teacher ? "teachers x queries" : "queries x teachers",
        one_line_of(*table_, by_teacher)));
  }
  const std::int64_t teachers = by_teacher ? table_->rows() : table_->columns();
  if (teachers == 0 && queries() > 0) {
    throw input_error(fmt::format("{}: expected at least one {} of predictions, found none", name(),
                                  by_teacher ? "row" : "column"));
  }
  if (teachers > kMaxVotes) {
    throw input_error(
        fmt::format("{}: expected at most {} teachers, found {}", name(), kMaxVotes, teachers));
  }
}

std::int64_t PredictionVotes::queries() const {
  return layout_ == PredictionLayout::teachers_by_queries ? table_->columns() : table_->rows();
}

std::int64_t PredictionVotes::teachers() const {
  if (queries() == 0) return 0;
  return layout_ == PredictionLayout::teachers_by_queries ? table_->rows() : table_->columns();
}

void PredictionVotes::refuse(std::int64_t row, std::int64_t column, std::int64_t id) const {
  std::string help;
  if (id == named_) {
    help = kCountFromOne;
  } else if (id == -1 && !abstentions_) {
    std::vector<std::int64_t> line(static_cast<std::size_t>(table_->columns()));
    table_->read_integers(row, 1, 0, table_->columns(), line);
    const bool has_others = std::ranges::any_of(line, [](std::int64_t x) { return x * x != 1; });
    if (named_ == 2 && !has_others) {
      help = fmt::format("; if -1 and 1 are two classes, what makes 0 and 1 of them: {}",
                         values_line(*table_, "(a + 1) // 2"));
    }
    help +=
        "; where a teacher abstained (-1, of one-hot predictions zeros only) it needs "
        "\1abstentions, where a command has that";
  }
  throw input_error(fmt::format("{}: row {}, column {}: expected a class id in 0..{}{}, found {}{}",
                                name(), row, column, named_ - 1,
                                abstentions_ ? ", or -1 of an abstention" : "", id, help));
}

template <typename Take>
void PredictionVotes::for_each_vote(std::int64_t first, std::int64_t count,
                                    std::int64_t piece_queries, Take take) const {
  const std::int64_t all_teachers = teachers();
  const bool by_teacher = layout_ == PredictionLayout::teachers_by_queries;
  if (count == 0 || all_teachers == 0) return;
  // Whole rows where a query is one, so that a piece is one run of the file.
  piece_queries = by_teacher ? std::min(piece_queries, count)
                             : std::clamp<std::int64_t>(kPiece / all_teachers, 1, count);
  const std::int64_t piece_teachers =
      std::clamp<std::int64_t>(kPiece / piece_queries, 1, all_teachers);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(piece_queries * piece_teachers));
  for (std::int64_t query = 0; query < count; query += piece_queries) {
    const std::int64_t queries = std::min(piece_queries, count - query);
    for (std::int64_t teacher = 0; teacher < all_teachers; teacher += piece_teachers) {
      const std::int64_t teachers = std::min(piece_teachers, all_teachers - teacher);
      const std::int64_t first_row = by_teacher ? teacher : first + query;
      const std::int64_t first_column = by_teacher ? first + query : teacher;
      const std::int64_t row_count = by_teacher ? teachers : queries;
      const std::int64_t column_count = by_teacher ? queries : teachers;
      table_->read_integers(
          first_row, row_count, first_column, column_count,
          std::span(ids).first(static_cast<std::size_t>(row_count * column_count)));
      const std::int64_t* id = ids.data();
      for (std::int64_t i = 0; i < row_count; ++i) {
        for (std::int64_t j = 0; j < column_count; ++j, ++id) {
          std::int64_t vote = *id;
          if (vote < 0 || vote >= named_) {
            if (vote != -1 || !abstentions_) refuse(first_row + i, first_column + j, vote);
            if (abstentions_ == Abstentions::left_out) continue;
            vote = named_;
          }
          if (by_teacher) {
            take(query + j, teacher + i, vote);
          } else {
            take(query + i, teacher + j, vote);
          }
        }
      }
    }
  }
}

void PredictionVotes::read(std::int64_t first, std::int64_t count,
                           std::span<std::int32_t> out) const {
  check_block(*this, first, count, classes_, out);
  std::fill(out.begin(), out.end(), 0);
  // So many queries at a time that their histograms stay in the cache while the teachers go by, but
  // enough of them that what is read of a teacher's row is worth going there.
  const std::int64_t queries = std::clamp<std::int64_t>(32768 / classes_, 256, 4096);
  for_each_vote(first, count, queries,
                [&](std::int64_t query, std::int64_t /*teacher*/, std::int64_t id) {
                  ++out[static_cast<std::size_t>(query * classes_ + id)];
                });
}

std::vector<ClassVotes> PredictionVotes::read_voted(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> cells;
  cells.reserve(static_cast<std::size_t>(count * teachers()));
  for_each_vote(first, count, count,
                [&](std::int64_t query, std::int64_t /*teacher*/, std::int64_t id) {
                  cells.push_back(query * classes_ + id);
                });
  std::ranges::sort(cells);
  std::vector<ClassVotes> result;
  std::int64_t last = -1;
  for (const std::int64_t cell : cells) {
    if (cell != last) result.push_back({first + cell / classes_, cell % classes_, 0});
    ++result.back().votes;
    last = cell;
  }
  return result;
}

void PredictionVotes::read_votes(std::int64_t first, std::int64_t count,
                                 std::span<std::int32_t> out) const {
  require(!leaves_out_abstentions(),
          "votes of single teachers are read where those that abstain vote, too");
  const std::int64_t width = teachers();
  check_block(*this, first, count, width, out);
  for_each_vote(first, count, 512, [&](std::int64_t query, std::int64_t teacher, std::int64_t id) {
    out[static_cast<std::size_t>(query * width + teacher)] = static_cast<std::int32_t>(id);
  });
}

}  // namespace pate
