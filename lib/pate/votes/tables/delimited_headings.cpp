#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/delimited_parser.hpp"

namespace pate::io {

// What of the first line and the first column is not numbers of the table.

namespace {

// Whether a number has beside it what is no part of one.
bool is_marked(std::string_view field) {
  return field.ends_with('%') || field.find(kNoBreakSpace) != std::string_view::npos;
}

}  // namespace

void DelimitedParser::take_header() {
  const std::vector<std::string_view> fields = fields_of(at_);
  const std::string_view line = trim({at_, std::find(at_, end_, '\n')});
  const std::int64_t line_number = line_of(table_, 0);
  bool missing = true;
  bool numbers = false;
  bool counted = true;  // 0, 1, 2, ... from the second on
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldNumber number = read_field(fields[i]);
    const bool is_number = number.kind != FieldNumber::Kind::none;
    // What is missing in front of names is the heading of an index that has no name.
    numbers = numbers || (is_number && !(i == 0 && fields[i].empty()));
    counted = counted && (i == 0 || (number.kind == FieldNumber::Kind::integer &&
                                     std::cmp_equal(number.integer, i - 1)));
    in_words_ = in_words_ || (is_number && parse_field(fields[i]).kind == FieldNumber::Kind::none);
    if (is_number && !counted && !first_line_.is_header) return;
    missing = missing && is_missing(fields[i]);
    if (i == 1 && is_index(fields[0]) && is_index(fields[1]) && !fields[1].empty()) {
      throw input_error(fmt::format(
          "{}: line {}: expected one index of the rows at most, found two columns without a "
          "name, \"{}\": write the table without them, as to_csv(index=False) does",
          name_, line_number, printable(line, kShownOfField)));
    }
  }
  std::vector<std::string> names(fields.begin(), fields.end());
  // R heads all columns but that of the names of rows, which it quotes.
  const char* const next = line_after(at_);
  const bool short_by_one = first_line_.index_column.value_or(true) &&
                            fields_of(next).size() == names.size() + 1 &&
                            (first_line_.index_column || names_a_row(next));
  const bool headed = names.size() > 1 && is_index(names.front());
  const bool index = first_line_.index_column.value_or(headed || short_by_one);
  if (numbers && !(headed && counted) && !first_line_.is_header) return;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; };
  const bool json = line.starts_with('[') || line.starts_with('{');
  if (missing || json || std::any_of(line.begin(), line.end(), control)) {
    throw input_error(
        fmt::format("{}: line {}: expected numbers or names of columns, found \"{}\"{}", name_,
                    line_number, printable(line, kShownOfField),
                    missing && first_line_.counting == FirstLine::Counting::class_ids
                        ? "; where teachers did not vote it needs \1abstentions, where a command "
                          "has that"
                        : ""));
  }
  if (!first_line_.is_header && first_line_.counting != FirstLine::Counting::numbers) {
    // What numbers all have is said before that two of them are the same.
    if (is_marked(names.front())) refuse_marked_numbers(names, line_number);
    refuse_repeated(names, line_number);
    refuse_marked_numbers(names, line_number);
  }
  table_.has_header = true;
  heading_ = line;
  names_rows_ = short_by_one;
  if (index && !short_by_one) names.erase(names.begin());
  table_.columns = std::ssize(names);
  table_.header.names = std::move(names);
  table_.header.left_out_index = index;
  at_ = std::find(at_, end_, '\n');
  if (at_ != end_) ++at_;
}

std::vector<double> DelimitedParser::row_of_numbers(std::int64_t row) const {
  std::vector<double> values(static_cast<std::size_t>(table_.columns));
  // What is no finite number stays 0: it is refused when it is read.
  (void)table_.numbers.copy(static_cast<std::size_t>(row * table_.columns),
                            std::span<double>(values));
  return values;
}

