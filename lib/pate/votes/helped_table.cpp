#include "pate/votes/helped_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/column_help.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

constexpr double kShareSum = 1e-3;
constexpr double kNearCount = 1e-6;  // of a share, as text and float32 have it
constexpr std::int64_t kLookedRows = 200;
constexpr std::int64_t kLookedNumbers = 1 << 18;

// A part of the table.
struct Corner {
  std::vector<double> values;
  std::size_t width = 0;  // numbers that belong together: a row, of three dimensions the last axis
  bool has_nan = false;
};

std::optional<Corner> corner_of(const NumericTable& table) {
  Corner corner;
  const std::int64_t columns = table.columns();
  if (columns == 0 || columns > kLookedNumbers) return {};
  const std::int64_t rows =
      std::min({table.rows(), kLookedRows, std::max<std::int64_t>(1, kLookedNumbers / columns)});
  corner.width = static_cast<std::size_t>(table.dimensions() == 3 ? table.description().shape.back()
                                                                  : columns);
  corner.values.resize(static_cast<std::size_t>(rows * columns));
  try {
    table.read_reals(0, rows, 0, columns, corner.values);
  } catch (const input_error&) {
    corner.has_nan = true;
  }
  return corner;
}

// The line that makes counts of shares, which looks at all of them, while this looks at some.
std::string scaled_line(const NumericTable& table, std::int64_t teachers) {
  return values_line(
      table, "b.astype(int)",
      fmt::format(
          "; b = n.rint(a * {0}); assert abs(a - b / {0}).max() < 2e-6 and (b.sum(1) == {0}).all()",
          teachers));
}

// Whether every `width` values are in [0, 1] and sum to 1.
bool rows_are_shares(const Corner& corner, double scale) {
  if (corner.width < 2) return false;
  for (std::size_t i = 0; i + corner.width <= corner.values.size(); i += corner.width) {
    double sum = 0.0;
    for (std::size_t j = i; j < i + corner.width; ++j) {
      if (!(corner.values[j] >= 0.0)) return false;
      sum += corner.values[j] / scale;
    }
    if (!(std::abs(sum - 1.0) <= kShareSum)) return false;
  }
  return true;
}

// Which number of teachers made them is a fact of the experiment: of rounded shares several fit.
std::string help_with_shares(const NumericTable& table, const Corner& corner,
                             std::optional<std::int64_t> teachers) {
  constexpr std::string_view kNoVotes =
      "; rows that sum to 1 are shares, or scores of one model, which are no votes";
  if (!teachers) {
    return fmt::format(
        "{}; for shares of a known number of teachers that were not rounded, add --teachers M, and "
        "a line is shown that makes counts of them; else dump the counts, or what each teacher "
        "voted for",
        kNoVotes);
  }
  const auto m = static_cast<double>(*teachers);
  const bool fit = std::ranges::all_of(corner.values, [&](double value) {
    return std::abs(value - std::round(value * m) / m) <= kNearCount;
  });
  if (!fit) {
    return fmt::format(
        "{}; nor are these counts of {} teachers divided by {}: means of scores, and rounded "
        "shares, do not tell the votes. Dump the counts, or what each teacher voted for",
        kNoVotes, *teachers, *teachers);
  }
  return fmt::format("{}. If these are the shares of {} teachers, what makes votes of them: {}",
                     kNoVotes, *teachers, scaled_line(table, *teachers));
}

// Whether rows have positive sums that lie near each other, as counts and noise around 0 have.
bool are_noisy_counts(const Corner& corner) {
  if (corner.width < 2) return false;
  std::vector<double> sums;
  for (std::size_t i = 0; i + corner.width <= corner.values.size(); i += corner.width) {
    double sum = 0.0;
    for (std::size_t j = i; j < i + corner.width; ++j) sum += corner.values[j];
    sums.push_back(sum);
  }
  double mean = 0.0;
  double square = 0.0;
  for (const double sum : sums) {
    mean += sum / static_cast<double>(sums.size());
    square += sum * sum / static_cast<double>(sums.size());
  }
  return mean > 2.0 && square < 2.0 * mean * mean;
}

