#include "pate/votes/tables/delimited_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/table_elements.hpp"

namespace pate::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kBetweenCalls = std::size_t{1} << 24U;  // bytes between two calls of `done`
constexpr std::size_t kShown = 60;                            // of a field's text in a message
constexpr std::ptrdiff_t kSafeDigits = 18;                    // so many digits are below 2^63

std::int64_t line_of(const DelimitedNumbers& table, std::int64_t row) {
  const auto& comments = table.comments;
  return row + (table.has_header ? 2 : 1) +
         (std::upper_bound(comments.begin(), comments.end(), row) - comments.begin());
}

[[noreturn]] void fail(const std::string& name, const DelimitedNumbers& table, std::int64_t row,
                       std::int64_t column, std::string_view expected, std::string_view found) {
  throw input_error(fmt::format("{}: row {} (line {}), column {}: expected {}, found {}", name, row,
                                line_of(table, row), column, expected, found));
}

// What one field of a text table holds.
struct FieldNumber {
  enum class Kind : std::uint8_t {
    none,     // no number
    integer,  // in the range of int64
    truth,    // True or False, as 1 or 0
    real,     // any other: "0.5", "1e3", "2.0", an integer beyond int64, "nan", "-inf"
    too_far,  // a number, but no double is near: "1e999", "1e-999"
  };
  Kind kind = Kind::none;
  std::int64_t integer = 0;
  double real = 0;
};

// Reads a whole field, nothing around it, as a number; a sign '+' is fine. Reals are rounded to the
// nearest double. The locale plays no role.
FieldNumber parse_field(std::string_view text) {
  FieldNumber number;
  for (const bool truth : {false, true}) {
    const std::array<std::string_view, 3> words =
        truth ? std::array<std::string_view, 3>{"True", "TRUE", "true"}
              : std::array<std::string_view, 3>{"False", "FALSE", "false"};
    if (std::ranges::find(words, text) == words.end()) continue;
    number.kind = FieldNumber::Kind::truth;
    number.integer = truth ? 1 : 0;
    return number;
  }
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto whole = std::from_chars(text.data(), end, number.integer);
  if (whole.ptr == end && whole.ec == std::errc()) {
    number.kind = FieldNumber::Kind::integer;
    return number;
  }
  const auto real = std::from_chars(text.data(), end, number.real);
  // from_chars takes "nan(anything)" for a number too.
  if (real.ptr != end || text.ends_with(')')) return number;
  if (real.ec == std::errc()) number.kind = FieldNumber::Kind::real;
  if (real.ec == std::errc::result_out_of_range) number.kind = FieldNumber::Kind::too_far;
  return number;
}

// Takes blanks (spaces, tabs, carriage returns) off both ends.
std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// How missing values are written, a vote above all; what consists of them alone is no line of
// column names.
bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 16> kMissing{
      "",  "NA", "N/A", "na",  "null",    "NULL",    "None",      "none",
      "-", "?",  "nan", "NaN", "abstain", "Abstain", "abstained", "ABSTAIN"};
  return std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

// How pandas heads an index without a name: to_csv not at all, reset_index "index", and one that
// was read and written again "Unnamed: 0".
bool is_index(std::string_view heading) {
  return heading.empty() || heading == "index" || heading == "Unnamed: 0";
}

class Parser {
 public:
  Parser(std::string_view text, Separator separator, const FirstLine& first_line,
         const std::string& name, const std::function<void(std::size_t)>& done)
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