void DelimitedParser::judge_first_row() {
  using Counting = FirstLine::Counting;
  const std::int64_t columns = table_.columns;
  if (first_line_.counting == Counting::numbers || columns < 2 || in_words_) return;
  // Any order of 0 .. n - 1 or of 1 .. n, as pandas names columns by the classes it met.
  const std::vector<double> row = row_of_numbers(0);
  std::vector<double> counting(row.size());
  std::iota(counting.begin(), counting.end(), 0.0);
  const bool in_order = row == counting;
  std::vector<double> sorted = row;
  std::ranges::sort(sorted);
  const bool from_one = sorted.front() == 1.0;
  if (from_one) std::iota(counting.begin(), counting.end(), 1.0);
  // Votes of few columns are such an order by chance.
  const std::int64_t least = first_line_.counting == Counting::class_ids ? 4 : 3;
  if (sorted != counting || (!in_order && columns < least)) return;
  bool is_header = first_line_.counting == Counting::class_ids &&
                   columns + (from_one ? 1 : 0) > first_line_.classes;
  if (first_line_.counting == Counting::counts) {
    const auto sum_of = [&](std::int64_t at) {
      const std::vector<double> values = row_of_numbers(at);
      return std::accumulate(values.begin(), values.end(), 0.0);
    };
    is_header = table_.rows > 1;
    for (std::int64_t other = 1; other < table_.rows && is_header; ++other) {
      is_header = sum_of(other) != sum_of(0);
    }
  }
  if (!is_header) {
    std::vector<double> shown(row.begin(), row.begin() + std::min<std::int64_t>(columns, 6));
    throw input_error(fmt::format(
        "{}: row 0 (line {}): expected votes or names of columns, found {}{}, which may be either "
        "(pandas names columns so): say which with \1header yes or \1header no",
        name_, line_of(table_, 0), fmt::join(shown, ","), columns > 6 ? ",..." : ""));
  }
  table_.has_header = true;
  table_.header.counted = in_order;
  for (const double value : row) table_.header.names.push_back(fmt::format("{:.0f}", value));
  table_.skipped = counting.size();
  --table_.rows;
  for (std::int64_t& line : table_.comments) line = std::max<std::int64_t>(0, line - 1);
}

void DelimitedParser::judge_first_column() {
  using Counting = FirstLine::Counting;
  const bool asked = first_line_.index_column.has_value();
  if (table_.header.left_out_index) {
    if (asked || names_rows_ || table_.header.index_counts ||
        first_line_.counting == Counting::numbers) {
      return;
    }
    throw input_error(fmt::format(
        "{}: row {} (line {}): expected {} in the first column, an index of the rows by its "
        "heading, found \"{}\": say with \1index-column yes that it is to be left out, or with "
        "\1index-column no that it is votes",
        name_, index_break_, line_of(table_, index_break_), index_break_,
        printable(index_found_, kShownOfField)));
  }
  if (table_.columns < 2 || table_.rows < 3) return;
  for (std::int64_t row = 0; row < table_.rows; ++row) {
    std::array<std::int64_t, 1> value{};
    const std::size_t at = table_.skipped + static_cast<std::size_t>(row * table_.columns);
    if (table_.numbers.copy(at, std::span<std::int64_t>(value)) == 0 || value[0] != row) return;
  }
  table_.header.first_counts = true;
  if (asked || first_line_.counting != Counting::class_ids) return;
  throw input_error(
      fmt::format("{}: the first column is 0 to {}, which may be class ids or an index of the "
                  "rows: say which "
                  "with \1index-column no or \1index-column yes",
                  name_, table_.rows - 1));
}

const char* DelimitedParser::line_after(const char* p) const {
  for (;;) {
    while (!ends_line(p)) ++p;
    if (p == end_) return p;
    const char* const first = skip_blanks(++p);
    if (first == end_ || *first != '#') return p;
  }
}

std::vector<std::string_view> DelimitedParser::fields_of(const char* line) const {
  std::vector<std::string_view> fields;
  const bool blanks = separator_ == Separator::blanks;
  const char* p = blanks ? skip_blanks(line) : line;
  while (line != end_) {
    const Field field = find_field(p);
    fields.push_back(field.text);
    if (ends_line(field.next)) break;
    p = step_over(field.next);
    if (blanks && ends_line(p)) break;
  }
  return fields;
}

