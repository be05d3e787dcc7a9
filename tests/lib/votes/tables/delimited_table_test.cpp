#include "pate/votes/tables/delimited_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/text_field.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::io::DelimitedTable;
using pate::io::Separator;
using pate::test::message_of;

namespace {

DelimitedTable table_of(std::string_view text, Separator separator = Separator::comma) {
  // A copy of exactly this size: the address sanitizer sees a byte too many being read.
  const std::vector<char> exact(text.begin(), text.end());
  return {"t.csv", {exact.data(), exact.size()}, separator};
}

std::vector<std::int64_t> integers(const DelimitedTable& table) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(table.rows() * table.columns()));
  table.read_integers(0, table.rows(), 0, table.columns(), out);
  return out;
}

std::vector<double> reals(const DelimitedTable& table) {
  std::vector<double> out(static_cast<std::size_t>(table.rows() * table.columns()));
  table.read_reals(0, table.rows(), 0, table.columns(), out);
  return out;
}

std::string refusal(std::string_view text, Separator separator = Separator::comma) {
  return message_of<input_error>([&] { table_of(text, separator); });
}

using Integers = std::vector<std::int64_t>;
using Shape = std::vector<std::int64_t>;

}  // namespace

TEST_SUITE_BEGIN("io");

TEST_CASE("delimited table: spellings of one table") {
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text : std::vector<std::string>{
           "1,2,3\n4,5,6\n", "1,2,3\n4,5,6", "1,2,3\r\n4,5,6\r\n", "1,2,3\r\n4,5,6",
           "1,2,3\n4,5,6\n\n", "1,2,3\n4,5,6\r\n\r\n \n\n", "1, 2, 3\n4, 5, 6\n",
           " 1 ,\t2 , 3 \r\n 4 , 5\t,6 \r\n", "\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n",
           "\"1\" , \" 2\",\"3 \" \r\n4,5,\"6\"\r\n", "a,b,c\n1,2,3\n4,5,6\n",
           "\"a, b\",\"say \"\"c\"\"\",d\r\n1,2,3\r\n4,5,6\r\n", "x,a,b\n1,2,3\n4,5,6\n",
           "x y,\xC3\xA4,\n1,2,3\n4,5,6\n", "+1,2,03\n4,+5,6\n", mark + "1,2,3\n4,5,6\n",
           mark + "a,b,c\n1,2,3\n4,5,6\n"}) {
    CAPTURE(text);
    const DelimitedTable table = table_of(text);
    CHECK(table.name() == "t.csv");
    CHECK(table.dimensions() == 2);
    CHECK(table.rows() == 2);
    CHECK(table.columns() == 3);
    CHECK(integers(table) == Integers{1, 2, 3, 4, 5, 6});
    CHECK(reals(table) == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(table.description().format == "csv");
    CHECK(table.description().dtype == "int64");
    CHECK(table.description().shape == Shape{2, 3});
  }
}

TEST_CASE("delimited table: separators") {
  CHECK(integers(table_of("1\t2\n3\t4\n", Separator::tab)) == Integers{1, 2, 3, 4});
  CHECK(integers(table_of(" 1 \t 2\r\n3\t4\r\n", Separator::tab)) == Integers{1, 2, 3, 4});
  CHECK(integers(table_of("1;2\n3;4\n", Separator::semicolon)) == Integers{1, 2, 3, 4});
  for (const char* text : {"1 2\n3 4\n", "  1   2\n\t3\t4 \n", "a b \r\n 1 2 \r\n3 4\r\n",
                           "\"1\" \"2\"\r\n3 \"4\"\r\n"}) {
    CAPTURE(text);
    const DelimitedTable table = table_of(text, Separator::blanks);
    CHECK(integers(table) == Integers{1, 2, 3, 4});
    CHECK(table.description().format == "text");
  }
  CHECK(table_of("1\t2\n", Separator::tab).description().format == "tsv");
  CHECK(table_of("1;2\n", Separator::semicolon).description().format == "csv");
}

