#include "pate/base/json.hpp"

#include <doctest/doctest.h>
#include <cstdio>
#include <limits>
#include <string>
#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using namespace pate::io;
using namespace pate;
using pate::io::json_limit_exceeded;

namespace {

JsonValue parse(const std::string& text) {
  return JsonValue::parse(text, "r.json");
}

template <class Read>
void check_error(const Read& read, const std::string& message) {
  CHECK_THROWS_WITH_AS(static_cast<void>(read()), message.c_str(), input_error);
}

}  // namespace

TEST_SUITE("io") {
  TEST_CASE("JSON values know their place") {
    const JsonValue root = parse(R"({"a": {"b": [1, 2.5, null]}, "t": "x", "n": null, "f": true})");
    CHECK(root.file() == "r.json");
    CHECK(root.path().empty());
    const JsonValue b = root.at("a").at("b");
    CHECK(b.path() == "a.b");
    CHECK(b.elements()[1].path() == "a.b[1]");
    CHECK(b.elements()[1].number() == 2.5);
    CHECK(b.elements()[0].integer() == 1);
    CHECK(b.numbers(0.0, 3.0, 7.0) == std::vector<double>{1.0, 2.5, 7.0});
    CHECK(root.at("t").text() == "x");
    CHECK(root.at("f").boolean());
    CHECK(root.at("n").is_null());
    CHECK(!root.find("n"));
    CHECK(!root.find("missing"));
    CHECK(root.members().size() == 4);
    CHECK(root.members()[1].first == "t");
    CHECK(root.sha256().size() == 64);
  }

  TEST_CASE("what is not as expected is named with its place and value") {
    const JsonValue root =
        parse(R"({"a": [1, "x", 2.5], "n": -3, "big": 18446744073709551615, "o": {}})");
    check_error([&] { return root.at("b"); }, "r.json: b: is missing");
    check_error([&] { return root.at("o").at("p"); }, "r.json: o.p: is missing");
    check_error([&] { return root.at("n").at("p"); }, "r.json: n: expected an object, found -3");
    check_error([&] { return root.at("a").text(); },
                "r.json: a: expected a text, found an array of 3");
    check_error([&] { return root.at("a").numbers(0.0, 9.0); },
                "r.json: a[1]: expected a number from 0 to 9, found \"x\"");
    check_error([&] { return parse("[1, 2.5]").integers(0, 9); },
                "r.json: [1]: expected a whole number from 0 to 9, found 2.5");
    check_error([&] { return root.at("n").number(0.0); },
                "r.json: n: expected a number >= 0, found -3");
    check_error([&] { return root.at("n").integer(); },
                "r.json: n: expected a whole number >= 0, found -3");
    check_error([&] { return root.at("big").integer(); },
                "r.json: big: expected a whole number >= 0, found 18446744073709551615");
    check_error([&] { return root.at("o").elements(); },
                "r.json: o: expected an array, found an object");
    check_error([&] { return root.at("n").boolean(); },
                "r.json: n: expected true or false, found -3");
    check_error([&] { return parse("[null]").numbers(0.0, 1.0); },
                "r.json: [0]: expected a number from 0 to 1, found null");
    check_error([&] { return parse("3").members(); }, "r.json: expected an object, found 3");
  }

  TEST_CASE("what is no JSON is an input error") {
    for (const char* text : {"", "{", "{\"a\": }", "[1,]", "nan", "{\"a\": 1} x", "\xff\xfe"}) {
      CHECK_THROWS_AS(static_cast<void>(parse(text)), input_error);
    }
    check_error([] { return parse("{\"a\" 1}"); },
                "r.json: expected a JSON report, but it is no JSON from byte 6 on");
    check_error([] { return parse("1e999"); },
                "r.json: expected a JSON report, but it has a number that no double holds");
    std::string deep(100000, '[');
    deep.append(100000, ']');
    check_error([&] { return parse(deep); },
                "r.json: expected a JSON report, but it is nested deeper than 50 levels");
    std::string wide = "{\"m0\":0";
    for (int i = 1; i <= 1000; ++i) wide += ",\"m" + std::to_string(i) + "\":0";
    check_error([&] { return parse(wide + "}"); },
                "r.json: expected a JSON report, but it has an object of more than 1000 members");
  }

  TEST_CASE("a JSON file is read from disk") {
    const pate::test::TempDirectory directory;
    const std::string missing = (directory.path() / "missing.json").string();
    CHECK_THROWS_AS(static_cast<void>(JsonValue::read_file(missing)), input_error);
    CHECK_THROWS_AS(static_cast<void>(JsonValue::read_file(directory.path().string())),
                    input_error);
  }

  TEST_CASE("numbers read back to the same double") {
    for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, -2.5e-300}) {
      char buffer[40];
      std::snprintf(buffer, sizeof buffer, "%.17g", value);
      CHECK(parse(buffer).number() == value);
    }
  }
}

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
  CHECK(json_limit_exceeded(nested(50, '[', ']')).empty());
  CHECK(json_limit_exceeded(nested(51, '[', ']')) == "it is nested deeper than 50 levels");
  CHECK(json_limit_exceeded(nested(51, '{', '}')) == "it is nested deeper than 50 levels");
  CHECK(json_limit_exceeded(std::string(51, '[')) == "it is nested deeper than 50 levels");
  CHECK(json_limit_exceeded(object_of(1000)).empty());
  CHECK(json_limit_exceeded(object_of(1001)) == "it has an object of more than 1000 members");
  CHECK(json_limit_exceeded(std::string("[1,") + object_of(1001) + "]") ==
        "it has an object of more than 1000 members");
  // Objects beside each other are counted each by itself.
  CHECK(
      json_limit_exceeded(std::string("[") + object_of(600) + "," + object_of(600) + "]").empty());
  CHECK(
      json_limit_exceeded(std::string("{\"a\":") + object_of(999) + "," + object_of(999).substr(1))
          .empty());
  // Elements of arrays are not members.
  std::string array = "[0";
  for (int i = 0; i < 5000; ++i) array += ",0";
  CHECK(json_limit_exceeded(array + "]").empty());
}

