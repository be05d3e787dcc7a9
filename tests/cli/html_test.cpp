#include "cli/html/html.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/html/page.hpp"
#include "pate/reports/publishable.hpp"
#include "support/random.hpp"

using namespace pate;

TEST_CASE("numbers of a page are rounded up, to three digits") {
  pate_test::Random random(390);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::exp(random.uniform(-30.0, 30.0));
    CAPTURE(value);
    const double shown = std::stod(cli::rounded_up(value));
    CHECK(shown >= value);
    CHECK(shown <= value * 1.0101);
  }
  CHECK(cli::rounded_up(0.0) == "0");
  CHECK(cli::rounded_up(1.23) == "1.23");
  CHECK(cli::rounded_up(1e-5) == "1e-05");
  CHECK(cli::rounded_up(2463.0) == "2470");
  CHECK(cli::rounded_up(9.991) == "10");
}

TEST_CASE("one rule of what may be published") {
  const auto report = [](const std::string& text) { return io::JsonValue::parse(text, "r.json"); };
  const auto may = [&](const std::string& text) {
    const auto number = reports::headline_number(report(text));
    REQUIRE(number);
    return number->may_publish;
  };
  const std::string secret = R"("headline": {"epsilon": 1.5, "delta": 0.1, "releasable": false})";
  const std::string open = R"("headline": {"epsilon": 1.5, "delta": 0.1, "releasable": true})";
  CHECK_FALSE(may(R"({"schema": "pate/analyze/v1", "settings": {}, )" + secret + "}"));
  CHECK(may(R"({"schema": "pate/analyze/v1", "settings": {}, )" + open + "}"));
  // A headline that says nothing of itself is private, but for the private majority.
  CHECK_FALSE(may(R"({"schema": "pate/x/v1", "headline": {"epsilon": 1, "delta": 0}})"));
  CHECK(may(R"({"schema": "pate/darrm/v1", "noise_function": "constant",
                "headline": {"epsilon": 1, "delta": 0}})"));
  CHECK(may(R"({"schema": "pate/analyze/v1", "public": {)" + secret + "}}"));
  CHECK(may(R"({"schema": "pate/release/v1", "settings": {}, "private": {},
                "public": {"epsilon": 1, "delta": 0.1}})"));
  CHECK_FALSE(reports::headline_number(report(R"({"schema": "pate/tune/v1", "delta": 1e-5})")));
  CHECK_FALSE(reports::has_private_part(report(R"({"schema": "pate/plan/v1", "settings": {}})")));
  CHECK_FALSE(reports::has_private_part(report(R"({"schema": "pate/darrm/v1", "settings": {}})")));
  CHECK(reports::has_private_part(
      report(R"({"schema": "pate/darrm/v1", "settings": {}, "votes": {"agreement": 1}})")));
  CHECK(reports::has_private_part(report(R"({"schema": "pate/analyze/v1", "settings": {}})")));
  CHECK_FALSE(reports::has_private_part(report(R"({"schema": "pate/label/v1", "public": {}})")));
  CHECK(reports::has_private_part(
      report(R"({"schema": "pate/label/v1", "settings": {}, "public": {}})")));
}

TEST_CASE("texts of a heading mean nothing to a browser") {
  const std::vector<io::JsonValue> all{io::JsonValue::parse(
      R"({"schema": "pate/plan/v1", "headline": {"epsilon": 1, "delta": 0, "releasable": true}})",
      "<r>.json")};
  const std::string evil = "<script>alert('\"&')</script>";
  const std::string page = cli::html_page(all, {}, {evil, evil, evil, evil, false, evil});
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("&lt;script&gt;") != std::string::npos);
  CHECK(page.find("<r>") == std::string::npos);
}

