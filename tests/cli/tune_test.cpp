// `pate tune` against `pate analyze` with the same parameters, and against itself in other pieces.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/accuracy.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/seals.hpp"
#include "support/temp_directory.hpp"

using namespace pate::test;
using pate::test::Words;
using pate_test::relative_error;
using pate::test::operator+;

namespace {

Ran tune(const Words& words) {
  return run(Words{"tune"} + words +
             Words{"--goal", "private", "--delta", "1e-5", "--json", "--quiet"});
}

nlohmann::json analyze_point(const Words& votes, const nlohmann::json& point, const Words& more) {
  Words words = votes;
  for (const auto& [field, option] :
       {std::pair("threshold", "--threshold"), std::pair("sigma1", "--sigma1"),
        std::pair("sigma2", "--sigma2"), std::pair("laplace_scale", "--laplace-scale")}) {
    if (point.contains(field)) words = words + Words{option, point.at(field).dump()};
  }
  const Ran ran = analyze(words + more);
  REQUIRE(ran.status == 0);
  return ran.json();
}

// A few points of the report against pate analyze.
void compare(const Words& votes, const Words& grid, const Words& more, std::uint64_t seed) {
  const Ran ran = tune(votes + grid + more);
  REQUIRE(ran.status == 0);
  const auto report = ran.json();
  const auto& points = report.at("points");
  pate_test::Random random(seed);
  for (int k = 0; k < 12; ++k) {
    const auto& point = points[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(points.size()) - 1))];
    const auto reference = analyze_point(votes, point, more);
    const double epsilon = reference.at("headline").at("epsilon");
    CAPTURE(point.dump());
    CAPTURE(epsilon);
    if (point.at("refined")) {
      CHECK(relative_error(point.at("epsilon"), epsilon) < 1e-9);
      if (point.contains("grid_epsilon")) CHECK(point.at("grid_epsilon") >= epsilon);
    } else {
      CHECK(point.at("epsilon") >= epsilon);
      CHECK(point.at("epsilon") <= epsilon * (1.0 + report.at("grid_accuracy").get<double>()));
    }
    CHECK(relative_error(point.at("answered"), reference.at("answered").at("expected")) < 1e-9);
    if (point.contains("accuracy") && !point.at("accuracy").is_null()) {
      CHECK(relative_error(point.at("accuracy"), reference.at("utility").at("expected_accuracy")) <
            1e-9);
    }
  }
  const auto best = analyze_point(votes, report.at("best"), more);
  CHECK(relative_error(report.at("best").at("epsilon"), best.at("headline").at("epsilon")) < 1e-9);
  for (const auto& point : points) {
    if (point.at("pareto")) CHECK(point.at("refined") == true);
  }
}

const Words kGrid{"--sigma2", "5,15,40", "--sigma1", "log:3:150:4", "--threshold", "20%:110%:15%"};

std::string digits() {
  return sample("digits_100_counts.npy");
}

}  // namespace

TEST_CASE("pate tune: points are those of pate analyze") {
  const Words votes{digits(), "--labels", sample("digits_100_labels.npy")};
  compare(votes, kGrid, {}, 1);
  compare(votes, kGrid, {"--queries", "40", "--conversion", "classic"}, 2);
  compare(votes, kGrid, {"--reading", "expected"}, 3);
  compare(votes, kGrid, {"--bound", "published", "--reading", "expected"}, 4);
  compare(votes, kGrid, {"--orders", "2,5,11,30"}, 5);
  compare({digits()}, {"--laplace-scale", "log:10:80:4"}, {"--queries", "100"}, 6);
  compare({digits()}, {"--sigma2", "8,20,50"}, {}, 7);
}

TEST_CASE("pate tune: points of real dumps are those of pate analyze (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::string mnist = shared_votes("s18_mnist_250_counts.npy");
  const std::string adult = shared_votes("s18_adult_250_counts.npy");
  const std::string student = shared_votes("mnist_t10k_250_student_scores.npy");
  compare({mnist}, kGrid, {"--queries", "640"}, 11);
  compare({adult}, kGrid, {"--queries", "1500"}, 12);
  compare({shared_votes("mnist_t10k_250_counts.npy"), "--student", student}, kGrid, {}, 13);
  compare({shared_votes("mnist_t10k_5v8_11_counts.npy")},
          {"--sigma2", "1,4", "--sigma1", "1,6", "--threshold", "0:12:1.1"}, {}, 14);
}

