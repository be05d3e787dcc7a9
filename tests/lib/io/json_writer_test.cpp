#include "pate/io/json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace pate;
using namespace pate::io;

TEST_SUITE("io") {
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
