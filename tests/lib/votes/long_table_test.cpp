#include "pate/votes/long_table.hpp"

#include <doctest/doctest.h>

#include <string>

#include "pate/base/error.hpp"
#include "pate/votes/tables/delimited_table.hpp"

namespace {

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

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("votes") {
  TEST_CASE("a row for each vote is known by its headings, in any order") {
    for (const char* heading : {"teacher,query,label", "label,Query_ID,teacher_id",
                                "image,annotator,prediction", "y,model,sample"}) {
      CAPTURE(heading);
      CHECK(has(refusal(heading), "--layout predictions-by-query"));
      CHECK(has(refusal(heading), "t.pivot(index=\""));
    }
    CHECK(has(refusal("query,class,votes"),
              "t.pivot(index=\"query\", columns=\"class\", values=\"votes\").fillna(0)"));
    CHECK(has(refusal("n,label,image"), "values=\"n\""));
  }

  TEST_CASE("other headings are not") {
    for (const char* heading : {"cat,dog,owl", "a,b,c", "teacher,query,score", "t0,t1,t2",
                                "query,class,label", "que ry,teacher,label"}) {
      CAPTURE(heading);
      CHECK(refusal(heading).empty());
    }
  }
}
