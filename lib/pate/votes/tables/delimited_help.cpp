#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/tables/delimited_parser.hpp"

namespace pate::io {

// How a refusal of a text goes on: what may help, with the line for a shell that makes it so.

bool begins_a_number(std::string_view field) {
  return !field.empty() && std::string_view("0123456789+-.=").find(field[0]) != std::string::npos;
}

std::string DelimitedParser::help_for(const Field& field, std::int64_t column) const {
  using Counting = FirstLine::Counting;
  // "nan" is no number that a name of a row stands beside.
  const auto is_number = [](const FieldNumber& number) {
    return number.kind == FieldNumber::Kind::integer ||
           (number.kind == FieldNumber::Kind::real && !std::isnan(number.real));
  };
  const bool followed =
      !ends_line(field.next) && is_number(read_field(find_field(step_over(field.next)).text));
  const bool decimal = field.text.find(',') != std::string_view::npos;
  const bool missing = is_missing(field.text);
  const bool ids = first_line_.counting == Counting::class_ids;
  if (table_.rows > 0 && column == 0 && !heading_.empty()) {
    const std::string_view rest(at_, end_);
    if (trim(rest.substr(0, rest.find('\n'))) == heading_) {
      return "; these are the headings again, as of files that were joined; what leaves them "
             "out: " +
             conversion_line(name_,
                             R"(awk 'NR == 1 {{h = $0}} NR == 1 || $0 != h' < {0} > {1}.csv)");
    }
  }
  if (field.text.empty()) {
    if (std::string help = help_with_empty(column); !help.empty()) return help;
  }
  if (table_.rows == 0) {
    if (std::string help = help_with_long_table(name_, table_.header); !help.empty()) {
      return help;
    }
  }
  if (std::string help = help_with_marks(field.text); !help.empty()) return help;
  if (column == 0 && followed && !decimal && !missing && column_of_names(field.next)) {
    if (first_line_.counting != Counting::numbers) {
      return "; if the first column names the rows, add \1index-column yes";
    }
    if (separator_ != Separator::blanks) {
      return "; rows are those of the votes in their order, or numbered under \"row\"; what "
             "leaves names out: " +
             conversion_line(name_, fmt::format("cut -d'{}' -f2- {{0}} > {{1}}.{}",
                                                static_cast<char>(separator_), ending()));
    }
  }
  // Another line of headings.
  if (const char* const next = line_after(field.next);
      table_.rows == 0 && table_.has_header && !table_.header.left_out_index && column == 0 &&
      !begins_a_number(field.text) && !missing && first_line_.class_names.empty() && next != end_ &&
      read_field(find_field(next).text).kind != FieldNumber::Kind::none) {
    return help_with_first_lines();
  }
  if (!first_line_.class_names.empty()) {
    return fmt::format("; the names of classes are {}, small and capital letters told apart",
                       fmt::join(first_line_.class_names, ","));
  }
  if (column == 0 && ends_line(field.next) && !decimal) {
    if (const std::string help = help_with_separator(field.text); !help.empty()) return "; " + help;
  }
  if (first_line_.counting == Counting::numbers) {
    return first_line_.takes_class_names && !missing ? help_with_names() : "";
  }
  if (table_.rows == 0 && !table_.has_header && column == 0 && followed && !(ids && missing) &&
      !decimal) {
    std::vector<std::string_view> names = fields_of(step_over(field.next));
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) == names.end()) {
      return "; if the first line is names of columns that are numbers, and the first column names "
             "the rows, as pandas writes an index, add \1header yes \1index-column yes";
    }
  }
  if (!missing) return ids ? help_with_names() : "";
  if (ids) return "; where a teacher did not vote it needs \1abstentions, where a command has that";
  return fmt::format("; a class without a vote has {}{}", kMissingCounts,
                     frame_line(name_, table_.header, "t.fillna(0).astype(int)"));
}

