#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/tables/delimited_parser.hpp"

namespace pate::io {

// How a refusal of a text goes on: what may help, with the line for a shell that makes it so.

namespace {

// What leaves all above a line out.
std::string line_from(const std::string& name, std::int64_t line) {
  return conversion_line(name, fmt::format("tail -n +{} {{0}} > {{1}}.csv", line));
}

}  // namespace

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
    if (std::string help = help_with_long_table(name_, reading_of(table_.header.names), true);
        !help.empty()) {
      return help;
    }
  }
  if (std::string help = help_with_marks(field.text); !help.empty()) return help;
  if (column == 0 && followed && !decimal && !is_missing(field.text) &&
      column_of_names(field.next)) {
    if (first_line_.counting != Counting::numbers) {
      return "; if the first column names the rows, add --index-column yes";
    }
    if (separator_ != Separator::blanks) {
      const std::string cut =
          separator_ == Separator::tab
              ? "cut -f2- {0} > {1}.tsv"
              : fmt::format("cut -d'{}' -f2- {{0}} > {{1}}.csv", static_cast<char>(separator_));
      return "; rows are those of the votes in their order, or numbered under \"row\"; what "
             "leaves names out: " +
             conversion_line(name_, cut);
    }
  }
  if (std::string help = help_with_first_lines(field, column); !help.empty()) return help;
  if (!first_line_.class_names.empty()) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const bool by_letters = std::ranges::any_of(first_line_.class_names, [&](const auto& name) {
      return std::ranges::equal(name, field.text, {}, lower, lower);
    });
    return fmt::format("; the names of classes are {}{}", fmt::join(first_line_.class_names, ","),
                       by_letters && (first_line_.takes_class_names || ids)
                           ? ", small and capital letters told apart"
                           : "");
  }
  if (column == 0 && ends_line(field.next) && !decimal) {
    if (const std::string help = help_with_separator(field.text); !help.empty()) return "; " + help;
  }
  if (first_line_.counting == Counting::numbers) {
    return first_line_.takes_class_names && !is_missing(field.text) ? help_with_names() : "";
  }
  if (table_.rows == 0 && !table_.has_header && column == 0 && followed &&
      !(ids && is_missing(field.text)) && !decimal) {
    std::vector<std::string_view> names = fields_of(step_over(field.next));
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) == names.end()) {
      return "; if the first line is names of columns that are numbers, and the first column names "
             "the rows, as pandas writes an index, add --header yes --index-column yes";
    }
  }
  if (is_missing(field.text)) {
    if (ids) {
      return "; where a teacher did not vote it needs --abstentions, where a command has that";
    }
    return fmt::format("; a class without a vote has {}{}", kMissingCounts,
                       zeros_line(name_, reading_of(table_.header.names)));
  }
  return ids ? help_with_names() : "";
}

std::string DelimitedParser::help_with_empty(std::int64_t column) const {
  if (separator_ == Separator::blanks) return {};
  const auto is_empty = [](std::string_view field) { return field.empty(); };
  if (table_.columns > 1 && at_ != end_ && std::ranges::all_of(fields_of(at_), is_empty)) {
    return "; the line is empty throughout, as a spreadsheet leaves it; what leaves such lines "
           "out: " +
           conversion_line(name_, fmt::format(R"(sed '/^[{}[:space:]]*$/d' < {{0}} > {{1}}.{})",
                                              separator_in_words(), ending()));
  }
  const auto place = static_cast<std::size_t>(
      column + (table_.header.left_out_index && table_.has_header ? 1 : 0));
  for (const char* p = begin_; p != end_; p = line_after(p)) {
    const std::vector<std::string_view> fields = fields_of(p);
    if (place < fields.size() && !fields[place].empty() && *skip_blanks(p) != '#') return {};
  }
  return "; the column is empty throughout, as a spreadsheet leaves it; what leaves such columns "
         "and rows out: " +
         conversion_line(
             name_,
             fmt::format(
                 R"(python3 -c 'import pandas as p; t = p.read_csv("{{0}}", sep="{}", header=None, dtype=str); t.dropna(how="all").dropna(axis=1, how="all").to_csv("{{1}}.csv", index=False, header=False)')",
                 separator_in_words()));
}