std::string help_with_three(const NumericTable& table, const Corner& corner, bool by_query) {
  const bool ones =
      std::ranges::all_of(corner.values, [](double value) { return value == 0.0 || value == 1.0; });
  const bool whole =
      std::ranges::all_of(corner.values, [](double value) { return std::trunc(value) == value; });
  if (whole && !ones) return help_with_axes(table);
  if (!ones) {
    return fmt::format(
        "; scores are no votes: every teacher votes for its best class. What makes "
        "class ids of them, to be read with --classes {}: {}",
        table.description().shape.back(), array_line(table.name(), "a.argmax(-1)"));
  }
  std::size_t unlike = 0;  // teachers with several votes or none
  const std::size_t all = corner.values.size() / std::max<std::size_t>(1, corner.width);
  for (std::size_t i = 0; i + corner.width <= corner.values.size(); i += corner.width) {
    const auto begin = corner.values.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::count(begin, begin + static_cast<std::ptrdiff_t>(corner.width), 1.0) != 1) ++unlike;
  }
  if (10 * unlike < all) {
    return fmt::format(
        "; a teacher has one vote a query. What gives it to the first of those that "
        "are tied, and -1 to who has none, to be read with --classes {}: {}",
        table.description().shape.back(),
        array_line(table.name(), "n.where(a.any(-1), a.argmax(-1), -1)"));
  }
  return fmt::format(
      "; several labels a query are for pate multilabel (teachers x queries x labels), or as many "
      "queries of two classes, each of which costs. What makes them, to be read with --classes 2: "
      "{}",
      array_line(table.name(),
                 by_query ? "a.swapaxes(1, 2).reshape(-1, a.shape[1])" : "a.reshape(len(a), -1)"));
}

}  // namespace

std::string help_with_axes(const NumericTable& table) {
  const std::vector<std::int64_t> shape = table.description().shape;
  if (shape.size() != 3) return {};
  const bool one_first = shape.front() == 1 && shape.back() != 1;
  return fmt::format(
      "; {}, to be read with --classes K: {}",
      one_first ? "if these are class ids with an axis of length 1 in front, what takes it away"
      : shape.back() == 1
          ? "if these are class ids with an axis of length 1 behind, what takes it away"
          : "if these are several class ids of each teacher and query, the best first, "
            "what takes that one",
      array_line(table.name(), one_first ? "a[0]" : "a[..., 0]"));
}

std::string help_with_values(const NumericTable& table, const VotesWanted& wanted) {
  const auto corner = corner_of(table);
  if (!corner || corner->values.empty()) return {};
  if (corner->has_nan) {
    if (wanted.class_ids) {
      return "; where NaN is a teacher that did not vote it needs --abstentions, where a command "
             "has that";
    }
    return fmt::format("; where NaN is a class without a vote it has {}{}", kMissingCounts,
                       table.description().format.starts_with("np")
                           ? array_line(table.name(), "n.nan_to_num(a).astype(int)")
                           : zeros_line(table.name(), table.header()));
  }
  if (table.dimensions() == 3) return help_with_three(table, *corner, wanted.by_query);
  const bool whole =
      std::ranges::all_of(corner->values, [](double value) { return std::trunc(value) == value; });
  if (whole) return {};
  if (wanted.class_ids) {
    return "; class ids are whole numbers: are these scores? Every teacher votes for its best "
           "class "
           "(numpy: scores.argmax(-1) of teachers x queries x classes)";
  }
  if (rows_are_shares(*corner, 1.0)) return help_with_shares(table, *corner, wanted.teachers);
  if (rows_are_shares(*corner, 100.0)) {
    return "; rows that sum to 100 are percentages, which are rounded mostly, and do not tell the "
           "votes then: dump the counts, or what each teacher voted for";
  }
  if (are_noisy_counts(*corner)) return std::string(kNoisyCounts);
  return "; votes are whole numbers of teachers: of scores (logits, means) every teacher votes for "
         "its best class (numpy: scores.argmax(-1) of teachers x queries x classes, to be read "
         "with "
         "--layout predictions)";
}

void refuse_ones_only(const NumericTable& table, std::optional<std::int64_t> teachers) {
  if (table.dimensions() != 1 || !teachers) return;
  throw input_error(fmt::format(
      "{}: expected counts with one row per query and one column per class (queries x classes), "
      "found a one-dimensional array of {} numbers; if these are the votes for class 1 of two, "
      "what "
      "makes votes for both: {}",
      table.name(), table.rows(), column_line(table, fmt::format("n.c_[{} - a, a]", *teachers))));
}

HelpedTable::HelpedTable(std::shared_ptr<const NumericTable> table, const VotesWanted& wanted)
    : table_(std::move(table)), wanted_(wanted) {}

void HelpedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  try {
    table_->read_integers(block.first_row, block.row_count, block.first_column, block.column_count,
                          out);
  } catch (const input_error& error) {
    throw input_error(error.what() + help_with_values(*table_, wanted_));
  }
}

void HelpedTable::copy(const Block& block, std::span<double> out) const {
  table_->read_reals(block.first_row, block.row_count, block.first_column, block.column_count, out);
}

}  // namespace pate
