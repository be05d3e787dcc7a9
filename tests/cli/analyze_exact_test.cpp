#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "support/accuracy.hpp"
#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::analyze;
using pate::test::cost;
using pate::test::npy_array;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

const std::vector<std::string> kMnist{"--queries", "640", "--threshold", "200",
                                      "--sigma1",  "150", "--sigma2",    "40"};

json exact(std::vector<std::string> arguments, const std::vector<std::string>& more = {}) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.emplace_back("--exact");
  const auto ran = analyze(std::move(arguments));
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  return ran.json();
}

double epsilon(const json& report, const char* bound, const char* conversion) {
  return cost(report, bound, "joint", conversion).at("epsilon");
}

// Votes of `teachers` on `queries`, as predictions (teachers x queries).
std::vector<std::int64_t> random_predictions(std::int64_t teachers, std::int64_t queries,
                                             std::int64_t classes, std::uint64_t seed) {
  pate_test::Random random(seed);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(teachers * queries));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto query = static_cast<std::int64_t>(i) % queries;
    ids[i] = random.uniform(0.0, 1.0) < 0.6 ? query % classes : random.integer(0, classes - 1);
  }
  return ids;
}

}  // namespace

TEST_SUITE("analyze") {
  TEST_CASE("exact costs of S18's votes (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string mnist = shared_votes("s18_mnist_250_counts.npy");
    const json report = exact({mnist}, kMnist);
    CHECK(std::abs(epsilon(report, "exact", "improved") - 0.922) < 5e-4);
    CHECK(std::abs(epsilon(report, "exact", "classic") - 1.143) < 5e-4);
    const json adult = exact({shared_votes("s18_adult_250_counts.npy"), "--queries", "1500",
                              "--threshold", "300", "--sigma1", "200", "--sigma2", "40"});
    CHECK(std::abs(epsilon(adult, "exact", "improved") - 0.956) < 5e-4);
    CHECK(std::abs(epsilon(adult, "exact", "classic") - 1.180) < 5e-4);
  }

  TEST_CASE("exact costs of real predictions, from counts and teacher by teacher (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("mnist_t10k_250_predictions.npy");
    std::vector<std::string> arguments{votes,
                                       "--layout",
                                       "predictions",
                                       "--classes",
                                       "10",
                                       "--orders",
                                       "2,3,5,8,10,12,16,20,25,30,40,50,64"};
    const json report = exact(arguments, kMnist);
    CHECK(std::abs(epsilon(report, "exact", "classic") - 1.1664) < 5e-5);
    CHECK(std::abs(epsilon(report, "exact_per_teacher", "classic") - 1.1340) < 5e-5);
    CHECK(report.at("per_teacher").at("epsilon").size() == 250);
    // The same votes as counts: the same exact cost, and no teachers.
    const json counts = exact({shared_votes("mnist_t10k_250_counts.npy"), "--orders",
                               "2,3,5,8,10,12,16,20,25,30,40,50,64"},
                              kMnist);
    CHECK(cost(counts, "exact", "joint", "classic") == cost(report, "exact", "joint", "classic"));
    CHECK_FALSE(counts.contains("per_teacher"));
    CHECK(cost(counts, "exact_per_teacher", "joint", "classic").is_null());
  }

  TEST_CASE("an exact entry is what it says, and the smallest of them the headline") {
    const std::vector<std::string> arguments{sample("digits_100_predictions.npy"),
                                             "--layout",
                                             "predictions",
                                             "--classes",
                                             "10",
                                             "--queries",
                                             "60",
                                             "--threshold",
                                             "60",
                                             "--sigma1",
                                             "15",
                                             "--sigma2",
                                             "15"};
    const json report = exact(arguments);
    const json without = analyze(arguments).json();
    CHECK(report.at("headline") == cost(report, "exact_per_teacher", "joint", "profile"));
    CHECK(report.at("trajectory").empty());
    CHECK(without.at("headline") == cost(report, "tradeoff", "joint", "optimal"));
    // Another may be chosen.
    std::vector<std::string> chosen = arguments;
    chosen.insert(chosen.end(), {"--conversion", "improved"});
    CHECK(exact(chosen).at("headline") == cost(report, "exact_per_teacher", "joint", "improved"));
    CHECK(report.at("settings").at("exact") == true);
    CHECK(without.at("settings").at("exact") == false);
    for (const char* bound : {"exact", "exact_per_teacher"}) {
      for (const char* conversion : {"optimal", "improved", "classic"}) {
        const json entry = cost(report, bound, "joint", conversion);
        CHECK(entry.at("direction") == "both");
        CHECK(entry.at("data_dependent") == true);
        CHECK(entry.at("releasable") == false);
        double sum = 0.0;
        for (const auto& part : entry.at("parts")) sum += part.get<double>();
        CHECK(sum == doctest::Approx(entry.at("epsilon").get<double>()).epsilon(1e-12));
        CHECK(entry.at("epsilon").get<double>() < epsilon(report, "tradeoff", conversion));
      }
    }
    CHECK(epsilon(report, "exact_per_teacher", "improved") < epsilon(report, "exact", "improved"));
    // Without any other bound the headline is the data-independent cost still.
    const json only = exact({sample("digits_100_counts.npy"), "--queries", "20", "--sigma2", "15",
                             "--bound", "published", "--conversion", "gdp"});
    CHECK(only.at("headline").at("bound") == "data_independent");
    CHECK(std::count(only.at("costs").begin(), only.at("costs").end(), only.at("headline")) == 1);
  }

  TEST_CASE("exact costs do not depend on threads or on the order of queries") {
    const TempDirectory directory;
    const std::string reversed = (directory / "reversed.npy").string();
    std::vector<std::int64_t> rows(60);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(59 - i);
    write_bytes(reversed, npy_array<std::int64_t>({60}, rows));
    const std::vector<std::string> arguments{sample("digits_100_predictions.npy"),
                                             "--layout",
                                             "predictions",
                                             "--classes",
                                             "10",
                                             "--threshold",
                                             "60",
                                             "--sigma1",
                                             "15",
                                             "--sigma2",
                                             "15"};
    const json first = exact(arguments, {"--queries", "60", "--threads", "1"});
    const json second = exact(arguments, {"--queries", "60", "--threads", "3"});
    const json third = exact(arguments, {"--indices", reversed, "--threads", "2"});
    CHECK(first.at("costs") == second.at("costs"));
    CHECK(first.at("per_teacher") == second.at("per_teacher"));
    CHECK(first.at("costs") == third.at("costs"));
    CHECK(first.at("per_teacher") == third.at("per_teacher"));
    CHECK(first.at("profile") == second.at("profile"));
    CHECK(first.at("profile") == third.at("profile"));
  }

  TEST_CASE("the privacy profile: entries, headline, curve and grid") {
    const std::vector<std::string> arguments{sample("digits_100_predictions.npy"),
                                             "--layout",
                                             "predictions",
                                             "--classes",
                                             "10",
                                             "--queries",
                                             "40",
                                             "--threshold",
                                             "60",
                                             "--sigma1",
                                             "15",
                                             "--sigma2",
                                             "15"};
    const json report = exact(arguments, {"--conversion", "profile", "--deltas", "1e-3,1e-5"});
    // The most costly teacher's is smaller still, and the headline.
    CHECK(report.at("headline") == cost(report, "exact_per_teacher", "joint", "profile"));
    const json headline = cost(report, "exact", "joint", "profile");
    CHECK(headline.at("conversion") == "profile");
    CHECK(headline.at("order").is_null());
    CHECK(headline.at("releasable") == false);
    CHECK(report.at("trajectory").empty());
    CHECK(headline.at("epsilon") < epsilon(report, "exact", "improved"));
    CHECK(headline.at("lower") <= headline.at("epsilon"));
    CHECK(headline.at("lower").get<double>() > 0.99 * headline.at("epsilon").get<double>());
    const json curve = report.at("profile");
    CHECK(curve.at("epsilon_at").at("delta") == json({1e-3, 1e-5}));
    const json upper = curve.at("epsilon_at").at("upper");
    CHECK(std::max(upper.at("forward").at(1), upper.at("reverse").at(1)) == headline.at("epsilon"));
    CHECK(upper.at("forward").at(0) < upper.at("forward").at(1));
    for (const char* direction : {"forward", "reverse"}) {
      const json high = curve.at("delta_at").at("upper").at(direction);
      const json low = curve.at("delta_at").at("lower").at(direction);
      for (std::size_t k = 0; k < high.size(); ++k) CHECK(low.at(k) <= high.at(k));
      CHECK(std::is_sorted(high.rbegin(), high.rend()));
    }
    // Of single teachers: below all together, at most their own RDP.
    const json teachers = cost(report, "exact_per_teacher", "joint", "profile");
    CHECK(teachers.at("epsilon") < headline.at("epsilon"));
    const json each = report.at("per_teacher");
    CHECK(each.at("profile").size() == 100);
    double largest = 0.0;
    for (std::size_t t = 0; t < 100; ++t) {
      CHECK(each.at("profile").at(t) <= each.at("epsilon").at(t));
      largest = std::max(largest, each.at("profile").at(t).get<double>());
    }
    CHECK(teachers.at("epsilon") == largest);
    // A coarser grid is worse, and says so where it is much worse.
    const json coarse = exact(arguments, {"--profile-resolution", "0.3"});
    CHECK(coarse.at("profile").at("step") == 0.25);
    const json entry = cost(coarse, "exact", "joint", "profile");
    CHECK(entry.at("epsilon") > headline.at("epsilon"));
    CHECK(entry.at("epsilon") <= epsilon(coarse, "exact", "improved"));
    CHECK(entry.at("lower") < headline.at("lower"));
    const auto warned = [](const json& from) {
      return std::ranges::any_of(from.at("notices"), [](const json& notice) {
        return notice.at("code") == "profile_interval";
      });
    };
    CHECK(warned(coarse));
    CHECK(!warned(report));
  }

  TEST_CASE("without outcome probabilities there is no profile, and a notice says why") {
    const json report =
        exact({sample("digits_100_counts.npy"), "--queries", "20", "--sigma2", "0.02"});
    CHECK(cost(report, "exact", "joint", "profile").is_null());
    CHECK(!report.contains("profile"));
    CHECK(std::ranges::any_of(report.at("notices"), [](const json& notice) {
      return notice.at("code") == "no_profile";
    }));
  }

  TEST_CASE("shards of exact costs give the profile of the run, to the bit") {
    const TempDirectory directory;
    const std::vector<std::string> arguments{sample("digits_100_predictions.npy"),
                                             "--layout",
                                             "predictions",
                                             "--classes",
                                             "10",
                                             "--queries",
                                             "41",
                                             "--sigma2",
                                             "15",
                                             "--orders",
                                             "3,5,8",
                                             "--deltas",
                                             "1e-4"};
    const json whole = exact(arguments);
    std::vector<std::string> compose{"compose", "--json", "--quiet"};
    for (const char* shard : {"1/3", "2/3", "3/3"}) {
      const std::string path = (directory / std::string(1, shard[0])).string();
      exact(arguments, {"--shard", shard, "-o", path});
      compose.push_back(path);
    }
    const auto ran = pate::test::run(compose);
    INFO(ran.err);
    REQUIRE(ran.status == 0);
    for (const char* field : {"costs", "profile", "per_teacher"}) {
      CHECK(ran.json().at(field) == whole.at(field));
    }
  }

  TEST_CASE("every teacher's epsilon is the sum over its own votes") {
    constexpr std::int64_t kTeachers = 13;
    constexpr std::int64_t kQueries = 9;
    constexpr std::int64_t kClasses = 3;
    const auto ids = random_predictions(kTeachers, kQueries, kClasses, 651);
    const TempDirectory directory;
    const std::string votes = (directory / "votes.npy").string();
    write_bytes(votes, npy_array<std::int64_t>({kTeachers, kQueries}, ids));
    const std::vector<double> orders{1.5, 3.0, 8.0};
    const json report = exact({votes, "--layout", "predictions", "--classes", "3", "--orders",
                               "1.5,3,8", "--threshold", "8", "--sigma1", "4", "--sigma2", "3"});

    const pate::Aggregator aggregator{
        pate::ThresholdCheck{8.0, 4.0}, {pate::GaussianNoisyMax{3.0}}, false};
    const pate::ExactMechanism mechanism(aggregator, {}, kTeachers);
    std::vector<double> worst(2 * orders.size(), 0.0);
    for (std::int64_t t = 0; t < kTeachers; ++t) {
      double larger = 0.0;
      for (const auto direction : {pate::Direction::forward, pate::Direction::reverse}) {
        double best = pate_test::kInfinity;
        for (std::size_t k = 0; k < orders.size(); ++k) {
          double rdp = 0.0;
          for (std::int64_t x = 0; x < kQueries; ++x) {
            std::vector<std::int32_t> counts(kClasses, 0);
            for (std::int64_t other = 0; other < kTeachers; ++other) {
              ++counts[static_cast<std::size_t>(
                  ids[static_cast<std::size_t>(other * kQueries + x)])];
            }
            pate::ExactCost query(mechanism, mechanism.group(counts, {}));
            const auto groups = pate::groups_of_classes(query.votes(), counts, {}, kTeachers);
            std::vector<pate::BothDirections> costs;
            query.by_group(orders[k], costs);
            const auto voted = ids[static_cast<std::size_t>(t * kQueries + x)];
            rdp += costs[groups[static_cast<std::size_t>(voted)]].of(direction);
          }
          double& most = worst[2 * k + (direction == pate::Direction::forward ? 0 : 1)];
          most = std::max(most, rdp);
          best = std::min(best,
                          pate::epsilon_from_rdp(pate::Conversion::optimal, rdp, orders[k], 1e-5));
        }
        larger = std::max(larger, best);
      }
      const double got = report.at("per_teacher").at("epsilon").at(static_cast<std::size_t>(t));
      // Sums of the RDP differ in their last bits, of which the conversion may make more.
      CHECK(got >= larger * (1.0 - 1e-12));
      CHECK(got <= larger * (1.0 + 1e-12));
    }
    double run = 0.0;
    for (std::size_t d = 0; d < 2; ++d) {
      double best = pate_test::kInfinity;
      for (std::size_t k = 0; k < orders.size(); ++k) {
        best = std::min(best, pate::epsilon_from_rdp(pate::Conversion::classic, worst[2 * k + d],
                                                     orders[k], 1e-5));
      }
      run = std::max(run, best);
    }
    CHECK(epsilon(report, "exact_per_teacher", "classic") == doctest::Approx(run).epsilon(1e-12));
    const auto epsilons = report.at("per_teacher").at("epsilon").get<std::vector<double>>();
    const json quantiles = report.at("per_teacher").at("quantiles");
    CHECK(quantiles.at(0) == *std::min_element(epsilons.begin(), epsilons.end()));
    CHECK(quantiles.at(4) == *std::max_element(epsilons.begin(), epsilons.end()));
    CHECK(std::is_sorted(quantiles.begin(), quantiles.end()));
  }

  TEST_CASE("the search of the grid for the teachers misses nothing") {
    const auto ids = random_predictions(20, 12, 4, 652);
    const TempDirectory directory;
    const std::string votes = (directory / "votes.npy").string();
    write_bytes(votes, npy_array<std::int64_t>({20, 12}, ids));
    for (const char* sigma : {"2", "40", "3000"}) {
      const std::vector<std::string> arguments{votes, "--layout", "predictions", "--classes",
                                               "4",   "--sigma2", sigma};
      const json searched = exact(arguments);
      std::string all;
      for (const auto& order : searched.at("rdp").at("orders")) {
        if (!all.empty()) all += ',';
        all += order.dump();
      }
      const json everything = exact(arguments, {"--orders", all});
      // Between the orders of the grid the cost of all is known, which nobody's is above.
      const double most = epsilon(searched, "exact", "optimal");
      auto of_teachers = everything.at("per_teacher").at("epsilon").get<std::vector<double>>();
      for (double& value : of_teachers) value = std::min(value, most);
      CHECK(searched.at("per_teacher").at("epsilon").get<std::vector<double>>() == of_teachers);
      for (const char* conversion : {"improved", "classic"}) {
        const json a = cost(searched, "exact_per_teacher", "joint", conversion);
        const json b = cost(everything, "exact_per_teacher", "joint", conversion);
        const json all_pay = cost(searched, "exact", "joint", conversion);
        const double of_all = epsilon(searched, "exact", conversion);
        CHECK(a.at("epsilon").get<double>() <= of_all);
        CHECK(a.at("epsilon").get<double>() <= b.at("epsilon").get<double>());
        CHECK(a.at("epsilon").get<double>() >= b.at("epsilon").get<double>() * 0.97);
        // The continuum is at least as good as the grid, and no better than a little.
        const double grid = epsilon(everything, "exact", conversion);
        CHECK(epsilon(searched, "exact", conversion) <= grid);
        CHECK(epsilon(searched, "exact", conversion) >= grid * 0.97);
      }
    }
  }

  TEST_CASE("exact costs of a student (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const json interactive =
        exact({shared_votes("mnist_t10k_250_counts.npy"), "--student",
               shared_votes("mnist_t10k_250_student_scores.npy"), "--queries", "100", "--threshold",
               "150", "--sigma1", "150", "--sigma2", "40"});
    CHECK(epsilon(interactive, "exact", "improved") < epsilon(interactive, "tradeoff", "improved"));
  }

  TEST_CASE("exact costs of Laplace noise, and of nothing at all") {
    const json laplace =
        exact({sample("digits_100_counts.npy"), "--queries", "50", "--laplace-scale", "20"});
    CHECK(epsilon(laplace, "exact", "improved") < epsilon(laplace, "tradeoff", "improved"));
    const TempDirectory directory;
    const std::string empty = (directory / "empty.npy").string();
    write_bytes(empty, npy_array<std::int64_t>({0, 3}, {}));
    const json nothing = exact({empty, "--sigma2", "5", "--allow-empty"});
    const json entry = cost(nothing, "exact", "joint", "improved");
    CHECK(entry.at("epsilon") == 0.0);
    CHECK(entry.at("order").is_null());
  }
}