TEST_CASE("what stands in strings is no structure") {
  CHECK(json_limit_exceeded(std::string("\"") + std::string(1000, '{') + "\"").empty());
  CHECK(json_limit_exceeded(R"(["\")" + std::string(1000, '[') + "\"]").empty());
  CHECK(json_limit_exceeded(R"(["\\",)" + std::string(50, '[')) ==
        "it is nested deeper than 50 levels");
}

TEST_CASE("any text may be given") {
  for (const char* text : {"", "\"", "\"\\", "]]]]}", ":::", "{", "x"}) {
    CAPTURE(text);
    CHECK(json_limit_exceeded(text).empty());
  }
}

TEST_SUITE("io") {
  TEST_CASE("arrays of numbers are on one line of an indented text, others are not") {
    const JsonWriter root;
    const JsonWriter numbers = root.member("n");
    for (const double value : {1.0, 0.5, 2e-5, std::numeric_limits<double>::infinity()}) {
      numbers.element().set(value);
    }
    const JsonWriter nested = root.member("l");
    nested.element().element().set(std::int64_t{1});
    nested.element().set(std::string_view("a, b"));
    root.member("o").set_empty_object();
    root.member("e").set_empty_array();
    CHECK(root.text() ==
          "{\n  \"n\": [1.0, 0.5, 2e-05, null],\n  \"l\": [\n    [1],\n    \"a, b\"\n  ],\n"
          "  \"o\": {},\n  \"e\": []\n}");
    CHECK(JsonValue::parse(root.text(), "x") == JsonValue::parse(root.line(), "x"));
  }

  TEST_CASE("JSON is written in the order in which its members were made") {
    const JsonWriter root;
    root.member("z").set(1.0);
    root.member("a").set(std::int64_t{-7});
    const JsonWriter list = root.member("list");
    list.set_empty_array();
    list.element().set(true);
    list.element().member("t").set(std::string_view("x"));
    CHECK(list.text() == "[\n  true,\n  {\n    \"t\": \"x\"\n  }\n]");
    static_cast<void>(root.member("none"));
    root.member("empty").set_empty_object();
    root.member("z").set(2.5);
    CHECK(root.line() == R"({"z":2.5,"a":-7,"list":[true,{"t":"x"}],"none":null,"empty":{}})");
  }

  TEST_CASE("what JSON cannot say is null, or replaced") {
    const JsonWriter root;
    root.member("inf").set(std::numeric_limits<double>::infinity());
    root.member("nan").set(std::numeric_limits<double>::quiet_NaN());
    root.member("text").set(std::string_view("a\xff\n"));
    CHECK(root.line() == "{\"inf\":null,\"nan\":null,\"text\":\"a\xef\xbf\xbd\\n\"}");
  }

  TEST_CASE("what was written can be read, and written again") {
    const JsonWriter root;
    root.member("a").member("b").set(0.1);
    const JsonValue value = root.value("w");
    CHECK(value.at("a").at("b").number() == 0.1);
    CHECK(value.at("a").at("b").path() == "a.b");
    CHECK(value.at("a").as_document("of a").file() == "of a");
    CHECK(value.at("a").as_document("of a").at("b").path() == "b");
    const JsonWriter copy;
    copy.member("copy").set(value.at("a"));
    CHECK(copy.line() == R"({"copy":{"b":0.1}})");
    CHECK(copy.value("copy").at("copy") == value.at("a"));
    CHECK_FALSE(copy.value("copy") == value);
  }
}