std::string DelimitedParser::help_with_two_headings() const {
  const char* const second = line_after(at_);
  const char* const third = line_after(second);
  const auto has_number = [&](const char* line) {
    return parse_field(fields_of(line).back()).kind != FieldNumber::Kind::none;
  };
  if (third == end_ || has_number(second) || !has_number(third)) return {};
  ColumnHeader reading = reading_of({});
  reading.left_out_index = false;
  std::string read = pandas_reading(reading);
  read.replace(read.find("header=None"), 11,
               is_index(find_field(at_).text) ? "header=[0, 1], index_col=0" : "header=[0, 1]");
  return "; if two lines are headings, what makes one of them: " +
         conversion_line(
             name_,
             fmt::format(
                 R"(python3 -c 'import pandas as p; t = {}; t.columns = ["_".join(map(str, c)) for c in t.columns]; t.to_csv("{{1}}.csv", index=False)')",
                 read));
}

std::string DelimitedParser::help_with_marks(std::string_view field) const {
  if (field.find("\xE2\x80\xAF") != std::string_view::npos ||
      field.find(kNoBreakSpace) != std::string_view::npos) {
    return ": it has no-break spaces; what takes them out: " +
           conversion_line(
               name_, fmt::format(R"(sed 's/\xC2\xA0//g; s/\xE2\x80\xAF//g' < {{0}} > {{1}}.{})",
                                  ending()));
  }
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == field.size() ||
      kDigits.find(field[comma - 1]) == std::string_view::npos ||
      field.find_first_not_of("0123456789,", comma) != std::string_view::npos) {
    return {};
  }
  if ((field.size() - comma) % 4 == 0 && comma <= 3) {
    return fmt::format(
        "; if commas stand between thousands, what takes them out{}: {}",
        separator_ == Separator::comma ? "" : " (decimals need a point: sed 's/,/./g')",
        conversion_line(
            name_,
            fmt::format(
                R"(python3 -c 'import csv; csv.writer(open("{{1}}.csv", "w"), lineterminator="\n").writerows([x.replace(",", "") for x in r] for r in csv.reader(open("{{0}}"), delimiter="{}"))')",
                separator_in_words())));
  }
  if (separator_ == Separator::comma) return {};
  return "; what writes decimals with a point: " +
         conversion_line(name_, fmt::format("sed 's/,/./g' < {{0}} > {{1}}.{}", ending()));
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
    const bool tabs = separator_ == Separator::tab;
    const char* const own = tabs                                 ? "tabs"
                            : separator_ == Separator::blanks    ? "blanks"
                            : separator_ == Separator::semicolon ? "semicolons"
                                                                 : "commas";
    return fmt::format(
        "fields here are separated by {}, and not by \"{}\", as this file is read by its name; "
        "what writes it so: {}",
        own, other,
        conversion_line(name_, fmt::format("tr -s '{}' '{}' < {{0}} > {{1}}.{}", other,
                                           tabs ? "\\t" : ",", ending())));
  }
  return {};
}

std::string DelimitedParser::help_with_first_lines(const Field& field, std::int64_t column) const {
  const bool first = table_.rows == 0 && table_.has_header && !table_.header.left_out_index;
  const bool is_word = !begins_a_number(field.text) && !is_missing(field.text);
  if (!first || column > 0 || !is_word || !first_line_.class_names.empty()) return {};
  const char* const next = line_after(field.next);
  if (next == end_ || read_field(find_field(next).text).kind == FieldNumber::Kind::none) return {};
  return "; if the lines up to here are headings, what leaves all but the last out: " +
         line_from(name_, line_of(table_, 0));
}

std::string DelimitedParser::help_with_title(std::int64_t found) const {
  if (table_.rows > 0 || !table_.has_header || found == 0 ||
      std::cmp_not_equal(fields_of(line_after(at_)).size(), found)) {
    return {};
  }
  return "; if what is above is a title, what leaves it out: " +
         line_from(name_, line_of(table_, 0));
}

std::string DelimitedParser::help_with_names() const {
  std::vector<std::string> names = table_.header.names;
  // Of one column what heads it is another name of a class where it is there again.
  for (const char* p = at_; p != end_ && table_.columns == 1 && names.size() == 1;
       p = line_after(p)) {
    if (find_field(p).text == names.front()) names.clear();
  }
  return "; if classes have names, say them in the order of their ids, --classes a,b,c, or number "
         "them in that of the alphabet: " +
         numbering_line(name_, reading_of(names));
}

ColumnHeader DelimitedParser::reading_of(const std::vector<std::string>& names) const {
  ColumnHeader header;
  header.names = names;
  header.separator = static_cast<char>(separator_);
  header.left_out_index = table_.header.left_out_index;
  return header;
}

}  // namespace pate::io
