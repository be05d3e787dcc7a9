#include "cli/options/metrics.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/json.hpp"

using pate::cli::metrics_of;
using pate::io::JsonValue;

namespace {

const std::string kReport = R"({
  "headline": {"epsilon": 2.5, "delta": 1e-5},
  "answered": {"expected": 12.5, "sd": 1, "realized": null},
  "costs": [
    {"epsilon": 2.5, "delta": 1e-5, "releasable": false},
    {"epsilon": 1.0, "delta": 1e-4, "releasable": true},
    {"epsilon": null, "delta": 1e-5, "releasable": true},
    {"epsilon": 6.0, "delta": 1e-5, "releasable": true},
    {"epsilon": 5.0, "delta": 0.0, "releasable": true}],
  "verdicts": [{"holds": true}, {"holds": false}]})";

JsonValue metrics(const std::string& report, std::optional<double> agreement = {}) {
  return JsonValue::parse(metrics_of(report, agreement), "the metrics");
}

}  // namespace

TEST_CASE("metrics: numbers of the report, one that may be published at no larger a delta") {
  const JsonValue found = metrics(kReport, 0.9);
  CHECK(found.at("epsilon").number() == 2.5);
  CHECK(found.at("delta").number() == 1e-5);
  CHECK(found.at("answered").number() == 12.5);
  CHECK(found.at("agreement").number() == 0.9);
  CHECK(found.at("releasable_epsilon").number() == 5.0);
  CHECK(found.at("holds").integer() == 0);
  CHECK(found.at("guaranteed").integer() == 1);
  CHECK(found.members().size() == 7);
}

TEST_CASE("metrics: what depends on the outcome is no smallest epsilon that may be published") {
  const std::string both = R"({"headline": {"epsilon": 9, "delta": 0.1}, "costs": [
      {"epsilon": 1.0, "delta": 0.1, "releasable": true, "promise": "outcome"},
      {"epsilon": 0.5, "delta": 0.1, "releasable": true, "promise": "none"},
      {"epsilon": 9.0, "delta": 0.1, "releasable": true, "promise": "fixed"}]})";
  CHECK(metrics(both).at("releasable_epsilon").number() == 9.0);
}

TEST_CASE("metrics: an expectation and an epsilon of the outcome are no guarantee") {
  for (const auto& [promise, is_guaranteed] :
       {std::pair("fixed", 1), std::pair("outcome", 0), std::pair("none", 0)}) {
    const std::string report =
        std::string(R"({"headline": {"epsilon": 9, "delta": 0.1, "promise": ")") + promise + "\"}}";
    CHECK(metrics(report).at("guaranteed").integer() == is_guaranteed);
  }
}

TEST_CASE("metrics: every value is a number, what a report has not is left out") {
  CHECK(metrics(R"({"headline": {"epsilon": null, "delta": 1e-5}, "costs": []})").dump() ==
        R"({"delta":1e-05,"holds":1})");
  CHECK(metrics(R"({"headline": null})").dump() == R"({"holds":1})");
  const std::string realized = R"({"headline": {"epsilon": 1, "delta": 0.1},
      "answered": {"expected": 4.5, "sd": 1, "realized": 3}})";
  CHECK(metrics(realized).at("answered").number() == 3.0);
  CHECK(metrics(R"({"public": )" + kReport + "}").at("epsilon").number() == 2.5);
  CHECK_THROWS_AS((void)metrics("[1"), pate::input_error);
}
