#include "pate/votes/headings.hpp"

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

std::string refusal(const std::string& heading) {
  const pate::io::DelimitedTable table("v.csv", heading + "\n0,1,2\n1,1,0\n",
                                       pate::io::Separator::comma);
  try {
    pate::refuse_long_table(table);
  } catch (const pate::input_error& error) {
    return error.what();
  }
  return "";
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

  TEST_CASE("headings of labels, indices and totals, however they are written") {
    for (const char* name : {"label", "True Label", "Y_TRUE", "ground-truth", " target "}) {
      CHECK(pate::heading_of(name) == pate::Heading::labels);
    }
    for (const char* name : {"id", "Image.ID", "Unnamed: 0", "filename"}) {
      CHECK(pate::heading_of(name) == pate::Heading::index);
    }
    for (const char* name : {"total", "All", "row sum"})
      CHECK(pate::heading_of(name) == pate::Heading::totals);
    for (const char* name : {"t0", "teacher_label", "", "_", "0", "resnet18"}) {
      CHECK(pate::heading_of(name) == pate::Heading::other);
    }
  }

  TEST_CASE("a row for each vote is known by its headings, in any order, and by no others") {
    const auto has = [](const char* heading, const char* part) {
      CAPTURE(heading);
      CHECK(refusal(heading).find(part) != std::string::npos);
    };
    for (const char* heading : {"teacher,query,label", "label,Query_ID,teacher_id",
                                "image,annotator,prediction", "y,model,sample"}) {
      has(heading, "\1layout predictions-by-query \1classes K: python3 -c 'import pandas");
    }
    has("query,class,votes", "t.pivot(index=\"query\", columns=\"class\", values=\"votes\")");
    has("n,label,image", "values=\"n\"");
    for (const char* heading : {"cat,dog,owl", "a,b,c", "teacher,query,score", "t0,t1,t2",
                                "query,class,label", "que ry,teacher,label"}) {
      CAPTURE(heading);
      CHECK(refusal(heading).empty());
    }
  }
}
