#include <doctest/doctest.h>

#include <fstream>

#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::cost;
using pate::test::Ran;
using pate::test::run;
using pate::test::TempDirectory;

namespace {

Ran plan(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"plan", "--delta", "1e-5", "--json", "--quiet"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(all);
}

}  // namespace

TEST_SUITE("plan") {
  TEST_CASE("a plan of a thousand answers") {
    const json report = plan({"--sigma2", "40", "--queries", "1000"}).json();
    CHECK(report.at("schema") == "pate/plan/v1");
    CHECK(report.at("mechanism") == json{{"name", "gnmax"}, {"sigma2", 40.0}});
    CHECK(report.at("queries") == 1000);
    CHECK(report.at("max_answers") == 1000);
    CHECK(report.at("solved").is_null());
    CHECK(report.at("steps") == json{{"threshold_checks", json::array()},
                                     {"gaussian_maxima", {{{"sigma2", 40.0}, {"count", 1000}}}},
                                     {"laplace_maxima", json::array()}});
    const json gdp = cost(report, "data_independent", "worst_case", "gdp");
    CHECK(report.at("headline") == gdp);
    CHECK(gdp.at("epsilon").get<double>() == doctest::Approx(4.98330640597).epsilon(1e-9));
    CHECK(gdp.at("releasable") == true);
    const json& curves = report.at("rdp").at("data_independent");
    CHECK(curves.at("noisy_max").size() == report.at("rdp").at("orders").size());
  }

  TEST_CASE("a plan costs what an analysis of as many answered queries costs without its votes") {
    const json planned =
        plan({"--sigma1", "15", "--sigma2", "20", "--threshold", "60%", "--queries", "200"}).json();
    const json analyzed =
        pate::test::analyze({pate::test::sample("digits_100_counts.npy"), "--queries", "200",
                             "--sigma1", "15", "--sigma2", "20", "--threshold", "60%"})
            .json();
    for (const char* conversion : {"gdp", "improved", "classic"}) {
      CHECK(cost(planned, "data_independent", "worst_case", conversion) ==
            cost(analyzed, "data_independent", "worst_case", conversion));
    }
  }

  TEST_CASE("what a calibration found, plugged back in, keeps the target") {
    const std::vector<std::string> confident{"--sigma1", "150",           "--queries",
                                             "1000",     "--max-answers", "300"};
    auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), confident.begin(), confident.end());
      return plan(more);
    };
    const json solved = with({"--solve", "sigma2", "--epsilon", "3"}).json().at("solved");
    CHECK(solved.at("for") == "sigma2");
    CHECK(solved.at("epsilon") == 3.0);
    const std::string sigma2 = solved.at("value").dump();
    const json back = with({"--sigma2", sigma2}).json();
    CHECK(back.at("headline").at("epsilon").get<double>() <= 3.0);
    CHECK(back.at("headline").at("epsilon").get<double>() >= 3.0 * (1.0 - 1e-9));
    const json queries =
        plan({"--laplace-scale", "20", "--solve", "queries", "--epsilon", "3"}).json();
    CHECK(queries.at("solved") == json{{"for", "queries"}, {"value", 93}, {"epsilon", 3.0}});
    CHECK(queries.at("queries") == 93);
  }

  TEST_CASE("limits turn into the exit status") {
    const std::vector<std::string> base{"--sigma2", "40", "--queries", "1000", "--max-epsilon"};
    auto with = [&](const char* limit) {
      auto arguments = base;
      arguments.emplace_back(limit);
      return plan(arguments);
    };
    CHECK(with("5").status == 0);
    const Ran missed = with("4.9");
    CHECK(missed.status == 1);
    // In full: the number in the report.
    const json epsilon = missed.json().at("headline").at("epsilon");
    CHECK(missed.err ==
          "pate: limit missed: epsilon is " + epsilon.dump() + ", above --max-epsilon 4.9\n");
    CHECK(missed.json().at("schema") == "pate/plan/v1");
    const Ran unreachable =
        plan({"--sigma1", "5", "--queries", "1000", "--solve", "sigma2", "--epsilon", "3"});
    CHECK(unreachable.status == 4);
    CHECK(unreachable.out.empty());
    CHECK(unreachable.err.find("no value of sigma2 keeps epsilon 3") != std::string::npos);
  }

  TEST_CASE("wrong command lines say which option to change") {
    const auto usage = [](const std::vector<std::string>& arguments, const std::string& message) {
      const Ran ran = plan(arguments);
      CHECK(ran.status == 2);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(ran.err.find(message) != std::string::npos, ran.err);
    };
    usage({"--queries", "10"}, "the noise is missing: add --sigma2 S (GNMax)");
    usage({"--sigma2", "40"}, "the number of queries is missing: add --queries N");
    usage({"--sigma2", "40", "--queries", "0"}, "queries must be at least 1");
    usage({"--sigma2", "-1", "--queries", "5"}, "sigma2 must be > 0 and finite, got -1");
    usage({"--sigma2", "40", "--queries", "5", "--threshold", "60"}, "--threshold needs --sigma1");
    usage({"--sigma2", "40", "--queries", "5", "--max-answers", "3"}, "--max-answers needs");
    usage({"--sigma2", "4", "--laplace-scale", "3", "--queries", "5"}, "--laplace-scale (LNMax)");
    usage({"--sigma2", "4", "--queries", "5", "--epsilon", "3"}, "--epsilon needs --solve");
    usage({"--sigma2", "4", "--queries", "5", "--solve", "sigma2"}, "--solve needs --epsilon");
    usage({"--sigma2", "4", "--queries", "5", "--solve", "sigma2", "--epsilon", "3"},
          "--sigma2 is what --solve looks for: leave it out");
    usage({"--sigma2", "4", "--queries", "5", "--solve", "delta", "--epsilon", "3"}, "--solve");
    usage({"--sigma2", "4", "--sigma1", "4", "--queries", "5", "--threshold", "x%"},
          "--threshold must be a number of votes or a share");
    usage({"--sigma2", "4", "--queries", "5", "--conversion", "kov"}, "does not go with");
    usage({"--sigma2", "4", "--queries", "5", "--max-epsilon", "-1"}, "--max-epsilon must be >= 0");
    usage({"--sigma2", "4", "--queries", "5", "--orders", "1"},
          "orders must be from 1 + 1e-9 to 1e9, got 1");
    const Ran no_delta = run({"plan", "--sigma2", "4", "--queries", "5"});
    CHECK(no_delta.status == 2);
  }

  TEST_CASE("the report goes to a file, the summary to people") {
    const TempDirectory directory;
    const std::string path = (directory.path() / "plan.json").string();
    const Ran ran = run({"plan", "--delta", "1e-5", "--sigma2", "40", "--queries", "1000",
                         "--summary", "-o", path});
    CHECK(ran.status == 0);
    CHECK(ran.out.find("epsilon = 4.9834 at delta = 1e-05") != std::string::npos);
    std::ifstream file(path);
    CHECK(json::parse(file).at("schema") == "pate/plan/v1");
  }
}
