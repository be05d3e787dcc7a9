#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/votes/tables/delimited_table.hpp"
#include "pate/votes/tables/text_field.hpp"

namespace pate::io {

/// The line, from 1, that a row is on.
[[nodiscard]] std::int64_t line_of(const DelimitedNumbers& table, std::int64_t row);

/// Throws `input_error` that names a field of a table.
[[noreturn]] void fail_field(const std::string& name, const DelimitedNumbers& table,
                             std::int64_t row, std::int64_t column, std::string_view expected,
                             std::string_view found);

inline constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

/// Whether a field begins as a number does, though it may be none.
[[nodiscard]] bool begins_a_number(std::string_view field);

/// Reads a text table from its first byte to its last (`DelimitedTable` says what is read, and what
/// is refused): the first line and the first column, which may not be numbers of the table, in
/// `delimited_headings.cpp`, rows and fields in `delimited_parser.cpp`, what refusals advise in
/// `delimited_help.cpp`.
class DelimitedParser {
 public:
  DelimitedParser(std::string_view text, Separator separator, const FirstLine& first_line,
                  const std::string& name, const std::function<void(std::size_t)>& done);

  DelimitedNumbers parse();

 private:
  struct Field {
    std::string_view text;       // without quotes and what is around it
    const char* next = nullptr;  // the separator, newline or end of the text after it
  };

  [[nodiscard]] bool is_blank(char c) const {
    return c == ' ' || (c == '\t' && separator_ != Separator::tab);
  }
  [[nodiscard]] bool is_separator(char c) const {
    return separator_ == Separator::blanks ? is_blank(c) : c == static_cast<char>(separator_);
  }
  [[nodiscard]] bool ends_field(const char* p) const {
    return p == end_ || *p == '\n' || is_separator(*p);
  }
  [[nodiscard]] bool ends_line(const char* p) const { return p == end_ || *p == '\n'; }
  // Over the carriage return of a CR LF, if there is one.
  [[nodiscard]] const char* skip_return(const char* p) const {
    return p != end_ && *p == '\r' && ends_line(p + 1) ? p + 1 : p;
  }
  [[nodiscard]] const char* skip_blanks(const char* p) const {
    while (p != end_ && is_blank(*p)) ++p;
    return skip_return(p);
  }

  [[noreturn]] void refuse(std::int64_t column, std::string_view expected,
                           std::string_view found) const;

  // Over lines that begin with #; `front`: before the names and rows.
  void skip_comments(bool front);

  Field find_field(const char* p) const;

  // Where the next field begins; the end of the line where there is none.
  const char* step_over(const char* separator) const {
    if (separator_ != Separator::blanks) return separator + 1;
    return skip_blanks(separator);
  }

  void take_header();

  [[nodiscard]] std::vector<double> row_of_numbers(std::int64_t row) const;

  // Whether the first row is the names that pandas gives to columns without names.
  void judge_first_row();

  // Whether a column of votes is an index of their rows: only what counts from 0 under the heading
  // of one is, and nothing else that counts so is taken for votes of the first teacher or query.
  void judge_first_column();

  // Where the line after that of p begins, comments apart.
  [[nodiscard]] const char* line_after(const char* p) const;

  // The fields of a line; none of one behind the last.
  [[nodiscard]] std::vector<std::string_view> fields_of(const char* line) const;

  // Whether a line begins with a name: in quotes, or no number.
  [[nodiscard]] bool names_a_row(const char* line) const;

  // A first line of votes in words is none of names, which differ.
  void refuse_repeated(const std::vector<std::string>& names, std::int64_t line_number) const;

  // What may help where a first line is one field that another separator would divide.
  [[nodiscard]] std::string help_with_separator(std::string_view field) const;

  // Nor is one of numbers with a mark, like 3* or =3.
  void refuse_marked_numbers(const std::vector<std::string>& names, std::int64_t line_number) const;

  // Whether this line, of which `p` is within, and the next ones all begin with a name.
  [[nodiscard]] bool column_of_names(const char* p) const;

  // A field as a number, the name of a class, or what is missing.
  [[nodiscard]] FieldNumber read_field(std::string_view text) const;

  // What may help where a field is no number.
  [[nodiscard]] std::string help_for(const Field& field, std::int64_t column) const;

  // The same where the line of the field, or all of its column, is empty.
  [[nodiscard]] std::string help_with_empty(std::int64_t column) const;

  // The same of a first line that is one of two with headings.
  [[nodiscard]] std::string help_with_two_headings() const;

  // The same of a comma, or a blank that does not break, within a number.
  [[nodiscard]] std::string help_with_marks(std::string_view field) const;

  // Throws where some numbers are cut at their thousands: 072 beside 1.
  void refuse_cut_thousands() const;

  // The same of a line of headings below another, or below a title.
  [[nodiscard]] std::string help_with_first_lines() const;

  // The line that makes the table again, of which pandas reads every field as text.
  [[nodiscard]] std::string cleaned_line(std::string_view made) const;

  // The same of words where class ids are expected.
  [[nodiscard]] std::string help_with_names() const;

  // The separator as pandas is told it, and the ending of a file with it.
  [[nodiscard]] std::string separator_in_words() const {
    return separator_ == Separator::tab      ? "\\t"
           : separator_ == Separator::blanks ? "\\s+"
                                             : std::string(1, static_cast<char>(separator_));
  }
  [[nodiscard]] const char* ending() const { return separator_ == Separator::tab ? "tsv" : "csv"; }

  // How the text is read, with such names of columns.
  [[nodiscard]] ColumnHeader reading_of(const std::vector<std::string>& names) const;

  void take_slowly(const Field& field, std::int64_t column);

  [[noreturn]] void refuse_fields(std::int64_t found) const;

  // Over the field of a row that is no number of the table; where the next one begins.
  const char* take_index(const char* p);

  void take_row();

  DelimitedNumbers table_;
  // Where an index first does not count, and what is there.
  std::int64_t index_break_ = 0;
  std::string_view index_found_;
  std::string_view heading_;      // the first line where it has the names
  const char* padded_ = nullptr;  // a field like 072
  bool unpadded_ = false;         // one of one or two digits
  bool in_words_ = false;         // the first line has names of classes, or missing votes
  bool names_rows_ = false;       // the index is one of R, in front of the columns that have names
  const char* begin_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const std::string& name_;
  const std::function<void(std::size_t)>& done_;
  const FirstLine& first_line_;
  Separator separator_;
};

}  // namespace pate::io
