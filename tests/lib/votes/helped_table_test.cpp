#include "pate/votes/helped_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/delimited_table.hpp"
#include "pate/votes/tables/stacked_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"

using pate::test::integer_table;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

std::string help(const std::shared_ptr<const pate::NumericTable>& table, bool class_ids,
                 std::optional<std::int64_t> teachers = {}) {
  const pate::HelpedTable helped(table, {class_ids, teachers});
  std::vector<std::int64_t> out(static_cast<std::size_t>(table->rows() * table->columns()));
  try {
    helped.read_integers(0, table->rows(), 0, table->columns(), out);
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("votes") {
  TEST_CASE("what is no vote is refused with what makes votes of it") {
    const auto shares =
        npy_table(npy_array<double>({2, 4}, {1 / 21.0, 3 / 21.0, 4 / 21.0, 13 / 21.0, 8 / 21.0,
                                             2 / 21.0, 10 / 21.0, 1 / 21.0}));
    CHECK(has(help(shares, false), "add \1teachers M"));
    CHECK(has(help(shares, false, 21), "If these are the shares of 21 teachers, what makes votes"));
    CHECK(has(help(shares, false, 42), "If these are the shares of 42 teachers, what makes votes"));
    const std::string of_others = help(shares, false, 22);
    CHECK(has(of_others, "nor are these counts of 22 teachers"));
    CHECK(of_others.find("python3") == std::string::npos);
    const auto rounded = npy_table(npy_array<double>({2, 3}, {0.33, 0.4, 0.27, 0.81, 0.19, 0.0}));
    CHECK(has(help(rounded, false, 250), "nor are these counts of 250 teachers"));
    CHECK(help(rounded, false).find("python3") == std::string::npos);
    const auto percent = npy_table(npy_array<double>({1, 2}, {81.67, 18.33}));
    CHECK(has(help(percent, false), "rows that sum to 100 are shares"));
    const auto scores = npy_table(npy_array<double>({2, 2}, {-1.5, 0.5, 3.25, -2.0}));
    CHECK(has(help(scores, false), "votes are whole numbers"));
    CHECK(has(help(scores, true), "votes are whole numbers, the ids of classes"));
    const auto cube = npy_table(npy_array<float>({1, 2, 2}, {0.1F, 0.9F, 0.7F, 0.3F}));
    CHECK(has(help(cube, true), "a.argmax(-1)"));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(has(help(npy_table(npy_array<double>({1, 2}, {1.0, nan})), true), "\1abstentions"));
    CHECK(help(integer_table({1, 2}, {1, 2}), true).empty());
  }

  TEST_CASE("floats within 1e-9 of a whole number are it, and no others") {
    const auto read = [](double value) {
      std::vector<std::int64_t> out(1);
      npy_table(npy_array<double>({1, 1}, {value}))->read_integers(0, 1, 0, 1, out);
      return out.front();
    };
    CHECK(read(2.9999999995) == 3);
    CHECK(read(-1.0000000005) == -1);
    CHECK_THROWS_AS(static_cast<void>(read(3.00000001)), pate::input_error);
    CHECK_THROWS_AS(static_cast<void>(read(0.5)), pate::input_error);
  }

  TEST_CASE("lines name another file than they read, and nothing a shell would take for more") {
    CHECK(pate::conversion_line("a/v.tsv", "{0} {1}.tsv") == "a/v.tsv a/v-read.tsv");
    CHECK(pate::conversion_line("v.npz:x", "python3 -c 'n.load(\"{0}\")'") ==
          "python3 -c 'n.load(\"v.npz\")[\"x\"]'");
    CHECK(pate::conversion_line("/dev/fd/63", "{0} {1}") == "/dev/stdin stdin-read");
    CHECK(pate::conversion_line("-v.csv", "{0}") == "./-v.csv");
    CHECK(pate::conversion_line("v$ x.csv", "{0} {1}.csv") == "'v$ x.csv' 'v$ x-read'.csv");
    CHECK(pate::conversion_line("it's.csv", "{0}") == "'it'\\''s.csv'");
    CHECK(pate::conversion_line("it's \"\\.csv", "python3 -c '\"{0}\"'") ==
          "python3 -c '\"it\\x27s \\\"\\\\.csv\"'");
    CHECK(pate::conversion_line("v.csv.gz", "tail {0} > {1}.csv") ==
          "gunzip -c v.csv.gz | tail > v-read.csv");
    for (const char* ending : {"csv", "tsv", "txt", "npy", "npz", "json", "dat"}) {
      const std::string name = std::string("v.") + ending;
      const std::string line = pate::conversion_line(name, "{0} {1}.csv");
      CHECK(line.substr(line.find(' ') + 1) != name);
    }
  }

  TEST_CASE("rows of different sums: what the file may be instead") {
    CHECK(has(pate::fitting_layout(*integer_table({3, 2}, {3, 1, 1, 4, 4, 5})), "a margin"));
    CHECK(has(pate::fitting_layout(*integer_table({3, 3}, {3, 1, 7, 2, 2, 5, 4, 0, 1})),
              "without column 2 every row has a sum of 4"));
    CHECK(has(pate::fitting_layout(*npy_table(npy_array<std::uint8_t>({2, 2}, {10, 20, 250, 36}))),
              "differ by multiples of 256"));
    CHECK(has(pate::fitting_layout(*integer_table({3, 3}, {33, 33, 33, 50, 25, 26, 80, 10, 10})),
              "percentages"));
    CHECK(has(pate::fitting_layout(*integer_table({2, 2}, {1, 4, 3, 0})), "looks transposed"));
  }

  TEST_CASE("an archive of one array a teacher is a table of them") {
    using pate::io::StackedTable;
    const auto a = integer_table({3}, {0, 1, 2});
    const auto b = integer_table({3}, {2, 1, 0});
    const StackedTable both("v.npz", {a, b});
    std::vector<std::int64_t> out(4);
    both.read_integers(0, 2, 1, 2, out);
    CHECK(out == std::vector<std::int64_t>{1, 2, 1, 0});
    CHECK(both.description().shape == std::vector<std::int64_t>{2, 3});
    CHECK_THROWS_AS(StackedTable("v.npz", {a, integer_table({2}, {1, 0})}), pate::input_error);
    CHECK_THROWS_AS(StackedTable("v.npz", {integer_table({1, 3}, {1, 0, 1}), b}),
                    pate::input_error);
    const StackedTable more("v.npz:all",
                            {integer_table({1, 3}, {1, 0, 1}), integer_table({1, 3}, {2, 0, 3})},
                            StackedTable::Each::has_rows);
    more.read_integers(0, 2, 1, 2, out);
    CHECK(out == std::vector<std::int64_t>{0, 1, 0, 3});
    CHECK(more.description().shape == std::vector<std::int64_t>{2, 3});
  }

  TEST_CASE("text: names of classes, missing votes, truths, and R's names of rows") {
    const auto read = [](const char* text, const pate::FirstLine& reading) {
      const pate::io::DelimitedTable table("v.csv", text, pate::io::Separator::comma, reading);
      std::vector<std::int64_t> out(static_cast<std::size_t>(table.rows() * table.columns()));
      table.read_integers(0, table.rows(), 0, table.columns(), out);
      return out;
    };
    pate::FirstLine ids{pate::FirstLine::Counting::class_ids, 2};
    ids.class_names = {"cat", "dog"};
    ids.missing = -1;
    CHECK(read("cat,dog\n,dog\nNA,cat\nnan,1\n", ids) ==
          std::vector<std::int64_t>{0, 1, -1, 1, -1, 0, -1, 1});
    CHECK(read("True,FALSE\n0,1\n", {}) == std::vector<std::int64_t>{1, 0, 0, 1});
    CHECK(read("\"V1\",\"V2\"\n\"a\",1,2\n\"b\",3,4\n", {pate::FirstLine::Counting::counts}) ==
          std::vector<std::int64_t>{1, 2, 3, 4});
    CHECK_THROWS_WITH_AS(read("no,no\n1,2\n", {pate::FirstLine::Counting::counts}),
                         doctest::Contains("\"no\" twice"), pate::input_error);
    const pate::io::DelimitedTable truths("v.csv", "x\nTrue\nFalse\n", pate::io::Separator::comma);
    CHECK(truths.description().dtype == "bool");
  }
}