TEST_CASE("pate tune: threads change no bit") {
  const Words words = Words{digits(), "--max-epsilon", "9"} + kGrid;
  const Ran one = tune(words + Words{"--threads", "1"});
  REQUIRE(one.status == 0);
  for (const char* threads : {"2", "5"}) {
    CHECK(tune(words + Words{"--threads", threads}).out == one.out);
  }
}

TEST_CASE("pate tune: shards hold the points of the whole grid, bit for bit") {
  const Words words =
      Words{digits(), "--sigma2", "10,20", "--sigma1", "10,40", "--threshold", "0:80:1"};
  const auto whole = tune(words).json();
  std::vector<nlohmann::json> points;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const Ran part = tune(words + Words{"--shard", shard});
    CHECK(part.status == 0);
    const auto report = part.json();
    for (const auto& point : report.at("points")) points.push_back(point);
  }
  REQUIRE(points.size() == whole.at("points").size());
  const auto grid_epsilon = [](const nlohmann::json& point) {
    return point.contains("grid_epsilon") ? point.at("grid_epsilon") : point.at("epsilon");
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& expected = whole.at("points")[i];
    CHECK(points[i].at("index") == i);
    CHECK(grid_epsilon(points[i]) == grid_epsilon(expected));
    CHECK(points[i].at("answered") == expected.at("answered"));
    // What the whole refines, its shard has refined.
    if (expected.at("refined")) CHECK(points[i].at("epsilon") == expected.at("epsilon"));
  }
}

TEST_CASE("pate tune: an interrupted report is gone on from, to the same report") {
  const TempDirectory directory;
  const Words words = Words{digits(), "--max-epsilon", "9", "--queries", "300"} + kGrid;
  const Ran whole = tune(words);
  auto report = whole.json();
  // What a run that was stopped leaves: some of the points, as they are on the grid.
  nlohmann::json kept = nlohmann::json::array();
  for (auto point : report.at("points")) {
    if (point.at("index").get<int>() / 28 % 2 == 0) continue;
    if (point.contains("grid_epsilon")) {
      point["epsilon"] = point["grid_epsilon"];
      point["order"] = point["grid_order"];
    }
    point["refined"] = point["pareto"] = false;
    kept.push_back(point);
  }
  report["points"] = kept;
  report["complete"] = false;
  const std::string path = (directory / "part.json").string();
  write_bytes(path, resealed(report));
  const Ran resumed = tune(words + Words{"--resume", path});
  CHECK(resumed.status == whole.status);
  CHECK(resumed.out == whole.out);

  const Ran other = tune(Words{digits(), "--max-epsilon", "9"} + kGrid + Words{"--resume", path});
  CHECK(other.status == 3);
  CHECK(other.err.find("other votes, or other rows of them") != std::string::npos);
  const Ran grid = tune(Words{digits(), "--queries", "300", "--sigma2", "7", "--resume", path});
  CHECK(grid.status == 3);
  CHECK(grid.err.find("another grid") != std::string::npos);
  write_bytes(path, "{}");
  CHECK(tune(words + Words{"--resume", path}).status == 3);
}

TEST_CASE(
    "pate tune: a report that was changed is not gone on from, with a digest that fits or not") {
  const TempDirectory directory;
  const std::string path = (directory / "grid.json").string();
  pate_test::Random random(3813);
  for (const Words& grid : {kGrid, Words{"--sigma2", "10:40:5"}}) {
    const Words words = Words{digits(), "--queries", "60"} + grid;
    const auto report = tune(words).json();
    for (int i = 0; i < 40; ++i) {
      write_bytes(path, changed(report, random).dump());
      const Ran ran = tune(words + Words{"--resume", path});
      CHECK(ran.status == 3);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(ran.err.starts_with("pate: " + path + ": "), ran.err);
    }
    for (const char* member : {"epsilon", "answered", "agreeing"}) {
      // Of every point; then of the one that would be the best, which is always looked at.
      auto broken = report;
      for (auto& point : broken.at("points")) {
        point[member] = point[member].get<double>() * 0.5;
        if (point.contains("grid_epsilon") && member == std::string("epsilon")) {
          point["grid_epsilon"] = point["grid_epsilon"].get<double>() * 0.5;
        }
      }
      write_bytes(path, resealed(broken));
      const Ran ran = tune(words + Words{"--resume", path});
      CAPTURE(member);
      CHECK(ran.status == 3);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(ran.err.find("has other numbers than these votes give it") != std::string::npos,
                    ran.err);
    }
    auto broken = report;
    broken.at("points").back()["agreeing"] = 60.0;
    write_bytes(path, resealed(broken));
    CHECK(tune(words + Words{"--resume", path}).status == 3);
  }
}