TEST_CASE("delimited table: one column is one-dimensional, a header alone has no rows") {
  const DelimitedTable labels = table_of("label\r\n3\r\n-1\r\n0");
  CHECK(labels.dimensions() == 1);
  CHECK(labels.rows() == 3);
  CHECK(labels.columns() == 1);
  CHECK(integers(labels) == Integers{3, -1, 0});
  CHECK(labels.description().shape == Shape{3});
  for (const char* text : {"a,b,c\n", "a,b,c", "a,b,c\r\n\r\n", "\"a\",\"b,b\",c\n \n"}) {
    CAPTURE(text);
    const DelimitedTable table = table_of(text);
    CHECK(table.rows() == 0);
    CHECK(table.columns() == 3);
    CHECK(table.description().dtype == "int64");
    CHECK(integers(table).empty());
  }
  CHECK(table_of("a b \n", Separator::blanks).columns() == 2);
}

TEST_CASE("delimited table: numbers") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  CHECK(integers(table_of("9223372036854775807,-9223372036854775808,999999999999999999\n"
                          "1000000000000000000,-0,0000000000000000000000001\n")) ==
        Integers{kMost, kLeast, 999999999999999999, 1000000000000000000, 0, 1});
  const DelimitedTable table = table_of("0.1,-1e308,5e-324\n2.0,1E3,.5\n3.,-.25,+7\n");
  CHECK(table.description().dtype == "float64");
  CHECK(reals(table) == std::vector<double>{0.1, -1e308, 5e-324, 2, 1000, 0.5, 3, -0.25, 7});
  CHECK(integers(table_of("1.0,2e2,-0.0\n")) == Integers{1, 200, 0});
  CHECK(reals(table_of("18446744073709551615\n")) == std::vector<double>{18446744073709551616.0});
}

TEST_CASE("delimited table: values that cannot be had are refused where they are asked for") {
  const DelimitedTable table = table_of("a,b\n1,2\n3,nan\n-inf,2.50\n9223372036854775808,1\n");
  const auto one = [&](std::int64_t row, std::int64_t column) {
    std::vector<std::int64_t> out(1);
    return message_of<input_error>([&] { table.read_integers(row, 1, column, 1, out); });
  };
  const std::string expected = ": expected an integer in the range of int64, found ";
  CHECK(one(0, 0) == "[no exception]");
  CHECK(one(1, 1) == "t.csv: row 1 (line 3), column 1" + expected + "nan");
  CHECK(one(2, 0) == "t.csv: row 2 (line 4), column 0" + expected + "-inf");
  CHECK(one(2, 1) == "t.csv: row 2 (line 4), column 1" + expected + "2.5");
  CHECK(one(3, 0) == "t.csv: row 3 (line 5), column 0" + expected + "9.223372036854776e+18");
  CHECK(message_of<input_error>([&] { integers(table); }) == one(1, 1));
  CHECK(message_of<input_error>([&] { reals(table); }) ==
        "t.csv: row 1 (line 3), column 1: expected a finite number, found nan");
  CHECK(message_of<input_error>([&] { reals(table_of("1,2\nInfinity,3\n")); }) ==
        "t.csv: row 1 (line 2), column 0: expected a finite number, found inf");
}

