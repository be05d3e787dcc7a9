#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::analyze;
using pate::test::cost;
using pate::test::npy_array;
using pate::test::Ran;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

// Every number of a report that is a privacy cost is null or >= 0; parts add up to epsilon.
void check_sound(const json& report) {
  for (const json& entry : report.at("costs")) {
    INFO(entry.dump());
    CHECK((entry.at("epsilon").is_null() || entry.at("epsilon").get<double>() >= 0.0));
    if (entry.at("epsilon").is_null()) continue;
    double sum = 0.0;
    for (const auto& [name, part] : entry.at("parts").items()) sum += part.get<double>();
    CHECK(sum == doctest::Approx(entry.at("epsilon").get<double>()).epsilon(1e-12));
  }
  const json& headline = report.at("headline");
  CHECK(std::count(report.at("costs").begin(), report.at("costs").end(), headline) == 1);
  double before = 0.0;
  for (const json& point : report.at("trajectory")) {
    CHECK(point.at("epsilon").get<double>() >= before);
    before = point.at("epsilon").get<double>();
  }
  if (!report.at("trajectory").empty()) {
    CHECK(report.at("trajectory").back().at("epsilon") == headline.at("epsilon"));
    CHECK(report.at("trajectory").back().at("queries") == report.at("queries"));
  }
}

json sound_report(const std::vector<std::string>& arguments) {
  const Ran ran = analyze(arguments);
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  json report = ran.json();
  check_sound(report);
  return report;
}

bool has_notice(const json& report, const char* code) {
  for (const json& notice : report.at("notices")) {
    if (notice.at("code") == code) return true;
  }
  return false;
}

class Votes {
 public:
  std::string operator()(std::initializer_list<std::int64_t> shape,
                         const std::vector<std::int64_t>& counts) {
    const auto path = directory_ / ("votes" + std::to_string(++files_) + ".npy");
    write_bytes(path, npy_array<std::int64_t>(shape, counts));
    return path.string();
  }

