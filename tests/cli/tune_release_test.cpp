// `pate tune --release` against `pate release --dry-run`, and its ranking against brute force.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/accuracy.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using namespace pate::test;
using pate::test::Words;
using pate_test::relative_error;
using pate::test::operator+;

namespace {

const Words kFew{"--sigma2", "15,30", "--sigma1", "20", "--threshold", "30:90:15"};

Words digits() {
  return {sample("digits_100_counts.npy"), "--queries", "120"};
}

Ran tune(const Words& words, const char* method = "gnss") {
  return run(Words{"tune"} + words +
             Words{"--release", "--method", method, "--delta", "1e-5", "--json", "--quiet"});
}

double rehearsed(const Words& votes, const nlohmann::json& point, bool fixed) {
  Words words = Words{"release", "--method", "gnss"} + votes;
  if (std::ranges::find(words, "--teachers") == words.end()) {
    const bool many = words[3].find("_250_") != std::string::npos;
    words = words + Words{"--teachers", many ? "250" : "100"};
  }
  for (const auto& [field, option] :
       {std::pair("threshold", "--threshold"), std::pair("sigma1", "--sigma1"),
        std::pair("sigma2", "--sigma2"), std::pair("laplace_scale", "--laplace-scale")}) {
    if (point.contains(field)) words = words + Words{option, point.at(field).dump()};
  }
  const auto& released = point.at("released");
  if (fixed) {
    words = words + Words{"--order",    released.at("order").dump(),
                          "--beta",     released.at("beta").dump(),
                          "--sigma-ss", released.at("sigma_ss").dump()};
  }
  const Ran ran = run(words + Words{"--delta", "1e-5", "--dry-run", "--json", "--quiet"});
  REQUIRE(ran.status == 0);
  return ran.json().at("private").at("mean_published");
}

// Every point of the front has the mean of pate release, no other point has any.
void compare(const Words& votes, const Words& grid) {
  const Ran ran = tune(votes + grid);
  REQUIRE(ran.status == 0);
  std::int64_t released = 0;
  const auto report = ran.json();
  for (const auto& point : report.at("points")) {
    CAPTURE(point.dump());
    REQUIRE(point.at("pareto") == point.contains("released"));
    if (!point.contains("released")) continue;
    REQUIRE(!point.at("released").is_null());
    ++released;
    const double mean = point.at("released").at("mean_published");
    CHECK(mean > point.at("epsilon").get<double>());
    CHECK(relative_error(mean, rehearsed(votes, point, true)) < 1e-9);
    CHECK(relative_error(mean, rehearsed(votes, point, false)) < 1e-9);
  }
  CHECK(released >= 1);
  CHECK(report.at("releases_computed") == released);
  CHECK(report.at("ranked_by") == "mean_published");
}

}  // namespace

TEST_CASE("pate tune --release: the means are those of pate release") {
  compare(digits(), kFew);
  compare(digits(), {"--sigma2", "15,40"});
  compare(digits(), {"--laplace-scale", "25,60"});
  compare({sample("digits_100_counts.npy"), "--queries", "40:90"}, kFew);
}

TEST_CASE("pate tune --release: means of Interactive are those of pate release (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::string votes = shared_votes("mnist_t10k_250_counts.npy");
  const std::string student = shared_votes("mnist_t10k_250_student_scores.npy");
  compare({votes, "--student", student, "--queries", "100"},
          {"--sigma2", "40", "--sigma1", "60", "--threshold", "100:200:50"});
}

TEST_CASE("pate tune --release: limits and objectives are judged by the mean") {
  const auto every = tune(digits() + kFew).json().at("points");
  std::vector<nlohmann::json> front;
  for (const auto& point : every) {
    if (point.at("pareto")) front.push_back(point);
  }
  const auto mean = [](const nlohmann::json& point) {
    return point.at("released").at("mean_published").get<double>();
  };
  const auto agreeing = [](const nlohmann::json& point) {
    return point.at("agreeing").get<double>();
  };
  std::sort(front.begin(), front.end(),
            [&](const auto& a, const auto& b) { return mean(a) < mean(b); });
  REQUIRE(front.size() >= 4);

  SUBCASE("most answers under a limit on the mean") {
    for (const auto& point : front) {
      const std::string limit = point.at("released").at("mean_published").dump();
      const auto report = tune(digits() + kFew + Words{"--max-epsilon", limit}).json();
      nlohmann::json best;
      for (const auto& other : front) {
        if (mean(other) > mean(point)) continue;
        if (best.is_null() || agreeing(other) > agreeing(best)) best = other;
      }
      CAPTURE(limit);
      CHECK(report.at("best").at("index") == best.at("index"));
      CHECK(report.at("best").at("released") == best.at("released"));
      // By epsilon alone more would have been allowed, which must not decide.
      CHECK(mean(report.at("best")) <= mean(point));
    }
  }
  SUBCASE("smallest mean with enough answers") {
    for (const auto& point : front) {
      const auto report =
          tune(digits() + kFew + Words{"--min-right", point.at("agreeing").dump()}).json();
      nlohmann::json best;
      for (const auto& other : front) {
        if (agreeing(other) >= agreeing(point) && best.is_null()) best = other;
      }
      CHECK(report.at("best").at("index") == best.at("index"));
    }
  }
  SUBCASE("no point keeps the limit on the mean, though one does by epsilon") {
    const double limit = 0.999 * mean(front.front());
    REQUIRE(front.front().at("epsilon").get<double>() < limit);
    const Ran ran = tune(digits() + kFew + Words{"--max-epsilon", std::to_string(limit)});
    CHECK(ran.status == 1);
    const auto report = ran.json();
    CHECK(report.at("best").is_null());
    REQUIRE(report.at("nearest_misses").size() == 1);
    CHECK(report.at("nearest_misses")[0].at("point").at("index") == front.front().at("index"));
    CHECK(ran.err.find("no point keeps the limits") != std::string::npos);
  }
  SUBCASE("--top computes so many releases") {
    const auto report = tune(digits() + kFew + Words{"--top", "2"}).json();
    CHECK(report.at("releases_computed") == 2);
    CHECK(report.at("best").at("index") == front.front().at("index"));
    const auto& notices = report.at("notices");
    CHECK(std::any_of(notices.begin(), notices.end(),
                      [](const auto& n) { return n.at("code") == "releases_limited"; }));
  }
}

