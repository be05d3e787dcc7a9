#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::analyze;
using pate::test::npy_array;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

// What the documentation says of promises: what was answered has one at one order only.
std::string promise_of(const json& cost, bool one_order) {
  const std::string reading = cost.at("reading");
  if (cost.at("direction") == "forward" || reading == "expected") return "none";
  if (reading == "realized") return one_order ? "outcome" : "none";
  return "fixed";
}

// What it says of the headline: of the costs that are allowed the smallest fixed one, the first of
// equal ones; else the first of the outcome, else the first. Null where nothing fits.
json expected_headline(const json& costs, const std::string& reading,
                       const std::string& conversion) {
  json best;
  for (const std::string promise : {"fixed", "outcome", "none"}) {
    for (const json& cost : costs) {
      if (cost.at("promise") != promise) continue;
      if (!reading.empty() && cost.at("reading") != reading) continue;
      if (!conversion.empty() && cost.at("conversion") != conversion) continue;
      const bool is_smaller = promise == "fixed" && !best.is_null() &&
                              cost.at("epsilon").get<double>() < best.at("epsilon").get<double>();
      if (best.is_null() || is_smaller) best = cost;
    }
    if (!best.is_null()) return best;
  }
  return best;
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("every choice of bound, reading and conversion picks the documented headline") {
    const TempDirectory directory;
    const std::string decisions = (directory / "decisions.npy").string();
    write_bytes(decisions, npy_array<std::int64_t>({797}, std::vector<std::int64_t>(797, 2)));
    int refused = 0;
    std::map<std::string, json> costs_of;
    for (const std::string bound : {"published,tradeoff", "published", "tradeoff"}) {
      for (const std::string reading : {"", "joint", "expected", "realized"}) {
        const std::string orders = reading == "realized" ? "8" : "2,8";
        for (const std::string conversion :
             {"", "optimal", "improved", "classic", "gdp", "pure", "kov"}) {
          CAPTURE(bound);
          CAPTURE(reading);
          CAPTURE(conversion);
          std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                             "--queries",
                                             "20",
                                             "--threshold",
                                             "60",
                                             "--sigma1",
                                             "15",
                                             "--sigma2",
                                             "15",
                                             "--orders",
                                             orders,
                                             "--decisions",
                                             decisions,
                                             "--bound",
                                             bound};
          json& costs = costs_of[bound + orders];
          if (costs.is_null()) {
            costs = analyze(arguments).json().at("costs");
            for (const json& cost : costs) {
              CHECK(cost.at("promise") == promise_of(cost, orders == "8"));
            }
          }
          if (!reading.empty()) arguments.insert(arguments.end(), {"--reading", reading});
          if (!conversion.empty()) arguments.insert(arguments.end(), {"--conversion", conversion});
          const auto ran = analyze(arguments);
          const json expected = expected_headline(costs, reading, conversion);
          if (expected.is_null()) {
            CHECK(ran.status == 2);
            CHECK(ran.out.empty());
            ++refused;
            continue;
          }
          REQUIRE(ran.status == 0);
          const json report = ran.json();
          const json headline = report.at("headline");
          // It is summed query by query, the others are interpolated.
          const auto its_kind = [](json cost) {
            for (const char* sum : {"epsilon", "parts", "sd"}) cost.erase(sum);
            return cost;
          };
          CHECK(its_kind(headline) == its_kind(expected));
          CHECK(headline.at("epsilon").get<double>() ==
                doctest::Approx(expected.at("epsilon").get<double>()).epsilon(1e-9));
          CHECK(std::count(report.at("costs").begin(), report.at("costs").end(), headline) == 1);
          if (report.at("trajectory").empty()) continue;
          CHECK(report.at("trajectory").back().at("epsilon") == headline.at("epsilon"));
        }
      }
    }
    CHECK(refused > 30);
  }

  TEST_CASE("trajectories rise to the headline under every reading") {
    pate_test::Random random(20170301);
    const TempDirectory directory;
    const std::string decisions = (directory / "decisions.npy").string();
    std::vector<std::int64_t> answered(797);
    for (auto& one : answered) one = 2 * random.integer(0, 1) - 1;
    write_bytes(decisions, npy_array<std::int64_t>({797}, answered));
    const std::vector<std::vector<std::string>> choices{
        {},
        {"--reading", "expected", "--conversion", "classic"},
        {"--reading", "realized"},
        {"--bound", "published"},
        {"--conversion", "gdp"}};
    for (int i = 0; i < 15; ++i) {
      std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                         "--decisions",
                                         decisions,
                                         "--threshold",
                                         std::to_string(random.uniform(20.0, 90.0)),
                                         "--sigma1",
                                         std::to_string(random.log_uniform(3.0, 200.0)),
                                         "--sigma2",
                                         std::to_string(random.log_uniform(3.0, 200.0)),
                                         "--queries",
                                         std::to_string(random.integer(1, 797))};
      const auto& choice = choices[static_cast<std::size_t>(i) % choices.size()];
      arguments.insert(arguments.end(), choice.begin(), choice.end());
      const auto ran = analyze(arguments);
      CAPTURE(ran.err);
      REQUIRE(ran.status == 0);
      const json report = ran.json();
      const json& points = report.at("trajectory");
      INFO(report.at("settings").dump());
      json before = {{"queries", 0}, {"answered", 0.0}, {"epsilon", 0.0}};
      for (const json& point : points) {
        CHECK(point.at("queries").get<std::int64_t>() > before.at("queries").get<std::int64_t>());
        CHECK(point.at("answered").get<double>() >= before.at("answered").get<double>());
        CHECK(point.at("epsilon").get<double>() >= before.at("epsilon").get<double>());
        before = point;
      }
      CHECK(before.at("queries") == report.at("queries"));
      CHECK(before.at("epsilon") == report.at("headline").at("epsilon"));
      CHECK(before.at("order") == report.at("headline").at("order"));
      const std::string reading = report.at("headline").at("reading");
      const double end = reading == "realized"     ? report.at("answered").at("realized")
                         : reading == "worst_case" ? report.at("queries")
                                                   : report.at("answered").at("expected");
      CHECK(before.at("answered").get<double>() == doctest::Approx(end).epsilon(1e-9));
    }
  }

  TEST_CASE("a limit is judged by the smallest guarantee, which may be the one for any votes") {
    const auto ran = analyze({sample("digits_100_counts.npy"), "--queries", "200", "--sigma2", "40",
                              "--max-epsilon", "2"});
    CHECK(ran.status == 0);
    const json report = ran.json();
    CHECK(report.at("headline").at("conversion") == "gdp");
    CHECK(report.at("headline").at("promise") == "fixed");
    const auto planned = pate::test::run({"plan", "--queries", "200", "--sigma2", "40", "--delta",
                                          "1e-5", "--max-epsilon", "2", "--json", "--quiet"});
    CHECK(planned.status == 0);
    CHECK(planned.json().at("headline").at("epsilon") == report.at("headline").at("epsilon"));
    std::vector<std::string> codes;
    for (const json& notice : report.at("notices")) codes.push_back(notice.at("code"));
    CHECK(codes == std::vector<std::string>{"any_votes_smaller"});
    CHECK(pate::test::cost(report, "tradeoff", "joint", "optimal").at("epsilon") > 2.0);
  }

  TEST_CASE("votes that can hardly come out otherwise cost nothing, without exact costs too") {
    const TempDirectory directory;
    const std::string votes = (directory / "strong.csv").string();
    std::string text;
    for (int i = 0; i < 100; ++i) text += "250,0,0,0,0,0,0,0,0,0\n";
    write_bytes(votes, text);
    const json report = analyze({votes, "--sigma2", "20"}).json();
    CHECK(report.at("headline").at("epsilon") < 1e-9);
    CHECK(report.at("headline").at("conversion") == "optimal");
    CHECK(pate::test::cost(report, "tradeoff", "joint", "improved").at("epsilon") > 0.1);
  }

  TEST_CASE("the curves are where the costs come from") {
    for (const char* order : {"2", "7.5", "31"}) {
      const json report = analyze({sample("digits_100_counts.npy"), "--threshold", "55", "--sigma1",
                                   "20", "--sigma2", "25", "--orders", order})
                              .json();
      for (const json& entry : report.at("costs")) {
        if (entry.at("bound") == "data_independent") continue;
        const json& curves = report.at("rdp").at(entry.at("bound").get<std::string>());
        const json& parts = entry.at("parts");
        // Entries are sums of proved bounds, curves of interpolated ones.
        const auto about = [](const json& number) {
          return doctest::Approx(number.get<double>()).epsilon(2e-7);
        };
        if (entry.at("reading") == "joint") {
          CHECK(parts.at("steps").get<double>() == about(curves.at("joint").at(0)));
        } else {
          CHECK(parts.at("selection").get<double>() == about(curves.at("selection").at(0)));
          CHECK(parts.at("noisy_max").get<double>() == about(curves.at("noisy_max").at(0)));
        }
      }
    }
  }
}
