#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/votes/numeric_table.hpp"

namespace pate {

// What the headings of a table say about it.

/// What a column holds, by its heading.
enum class Heading : std::uint8_t {
  other,
  labels,
  index,
  made_of_votes,
  predictions,
  teachers,
  totals
};

/// Returns what a heading names: true or released labels ("true_label"), an index ("filename"),
/// something made of votes ("mode"), a vote ("prediction"), names of teachers ("seed") or sums
/// ("total"). Upper case and blanks mean nothing.
[[nodiscard]] Heading heading_of(std::string_view heading);

/// Returns for each name what it is instead of one of a teacher ("an index by its heading"), ""
/// for names of teachers. Names that lack a number where all but two have one are none, either.
[[nodiscard]] std::vector<std::string> no_teachers(const std::vector<std::string>& names,
                                                   std::string_view naming);

/// Throws `input_error` where classes are called by whole numbers that are not 0, 1, 2, ... in this
/// order: pandas keeps the order in which it met them and leaves out those without a vote. The
/// message has the line that puts `classes` of them, or as many as the largest says, into order.
void check_class_headings(const NumericTable& table, std::optional<std::int64_t> classes = {});

/// Throws `input_error` where three headings are those of a table with a row for each vote
/// (teacher, query, label) or for each class of a query (query, class, votes), with the line that
/// makes a row for each query.
void refuse_long_table(const NumericTable& table);

/// Returns how a refusal of such a table goes on, "" of another one.
[[nodiscard]] std::string help_with_long_table(const std::string& name, const ColumnHeader& header);

}  // namespace pate
