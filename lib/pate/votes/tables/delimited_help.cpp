#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/votes/conversion_line.hpp"
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
  const bool ids = first_line_.counting == Counting::class_ids;
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
             conversion_line(name_, cut, true);
    }
  }
  if (std::string help = help_with_first_lines(field, column); !help.empty()) return help;
  if (!first_line_.class_names.empty()) {
    return fmt::format("; the names of classes are {}{}", fmt::join(first_line_.class_names, ","),
                       first_line_.takes_class_names || ids ? help_with_letters(field.text) : "");
  }
  if (column == 0 && ends_line(field.next) && !decimal) {
    std::string help = help_with_separator(field.text);
    if (!help.empty()) return "; " + help;
  }
  if (first_line_.counting == Counting::numbers) {
    return first_line_.takes_class_names && !is_missing(field.text) ? help_with_names() : "";
  }
  if (table_.rows == 0 && !table_.has_header && column == 0 && followed &&
      !(ids && is_missing(field.text)) && !decimal && fields_differ(field.next)) {
    return "; if the first line is names of columns that are numbers, and the first column names "
           "the rows, as pandas writes an index, add --header yes --index-column yes";
  }
  if (std::string help = help_with_last_separator(field, column); !help.empty()) return help;
  if (is_missing(field.text)) {
    if (ids) {
      return "; where a teacher did not vote it needs --abstentions, where a command has that";
    }
    return fmt::format("; a class without a vote has {}{}", kMissingCounts,
                       zeros_line(name_, reading_of(table_.header.names)));
  }
  return ids ? help_with_names() : "";
}

std::string DelimitedParser::help_with_last_separator(const Field& field,
                                                      std::int64_t column) const {
  constexpr int kLooked = 100;
  if (!field.text.empty() || !ends_line(field.next) || column == 0 ||
      separator_ == Separator::blanks) {
    return {};
  }
  // As many fields as here, of which the last is empty.
  const char* p = field.next;
  for (int line = 0; line < kLooked && p != end_; ++line) {
    p = first_after(p);
    const char* last = p;
    while (!ends_line(p)) {
      if (*p != ' ' && *p != '\r') last = p;
      ++p;
    }
    if (last == end_ || !is_separator(*last)) return {};
  }
  return "; if the lines end in a separator after their last field, what leaves it out: " +
         conversion_line(name_,
                         separator_ == Separator::tab
                             ? std::string(R"(sed 's/\t\r*$//' {0} > {1}.tsv)")
                             : fmt::format(R"(sed 's/{}\r*$//' {{0}} > {{1}}.csv)",
                                           static_cast<char>(separator_)),
                         true);
}

std::string DelimitedParser::help_with_separator(std::string_view field) const {
  const bool tabs = separator_ == Separator::tab;
  if (field.find(kNoBreakSpace) != std::string_view::npos) {
    return "it has no-break spaces; what takes them out: " +
           conversion_line(
               name_, fmt::format(R"(sed 's/\xC2\xA0//g' {{0}} > {{1}}.{})", tabs ? "tsv" : "csv"),
               true);
  }
  if (field.ends_with('%')) {
    return "percentages are rounded mostly, and do not tell the votes then: dump the counts, or "
           "what each teacher voted for";
  }
  for (const char other : {'|', ';', ',', ':', ' '}) {
    const std::size_t at = field.find(other);
    if (at == std::string_view::npos || at + 1 == field.size()) continue;
    const std::string_view first = trim(field.substr(0, at));
    if (parse_field(first).kind == FieldNumber::Kind::none) continue;
    const char* const own = tabs                                 ? "tabs"
                            : separator_ == Separator::blanks    ? "blanks"
                            : separator_ == Separator::semicolon ? "semicolons"
                                                                 : "commas";
    return fmt::format(
        "fields here are separated by {}, and not by \"{}\", as this file is read by its name; "
        "what writes it so: {}",
        own, other,
        conversion_line(name_,
                        tabs ? fmt::format(R"(tr -s '{}' '\t' < {{0}} > {{1}}.tsv)", other)
                             : fmt::format("tr -s '{}' ',' < {{0}} > {{1}}.csv", other),
                        true));
  }
  return {};
}

std::string DelimitedParser::help_with_first_lines(const Field& field, std::int64_t column) const {
  const bool first = table_.rows == 0 && table_.has_header && !table_.header.left_out_index;
  const bool is_word = !begins_a_number(field.text) && !is_missing(field.text);
  if (!first || column > 0 || !is_word || !first_line_.class_names.empty()) return {};
  const char* p = field.next;
  while (!ends_line(p)) ++p;
  p = first_after(p);
  if (p == end_ || read_field(find_field(p).text).kind == FieldNumber::Kind::none) return {};
  return fmt::format("; if the lines up to here are headings, what leaves all but the last out: {}",
                     line_from(line_of(table_, 0)));
}

std::string DelimitedParser::help_with_letters(std::string_view word) const {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const bool is_one = std::ranges::any_of(first_line_.class_names, [&](const std::string& name) {
    return std::ranges::equal(name, word, {}, lower, lower);
  });
  return is_one ? ", small and capital letters told apart" : "";
}

std::string DelimitedParser::help_with_names() const {
  std::vector<std::string> names = table_.header.names;
  // Of one column what heads it is another name of a class where it is there again.
  if (table_.columns == 1 && names.size() == 1) {
    for (const char* p = at_; p != end_; p = first_after(p)) {
      if (find_field(p).text != names.front()) {
        while (!ends_line(p)) ++p;
        continue;
      }
      names.clear();
      break;
    }
  }
  return "; if classes have names, say them in the order of their ids, --classes a,b,c, or number "
         "them in that of the alphabet: " +
         numbering_line(name_, reading_of(names));
}

std::string DelimitedParser::line_from(std::int64_t line) const {
  return conversion_line(name_, fmt::format("tail -n +{} {{0}} > {{1}}.csv", line), true);
}

ColumnHeader DelimitedParser::reading_of(const std::vector<std::string>& names) const {
  ColumnHeader header;
  header.names = names;
  header.separator = static_cast<char>(separator_);
  header.left_out_index = table_.header.left_out_index;
  return header;
}

std::string DelimitedParser::help_with_title(std::int64_t found) const {
  const char* p = at_;
  while (!ends_line(p)) ++p;
  if (table_.rows > 0 || !table_.has_header || found == 0 ||
      std::cmp_not_equal(fields_after(p), found))
    return {};
  return "; if what is above is a title, what leaves it out: " + line_from(line_of(table_, 0));
}

}  // namespace pate::io