TEST_CASE("pate tune: a report that lists some of the points is gone on from as well") {
  const TempDirectory directory;
  const std::string some = (directory / "some.json").string();
  for (const Words& grid : {kGrid, Words{"--sigma2", "10:40:5"}}) {
    const Words words = Words{digits(), "--queries", "100", "--objective", "answered"} + grid;
    REQUIRE(run(Words{"tune"} + words +
                Words{"--goal", "private", "--delta", "1e-5", "--top", "1", "--quiet", "-o", some})
                .status == 0);
    REQUIRE(nlohmann::json::parse(read_bytes(some)).at("points_listed") <
            tune(words).json().at("points_listed"));
    CHECK(tune(words + Words{"--resume", some}).out == tune(words).out);
  }
}

TEST_CASE("pate tune: the command line of the best point gives its epsilon") {
  const TempDirectory directory;
  const std::string votes = (directory / "it's a dump.npy").string();
  write_bytes(votes, read_bytes(digits()));
  for (const Words& more : {Words{"--max-epsilon", "9"}, Words{"--max-answers", "60"},
                            Words{"--queries", "100:500", "--max-answers", "60", "--objective",
                                  "answered", "--max-epsilon", "7"}}) {
    const auto best = tune(Words{votes} + kGrid + more).json().at("best");
    const std::string command = best.at("command");
    CAPTURE(command);
    REQUIRE(command.starts_with("pate analyze "));
    const std::string output = (directory / "report.json").string();
    const std::string line =
        pate::test::program_path() + command.substr(4) + " --quiet -o '" + output + "'";
    REQUIRE(std::system(line.c_str()) == 0);  // NOLINT: the point of the test
    const auto report = nlohmann::json::parse(read_bytes(output));
    CHECK(relative_error(best.at("epsilon"), report.at("headline").at("epsilon")) < 1e-9);
    if (best.contains("queries")) {
      CHECK(best.at("queries") == report.at("queries"));
      CHECK(best.at("answered").get<double>() <= 60.0);
      CHECK(report.at("answered").at("expected").get<double>() >=
            best.at("answered").get<double>() * (1.0 - 1e-9));
    }
  }
}

TEST_CASE("pate tune: --max-answers asks no more queries than it takes") {
  const Words words = Words{digits(), "--max-answers", "100"} + kGrid;
  const auto report = tune(words).json();
  for (const auto& point : report.at("points")) {
    const std::int64_t queries = point.at("queries");
    CHECK(point.at("answered").get<double>() <= 100.0);
    if (queries == 797) continue;
    const auto asked = analyze_point({digits(), "--queries", std::to_string(queries)}, point, {});
    CHECK(asked.at("answered").at("expected").get<double>() >= 100.0);
    // A 64th of the queries fewer, and there would be too few answers.
    const auto fewer =
        analyze_point({digits(), "--queries", std::to_string(queries - 13)}, point, {});
    CHECK(fewer.at("answered").at("expected").get<double>() < 100.0);
  }
}

TEST_CASE("pate tune: the front and the best are those of the points") {
  const auto report = tune(Words{digits(), "--max-epsilon", "9"} + kGrid).json();
  const auto& points = report.at("points");
  double best = -1.0;
  for (const auto& p : points) {
    const bool dominated = std::any_of(points.begin(), points.end(), [&](const auto& q) {
      return q.at("epsilon") <= p.at("epsilon") && q.at("agreeing") >= p.at("agreeing") &&
             (q.at("epsilon") < p.at("epsilon") || q.at("agreeing") > p.at("agreeing"));
    });
    CHECK(p.at("pareto") == (!dominated && p.at("answered") >= 1.0));
    if (p.at("epsilon") <= 9.0) best = std::max(best, p.at("agreeing").get<double>());
  }
  CHECK(report.at("best").at("agreeing") == best);
}

TEST_CASE("pate tune: --top limits the list, not the front and the best") {
  const Words words = Words{digits(), "--max-epsilon", "9"} + kGrid;
  const auto all = tune(words).json();
  const auto top = tune(words + Words{"--top", "3"}).json();
  CHECK(top.at("best") == all.at("best"));
  CHECK(top.at("points_evaluated") == all.at("points").size());
  CHECK(top.at("points").size() < all.at("points").size());
  const auto front = [](const nlohmann::json& report) {
    std::vector<std::size_t> result;
    for (const auto& p : report.at("points")) {
      if (p.at("pareto")) result.push_back(p.at("index"));
    }
    return result;
  };
  CHECK(front(top) == front(all));
}