TEST_CASE("delimited table: malformed texts") {
  const auto cell = [](int row, int line, int column, const std::string& found) {
    return "t.csv: row " + std::to_string(row) + " (line " + std::to_string(line) + "), column " +
           std::to_string(column) + ": expected a number, found " + found;
  };
  CHECK(refusal("1,2\n3,x4\n") == cell(1, 2, 1, "\"x4\""));
  CHECK(refusal("a,b\n1,2\n3,4 5\n") == cell(1, 3, 1, "\"4 5\""));
  CHECK(refusal("1,2\n3,\n") == cell(1, 2, 1, "an empty field"));
  CHECK(refusal("1,2\n,3\n") == cell(1, 2, 0, "an empty field"));
  // A column that is empty throughout is named as such.
  for (const auto& [text, column] : {std::pair("1,,2\n", 1), std::pair("1,2,\n3,4,\n", 2)}) {
    const std::string message = refusal(text);
    CHECK(message.starts_with(cell(0, 1, column, "an empty field")));
    CHECK(message.find("; the line or the column is empty throughout") != std::string::npos);
  }
  const std::string empty_line =
      "an empty line; if no row is missing there, what leaves empty lines out: "
      "grep -v \"^[[:space:]]*$\" t.csv > t-read.csv";
  CHECK(refusal("1,2\n\n3,4\n") == cell(1, 2, 0, empty_line));
  CHECK(refusal("1\n\n3\n") == cell(1, 2, 0, empty_line));
  CHECK(refusal("1\r\n\r\n3\r\n") == cell(1, 2, 0, empty_line));
  CHECK(refusal("1,2\r\n3,\r\n") == cell(1, 2, 1, "an empty field"));
  CHECK(refusal("1 2\r\n\r\n3 4\r\n", Separator::blanks) == cell(1, 2, 0, empty_line));
  CHECK(refusal("1,2\n3,\"\"\n") == cell(1, 2, 1, "an empty field"));
  CHECK(refusal("1,2\n3,\"4\n") == cell(1, 2, 1, "\"\"4\""));
  CHECK(refusal("1,2\n3,\"4\"5\n") == cell(1, 2, 1, "\"\"4\"5\""));
  CHECK(refusal("1,2\n3,\"1,5\"\n") == cell(1, 2, 1, "\"1,5\""));
  CHECK(refusal("1;2\n3;4\n1,2\n") ==
        cell(0, 2, 0,
             "\"3;4\"; fields here are separated by \",\", and not by \";\", as this file is read "
             "by its name; what writes it so: tr -s ';' ',' < t.csv > t-read.csv"));
  CHECK(refusal(std::string("1,2\n3,4\0\n", 9)) == cell(1, 2, 1, "\"4\\x00\""));
  CHECK(refusal(std::string("1,\0\n", 4)) == cell(0, 1, 1, "\"\\x00\""));
  CHECK(refusal("1,2\r3,4\r5,6\r") == cell(0, 1, 1, "\"2\\x0d3\""));
  CHECK(refusal("1,0x10\n") == cell(0, 1, 1, "\"0x10\""));
  CHECK(refusal("1,1e\n") == cell(0, 1, 1, "\"1e\""));
  CHECK(refusal("1,--2\n") == cell(0, 1, 1, "\"--2\""));
  CHECK(refusal("1,+-2\n") == cell(0, 1, 1, "\"+-2\""));
  CHECK(refusal("1,++2\n") == cell(0, 1, 1, "\"++2\""));
  CHECK(refusal("1,nan(1)\n") == cell(0, 1, 1, "\"nan(1)\""));
  CHECK(refusal("1,\xE2\x88\x92"
                "2\n") == cell(0, 1, 1, "\"\\xe2\\x88\\x922\""));
  const std::string many(60, 'x');
  CHECK(refusal("1," + many + many) == cell(0, 1, 1, "\"" + many + "...\""));
  CHECK(refusal("1,1e999\n") ==
        "t.csv: row 0 (line 1), column 1: expected a number in the range of doubles, found 1e999");

  const std::string ragged = " fields, as in the first line, found ";
  CHECK(refusal("1,2\n3,4,5\n") == "t.csv: row 1 (line 2): expected 2" + ragged + "3");
  CHECK(refusal("1,2\n3\n") == "t.csv: row 1 (line 2): expected 2" + ragged + "1");
  CHECK(refusal("a,b\n1,2,3\n") == "t.csv: row 0 (line 2): expected 2" + ragged + "3");
  CHECK(refusal("1 2\n3\n", Separator::blanks) ==
        "t.csv: row 1 (line 2): expected 2" + ragged + "1");

  const std::string nothing = "t.csv: expected numbers, found no text";
  for (const char* text : {"", "\n", "\r\n\r\n", "  \n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    CHECK(refusal(text) == nothing);
  }
  const std::string names = "t.csv: line 1: expected numbers or names of columns, found ";
  CHECK(refusal("NA,NA,\n1,2,3\n") == names + "\"NA,NA,\"");
  CHECK(refusal("\n1,2,3\n") == names + "\"\"");
  CHECK(refusal(std::string("a,\0b\n1,2\n", 9)) == names + "\"a,\\x00b\"");
  CHECK(refusal("1\r2\r3\r") == names + "\"1\\x0d2\\x0d3\"");
}

TEST_CASE("delimited table: blocks of a table larger than a stretch of its storage") {
  std::mt19937 random(7);
  constexpr std::int64_t kRows = 30011;
  constexpr std::int64_t kColumns = 7;
  // Widths of storage change on the way, and some rows hold reals.
  std::vector<double> expected;
  std::string text;
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      const std::int64_t range = i < 10000 ? 100 : i < 20000 ? 30000 : 2000000000;
      const auto number = static_cast<std::int64_t>(random() % 4000000000U) % range - range / 2;
      const bool real = i > 25000 && j == 3 && i % 100 == 0;
      expected.push_back(static_cast<double>(number) + (real ? 0.5 : 0.0));
      text += std::to_string(number);
      // "-0.5" would be another number than -0 + 0.5.
      if (real) {
        text.erase(text.find_last_of(",\n") + 1);
        text += std::to_string(expected.back());
      }
      text += j + 1 == kColumns ? '\n' : ',';
    }
  }
  const DelimitedTable table = table_of(text);
  REQUIRE(table.rows() == kRows);
  CHECK(table.description().dtype == "float64");
  CHECK(reals(table) == expected);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random()) % limit;
  };
  for (int i = 0; i < 200; ++i) {
    const std::int64_t row = below(kRows);
    const std::int64_t rows = below(std::min<std::int64_t>(kRows - row + 1, 20000));
    const std::int64_t column = below(kColumns);
    const std::int64_t columns = below(kColumns - column + 1);
    std::vector<double> out(static_cast<std::size_t>(rows * columns));
    table.read_reals(row, rows, column, columns, out);
    bool same = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        same = same && out[static_cast<std::size_t>(r * columns + c)] ==
                           expected[static_cast<std::size_t>((row + r) * kColumns + column + c)];
      }
    }
    CHECK(same);
  }
  std::vector<std::int64_t> out(static_cast<std::size_t>(kRows));
  table.read_integers(0, kRows, 2, 1, out);
  CHECK(out[20000] == static_cast<std::int64_t>(expected[20000 * kColumns + 2]));
  CHECK(message_of<input_error>([&] { table.read_integers(0, kRows, 3, 1, out); })
            .starts_with("t.csv: row 25100 (line 25101), column 3: expected an integer in the "
                         "range of int64, found "));
}

