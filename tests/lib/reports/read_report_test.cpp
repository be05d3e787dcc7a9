#include "pate/reports/read_report.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/headline.hpp"
#include "pate/base/error.hpp"
#include "pate/reports/run_reports.hpp"
#include "support/events.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

std::string any_report(Random& random) {
  reports::ReportContext context{"1", {}, {}};
  if (random.integer(0, 2) == 0) {
    PlannedRun run;
    run.sigma2 = random.uniform(5.0, 90.0);
    run.sigma1 = random.uniform(5.0, 90.0);
    run.queries = random.integer(1, 500);
    PlanSettings settings;
    settings.delta = 1e-5;
    const Plan result = plan(run, settings);
    context.record = {planned_run(result)};
    return reports::plan_report_json(result, context, {});
  }
  const test::SmallRun run = test::random_run(random, 9, 3, 6);
  const auto votes = run.votes();
  AccountSettings settings;
  settings.delta = 1e-5;
  settings.threads = 1;
  const Account result = account(test::run_of(*votes, run.aggregator), settings);
  context.record = {reports::analysis_event(result, {})};
  if (random.integer(0, 1) == 0) {
    return reports::analyze_report_json(result, context);
  }
  return reports::composed_report_json(account_record(context.record, {}), context);
}

// Where a number stands in what a report says of its headline.
std::vector<std::size_t> places(const std::string& text, const std::string& number) {
  std::vector<std::size_t> result;
  const std::size_t end = text.find("\"trajectory\"");
  for (std::size_t at = text.find(number); at < end; at = text.find(number, at + 1)) {
    result.push_back(at);
  }
  return result;
}

std::string refusal_of(const std::string& text) {
  try {
    reports::check_report(io::JsonValue::parse(text, "r.json"));
  } catch (const input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("one digit of a report's epsilon, in one place or in all, is refused or not confirmed") {
  Random random(60);
  for (int trial = 0; trial < 60; ++trial) {
    const std::string text = any_report(random);
    CAPTURE(text);
    REQUIRE(refusal_of(text).empty());
    const auto whole = io::JsonValue::parse(text, "r.json");
    const std::string number = whole.at("headline").at("epsilon").dump();
    std::size_t digit = number.find_first_of("123456789");
    if (digit == std::string::npos) continue;  // nothing was spent
    digit += static_cast<std::size_t>(random.integer(0, 5));
    if (digit >= number.size() || std::isdigit(number[digit]) == 0) continue;
    std::vector<std::size_t> at = places(text, number);
    const bool all = random.integer(0, 1) == 0;
    // In one place only: of the headline or its guarantee, not of a cost that is as large.
    if (!all) std::erase_if(at, [&](std::size_t place) { return place > text.find("\"costs\""); });
    if (!all) at = {at[static_cast<std::size_t>(random.integer(0, std::ssize(at) - 1))]};
    const char other = static_cast<char>('0' + (number[digit] - '0' + random.integer(1, 9)) % 10);
    std::string changed = text;
    for (const std::size_t place : at) changed[place + digit] = other;
    CAPTURE(other);
    if (!refusal_of(changed).empty()) continue;
    CHECK(all);
    CHECK_FALSE(reports::is_headline_confirmed(io::JsonValue::parse(changed, "r.json")));
  }
}

TEST_CASE("a schema or a mechanism that nobody knows is refused") {
  for (const char* const schema : {"foo/bar/v1", "pate/analyze/v2", ""}) {
    CHECK(refusal_of(std::string(R"({"schema": ")") + schema + "\"}").find("r.json: schema") == 0);
  }
  CHECK(refusal_of("{}") != "");
  CHECK(refusal_of(R"({"schema": "pate/analyze/v1", "mechanism": {"name": "=1+1"}})")
            .find("mechanism.name") != std::string::npos);
}