TEST_CASE("pate tune --release: the command line rehearses the release") {
  const TempDirectory directory;
  const std::string output = (directory / "report.json").string();
  const auto report =
      tune(Words{sample("digits_100_counts.npy"), "--max-answers", "60"} + kFew).json();
  const auto& best = report.at("best");
  const std::string command = best.at("release_command");
  CAPTURE(command);
  REQUIRE(command.starts_with("pate release "));
  REQUIRE(command.ends_with(" --dry-run"));
  const std::string line =
      pate::test::program_path() + command.substr(4) + " --quiet -o '" + output + "'";
  REQUIRE(std::system(line.c_str()) == 0);  // NOLINT: the point of the test
  const auto rehearsal = nlohmann::json::parse(read_bytes(output));
  CHECK(relative_error(best.at("released").at("mean_published"),
                       rehearsal.at("private").at("mean_published")) < 1e-9);
}

TEST_CASE("pate tune --release: threads change no bit, and the votes' parameters are owned up to") {
  const Ran one = tune(digits() + kFew + Words{"--threads", "1"});
  REQUIRE(one.status == 0);
  CHECK(tune(digits() + kFew + Words{"--threads", "3"}).out == one.out);
  const auto notices = one.json().at("notices");
  CHECK(std::any_of(notices.begin(), notices.end(),
                    [](const auto& n) { return n.at("code") == "release_parameters_from_votes"; }));
}

TEST_CASE("pate tune --release: through a curve, by default") {
  const Words words = digits() + kFew + Words{"--max-epsilon", "4"};
  const Ran one = tune(words + Words{"--threads", "1"}, "curve");
  REQUIRE(one.status == 0);
  CHECK(tune(words + Words{"--threads", "3"}, "curve").out == one.out);
  nlohmann::json report = one.json();
  const auto rehearse = [](const nlohmann::json& point) {
    Words line = Words{"release", "--teachers", "100"} + digits();
    for (const auto& [field, option] :
         {std::pair("threshold", "--threshold"), std::pair("sigma1", "--sigma1"),
          std::pair("sigma2", "--sigma2")}) {
      line = line + Words{option, point.at(field).dump()};
    }
    return run(line +
               Words{"--delta", "1e-5", "--certificate", "renyi", "--dry-run", "--json", "--quiet"})
        .json()
        .at("private");
  };
  // Of the best point what pate release says, parameters and all; of others a few per cent more or
  // less.
  const nlohmann::json best = report.at("best");
  CHECK(best.at("released").at("estimate") == false);
  const nlohmann::json made = rehearse(best);
  for (const char* field : {"mean_published", "sd_published", "order", "s", "beta"}) {
    CHECK(best.at("released").at(field) == made.at(field));
  }
  CHECK(best.at("released").at("mean_published").get<double>() <= 4.0);
  std::int64_t released = 0;
  for (const auto& point : report.at("points")) {
    CHECK(point.at("pareto") == point.contains("released"));
    if (!point.contains("released") || !point.at("released").at("estimate")) continue;
    ++released;
    CAPTURE(point.dump());
    const double estimate = point.at("released").at("mean_published");
    CHECK(relative_error(estimate, rehearse(point).at("mean_published").get<double>()) < 0.15);
  }
  CHECK(released >= 2);
  const auto& notices = report.at("notices");
  CHECK(std::any_of(notices.begin(), notices.end(),
                    [](const auto& n) { return n.at("code") == "releases_estimated"; }));
  report.erase("notices");
  nlohmann::json by_default =
      run(Words{"tune"} + words + Words{"--release", "--delta", "1e-5", "--json", "--quiet"})
          .json();
  CHECK(by_default.at("points") == report.at("points"));
  CHECK(by_default.at("best") == report.at("best"));
}

TEST_CASE("pate tune --release: what a release cannot do is a usage error") {
  CHECK(
      run(Words{"tune"} + digits() + kFew + Words{"--delta", "1e-5", "--method", "gnss"}).status ==
      2);
  for (const Words& words : {Words{"--bound", "published"}, Words{"--reading", "expected"},
                             Words{"--conversion", "classic"}, Words{"--orders", "2,4"},
                             Words{"--refine"}, Words{"--shard", "1/2"}, Words{"--top", "0"}}) {
    const Ran ran = tune(digits() + kFew + words);
    CAPTURE(ran.err);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("--release excludes " + words.front()) != std::string::npos);
  }
}

TEST_CASE("pate compose refuses a ranking by release") {
  const TempDirectory directory;
  const std::string report = (directory / "tuned.json").string();
  REQUIRE(run(Words{"tune"} + digits() +
              Words{"--sigma2", "30", "--delta", "1e-5", "--release", "--quiet", "-o", report})
              .status == 0);
  const Ran ran = run({"compose", report, "--json", "--quiet"});
  CAPTURE(ran.err);
  CHECK(ran.status != 0);
  CHECK(ran.err.find("settings.release") != std::string::npos);
}