TEST_CASE("the first screen says when: the stated day, those of a ledger, or that of the page") {
  const auto page_of = [](const std::string& text, const std::string& date,
                          const std::string& made_on) {
    const std::vector<io::JsonValue> all{io::JsonValue::parse(text, "r.json")};
    return cli::html_page(all, {}, {"", "", "", date, false, made_on});
  };
  const auto says = [](const std::string& page, const char* when) {
    return page.find(fmt::format("<dt>When</dt><dd>{}</dd>", when)) != std::string::npos;
  };
  const std::string run = R"({"schema": "pate/analyze/v1", "settings": {}})";
  CHECK(says(page_of(run, "1 May <2026>", "2026-11-25"), "1 May &lt;2026&gt;."));
  CHECK(says(page_of(run, "", "2026-11-25"),
             "The report does not say; this page was made on 2026-11-25."));
  CHECK(says(page_of(run, "", ""), "The report does not say."));
  const auto ledger = [](const std::string& first, const std::string& last) {
    return R"({"schema": "pate/account/v1", "entries": [{"time": ")" + last + R"("}, {"time": ")" +
           first + R"("}]})";
  };
  CHECK(says(page_of(ledger("2026-01-02T03:04:05Z", "2026-02-01T00:00:00Z"), "", "2026-11-25"),
             "From 2026-01-02 to 2026-02-01."));
  CHECK(
      says(page_of(ledger("2026-01-02T03:04:05Z", "2026-01-02T23:00:00Z"), "", ""), "2026-01-02."));
}

TEST_CASE("the first screen never says yes and no, and names what may be printed instead") {
  const auto page_of = [](const std::string& text) {
    const std::vector<io::JsonValue> all{io::JsonValue::parse(text, "r.json")};
    return cli::html_page(all, {}, {"", "", "", "", false, ""});
  };
  const auto guarantee = [](const char* holds) {
    return fmt::format(
        R"("guarantee": {{"holds": {}, "promise": "Words.", "protected": "one teacher",
      "may_differ": "x", "assumes": [], "not_covered": []}})",
        holds);
  };
  const auto entry = [](double epsilon, const char* bound, const char* may) {
    return fmt::format(R"({{"epsilon": {}, "delta": 1e-5, "bound": "{}", "reading": "worst_case",
      "conversion": "gdp", "promise": "fixed", "releasable": {}}})",
                       epsilon, bound, may);
  };
  const std::string costs = "[" + entry(2.0, "tradeoff", "false") + "," +
                            entry(9.0, "data_independent", "true") + "," +
                            entry(8.0, "data_independent", "true") + "]";
  const std::string hidden = page_of(
      R"({"schema": "pate/analyze/v1", "settings": {}, "headline": )" +
      entry(2.0, "tradeoff", "false") + ", " + guarantee("true") + R"(, "costs": )" + costs + "}");
  CHECK(hidden.find("private: must not be published") != std::string::npos);
  CHECK(hidden.find("<strong>epsilon = 8 at delta = 1e-05</strong>") != std::string::npos);
  CHECK(hidden.find("epsilon = 9 at") == std::string::npos);
  CHECK(hidden.find("<q>Words.</q>") == std::string::npos);
  CHECK(hidden.find("in probability") != std::string::npos);
  const std::string open =
      page_of(R"({"schema": "pate/plan/v1", "headline": )" +
              entry(8.0, "data_independent", "true") + ", " + guarantee("true") + "}");
  CHECK(open.find("<q>Words.</q>") != std::string::npos);
  CHECK(open.find("must not be published") == std::string::npos);
  const std::string empty =
      page_of(R"({"schema": "pate/plan/v1", "headline": )" +
              entry(8.0, "data_independent", "true") + ", " + guarantee("false") + "}");
  CHECK(empty.find("promises nothing: not to be published as a guarantee") != std::string::npos);
  CHECK(empty.find("<q>") == std::string::npos);
  const std::string none =
      page_of(R"({"schema": "pate/tune/v1", "settings": {}, )" + guarantee("false") + "}");
  CHECK(none.find("all of this report depends on private votes") != std::string::npos);
}

// e^epsilon / (e^epsilon + 1), rounded up.
TEST_CASE("a page says how often an attacker is right, at most") {
  const std::vector<io::JsonValue> all{
      io::JsonValue::parse(R"({"schema": "pate/analyze/v1", "settings": {}})", "r.json")};
  const std::string page = cli::html_page(all, {}, {"", "", "", "", false, ""});
  for (const auto& [epsilon, share] : {std::pair("0.5", "62.25"),
                                       {"1", "73.11"},
                                       {"2", "88.08"},
                                       {"4", "98.21"},
                                       {"8", "99.97"}}) {
    const std::size_t row = page.find(fmt::format("<tr><td class=\"right\">{}</td>", epsilon));
    REQUIRE(row != std::string::npos);
    const std::string text = page.substr(row, page.find("</tr>", row) - row);
    CAPTURE(text);
    CHECK(text.ends_with(fmt::format("<td class=\"right\">{} %</td>", share)));
  }
}
