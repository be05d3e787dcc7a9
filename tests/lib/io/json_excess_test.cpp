#include "pate/io/json.hpp"

#include <doctest/doctest.h>

#include <string>

using pate::io::json_excess;

namespace {

std::string nested(int levels, char open, char close) {
  return std::string(static_cast<std::size_t>(levels), open) +
         std::string(static_cast<std::size_t>(levels), close);
}

std::string object_of(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) {
    text += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + R"(":"a:b")";
  }
  return text + "}";
}

}  // namespace

TEST_CASE("what is nested too deeply or has too many members is found") {
  CHECK(json_excess(nested(50, '[', ']')).empty());
  CHECK(json_excess(nested(51, '[', ']')) == "it is nested deeper than 50 levels");
  CHECK(json_excess(nested(51, '{', '}')) == "it is nested deeper than 50 levels");
  CHECK(json_excess(std::string(51, '[')) == "it is nested deeper than 50 levels");
  CHECK(json_excess(object_of(1000)).empty());
  CHECK(json_excess(object_of(1001)) == "it has an object of more than 1000 members");
  CHECK(json_excess(std::string("[1,") + object_of(1001) + "]") ==
        "it has an object of more than 1000 members");
  // Objects beside each other are counted each by itself.
  CHECK(json_excess(std::string("[") + object_of(600) + "," + object_of(600) + "]").empty());
  CHECK(json_excess(std::string("{\"a\":") + object_of(999) + "," + object_of(999).substr(1))
            .empty());
  // Elements of arrays are not members.
  std::string array = "[0";
  for (int i = 0; i < 5000; ++i) array += ",0";
  CHECK(json_excess(array + "]").empty());
}

TEST_CASE("what stands in strings is no structure") {
  CHECK(json_excess(std::string("\"") + std::string(1000, '{') + "\"").empty());
  CHECK(json_excess(R"(["\")" + std::string(1000, '[') + "\"]").empty());
  CHECK(json_excess(R"(["\\",)" + std::string(50, '[')) == "it is nested deeper than 50 levels");
}

TEST_CASE("any text may be given") {
  for (const char* text : {"", "\"", "\"\\", "]]]]}", ":::", "{", "x"}) {
    CAPTURE(text);
    CHECK(json_excess(text).empty());
  }
}
