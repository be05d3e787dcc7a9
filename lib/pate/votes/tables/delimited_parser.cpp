#include "pate/votes/tables/delimited_parser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kBetweenCalls = std::size_t{1} << 24U;  // bytes between two calls of `done`
constexpr std::ptrdiff_t kMostColumns = 10'000'000;
constexpr std::ptrdiff_t kSafeDigits = 18;  // so many digits are below 2^63

}  // namespace

std::int64_t line_of(const DelimitedNumbers& table, std::int64_t row) {
  const auto& comments = table.comments;
  return row + (table.has_header ? 2 : 1) +
         (std::upper_bound(comments.begin(), comments.end(), row) - comments.begin());
}

void fail_field(const std::string& name, const DelimitedNumbers& table, std::int64_t row,
                std::int64_t column, std::string_view expected, std::string_view found) {
  throw input_error(fmt::format("{}: row {} (line {}), column {}: expected {}, found {}", name, row,
                                line_of(table, row), column, expected, found));
}

DelimitedParser::DelimitedParser(std::string_view text, Separator separator,
                                 const FirstLine& first_line, const std::string& name,
                                 const std::function<void(std::size_t)>& done)
    : begin_(text.data()),
      name_(name),
      done_(done),
      first_line_(first_line),
      separator_(separator) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  at_ = text.data();  // NOLINT(cppcoreguidelines-prefer-member-initializer): after the mark
  // Empty lines at the end. Tabs are left alone: between them are fields.
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer)
  end_ = at_ + (text.find_last_not_of(separator == Separator::blanks ? " \t\r\n" : " \r\n") + 1);
  if (at_ == end_) throw input_error(fmt::format("{}: expected numbers, found no text", name));
}

DelimitedNumbers DelimitedParser::parse() {
  table_.header.left_out_index = first_line_.index_column.value_or(false);
  table_.header.separator = static_cast<char>(separator_);
  const char* const first = at_ + std::string_view(at_, end_).find_first_not_of(' ');
  if (first_line_.is_header == true && *first == '#') {
    at_ = first + 1;  // names behind a #, as the user says
  } else {
    skip_comments(/*front=*/true);
    if (at_ == end_) {
      throw input_error(
          fmt::format("{}: expected numbers, found only lines that begin with #", name_));
    }
  }
  // What a first line may be is looked at field by field, each of which takes some memory.
  const char* const line_end = std::find(at_, end_, '\n');
  if (std::count(at_, line_end, static_cast<char>(separator_)) >= kMostColumns) {
    throw input_error(
        fmt::format("{}: line {}: expected a row of one query, at most {} columns, found more",
                    name_, std::ssize(table_.comments) + 1, kMostColumns));
  }
  if (first_line_.is_header.value_or(true)) take_header();
  skip_comments(/*front=*/false);
  const char* reported = at_;
  for (bool more = !table_.has_header || at_ != end_; more;) {
    take_row();
    if (at_ != end_) {
      ++at_;
      skip_comments(/*front=*/false);
    }
    more = at_ != end_;
    if (done_ && at_ - reported > static_cast<std::ptrdiff_t>(kBetweenCalls)) {
      done_(static_cast<std::size_t>(at_ - begin_));
      reported = at_;
    }
  }
  table_.numbers.finish();
  refuse_cut_thousands();
  if (!table_.has_header && !first_line_.is_header) judge_first_row();
  judge_first_column();
  table_.header.comments = std::ssize(table_.comments);
  return std::move(table_);
}

void DelimitedParser::refuse(std::int64_t column, std::string_view expected,
                             std::string_view found) const {
  fail_field(name_, table_, table_.rows, column, expected, found);
}

void DelimitedParser::skip_comments(bool front) {
  for (const char* p = at_; p != end_; p = at_) {
    while (p != end_ && *p == ' ') ++p;
    if (p == end_ || *p != '#') return;
    // An index may be headed "#", and what it holds may begin so.
    const bool heading = front && separator_ != Separator::blanks &&
                         !ends_line(find_field(p).next) && find_field(p).text == "#";
    if (heading || (!front && table_.header.left_out_index)) {
      while (!ends_line(p)) ++p;
      throw input_error(fmt::format(
          "{}: line {}: expected {}, found \"{}\", which may be a comment too: {}", name_,
          line_of(table_, table_.rows), heading ? "names of columns" : "a row with its index",
          printable(trim({at_, p}), kShownOfField),
          heading ? "give the first column a name, or take the line out"
                  : "take comments out of a file with an index"));
    }
    while (!ends_line(p)) ++p;
    table_.comments.push_back(table_.rows);
    at_ = p == end_ ? p : p + 1;
  }
}