TEST_CASE("pate tune: --refine finds something better between the points, within the limits") {
  const Words words{digits(),   "--queries", "200",         "--sigma2", "10,20,40",
                    "--sigma1", "15,30",     "--threshold", "30,60"};
  for (const Words& goal : {Words{"--max-epsilon", "4.5"}, Words{"--min-answered", "40"}}) {
    const auto report = tune(words + goal + Words{"--refine"}).json();
    const auto& best = report.at("best");
    const auto& on_grid = report.at("best_on_grid");
    CHECK(best.at("on_grid") == false);
    if (goal.front() == "--max-epsilon") {
      CHECK(best.at("epsilon") <= 4.5);
      CHECK(best.at("agreeing") > on_grid.at("agreeing"));
    } else {
      CHECK(best.at("answered") >= 40.0);
      CHECK(best.at("epsilon") < on_grid.at("epsilon"));
    }
    const auto reference = analyze_point({digits(), "--queries", "200"}, best, {});
    CHECK(relative_error(best.at("epsilon"), reference.at("headline").at("epsilon")) < 1e-9);
  }
}

TEST_CASE("pate tune: wrong grids and goals are usage errors that say what is wrong") {
  const auto fails = [](const Words& words, const std::string& what) {
    const Ran ran = tune(Words{digits()} + words);
    CAPTURE(ran.err);
    CHECK(ran.status == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find(what) != std::string::npos);
  };
  fails({"--sigma2", "50:20:10"}, "--sigma2 '50:20:10': the stop, 20, is below the start, 50");
  fails({"--sigma2", "20:50:0"}, "--sigma2 '20:50:0': the step must be > 0");
  fails({"--sigma2", "nan"}, "--sigma2 'nan'");
  fails({"--sigma2", ""}, "--sigma2");
  fails({"--sigma2", "-5,5"}, "sigma2 must be > 0 and finite, got -5");
  fails({"--sigma2", "20", "--sigma1", "0:5:1", "--threshold", "50"}, "pate: sigma1 must be > 0");
  fails({"--sigma2", "1:100:1e-3", "--sigma1", "1:100:1e-1", "--threshold", "1:100:0.5"},
        "at most 1000000000 points");
  fails({"--sigma2", "20", "--threshold", "60"}, "--threshold needs --sigma1");
  fails({"--sigma2", "20", "--sigma1", "60"}, "--sigma1 needs --threshold");
  fails({"--laplace-scale", "20", "--sigma2", "60"}, "--laplace-scale (LNMax) excludes");
  fails({}, "the noise is missing");
  fails({"--sigma2", "20", "--objective", "correct"}, "needs --labels");
  fails({"--sigma2", "20", "--shard", "3/2"}, "--shard must be i/n");
  fails({"--sigma2", "20", "--shard", "1/2", "--refine"}, "excludes --shard");
  fails({"--sigma2", "20", "--bound", "published", "--reading", "joint"}, "no reading joint");
  fails({"--sigma2", "20", "--max-epsilon", "nan"}, "--max-epsilon must be >= 0");
  fails({"--sigma2", "20", "--max-answers", "0"}, "--max-answers must be > 0");
}

TEST_CASE("pate tune: without a point that keeps the limits the status is 1 and best null") {
  const Ran ran =
      run({"tune", digits(), "--sigma2", "20", "--sigma1", "20", "--threshold", "40:60:10",
           "--delta", "1e-5", "--goal", "private", "--max-epsilon", "0.1", "--json", "--quiet"});
  CHECK(ran.status == 1);
  const auto report = ran.json();
  CHECK(report.at("best").is_null());
  REQUIRE(report.at("nearest_misses").size() == 1);
  CHECK(report.at("nearest_misses")[0].at("limit") == "max_epsilon");
  CHECK(ran.err.find("limit missed: no point keeps the limits") != std::string::npos);
}

TEST_CASE("pate-tune is pate tune") {
  const Words words{digits(), "--sigma2", "20", "--delta", "1e-5", "--json", "--quiet"};
  CHECK(run(words, "/usr/bin/pate-tune").out == run(Words{"tune"} + words).out);
}