  DelimitedNumbers parse() {
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
    if (!table_.has_header && !first_line_.is_header) judge_first_row();
    judge_first_column();
    table_.header.comments = std::ssize(table_.comments);
    return std::move(table_);
  }

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
                           std::string_view found) const {
    fail(name_, table_, table_.rows, column, expected, found);
  }

  // Over lines that begin with #; `front`: before the names and rows.
  void skip_comments(bool front) {
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
            printable(trim({at_, p}), kShown),
            heading ? "give the first column a name, or take the line out"
                    : "take comments out of a file with an index"));
      }
      while (!ends_line(p)) ++p;
      table_.comments.push_back(table_.rows);
      at_ = p == end_ ? p : p + 1;
    }
  }

  Field find_field(const char* p) const {
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

  // Where the next field begins; the end of the line where there is none.
  const char* step_over(const char* separator) const {
    if (separator_ != Separator::blanks) return separator + 1;
    return skip_blanks(separator);
  }

  void take_header() {
    const char* p = separator_ == Separator::blanks ? skip_blanks(at_) : at_;
    std::vector<std::string> names;
    bool missing = true;
    bool numbers = false;
    bool counted = true;  // 0, 1, 2, ... from the second on
    const std::int64_t line_number = line_of(table_, 0);
    for (;;) {
      const Field field = find_field(p);
      const FieldNumber number = read_field(field.text);
      const bool is_number = number.kind != FieldNumber::Kind::none;
      const std::int64_t place = std::ssize(names) - 1;
      numbers = numbers || is_number;
      if (place >= 0) {
        counted = counted && number.kind == FieldNumber::Kind::integer && number.integer == place;
      }
      in_words_ =
          in_words_ || (is_number && parse_field(field.text).kind == FieldNumber::Kind::none);
      if (is_number && !counted && !first_line_.is_header) return;
      missing = missing && is_missing(field.text);
      names.emplace_back(field.text);
      if (names.size() == 2 && is_index(names[0]) && is_index(names[1]) && !names[1].empty()) {
        const std::string_view line = std::string_view(at_, end_);
        throw input_error(fmt::format(
            "{}: line {}: expected one index of the rows at most, found two columns without a "
            "name, \"{}\": write the table without them, as to_csv(index=False) does",
            name_, line_number, printable(trim(line.substr(0, line.find('\n'))), kShown)));
      }
      p = field.next;
      if (ends_line(p)) break;
      p = step_over(p);
      if (ends_line(p) && separator_ == Separator::blanks) break;
    }
    // R heads all columns but that of the names of rows, which it quotes.
    const bool short_by_one = first_line_.index_column.value_or(true) &&
                              fields_after(p) == names.size() + 1 &&
                              (first_line_.index_column || names_a_row(p));
    const bool headed = names.size() > 1 && is_index(names.front());
    const bool index = first_line_.index_column.value_or(headed || short_by_one);
    if (numbers && !(headed && counted) && !first_line_.is_header) return;
    const std::string_view line = trim({at_, p});
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; };
    const bool json = line.starts_with('[') || line.starts_with('{');
    if (missing || json || std::any_of(line.begin(), line.end(), control)) {
      throw input_error(
          fmt::format("{}: line {}: expected numbers or names of columns, found \"{}\"{}", name_,
                      line_number, printable(line, kShown),
                      missing && first_line_.counting == FirstLine::Counting::class_ids
                          ? "; where teachers did not vote it needs --abstentions, where a command "
                            "has that"
                          : ""));
    }
    if (!first_line_.is_header && first_line_.counting != FirstLine::Counting::numbers) {
      refuse_repeated(names, line_number);
    }
    table_.has_header = true;
    names_rows_ = short_by_one;
    if (index && !short_by_one) names.erase(names.begin());
    table_.columns = std::ssize(names);
    table_.header.names = std::move(names);
    table_.header.left_out_index = index;
    at_ = p == end_ ? p : p + 1;
  }

  [[nodiscard]] std::vector<double> row_of_numbers(std::int64_t row) const {
    std::vector<double> values(static_cast<std::size_t>(table_.columns));
    // What is no finite number stays 0: it is refused when it is read.
    (void)table_.numbers.copy(static_cast<std::size_t>(row * table_.columns),
                              std::span<double>(values));
    return values;
  }

  // Whether the first row is the names that pandas gives to columns without names.
  void judge_first_row() {
    using Counting = FirstLine::Counting;
    const std::int64_t columns = table_.columns;
    if (first_line_.counting == Counting::numbers || columns < 2 || in_words_) return;
    std::vector<double> counting(static_cast<std::size_t>(columns));
    std::iota(counting.begin(), counting.end(), 0.0);
    if (row_of_numbers(0) != counting) return;
    const auto sum = [](const std::vector<double>& row) {
      return std::accumulate(row.begin(), row.end(), 0.0);
    };
    bool is_header = first_line_.counting == Counting::class_ids && columns > first_line_.classes;
    if (first_line_.counting == Counting::counts) {
      is_header = table_.rows > 1;
      for (std::int64_t row = 1; row < table_.rows && is_header; ++row) {
        is_header = sum(row_of_numbers(row)) != sum(counting);
      }
    }
    if (!is_header) {
      throw input_error(
          fmt::format("{}: row 0 (line {}): expected votes or names of columns, found {}{}, which "
                      "may be either (pandas names columns so): say which with --header yes or "
                      "--header no",
                      name_, line_of(table_, 0),
                      columns > 3   ? "0,1,...,"
                      : columns > 2 ? "0,1,"
                                    : "0,",
                      columns - 1));
    }
    table_.has_header = true;
    table_.header.counted = true;
    for (std::int64_t i = 0; i < columns; ++i) table_.header.names.push_back(std::to_string(i));
    table_.skipped = counting.size();
    --table_.rows;
    for (std::int64_t& row : table_.comments) row = std::max<std::int64_t>(0, row - 1);
  }

  // Whether a column of votes is an index of their rows: only what counts from 0 under the heading
  // of one is, and nothing else that counts so is taken for votes of the first teacher or query.
  void judge_first_column() {
    using Counting = FirstLine::Counting;
    const bool asked = first_line_.index_column.has_value();
    if (table_.header.left_out_index) {
      if (asked || names_rows_ || table_.header.index_counts ||
          first_line_.counting == Counting::numbers) {
        return;
      }
      throw input_error(fmt::format(
          "{}: row {} (line {}): expected {} in the first column, an index of the rows by its "
          "heading, found \"{}\": say with --index-column yes that it is to be left out, or with "
          "--index-column no that it is votes",
          name_, index_break_, line_of(table_, index_break_), index_break_,
          printable(index_found_, kShown)));
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
                    "with --index-column no or --index-column yes",
                    name_, table_.rows - 1));
  }

  // Where the line after the one that ends at p begins, comments apart.
  [[nodiscard]] const char* first_after(const char* p) const {
    while (p != end_) {
      ++p;
      const char* const first = skip_blanks(p);
      if (first == end_ || *first != '#') break;
      while (!ends_line(p)) ++p;
    }
    return p;
  }

  // Fields of that line; 0 where there is none.
  [[nodiscard]] std::size_t fields_after(const char* p) const {
    p = first_after(p);
    if (p == end_) return 0;
    std::size_t fields = 1;
    p = separator_ == Separator::blanks ? skip_blanks(p) : p;
    for (p = find_field(p).next; !ends_line(p); p = find_field(p).next) {
      p = step_over(p);
      if (ends_line(p) && separator_ == Separator::blanks) break;
      ++fields;
    }
    return fields;
  }

  // Whether the line after the one that ends at p begins with a name: in quotes, or no number.
  [[nodiscard]] bool names_a_row(const char* p) const {
    p = first_after(p);
    if (separator_ == Separator::blanks) p = skip_blanks(p);
    while (p != end_ && *p == ' ') ++p;
    return p != end_ &&
           (*p == '"' || (parse_field(find_field(p).text).kind == FieldNumber::Kind::none &&
                          !is_missing(find_field(p).text)));
  }

  // A first line of votes in words is none of names, which differ.
  void refuse_repeated(const std::vector<std::string>& names, std::int64_t line_number) const {
    std::vector<std::string> sorted = names;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return;
    const bool ids = first_line_.counting == FirstLine::Counting::class_ids;
    throw input_error(fmt::format(
        "{}: line {}: expected numbers or different names of columns, found \"{}\" twice: if they "
        "are names add --header yes{}",
        name_, line_number, printable(*twice, kShown),
        ids ? "; if they are votes, where teachers did not vote add --abstentions class, and say "
              "what classes are called with --classes a,b,c, or number them: " +
                  numbering_line(name_, reading_of({}))
            : ""));
  }

  // A field as a number, the name of a class, or what is missing.
  [[nodiscard]] FieldNumber read_field(std::string_view text) const {
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

  // What may help where a field is no number.
  [[nodiscard]] std::string help_for(const Field& field, std::int64_t column) const {
    using Counting = FirstLine::Counting;
    if (!first_line_.class_names.empty()) {
      return fmt::format("; the names of classes are {}", fmt::join(first_line_.class_names, ","));
    }
    // "nan" is no number that a name of a row stands beside.
    const auto is_number = [](const FieldNumber& number) {
      return number.kind == FieldNumber::Kind::integer ||
             (number.kind == FieldNumber::Kind::real && !std::isnan(number.real));
    };
    const bool followed =
        !ends_line(field.next) && is_number(parse_field(find_field(step_over(field.next)).text));
    const bool decimal = field.text.find(',') != std::string_view::npos;
    if (column == 0 && followed && !decimal && !is_missing(field.text)) {
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
    if (first_line_.counting != Counting::class_ids) return {};
    if (is_missing(field.text)) {
      return "; where a teacher did not vote it needs --abstentions, where a command has that";
    }
    return "; if classes have names, say them in the order of their ids, --classes a,b,c, or "
           "number "
           "them in that of the alphabet: " +
           numbering_line(name_, reading_of(table_.header.names));
  }

  // How the text is read, with such names of columns.
  [[nodiscard]] ColumnHeader reading_of(const std::vector<std::string>& names) const {
    ColumnHeader header;
    header.names = names;
    header.separator = static_cast<char>(separator_);
    header.left_out_index = table_.header.left_out_index;
    return header;
  }

  void take_slowly(const Field& field, std::int64_t column) {
    if (field.text.empty() && column == 0 && ends_line(field.next)) {
      refuse(0, "a number", "an empty line");
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
        refuse(column, "a number in the range of doubles", printable(field.text, kShown));
      case FieldNumber::Kind::none:
        break;
    }
    const bool empty = field.text.empty();
    const std::string help = help_for(field, column);
    if (empty) refuse(column, "a number", "an empty field" + help);
    const bool comma =
        separator_ != Separator::comma && field.text.find(',') != std::string_view::npos;
    refuse(column, comma ? "a number with a decimal point, if any" : "a number",
           '"' + printable(field.text, kShown) + '"' + help);
  }

  [[noreturn]] void refuse_fields(std::int64_t found) const {
    const int index = table_.header.left_out_index ? 1 : 0;
    const bool short_heading = table_.rows == 0 && table_.has_header &&
                               found == table_.columns + 1 && !first_line_.index_column &&
                               first_line_.counting != FirstLine::Counting::numbers;
    throw input_error(fmt::format(
        "{}: row {} (line {}): expected {} fields, as in the first line, found {}{}", name_,
        table_.rows, line_of(table_, table_.rows), table_.columns + index, found + index,
        short_heading ? "; if the first column names the rows and has no heading, as R's "
                        "write.table leaves it, add --index-column yes"
                      : ""));
  }

  // Over the field of a row that is no number of the table; where the next one begins.
  const char* take_index(const char* p) {
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

  void take_row() {
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

  DelimitedNumbers table_;
  // Where an index first does not count, and what is there.
  std::int64_t index_break_ = 0;
  std::string_view index_found_;
  bool in_words_ = false;    // the first line has names of classes, or missing votes
  bool names_rows_ = false;  // the index is one of R, in front of the columns that have names
  const char* begin_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const std::string& name_;
  const std::function<void(std::size_t)>& done_;
  const FirstLine& first_line_;
  Separator separator_;
};

}  // namespace

std::vector<Separator> separators_in(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string_view line;
  do {
    const std::size_t end = text.find('\n');
    line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  } while (trim(line).starts_with('#') && !text.empty());
  std::string plain;  // without what is in quotes
  bool quoted = false;
  for (const char c : line) {
    quoted = quoted != (c == '"');
    if (!quoted) plain += c;
  }
  std::vector<Separator> found;
  for (const Separator separator : {Separator::tab, Separator::comma, Separator::semicolon}) {
    if (plain.find(static_cast<char>(separator)) != std::string::npos) found.push_back(separator);
  }
  return found;
}

DelimitedTable::DelimitedTable(std::string name, std::string_view text, Separator separator,
                               const FirstLine& first_line,
                               const std::function<void(std::size_t)>& done)
    : name_(std::move(name)),
      separator_(separator),
      table_(Parser(text, separator, first_line, name_, done).parse()) {}

template <typename Number>
void DelimitedTable::copy_runs(const Block& block, std::span<Number> out) const {
  // Whole rows lie one after the other: all of them are one run.
  const bool whole = block.column_count == columns();
  const std::size_t run = whole ? out.size() : static_cast<std::size_t>(block.column_count);
  for (std::size_t begin = 0; begin < out.size(); begin += run) {
    const auto row = block.first_row + static_cast<std::int64_t>(begin) / block.column_count;
    const auto first = static_cast<std::size_t>(row * columns() + block.first_column);
    const std::size_t copied = table_.numbers.copy(table_.skipped + first, out.subspan(begin, run));
    if (copied == run) continue;
    const auto bad = static_cast<std::int64_t>(first + copied);
    fail(name_, table_, bad / columns(), bad % columns(), kExpectedElement<Number>,
         table_.numbers.show(table_.skipped + first + copied));
  }
}

void DelimitedTable::copy(const Block& block, std::span<std::int64_t> out) const {
  copy_runs(block, out);
}

void DelimitedTable::copy(const Block& block, std::span<double> out) const {
  copy_runs(block, out);
}

TableDescription DelimitedTable::description() const {
  TableDescription result;
  result.format = separator_ == Separator::tab      ? "tsv"
                  : separator_ == Separator::blanks ? "text"
                                                    : "csv";
  const auto cells = static_cast<std::size_t>(rows() * columns());
  result.dtype = table_.truths == cells && cells > 0 ? "bool"
                 : table_.numbers.all_integers()     ? "int64"
                                                     : "float64";
  result.shape = {rows()};
  if (dimensions() == 2) result.shape.push_back(columns());
  return result;
}

}  // namespace pate::io