DelimitedParser::Field DelimitedParser::find_field(const char* p) const {
  p = skip_blanks(p);
  if (p != end_ && *p == '"') {
    const char* close = p + 1;
    // Two quotes stand for one inside.
    while (!ends_line(close) && (*close != '"' || (close + 1 != end_ && close[1] == '"'))) {
      close += *close == '"' ? 2 : 1;
    }
    if (!ends_line(close)) {
      const char* const next =
          separator_ == Separator::blanks ? skip_return(close + 1) : skip_blanks(close + 1);
      if (ends_field(next)) return {trim({p + 1, close}), next};
    }
  }
  const char* next = p;
  while (!ends_field(next)) ++next;
  return {trim({p, next}), next};
}

FieldNumber DelimitedParser::read_field(std::string_view text) const {
  FieldNumber number = parse_field(text);
  const bool is_nan = number.kind == FieldNumber::Kind::real && std::isnan(number.real);
  if (first_line_.missing && (is_nan || is_missing(text))) {
    return {FieldNumber::Kind::integer, *first_line_.missing, 0.0};
  }
  if (number.kind == FieldNumber::Kind::none && !first_line_.class_names.empty()) {
    const auto& names = first_line_.class_names;
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return {FieldNumber::Kind::integer, found - names.begin(), 0.0};
  }
  return number;
}

void DelimitedParser::take_slowly(const Field& field, std::int64_t column) {
  // pandas leaves the line of a missing value empty where it writes one column.
  const bool one_column = table_.columns == 1 && (table_.has_header || table_.rows > 0);
  if (field.text.empty() && column == 0 && ends_line(field.next) &&
      !(first_line_.missing && one_column)) {
    refuse(0, "a number",
           "an empty line; if no row is missing there, what leaves empty lines out: " +
               conversion_line(name_, R"(grep -v "^[[:space:]]*$" {0} > {1}.csv)"));
  }
  const FieldNumber number = read_field(field.text);
  switch (number.kind) {
    case FieldNumber::Kind::truth:
      ++table_.truths;
      return table_.numbers.push(number.integer);
    case FieldNumber::Kind::integer:
      return table_.numbers.push(number.integer);
    case FieldNumber::Kind::real:
      return table_.numbers.push(number.real);
    case FieldNumber::Kind::too_far:
      refuse(column, "a number in the range of doubles", printable(field.text, kShownOfField));
    case FieldNumber::Kind::none:
      break;
  }
  const bool empty = field.text.empty();
  const std::string help = help_for(field, column);
  if (empty) refuse(column, "a number", "an empty field" + help);
  const bool comma =
      separator_ != Separator::comma && field.text.find(',') != std::string_view::npos;
  refuse(column, comma ? "a number with a decimal point, if any" : "a number",
         '"' + printable(field.text, kShownOfField) + '"' + help);
}

void DelimitedParser::take_row() {
  const bool blanks = separator_ == Separator::blanks;
  const char* p = blanks ? skip_blanks(at_) : at_;
  const char* const end = end_;
  const auto separator = static_cast<char>(separator_);
  if (table_.header.left_out_index) p = take_index(p);
  std::int64_t column = 0;
  for (;; ++column) {
    // Nearly all fields are a few digits with the separator right after them.
    while (p != end && *p == ' ') ++p;
    const char* q = p;
    const char* const limit = p + std::min(kSafeDigits, end - p);
    std::int64_t value = 0;
    for (; q != limit && *q >= '0' && *q <= '9'; ++q) value = 10 * value + (*q - '0');
    const bool digits = q != p;
    if (digits && q - p < 3) {
      unpadded_ = true;
    } else if (q - p == 3 && *p == '0' && padded_ == nullptr) {
      padded_ = p;
    }
    if (digits && !blanks && q != end && *q == separator) {
      table_.numbers.push(value);
      p = q + 1;
      continue;
    }
    q = skip_return(q);
    if (digits && ends_field(q)) {
      table_.numbers.push(value);
      p = q;
    } else {
      const Field field = find_field(p);
      take_slowly(field, column);
      p = field.next;
    }
    if (ends_line(p)) break;
    p = step_over(p);
    if (blanks && ends_line(p)) break;
  }
  if (table_.rows == 0 && !table_.has_header) table_.columns = column + 1;
  if (column + 1 != table_.columns) refuse_fields(column + 1);
  ++table_.rows;
  at_ = p;
}

}  // namespace pate::io