std::string DelimitedParser::cleaned_line(std::string_view made) const {
  return conversion_line(
      name_,
      fmt::format(
          R"(python3 -c 'import pandas as p; t = p.read_csv("{{0}}", sep="{}", header=None, dtype=str{}); t.{}.to_csv("{{1}}.csv", index=False, header=False)')",
          separator_in_words(), table_.comments.empty() ? "" : R"(, comment="#")", made));
}

std::string DelimitedParser::help_with_empty(std::int64_t column) const {
  if (separator_ == Separator::blanks) return {};
  const auto is_empty = [](std::string_view field) { return field.empty(); };
  if (table_.columns < 2 || !std::ranges::all_of(fields_of(at_), is_empty)) {
    const auto place = static_cast<std::size_t>(
        column + (table_.header.left_out_index && table_.has_header ? 1 : 0));
    for (const char* p = begin_; p != end_; p = line_after(p)) {
      const std::vector<std::string_view> fields = fields_of(p);
      if (place < fields.size() && !fields[place].empty() && *skip_blanks(p) != '#') return {};
    }
  }
  return "; the line or the column is empty throughout, as a spreadsheet leaves it; what leaves "
         "such lines and columns out: " +
         cleaned_line(R"(dropna(how="all").dropna(axis=1, how="all"))");
}

std::string DelimitedParser::help_with_two_headings() const {
  const char* const second = line_after(at_);
  const char* const third = line_after(second);
  const auto has_number = [&](const char* line) {
    return parse_field(fields_of(line).back()).kind != FieldNumber::Kind::none;
  };
  if (third == end_ || has_number(second) || !has_number(third)) return {};
  return "; if two lines are headings, what makes one of them: " +
         conversion_line(
             name_,
             fmt::format(
                 R"(python3 -c 'import pandas as p; t = p.read_csv("{{0}}", sep="{}", header=[0, 1]{}); t.columns = ["_".join(map(str, c)) for c in t.columns]; t.to_csv("{{1}}.csv", index=False)')",
                 separator_in_words(), is_index(find_field(at_).text) ? ", index_col=0" : ""));
}

std::string DelimitedParser::help_with_marks(std::string_view field) const {
  if (field.find("\xE2\x80\xAF") != std::string_view::npos ||
      field.find(kNoBreakSpace) != std::string_view::npos) {
    return ": it has no-break spaces; what takes them out: " +
           cleaned_line(R"(replace("[\u00a0\u202f]", "", regex=True))");
  }
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == field.size() ||
      field.find_first_not_of("0123456789,", comma - 1) != std::string_view::npos) {
    return {};
  }
  if ((field.size() - comma) % 4 == 0 && comma <= 3) {
    return fmt::format(
        "; if commas stand between thousands, what takes them out{}: {}",
        separator_ == Separator::comma ? "" : R"( (decimals need a point: "." for ""))",
        cleaned_line(R"(replace(",", "", regex=True))"));
  }
  if (separator_ == Separator::comma) return {};
  return "; what writes decimals with a point: " + cleaned_line(R"(replace(",", ".", regex=True))");
}

void DelimitedParser::refuse_cut_thousands() const {
  if (padded_ == nullptr || !unpadded_ || separator_ != Separator::comma ||
      first_line_.counting == FirstLine::Counting::numbers) {
    return;
  }
  throw input_error(fmt::format(
      "{}: line {}: expected numbers without zeros in front, found \"{}\" in a file that has "
      "others of "
      "one digit or two: commas between thousands that are not in quotes make two fields of a "
      "number. Write the table again without these commas; no line can tell which they are",
      name_, 1 + std::count(begin_, padded_, '\n'), std::string_view(padded_, 3)));
}

std::string DelimitedParser::help_with_separator(std::string_view field) const {
  if (field.ends_with('%')) {
    return "percentages are rounded mostly, and do not tell the votes then: dump the counts, or "
           "what each teacher voted for";
  }
  for (const char other : {'|', ';', ',', ':', ' '}) {
    const std::size_t at = field.find(other);
    if (at == std::string_view::npos || at + 1 == field.size()) continue;
    const std::string_view first = trim(field.substr(0, at));
    if (parse_field(first).kind == FieldNumber::Kind::none) continue;
    return fmt::format(
        "fields here are separated by \"{0}\", and not by \"{1}\", as this file is read by its "
        "name; what writes it so: {2}",
        separator_in_words(), other,
        conversion_line(name_, fmt::format("tr -s '{}' '{}' < {{0}} > {{1}}.{}", other,
                                           separator_ == Separator::tab ? "\\t" : ",", ending())));
  }
  return {};
}

std::string DelimitedParser::help_with_first_lines() const {
  return "; if the lines up to here are headings or a title, what leaves all but the last out: " +
         conversion_line(name_, fmt::format("tail -n +{} {{0}} > {{1}}.csv", line_of(table_, 0)));
}

std::string DelimitedParser::help_with_names() const {
  std::vector<std::string> names = table_.header.names;
  // Of one column what heads it is another name of a class where it is there again.
  for (const char* p = at_; p != end_ && table_.columns == 1 && names.size() == 1;
       p = line_after(p)) {
    if (find_field(p).text == names.front()) names.clear();
  }
  return "; if classes have names, say them in the order of their ids, \1classes a,b,c, or number "
         "them in that of the alphabet: " +
         numbering_line(name_, reading_of(names));
}

ColumnHeader DelimitedParser::reading_of(const std::vector<std::string>& names) const {
  ColumnHeader header = table_.header;
  header.names = names;
  return header;
}

}  // namespace pate::io