 private:
  TempDirectory directory_;
  int files_ = 0;
};

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("one class reveals nothing but the selection") {
    Votes votes;
    const std::string path = votes({3, 1}, {7, 7, 7});
    const json always = sound_report({path, "--sigma2", "1", "--accept", "one-class"});
    CHECK(always.at("headline").at("epsilon") == 0.0);
    CHECK(always.at("headline").at("order").is_null());
    const json checked = sound_report(
        {path, "--sigma2", "1", "--threshold", "7", "--sigma1", "2", "--accept", "one-class"});
    CHECK(checked.at("headline").at("epsilon").get<double>() > 0.0);
  }

  TEST_CASE("no queries are no run, unless they are meant") {
    Votes votes;
    const std::string some = votes({2, 3}, {5, 1, 0, 0, 6, 0});
    const TempDirectory directory;
    const std::string nothing = (directory / "rows.npy").string();
    write_bytes(nothing, npy_array<std::int64_t>({0}, {}));
    const std::vector<std::string> limit{"--sigma2", "1", "--max-epsilon", "1"};
    for (const std::vector<std::string>& input :
         {std::vector<std::string>{votes({0, 10}, {})},
          {some, "--indices", nothing},
          {votes({5, 0}, {}), "--layout", "predictions", "--classes", "3"}}) {
      std::vector<std::string> arguments = input;
      arguments.insert(arguments.end(), limit.begin(), limit.end());
      const Ran refused = pate::test::analyze(arguments);
      CHECK(refused.status == 3);
      CHECK(refused.out.empty());
      CHECK(refused.err.find("--allow-empty") != std::string::npos);
      arguments.emplace_back("--allow-empty");
      CHECK(pate::test::analyze(arguments).status == 0);
    }
  }

  TEST_CASE("no queries cost nothing") {
    Votes votes;
    const json report = sound_report({votes({0, 10}, {}), "--sigma2", "1", "--allow-empty"});
    CHECK(report.at("queries") == 0);
    CHECK(report.at("trajectory").empty());
    CHECK(has_notice(report, "no_queries"));
    for (const json& entry : report.at("costs")) CHECK(entry.at("epsilon") == 0.0);
  }

  TEST_CASE("unanimous, tied, one teacher, one query") {
    Votes votes;
    const json unanimous = sound_report({votes({2, 3}, {90, 0, 0, 0, 90, 0}), "--sigma2", "2"});
    CHECK(unanimous.at("headline").at("epsilon").get<double>() <
          0.1 * cost(unanimous, "data_independent", "worst_case", "improved")
                    .at("epsilon")
                    .get<double>());
    // A two-way tie leaves q at its cap: the noisy maximum costs what any votes cost, or just less.
    const json tied = sound_report({votes({1, 2}, {5, 5}), "--sigma2", "2", "--orders", "4"});
    const double bound = tied.at("rdp").at("tradeoff").at("joint").at(0).get<double>();
    CHECK(bound <= 4.0 / 4.0 * (1.0 + 1e-9));
    CHECK(bound > 0.5);
    (void)sound_report(
        {votes({2, 2}, {1, 0, 0, 1}), "--sigma2", "1", "--threshold", "1", "--sigma1", "1"});
    (void)sound_report({votes({1, 4}, {3, 2, 1, 0}), "--laplace-scale", "2"});
  }

  TEST_CASE("extreme noise, thresholds and delta are sound") {
    const std::string counts = sample("digits_100_counts.npy");
    for (const char* sigma : {"1e-3", "0.3", "1e6"}) {
      CAPTURE(sigma);
      (void)sound_report({counts, "--queries", "40", "--sigma2", sigma});
      (void)sound_report(
          {counts, "--queries", "40", "--sigma2", sigma, "--threshold", "150%", "--sigma1", sigma});
      (void)sound_report({counts, "--queries", "40", "--laplace-scale", sigma});
    }
    const Ran tiny = pate::test::run(
        {"analyze", counts, "--sigma2", "40", "--delta", "1e-300", "--json", "--quiet"});
    REQUIRE(tiny.status == 0);
    check_sound(tiny.json());
  }

  TEST_CASE("data-dependent costs never exceed the data-independent one") {
    std::mt19937_64 engine(17);
    const auto pick = [&](double low, double high) {
      return std::to_string(std::uniform_real_distribution<double>(low, high)(engine));
    };
    for (int i = 0; i < 25; ++i) {
      const json report = sound_report({sample("digits_100_counts.npy"), "--threshold",
                                        pick(20.0, 90.0), "--sigma1", pick(2.0, 60.0), "--sigma2",
                                        pick(2.0, 60.0), "--orders", "2,8,14,30"});
      const double sigma1 = report.at("mechanism").at("sigma1").get<double>();
      const double sigma2 = report.at("mechanism").at("sigma2").get<double>();
      const auto& rdp = report.at("rdp");
      for (std::size_t j = 0; j < 4; ++j) {
        const double order = rdp.at("orders").at(j).get<double>();
        const double check = 797.0 * order / (2.0 * sigma1 * sigma1) * (1.0 + 1e-9);
        const double maximum = 797.0 * order / (sigma2 * sigma2) * (1.0 + 1e-9);
        CHECK(rdp.at("tradeoff").at("joint").at(j).get<double>() <= check + maximum);
        for (const char* bound : {"published", "tradeoff"}) {
          CHECK(rdp.at(bound).at("selection").at(j).get<double>() <= check);
          CHECK(rdp.at(bound).at("noisy_max").at(j).get<double>() <= maximum);
        }
      }
    }
  }

  TEST_CASE("decisions give the realized reading") {
    TempDirectory directory;
    const auto file = (directory / "decisions.npy").string();
    const std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                             "--threshold",
                                             "50",
                                             "--sigma1",
                                             "15",
                                             "--sigma2",
                                             "15",
                                             "--decisions",
                                             file,
                                             "--decisions-are"};
    const auto realized = [&](std::int64_t value, const char* are) {
      write_bytes(file, npy_array<std::int64_t>({797}, std::vector<std::int64_t>(797, value)));
      std::vector<std::string> read = arguments;
      read.emplace_back(are);
      return sound_report(read);
    };
    const json all = realized(1, "answered");
    const json none = realized(0, "answered");
    const json refused = realized(-1, "labels");
    const auto epsilon = [](const json& report, const char* reading) {
      return cost(report, "tradeoff", reading, "improved").at("epsilon").get<double>();
    };
    CHECK(all.at("answered").at("realized") == 797);
    CHECK(none.at("answered").at("realized") == 0);
    CHECK(epsilon(none, "realized") < epsilon(none, "expected"));
    CHECK(epsilon(none, "expected") < epsilon(all, "realized"));
    CHECK(epsilon(refused, "realized") == epsilon(none, "realized"));
    std::vector<std::string> picked = arguments;
    picked.insert(picked.end(), {"labels", "--reading", "realized", "--conversion", "classic"});
    const json headline = sound_report(picked).at("headline");
    CHECK(headline.at("reading") == "realized");
    CHECK(headline.at("conversion") == "classic");
  }
}
