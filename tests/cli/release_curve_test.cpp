// `pate release` through a curve: what is public, what a ledger makes of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::npy_array;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

using Line = std::vector<std::string>;

Ran through_curve(const std::string& votes, const Line& more, const std::string& sigma1 = "15") {
  Line line{"release", votes,      "--queries", "200",     "--threshold", "60",     "--sigma1",
            sigma1,    "--sigma2", "15",        "--delta", "1e-5",        "--json", "--quiet"};
  line.insert(line.end(), {"--teachers", "100"});
  line.insert(line.end(), more.begin(), more.end());
  return run(line);
}

Ran on_sample(Line more, const std::string& order = "6", const std::string& sigma1 = "15") {
  for (const std::string word : {"--order", order.c_str(), "--s", "4", "--beta", "0.04"}) {
    more.push_back(word);
  }
  return through_curve(sample("digits_100_counts.npy"), more, sigma1);
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("a curve publishes these fields and no others, and draws anew each time") {
    const std::set<std::string> open{"method",        "epsilon",    "delta",
                                     "order",         "s",          "beta",
                                     "ub_max",        "queries",    "teachers",
                                     "classes",       "cost",       "mechanism",
                                     "epsilon_floor", "reading",    "y",
                                     "statement",     "ledger",     "conversion",
                                     "parameters",    "run",        "epsilon_ceiling",
                                     "guarantee",     "certificate"};
    const json first = on_sample({}).json();
    std::set<std::string> found;
    for (const auto& [key, value] : first.at("public").items()) found.insert(key);
    CHECK(found == open);
    const Ran only = on_sample({"--public-only"});
    for (const char* hidden :
         {"\"index\"", "cost_at", "mean_published", "sd_published", "epsilon_before", "sha256"}) {
      CHECK_MESSAGE(only.out.find(hidden) == std::string::npos, hidden);
    }
    std::set<std::int64_t> drawn;
    for (int i = 0; i < 12; ++i) {
      const json report = on_sample({}).json();
      CHECK(report.at("private") == first.at("private"));
      drawn.insert(report.at("public").at("y").get<std::int64_t>());
    }
    CHECK(drawn.size() > 1);
    CHECK_FALSE(on_sample({"--dry-run"}).json().contains("public"));
  }

  TEST_CASE("default parameters and refusals of a curve do not depend on the votes") {
    const TempDirectory directory;
    const std::string others = (directory / "others.npy").string();
    REQUIRE(run({"simulate", "--teachers", "100", "--classes", "10", "--queries", "200",
                 "--accuracy", "0.2", "--seed", "1", "-o", others, "--quiet"})
                .status == 0);
    for (const Line& more :
         std::vector<Line>{{"--cost", "exact"}, {"--order", "6", "--s", "1e6", "--beta", "0.04"}}) {
      const Ran a = through_curve(sample("digits_100_counts.npy"), more);
      const Ran b = through_curve(others, more);
      CHECK(a.status != 0);
      CHECK(a.status == b.status);
      CHECK(a.err == b.err);
    }
    const Line renyi{"--dry-run", "--certificate", "renyi"};
    const json a = through_curve(sample("digits_100_counts.npy"), renyi).json();
    const json b = through_curve(others, renyi).json();
    for (const char* name : {"order", "s", "beta", "cost_max"}) {
      CHECK(a.at("private").at(name) == b.at("private").at(name));
    }
    CHECK(a.at("private").at("cost") != b.at("private").at("cost"));
    const json c = through_curve(sample("digits_100_counts.npy"), {"--dry-run"}).json();
    const json d = through_curve(others, {"--dry-run"}).json();
    for (const char* name : {"orders_for", "epsilon_floor", "epsilon_ceiling", "s", "beta"}) {
      CHECK(c.at("private").at(name) == d.at("private").at(name));
    }
    CHECK(c.at("private").at("index") != d.at("private").at("index"));
    // What any votes certify is the same.
    CHECK(c.at("private").at("epsilon_at").back() == d.at("private").at("epsilon_at").back());
  }

  TEST_CASE("default parameters lose little where votes agree less than was supposed") {
    const json made =
        through_curve(sample("digits_100_counts.npy"), {"--dry-run"}).json().at("private");
    CHECK(made.at("parameters") == "public inputs");
    CHECK(made.at("certificate") == "complex");
    CHECK(made.at("mean_published").get<double>() < 3.85);
    const json renyi =
        through_curve(sample("digits_100_counts.npy"), {"--dry-run", "--certificate", "renyi"})
            .json()
            .at("private");
    CHECK(renyi.at("mean_published").get<double>() < 4.155);
  }

  TEST_CASE("two releases of different answers add up, with both deltas") {
    const TempDirectory directory;
    const auto make = [&](const char* name, const char* queries) {
      const std::string report = (directory / name).string();
      REQUIRE(run({"release", sample("digits_100_counts.npy"), "--teachers", "100", "--queries",
                   queries, "--sigma2", "20", "--delta", "1e-5", "--order", "6", "--s", "4",
                   "--beta", "0.04", "--quiet", "-o", report})
                  .status == 0);
      return report;
    };
    const std::string first = make("first", "0:50");
    const std::string second = make("second", "50:90");
    const json sum = run({"compose", first, second, "--json", "--quiet"}).json();
    const auto published = [](const std::string& path, const char* field) {
      return json::parse(pate::test::read_bytes(path)).at("public").at(field).get<double>();
    };
    json headline;  // of what was drawn; what holds for any votes is told beside it
    for (const json& cost : sum.at("costs")) {
      if (cost.at("bound") == "released") headline = cost;
    }
    CHECK(headline.at("promise") == "outcome");
    CHECK(headline.at("releasable") == true);
    CHECK(
        headline.at("epsilon").get<double>() ==
        doctest::Approx(published(first, "epsilon") + published(second, "epsilon")).epsilon(1e-12));
    CHECK(sum.at("headline").at("promise") == "fixed");
    CHECK(headline.at("delta").get<double>() >= 2e-5);
    CHECK(headline.at("delta").get<double>() < 2e-5 * (1.0 + 1e-9));
    CHECK(sum.at("guarantee").at("holds") == true);
  }

  TEST_CASE("a second number about the same answers speaks for both; other answers are added") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    REQUIRE(on_sample({"--ledger", ledger}).status == 0);
    CHECK(on_sample({"--ledger", ledger}).status == 6);
    const json once = on_sample({"--dry-run"}).json().at("private");
    const json again = on_sample({"--ledger", ledger, "--again"}).json();
    // order / (2 s^2), a part of the cost at every distance, and no epsilon is added.
    const double noise = 6.0 / 32.0;
    CHECK(again.at("private").at("earlier_releases_cost").get<double>() ==
          doctest::Approx(noise).epsilon(1e-9));
    for (const std::size_t d : {std::size_t{0}, std::size_t{40}, std::size_t{100}}) {
      CHECK(again.at("private").at("cost_at")[d].get<double>() -
                once.at("cost_at")[d].get<double>() ==
            doctest::Approx(noise).epsilon(1e-9));
    }
    CHECK(again.at("private").at("epsilon_before") == once.at("epsilon_before"));
    CHECK(again.at("public").at("epsilon") == again.at("public").at("run").at("epsilon"));
    CHECK(again.at("public").at("delta") == 1e-5);
    // The noise of an index costs this at any order.
    const json other_order = on_sample({"--ledger", ledger, "--again", "--dry-run"}, "5").json();
    CHECK(other_order.at("private").at("earlier_releases_cost").get<double>() ==
          doctest::Approx(2.0 * 5.0 / 32.0).epsilon(1e-9));
    const json added = on_sample({"--ledger", ledger, "--again"}, "6", "16").json().at("public");
    CHECK(added.at("delta").get<double>() == doctest::Approx(2e-5));
    CHECK(added.at("epsilon").get<double>() ==
          doctest::Approx(added.at("run").at("epsilon").get<double>() +
                          again.at("public").at("epsilon").get<double>()));
  }

  TEST_CASE("S18's votes: the index and the mean of what is published (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const auto numbers = [](const char* votes, const Line& more) {
      Line line{"release", shared_votes(votes), "--teachers", "250",       "--sigma2",
                "40",      "--delta",           "1e-5",       "--dry-run", "--quiet"};
      line.insert(line.end(), more.begin(), more.end());
      return run(line).json().at("private");
    };
    const json mnist = numbers(
        "s18_mnist_250_counts.npy",
        {"--queries", "640", "--threshold", "200", "--sigma1", "150", "--certificate", "renyi"});
    CHECK(mnist.at("index") == -52);
    CHECK(mnist.at("mean_published").get<double>() == doctest::Approx(1.163787773).epsilon(1e-8));
    CHECK(mnist.at("parameters") == "public inputs");
    const json adult = numbers("s18_adult_250_counts.npy",
                               {"--queries", "1500", "--threshold", "300", "--sigma1", "200",
                                "--order", "13", "--s", "10", "--beta", "0.02"});
    CHECK(adult.at("index") == -69);
    CHECK(adult.at("mean_published").get<double>() == doctest::Approx(1.13820105).epsilon(1e-8));
    // By the default parameters.
    const json by_default = numbers(
        "s18_adult_250_counts.npy",
        {"--queries", "1500", "--threshold", "300", "--sigma1", "200", "--certificate", "renyi"});
    CHECK(by_default.at("mean_published").get<double>() < 1.2);
    const json by_complex = numbers("s18_adult_250_counts.npy",
                                    {"--queries", "1500", "--threshold", "300", "--sigma1", "200"});
    CHECK(by_complex.at("mean_published").get<double>() < 1.11);
  }

  TEST_CASE("no release is below what is proved of the same votes, but for its noise") {
    const TempDirectory directory;
    for (int i = 0; i < 4; ++i) {
      // 30 queries of 60 teachers and 4 classes; consensus rises with i.
      std::vector<std::int32_t> counts;
      for (int q = 0; q < 30; ++q) {
        const int first = 20 + 8 * i + (7 * q + 3 * i) % 12;
        const int second = (60 - first) * ((3 * q) % 5 + 3) / 8;
        counts.insert(counts.end(),
                      {second, first, (60 - first - second + 1) / 2, (60 - first - second) / 2});
      }
      const std::string votes = (directory / "votes.npy").string();
      write_bytes(votes, npy_array<std::int32_t>({30, 4}, counts));
      const Line mechanism{"--threshold", "30",      "--sigma1", "12",     "--sigma2",
                           "8",           "--delta", "1e-5",     "--json", "--quiet"};
      const auto report = [&](Line line) {
        line.insert(line.end(), mechanism.begin(), mechanism.end());
        const Ran ran = run(line);
        REQUIRE_MESSAGE(ran.status == 0, ran.err);
        return ran.json();
      };
      double exact = 1e300;
      const json analysis = report({"analyze", votes, "--exact"});
      for (const json& cost : analysis.at("costs")) {
        if (cost["bound"] == "exact") exact = std::min(exact, cost["epsilon"].get<double>());
      }
      CHECK(exact < 100.0);
      for (const Line& method :
           {Line{"--method", "curve", "--order", "5", "--s", "3", "--beta", "0.05"},
            Line{"--method", "gnss", "--order", "5", "--beta", "0.05", "--sigma-ss", "20"}}) {
        Line line{"release", votes, "--teachers", "60", "--dry-run"};
        line.insert(line.end(), method.begin(), method.end());
        const json of = report(line).at("private");
        CHECK(of["epsilon_before"].get<double>() >= exact);
        CHECK(of["mean_published"].get<double>() >= of["epsilon_before"].get<double>());
      }
    }
  }
}
