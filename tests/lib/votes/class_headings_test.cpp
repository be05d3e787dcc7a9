#include "pate/votes/class_headings.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/delimited_table.hpp"

namespace {

pate::io::DelimitedTable headed(const std::vector<std::string>& names) {
  std::string row = "1";
  for (std::size_t i = 1; i < names.size(); ++i) row += ",1";
  pate::FirstLine reading;
  reading.is_header = true;
  return {"v.csv", fmt::format("{}\n{}\n", fmt::join(names, ","), row), pate::io::Separator::comma,
          reading};
}

}  // namespace

TEST_SUITE("votes") {
  TEST_CASE("columns that are called by numbers are classes in their order") {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
      const int classes = std::uniform_int_distribution<>(2, 9)(random);
      std::vector<int> numbers;
      for (int k = 0; k < classes; ++k) numbers.push_back(k);
      if (round % 3 != 0) std::ranges::shuffle(numbers, random);
      if (round % 4 == 1) numbers.pop_back();
      bool in_order = true;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        in_order = in_order && numbers[i] == static_cast<int>(i);
        names.push_back(std::to_string(numbers[i]) + (round % 5 == 0 ? ".0" : ""));
      }
      CAPTURE(fmt::format("{}", fmt::join(names, ",")));
      const auto table = headed(names);
      if (in_order) {
        CHECK_NOTHROW(pate::check_class_headings(table));
        continue;
      }
      const std::string range = fmt::format("range({})", *std::ranges::max_element(numbers) + 1);
      CHECK_THROWS_WITH_AS(pate::check_class_headings(table), doctest::Contains(range.c_str()),
                           pate::input_error);
      CHECK_THROWS_WITH_AS(pate::check_class_headings(table, 20), doctest::Contains("range(20)"),
                           pate::input_error);
      names.back() = "c";
      CHECK_NOTHROW(pate::check_class_headings(headed(names)));
    }
    CHECK_NOTHROW(pate::check_class_headings(headed({"-1", "3"})));
    CHECK_NOTHROW(pate::check_class_headings(headed({"0.5", "3"})));
  }
}