bool DelimitedParser::names_a_row(const char* line) const {
  while (line != end_ && is_blank(*line)) ++line;
  if (line == end_ || *line == '"') return line != end_;
  const std::string_view first = find_field(line).text;
  return parse_field(first).kind == FieldNumber::Kind::none && !is_missing(first);
}

bool DelimitedParser::column_of_names(const char* p) const {
  constexpr int kLooked = 100;
  if (table_.rows > 0) return false;  // of which the first began with a number
  const auto& classes = first_line_.class_names;
  const char* line = line_after(p);
  for (int i = 0; i < kLooked && !ends_line(line); ++i, line = line_after(line)) {
    const bool is_class = std::ranges::find(classes, find_field(line).text) != classes.end();
    if (is_class || !names_a_row(line)) return false;
  }
  return true;
}

void DelimitedParser::refuse_repeated(const std::vector<std::string>& names,
                                      std::int64_t line_number) const {
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return;
  const auto place = std::ranges::find(names, *twice) - names.begin();
  std::string help = twice->empty() ? help_with_empty(place) : help_with_two_headings();
  if (help.empty()) {
    help = ": if they are names add \1header yes";
    if (first_line_.counting == FirstLine::Counting::class_ids) {
      help +=
          "; if they are votes, where teachers did not vote add \1abstentions class, and say "
          "what classes are called with \1classes a,b,c, or number them: " +
          numbering_line(name_, reading_of({}));
    }
  }
  throw input_error(
      fmt::format("{}: line {}: expected numbers or different names of columns, found \"{}\" "
                  "twice{}",
                  name_, line_number, printable(*twice, kShownOfField), help));
}

void DelimitedParser::refuse_marked_numbers(const std::vector<std::string>& names,
                                            std::int64_t line_number) const {
  if (!std::ranges::all_of(names, begins_a_number)) return;
  std::string help;
  if (is_marked(names.front()) || names.size() == 1) help = help_with_separator(names.front());
  throw input_error(
      fmt::format("{}: line {}: expected numbers or names of columns, found \"{}\"{}", name_,
                  line_number, printable(names.front(), kShownOfField),
                  help.empty() ? ", which may be either: say which with \1header yes or \1header no"
                               : ": " + help));
}

void DelimitedParser::refuse_fields(std::int64_t found) const {
  const int index = table_.header.left_out_index ? 1 : 0;
  const bool short_heading = table_.rows == 0 && table_.has_header && found == table_.columns + 1 &&
                             !first_line_.index_column &&
                             first_line_.counting != FirstLine::Counting::numbers;
  const std::int64_t line = line_of(table_, table_.rows);
  const bool titled = table_.rows == 0 && table_.has_header && found > 0 &&
                      std::cmp_equal(fields_of(line_after(at_)).size(), found);
  const std::string help =
      short_heading ? "; if the first column names the rows and has no heading, as R's write.table "
                      "leaves it, add \1index-column yes"
      : titled      ? help_with_first_lines()
                    : "";
  throw input_error(
      fmt::format("{}: row {} (line {}): expected {} fields, as in the first line, found {}{}",
                  name_, table_.rows, line, table_.columns + index, found + index, help));
}

const char* DelimitedParser::take_index(const char* p) {
  const Field field = find_field(p);
  const FieldNumber number = parse_field(field.text);
  const bool counts = number.kind == FieldNumber::Kind::integer && number.integer == table_.rows;
  if (!counts && table_.header.index_counts) {
    table_.header.index_counts = false;
    index_break_ = table_.rows;
    index_found_ = field.text;
  }
  if (ends_line(field.next)) {
    if (table_.columns > 0) refuse_fields(0);
    refuse(0, "a column beside the index", "none");
  }
  return step_over(field.next);
}

}  // namespace pate::io
