#include "pate/reports/table_cells.hpp"

#include <doctest/doctest.h>

using namespace pate;

TEST_CASE("table cells: what has a meaning in CSV is in quotes") {
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("gnmax sigma2 = 40") == "gnmax sigma2 = 40");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"no\"") == "\"say \"\"no\"\"\"");
  CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
  CHECK(csv_cell("two\rlines") == "\"two\rlines\"");
}

TEST_CASE("table cells: what has a meaning in Markdown is escaped") {
  CHECK(markdown_cell("worst_case") == "worst\\_case");
  CHECK(markdown_cell("a|b\\c<d`e*f") == "a\\|b\\\\c\\<d\\`e\\*f");
  CHECK(markdown_cell("two\nlines\tand a tab") == "two lines and a tab");
}