TEST_CASE("delimited table: blocks outside the table are a bug") {
  const DelimitedTable table = table_of("1,2,3\n4,5,6\n");
  std::vector<std::int64_t> out(6);
  CHECK_THROWS_AS(table.read_integers(1, 2, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table.read_integers(0, 2, 1, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table.read_integers(-1, 2, 0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(table.read_integers(0, 1, 0, 3, out), std::out_of_range);
}

TEST_CASE("delimited text: what was read is reported as done, in order") {
  std::string text;
  while (text.size() < (std::size_t{40} << 20U)) text += "12345678,87654321,12345678,87654321\n";
  std::vector<std::size_t> reports;
  const DelimitedTable numbers("t.csv", text, Separator::comma, {},
                               [&](std::size_t until) { reports.push_back(until); });
  CHECK(numbers.rows() == static_cast<std::int64_t>(text.size() / 36));
  REQUIRE(reports.size() == 2);
  CHECK(reports[0] < reports[1]);
  CHECK(reports[1] < text.size());
}

namespace {

using pate::FirstLine;

DelimitedTable read_as(std::string_view text, const FirstLine& first_line) {
  return {"t.csv", text, Separator::comma, first_line};
}

std::string refusal_as(std::string_view text, const FirstLine& first_line) {
  return message_of<input_error>([&] { read_as(text, first_line); });
}

}  // namespace

TEST_CASE("delimited table: a first line that counts is a header where it cannot be votes") {
  const FirstLine counts{FirstLine::Counting::counts, 0, {}};
  const DelimitedTable table = read_as("0,1,2\n5,3,2\n1,8,1\n", counts);
  CHECK(table.header().counted);
  CHECK(table.header().names == std::vector<std::string>{"0", "1", "2"});
  CHECK(table.rows() == 2);
  CHECK(integers(table) == Integers{5, 3, 2, 1, 8, 1});
  CHECK(table.description().shape == Shape{2, 3});
  // Places in messages are those of what is left.
  std::vector<std::int64_t> out(3);
  CHECK(message_of<input_error>(
            [&] { read_as("0,1,2\n5,3,2\n1,0.5,8\n", counts).read_integers(1, 1, 0, 3, out); }) ==
        "t.csv: row 1 (line 3), column 1: expected an integer in the range of int64, found 0.5");
  // Another row has its sum, or there is none: it may be votes.
  for (const char* text : {"0,1,2\n5,3,2\n2,1,0\n", "0,1,2\n", "0,1\n1,0\n"}) {
    const std::string message = refusal_as(text, counts);
    CHECK(message.starts_with(
        "t.csv: row 0 (line 1): expected votes or names of columns, found 0,1"));
    CHECK(message.ends_with("say which with \1header yes or \1header no"));
  }
  // Anything else is votes.
  for (const char* text : {"0,1,3\n5,3,2\n", "0\n5\n", "1,2,4\n5,3,2\n"}) {
    CHECK(read_as(text, counts).header().names.empty());
  }
  // Beside the votes it is numbers.
  CHECK(table_of("0,1,2\n5,3,2\n").rows() == 2);
}

TEST_CASE("delimited table: a first line that counts within the classes may be class ids") {
  const char* const text = "0,1,2\n1,1,0\n";
  CHECK(refusal_as(text, {FirstLine::Counting::class_ids, 3, {}}).find("\1header") !=
        std::string::npos);
  const DelimitedTable table = read_as(text, {FirstLine::Counting::class_ids, 2, {}});
  CHECK(table.header().counted);
  CHECK(integers(table) == Integers{1, 1, 0});
}

TEST_CASE("delimited table: a header or none, as the user says") {
  const FirstLine yes{FirstLine::Counting::counts, 0, true};
  const FirstLine no{FirstLine::Counting::counts, 0, false};
  CHECK(integers(read_as("0,1\n1,0\n", yes)) == Integers{1, 0});
  CHECK(integers(read_as("7,5\n1,0\n", yes)) == Integers{1, 0});
  CHECK_FALSE(read_as("0,1\n1,0\n", yes).header().counted);
  CHECK(integers(read_as("0,1\n1,0\n", no)) == Integers{0, 1, 1, 0});
  CHECK(refusal_as("a,b\n1,0\n", no) ==
        "t.csv: row 0 (line 1), column 0: expected a number, found \"a\"");
}

TEST_CASE("delimited table: an index of the rows is left out") {
  for (const char* text : {",a,b\n0,5,3\n1,4,4\n", "index,a,b\n0,5,3\n1,4,4\n",
                           "\"\",\"a\",\"b\"\n\"0\",5,3\n\"1\",4,4\n", ",0,1\n0,5,3\n1,4,4\n",
                           "index,0,1\r\n0,5,3\r\n1,4,4\r\n"}) {
    CAPTURE(text);
    const DelimitedTable table = table_of(text);
    CHECK(table.header().left_out_index);
    CHECK(table.header().index_counts);
    CHECK(table.header().names.size() == 2);
    CHECK(integers(table) == Integers{5, 3, 4, 4});
    CHECK(table.description().shape == Shape{2, 2});
  }
  const DelimitedTable column = table_of(",0\n0,5\n1,4\n");
  CHECK(column.dimensions() == 1);
  CHECK(integers(column) == Integers{5, 4});
  for (const char* text : {",a\n1,5\n0,4\n", ",a\nx,5\ny,4\n", ",a\n1,5\n2,4\n"}) {
    CHECK(table_of(text).header().left_out_index);
    CHECK_FALSE(table_of(text).header().index_counts);
  }
  // A column alone, a heading that is no index, numbers that are no names.
  CHECK(integers(table_of("index\n7\n")) == Integers{7});
  CHECK_FALSE(table_of("row,label\n0,5\n").header().left_out_index);
  CHECK(refusal(",5,3\n0,4,4\n") ==
        "t.csv: row 0 (line 1), column 0: expected a number, found an empty field");
  CHECK(refusal(",a,b\n0,5\n") ==
        "t.csv: row 0 (line 2): expected 3 fields, as in the first line, found 2");
  CHECK(refusal(",a,b\n0\n") ==
        "t.csv: row 0 (line 2): expected 3 fields, as in the first line, found 1");
}

TEST_CASE("delimited table: what only may be an index of votes is asked for") {
  const auto reading = [](FirstLine::Counting counting, std::optional<bool> index) {
    return FirstLine{counting, 2, {}, index};
  };
  const auto counts = [&](std::optional<bool> index) {
    return reading(FirstLine::Counting::counts, index);
  };
  const auto ids = [&](std::optional<bool> index) {
    return reading(FirstLine::Counting::class_ids, index);
  };
  // Under the heading of an index, but not 0, 1, 2, ...
  const char* const filtered = "index,a,b\n7,5,3\n9,4,4\n";
  CHECK(
      refusal_as(filtered, counts({})) ==
      "t.csv: row 0 (line 2): expected 0 in the first column, an index of the rows by its heading, "
      "found \"7\": say with \1index-column yes that it is to be left out, or with \1index-column "
      "no that it is votes");
  CHECK(integers(read_as(filtered, counts(true))) == Integers{5, 3, 4, 4});
  CHECK(integers(read_as(filtered, counts(false))) == Integers{7, 5, 3, 9, 4, 4});
  CHECK(integers(read_as(filtered, {})) == Integers{5, 3, 4, 4});  // no votes
  CHECK(integers(read_as("Unnamed: 0,a,b\n0,5,3\n1,4,4\n", counts({}))) == Integers{5, 3, 4, 4});
  // Under another heading or none: class ids may count so, too.
  const char* const counting = "row,a\n0,1\n1,1\n2,0\n";
  CHECK(refusal_as(counting, ids({})) ==
        "t.csv: the first column is 0 to 2, which may be class ids or an index of the rows: say "
        "which with \1index-column no or \1index-column yes");
  CHECK(integers(read_as(counting, ids(true))) == Integers{1, 1, 0});
  CHECK(integers(read_as(counting, ids(false))).size() == 6);
  CHECK(integers(read_as("0,1\n1,1\n2,0\n", ids(true))) == Integers{1, 1, 0});
  CHECK(integers(read_as("0,0,1\n1,1,1\n2,0,0\n", {FirstLine::Counting::class_ids, 2, false,
                                                   true})) == Integers{0, 1, 1, 1, 0, 0});
  CHECK(refusal_as("0,0,1\n1,1,1\n2,0,0\n", ids(true)).ends_with("\1header yes or \1header no"));
  CHECK(read_as("0,5\n1,4\n2,3\n", counts({})).header().first_counts);
  CHECK_FALSE(read_as("0,5\n1,4\n1,4\n", counts({})).header().first_counts);
  CHECK(refusal_as("7\n8\n", counts(true)) ==
        "t.csv: row 0 (line 1), column 0: expected a column beside the index, found none");
  CHECK(refusal(",Unnamed: 0,0,1\n0,0,5,3\n").find("found two columns without a name") !=
        std::string::npos);
  CHECK(refusal(",index,a\n0,0,5\n")
            .starts_with("t.csv: line 1: expected one index of the rows at most, found two columns "
                         "without a name, \",index,a\": "));
}

TEST_CASE("delimited table: what may help is said where it does, and nowhere else") {
  const FirstLine counts{FirstLine::Counting::counts, 0, {}};
  const FirstLine ids{FirstLine::Counting::class_ids, 9, {}};
  // One field more than names: as R writes it.
  const std::string as_r =
      "; if the first column names the rows and has no heading, as R's write.table leaves it, add "
      "\1index-column yes";
  CHECK(refusal_as("a,b\n1,2,3\n", counts) ==
        "t.csv: row 0 (line 2): expected 2 fields, as in the first line, found 3" + as_r);
  CHECK(refusal_as("a,b\n1,2,3,4\n", counts) ==
        "t.csv: row 0 (line 2): expected 2 fields, as in the first line, found 4");
  CHECK(refusal_as("a,b,c\n1,2\n", counts) ==
        "t.csv: row 0 (line 2): expected 3 fields, as in the first line, found 2");
  // Names of columns that are numbers behind the heading of an index, or of ids a missing one.
  const std::string as_pandas =
      "; if the first line is names of columns that are numbers, and the first column names the "
      "rows, as pandas writes an index, add \1header yes \1index-column yes";
  for (const FirstLine& reading : {counts, ids}) {
    CHECK(refusal_as("id,5,7\n0,1,2\n", reading) ==
          "t.csv: row 0 (line 1), column 0: expected a number, found \"id\"" + as_pandas);
  }
  CHECK(refusal_as(",5,7\n0,1,2\n", counts) ==
        "t.csv: row 0 (line 1), column 0: expected a number, found an empty field" + as_pandas);
  CHECK(refusal_as(",5,7\n0,1,2\n", ids) ==
        "t.csv: row 0 (line 1), column 0: expected a number, found an empty field; where a teacher "
        "did not vote it needs \1abstentions, where a command has that");
}

TEST_CASE("delimited table: blanks around a field are none of it") {
  for (const char* text : {"a", " a", "a ", "  a\t\r", "\t a  "}) {
    CHECK(pate::io::trim(text) == "a");
  }
  CHECK(pate::io::trim("  a b ") == "a b");
  CHECK(pate::io::trim(" \t").empty());
}

TEST_CASE("delimited table: lines that begin with # are comments") {
  for (const char* text :
       {"# made by us\n1,2,3\n4,5,6\n", "# a, b, c\n#\n1,2,3\n# \"half\n4,5,6\n# the end",
        "a,b,c\n1,2,3\n  # between\r\n4,5,6\n", "#a,b,c\r\n1,2,3\r\n4,5,6\r\n"}) {
    CAPTURE(text);
    const DelimitedTable table = table_of(text);
    CHECK(integers(table) == Integers{1, 2, 3, 4, 5, 6});
    CHECK(table.header().comments == std::count(text, text + std::string(text).size(), '#'));
  }
  CHECK(table_of("1,2\n").header().comments == 0);
  // Lines are those of the file.
  CHECK(refusal("# one\n# two\n1,2\n# three\n3,x\n") ==
        "t.csv: row 1 (line 5), column 1: expected a number, found \"x\"");
  CHECK(refusal("# one\na,b\n1,2\n3,x\n") ==
        "t.csv: row 1 (line 4), column 1: expected a number, found \"x\"");
  CHECK(refusal("# one\n# two\n") == "t.csv: expected numbers, found only lines that begin with #");
  // Names behind a #, where the user says so.
  const DelimitedTable named = read_as("# a,b\n1,0\n", {FirstLine::Counting::counts, 0, true, {}});
  CHECK(named.header().names == std::vector<std::string>{"a", "b"});
  CHECK(integers(named) == Integers{1, 0});
  CHECK(named.header().comments == 0);
  // What may be a comment or a row of the table.
  CHECK(refusal("#,a,b\n0,5,3\n") ==
        "t.csv: line 1: expected names of columns, found \"#,a,b\", which may be a comment too: "
        "give the first column a name, or take the line out");
  CHECK(
      refusal(",a,b\n0,5,3\n#1,4,4\n") ==
      "t.csv: line 3: expected a row with its index, found \"#1,4,4\", which may be a comment too: "
      "take comments out of a file with an index");
}

TEST_CASE("delimited table: separators are looked for behind comments and outside quotes") {
  using pate::io::separators_in;
  using Separators = std::vector<Separator>;
  CHECK(separators_in("# a;b\n1,2\n3;4\n") == Separators{Separator::comma});
  CHECK(separators_in("\"a,b\";c\n1;2\n") == Separators{Separator::semicolon});
  CHECK(separators_in("1,5;2\n") == Separators{Separator::comma, Separator::semicolon});
  CHECK(separators_in("1 2\n").empty());
  CHECK(separators_in("# only\n").empty());
  CHECK(separators_in("\xEF\xBB\xBF# a;b\n1\t2\n") == Separators{Separator::tab});
  CHECK(separators_in("").empty());
  CHECK(refusal("1;2\n3,5;4\n", Separator::semicolon)
            .starts_with("t.csv: row 1 (line 2), column 0: expected a number with a decimal point, "
                         "if any, found \"3,5\"; what writes decimals with a point: python3 -c"));
}

TEST_CASE("delimited table: JSON is no header") {
  CHECK(refusal("[[1,2],[3,0]]") ==
        "t.csv: line 1: expected numbers or names of columns, found \"[[1,2],[3,0]]\"");
  CHECK(refusal("{\"votes\": [1, 2]}\n").starts_with("t.csv: line 1: expected numbers or names"));
}

TEST_SUITE_END();
