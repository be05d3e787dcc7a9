#include "cli/commands/commands.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pate/mechanisms/outcomes.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "support/npy_writer.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
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

const std::vector<std::string> kConfident{"--threshold", "60", "--sigma1", "15",
                                          "--sigma2",    "15", "--delta",  "1e-5"};

Ran explain(std::vector<std::string> arguments, const std::vector<std::string>& more = kConfident) {
  arguments.insert(arguments.begin(), "explain");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(std::move(arguments));
}

using pate::test::Words;
using pate::test::operator+;

json rdp(const json& query, const std::string& bound) {
  for (const auto& cost : query.at("costs")) {
    if (cost.at("bound") == bound) return cost.at("rdp");
  }
  return nullptr;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("note:")) widest = std::max(widest, line.size());
  }
  return widest;
}

}  // namespace

TEST_SUITE("explain") {
  TEST_CASE("one query under the glass") {
    const Ran ran = explain({sample("digits_100_counts.npy"), "--queries", "200", "--query", "17"});
    CHECK(ran.status == 0);
    const json report = ran.json();
    CHECK(report.at("schema") == "pate/explain/v1");
    CHECK(report.at("run").at("queries") == 200);
    REQUIRE(report.at("queries").size() == 1);
    const json& query = report.at("queries")[0];
    CHECK(query.at("query") == 17);
    CHECK(query.at("times") == 1);
    const auto histogram = query.at("histogram").get<std::vector<std::int32_t>>();
    const auto top = std::max_element(histogram.begin(), histogram.end());
    CHECK(query.at("plurality") == top - histogram.begin());
    CHECK(query.at("statistic") == *top);
    CHECK(query.at("answered").get<double>() ==
          doctest::Approx(0.5 * std::erfc((60.0 - *top) / (std::sqrt(2.0) * 15.0))).epsilon(1e-12));
    double sum = 0.0;
    for (std::size_t j = 0; j < histogram.size(); ++j) {
      const double p = query.at("outcomes")[j];
      CHECK(p == doctest::Approx(outcome_probability(pate::GaussianNoisyMax{15.0}, histogram, j))
                     .epsilon(1e-11));
      sum += p;
    }
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-12));
    CHECK(query.at("q").get<double>() >=
          1.0 -
              query.at("outcomes")[static_cast<std::size_t>(query.at("plurality"))].get<double>());
    CHECK(rdp(query, "exact") < rdp(query, "tradeoff"));
    CHECK(rdp(query, "tradeoff") < rdp(query, "data_independent"));
    const json& neighbour = query.at("worst_neighbour");
    auto moved = histogram;
    --moved[neighbour.at("from").get<std::size_t>()];
    ++moved[neighbour.at("to").get<std::size_t>()];
    CHECK(neighbour.at("histogram") == moved);
    // The table is for who asks for it, or sits at a terminal: not for a log.
    CHECK(ran.err.find("query 17: statistic") == std::string::npos);
    const Ran table = explain(
        {sample("digits_100_counts.npy"), "--queries", "200", "--query", "17", "--summary"});
    CHECK(table.out.find("query 17: statistic") != std::string::npos);
    CHECK(widest_line(table.out.substr(table.out.find('\n') + 1)) <= 80);
  }

  TEST_CASE("one query for other neighbours than one teacher that votes otherwise") {
    for (const Words& who :
         {Words{"--teachers-per-person", "2"}, Words{"--neighbours", "add-remove"},
          Words{"--neighbours", "add-remove", "--teachers-per-person", "3"}}) {
      const std::int64_t teachers = who.back() == "add-remove" ? 1 : who.back()[0] - '0';
      const Ran ran =
          explain(Words{sample("digits_100_counts.npy"), "--queries", "30", "--query", "17"} + who);
      REQUIRE(ran.status == 0);
      const json report = ran.json();
      CHECK(report.at("mechanism").at("teachers_per_person") == teachers);
      const json& query = report.at("queries")[0];
      CHECK(rdp(query, "tilted") == nullptr);
      CHECK(rdp(query, "exact") <= rdp(query, "tradeoff"));
      CHECK(rdp(query, "tradeoff") <= rdp(query, "data_independent"));
      const json& worst = query.at("worst_neighbour");
      CHECK(!worst.contains("from"));
      auto moved = query.at("histogram").get<std::vector<std::int64_t>>();
      std::int64_t more = 0;
      std::int64_t less = 0;
      for (const json& change : worst.at("changes")) {
        const auto votes = change.at("votes").get<std::int64_t>();
        moved[change.at("class").get<std::size_t>()] += votes;
        (votes > 0 ? more : less) += std::abs(votes);
      }
      CHECK(worst.at("histogram") == moved);
      CHECK(more + less > 0);
      if (who[0] == "--neighbours") {
        CHECK(more + less <= teachers);
      } else {
        CHECK(more == less);
        CHECK(more <= teachers);
      }
      // One teacher costs less than two, and the run's cost is that of analyze.
      const json alone =
          explain({sample("digits_100_counts.npy"), "--queries", "30", "--query", "17"}).json();
      if (teachers > 1 && who[0] != "--neighbours") {
        CHECK(report.at("run").at("headline").at("epsilon").get<double>() >
              alone.at("run").at("headline").at("epsilon").get<double>());
      }
    }
    const Ran refused = explain(
        Words{sample("digits_100_counts.npy"), "--query", "17", "--teachers-per-person", "4"});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("at most 3 teachers") != std::string::npos);
  }

  TEST_CASE("the shares of all queries add up to one, and costs to those of the run") {
    const Ran ran =
        explain({sample("digits_100_counts.npy"), "--queries", "40", "--top", "99", "--quiet"});
    REQUIRE(ran.status == 0);
    CHECK(ran.err.empty());
    const json report = ran.json();
    REQUIRE(report.at("queries").size() == 40);
    double tradeoff = 0.0;
    double exact = 0.0;
    double before = 1e9;
    std::set<std::int64_t> rows;
    for (const json& query : report.at("queries")) {
      rows.insert(query.at("query").get<std::int64_t>());
      tradeoff += query.at("share").at("tradeoff").get<double>();
      exact += rdp(query, "exact").get<double>();
      CHECK(rdp(query, "exact").get<double>() <= before);
      before = rdp(query, "exact");
    }
    CHECK(rows.size() == 40);
    CHECK(tradeoff == doctest::Approx(1.0).epsilon(1e-9));
    const json& of_run = report.at("run").at("rdp").at("exact");
    // Per query the larger direction, of the run each on its own.
    CHECK(exact >= of_run.at("forward").get<double>());
    CHECK(exact <= of_run.at("forward").get<double>() + of_run.at("reverse").get<double>());
    CHECK(report.at("run").at("headline").at("order") == report.at("run").at("order"));
    // The trade-off cost of the run is the headline's.
    CHECK(report.at("run").at("rdp").at("tradeoff").get<double>() ==
          doctest::Approx(report.at("run").at("headline").at("parts").at("steps").get<double>())
              .epsilon(1e-12));
  }

  TEST_CASE("rows are those of the file, repeats are told") {
    const TempDirectory directory;
    const std::string indices = (directory / "indices.npy").string();
    write_bytes(indices, npy_array<std::int64_t>({5}, {30, 7, 30, 12, 30}));
    const Ran ran = explain(
        {sample("digits_100_counts.npy"), "--indices", indices, "--query", "30,7", "--json"});
    REQUIRE(ran.status == 0);
    const json report = ran.json();
    CHECK(report.at("queries")[0].at("query") == 30);
    CHECK(report.at("queries")[0].at("times") == 3);
    CHECK(report.at("queries")[1].at("query") == 7);
    CHECK(report.at("queries")[1].at("times") == 1);
    const json top =
        explain({sample("digits_100_counts.npy"), "--indices", indices, "--top", "9", "--json"})
            .json();
    CHECK(top.at("queries").size() == 3);
    const Ran missing =
        explain({sample("digits_100_counts.npy"), "--indices", indices, "--query", "8"});
    CHECK(missing.status == 3);
    CHECK(missing.out.empty());
    CHECK(missing.err.find("row 8 is not among the queries") != std::string::npos);
    const Ran beyond = explain({sample("digits_100_counts.npy"), "--query", "797"});
    CHECK(beyond.status == 3);
    CHECK(beyond.err.find("rows 0 to 796") != std::string::npos);
    CHECK(explain({sample("digits_100_counts.npy"), "--query", "-1"}).status != 0);
  }

  TEST_CASE("the published cost is that of its steps") {
    const json report = explain({sample("digits_100_counts.npy"), "--queries", "200", "--top",
                                 "200", "--orders", "5", "--quiet"})
                            .json();
    int capped = 0;
    for (const auto& query : report.at("queries")) {
      for (const auto& cost : query.at("costs")) {
        if (cost.at("bound") != "published") continue;
        const json& selection = cost.at("selection");
        const json& noisy_max = cost.at("noisy_max");
        const double answered = query.at("answered");
        CHECK(cost.at("rdp").get<double>() ==
              doctest::Approx(selection.at("rdp").get<double>() +
                              answered * noisy_max.at("rdp").get<double>()));
        const double mu2 = 15.0 * std::sqrt(-query.at("log_q").get<double>());
        CHECK(noisy_max.at("mu2").get<double>() == doctest::Approx(mu2));
        CHECK(noisy_max.at("mu1").get<double>() == doctest::Approx(mu2 + 1.0));
        const bool at_most = noisy_max.at("rdp") >= 5.0 / 225.0;
        CHECK(noisy_max.at("capped") == at_most);
        capped += at_most ? 1 : 0;
      }
    }
    CHECK(capped > 0);
    CHECK(capped < 200);
    const json account =
        run({"analyze", sample("digits_100_counts.npy"), "--queries", "200", "--threshold", "60",
             "--sigma1", "15", "--sigma2", "15", "--delta", "1e-5", "--orders", "5", "--quiet"})
            .json();
    for (const auto& bound : account.at("at_cap")) {
      CHECK(bound.at("order") == 5.0);
      if (bound.at("bound") == "published") CHECK(bound.at("queries") == capped);
      if (bound.at("bound") == "tradeoff") CHECK(bound.at("queries") <= capped);
    }
    CHECK(account.at("at_cap").size() == 2);
  }

  TEST_CASE("every aggregator can be explained") {
    const std::vector<std::string> delta{"--delta", "1e-5", "--quiet"};
    const std::string counts = sample("digits_100_counts.npy");
    for (const std::vector<std::string>& mechanism :
         {std::vector<std::string>{"--sigma2", "20"},
          std::vector<std::string>{"--laplace-scale", "20"},
          std::vector<std::string>{"--sigma2", "0.01"},
          std::vector<std::string>{"--sigma2", "1e6", "--conversion", "gdp"}}) {
      std::vector<std::string> arguments{counts, "--queries", "30", "--top", "2"};
      arguments.insert(arguments.end(), mechanism.begin(), mechanism.end());
      const Ran ran = explain(arguments, delta);
      INFO(ran.err);
      REQUIRE(ran.status == 0);
      const json query = ran.json().at("queries")[0];
      CHECK(query.at("statistic").is_null());
      CHECK(query.at("answered") == 1.0);
      for (const auto& cost : query.at("costs")) {
        if (cost.at("bound") != "published") continue;
        CHECK_FALSE(cost.contains("selection"));
        CHECK(cost.at("noisy_max").at("rdp") == cost.at("rdp"));
        CHECK(cost.at("noisy_max").at("mu1").is_null() == (mechanism.front() != "--sigma2"));
      }
      CHECK(rdp(query, "exact").get<double>() <=
            rdp(query, "tradeoff").get<double>() * (1.0 + 1e-10));
    }
  }

  TEST_CASE("PTR: how far the plurality is from another one, and what the test costs") {
    const std::string counts = sample("digits_100_counts.npy");
    const Ran ran = explain({counts, "--queries", "60", "--top", "60"},
                            {"--ptr-laplace", "0.5", "--ptr-delta", "1e-9", "--delta", "1e-5",
                             "--conversion", "improved", "--quiet"});
    REQUIRE(ran.status == 0);
    const json report = ran.json();
    const double order = report.at("run").at("order");
    const auto test = pate::StabilityTest::with_laplace(0.5, 1e-9);
    // Divergences of the tests of two histograms with one plurality, by their definition.
    const auto divergence = [&](std::int64_t q, std::int64_t other) {
      const double a = std::exp(pate::log_answered(test, q));
      const double b = std::exp(pate::log_answered(test, other));
      return std::log(std::pow(a, order) * std::pow(b, 1 - order) +
                      std::pow(1 - a, order) * std::pow(1 - b, 1 - order)) /
             (order - 1);
    };
    double before = 1e9;
    double forward = 0.0;
    double reverse = 0.0;
    for (const json& query : report.at("queries")) {
      const auto votes = query.at("histogram").get<std::vector<std::int32_t>>();
      const auto plurality = [](const std::vector<std::int32_t>& of) {
        return std::max_element(of.begin(), of.end()) - of.begin();
      };
      const std::int64_t q = pate::stability(votes);
      CHECK(query.at("votes_to_flip") == q + 1);
      CHECK(query.at("answered").get<double>() ==
            doctest::Approx(std::exp(pate::log_answered(test, q))));
      CHECK(query.at("outcomes")[static_cast<std::size_t>(plurality(votes))] == 1.0);
      double there = 0.0;
      double back = 0.0;
      for (std::size_t from = 0; from < votes.size(); ++from) {
        for (std::size_t to = 0; to < votes.size(); ++to) {
          auto other = votes;
          if (from == to || other[from]-- == 0) continue;
          ++other[to];
          if (plurality(other) != plurality(votes)) continue;
          there = std::max(there, divergence(q, pate::stability(other)));
          back = std::max(back, divergence(pate::stability(other), q));
        }
      }
      const double exact = rdp(query, "exact");
      CHECK(exact == doctest::Approx(std::max(there, back)).epsilon(1e-6));
      CHECK(exact <= rdp(query, "tradeoff").get<double>() * (1 + 1e-9));
      CHECK(rdp(query, "tradeoff") <= rdp(query, "data_independent"));
      CHECK(exact <= before);
      before = exact;
      forward += there;
      reverse += back;
      const json& neighbour = query.at("worst_neighbour");
      auto moved = votes;
      --moved[neighbour.at("from").get<std::size_t>()];
      ++moved[neighbour.at("to").get<std::size_t>()];
      CHECK(neighbour.at("histogram") == moved);
      CHECK(std::abs(pate::stability(moved) - q) == 1);
      CHECK(query.at("share").at("exact") <= 1.0);
    }
    CHECK(report.at("run").at("rdp").at("exact").at("forward") ==
          doctest::Approx(forward).epsilon(1e-6));
    CHECK(report.at("run").at("rdp").at("exact").at("reverse") ==
          doctest::Approx(reverse).epsilon(1e-6));
    const Ran table = explain({counts, "--query", "3", "--queries", "60", "--summary"},
                              {"--ptr-sigma", "3", "--ptr-delta", "1e-9", "--delta", "1e-5"});
    CHECK(table.out.find("for a plurality other than") != std::string::npos);
    const Ran csv = explain({counts, "--query", "3", "--queries", "60", "--csv"},
                            {"--ptr-sigma", "3", "--ptr-delta", "1e-9", "--delta", "1e-5"});
    std::istringstream lines(csv.out);
    std::string row;
    std::getline(lines, row);
    std::getline(lines, row);
    // No log q, and no bound was published of it.
    CHECK(std::ranges::count(row, ',') == 12);
    std::vector<std::string> cells;
    std::istringstream in(row);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 12);  // the last is empty
    CHECK(cells[6].empty());
    CHECK(cells[10].empty());
    CHECK(explain({counts, "--top", "3"}, {"--ptr-sigma", "3", "--delta", "1e-5"}).status == 2);
    CHECK(explain({counts, "--top", "3"}, {"--ptr-sparse", "3", "--max-refusals", "2",
                                           "--ptr-delta", "1e-9", "--delta", "1e-5"})
              .status == 2);
  }

  TEST_CASE("the Interactive aggregator can be explained (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string student = shared_votes("mnist_t10k_250_student_scores.npy");
    const Ran ran =
        explain({shared_votes("mnist_t10k_250_counts.npy"), "--student", student, "--queries", "50",
                 "--top", "3", "--threshold", "100", "--sigma1", "100", "--sigma2", "40"},
                {"--delta", "1e-5", "--quiet"});
    REQUIRE(ran.status == 0);
    CHECK(ran.json().at("queries").size() == 3);
  }

  TEST_CASE("what explain needs to be told") {
    const std::string counts = sample("digits_100_counts.npy");
    CHECK(explain({counts}).status == 2);
    CHECK(explain({counts, "--top", "3", "--query", "1"}).status == 2);
    CHECK(explain({counts, "--top", "0"}).status == 2);
    CHECK(explain({counts, "--top", "3", "--labels", counts}).status == 2);
    CHECK(explain({counts, "--top", "3"}, {"--sigma2", "5"}).status == 2);
    const TempDirectory directory;
    const std::string empty = (directory / "empty.npy").string();
    write_bytes(empty, npy_array<std::int64_t>({0, 3}, {}));
    CHECK(explain({empty, "--top", "3", "--allow-empty"}).status == 2);
    const Ran ran = explain({empty, "--top", "3"});
    CHECK(ran.status == 3);
    CHECK(ran.err.find("no queries to explain") != std::string::npos);
    const std::string output = (directory / "report.json").string();
    CHECK(explain({counts, "--query", "9999", "-o", output}).status == 3);
    CHECK_FALSE(std::filesystem::exists(output));
  }

  TEST_CASE("the table goes where summaries go") {
    const std::string counts = sample("digits_100_counts.npy");
    const Ran summary = explain({counts, "--queries", "20", "--top", "3", "--summary"});
    CHECK(summary.out.find("share  moved") != std::string::npos);
    CHECK(summary.err.empty());
    const TempDirectory directory;
    const std::string output = (directory / "report.json").string();
    const Ran to_file = explain({counts, "--queries", "20", "--top", "3", "-o", output});
    CHECK(to_file.out.empty());
    CHECK(to_file.err.find("share  moved") == std::string::npos);
    std::ostringstream out, err;
    CHECK(pate::cli::run_program(
              Words{"pate", "explain", counts, "--queries", "20", "--top", "3", "-o", output} +
                  kConfident,
              {out, err, false, /*err_is_terminal=*/true}) == 0);
    CHECK(out.str().empty());
    CHECK(err.str().find("share  moved") != std::string::npos);
    CHECK(std::filesystem::exists(output));
    CHECK(widest_line(summary.out.substr(summary.out.find('\n') + 1)) <= 80);
  }

  TEST_CASE("a query's share by the profile: epsilon without it") {
    const json all = run({"explain", sample("digits_100_counts.npy"), "--queries", "30", "--sigma2",
                          "20", "--delta", "1e-5", "--top", "3", "--json", "--quiet"})
                         .json();
    const double whole = all.at("run").at("epsilon_profile");
    double before = 0.0;
    for (const json& query : all.at("queries")) {
      const double without = query.at("epsilon_without");
      CHECK(without < whole);
      CHECK(without >= before);  // the most costly first
      before = without;
      // The run without that query says the same.
      const std::int64_t row = query.at("query");
      std::vector<std::int64_t> rest;
      for (std::int64_t i = 0; i < 30; ++i) {
        if (i != row) rest.push_back(i);
      }
      const TempDirectory directory;
      const std::string indices = (directory / "rest.npy").string();
      write_bytes(indices, npy_array<std::int64_t>({29}, rest));
      const json others =
          pate::test::analyze({sample("digits_100_counts.npy"), "--indices", indices, "--sigma2",
                               "20", "--exact", "--profile-resolution", "0.0078125"})
              .json();
      const json upper = others.at("profile").at("epsilon_at").at("upper");
      CHECK(without == doctest::Approx(std::max(upper.at("forward").at(2).get<double>(),
                                                upper.at("reverse").at(2).get<double>()))
                           .epsilon(1e-4));
    }
  }

  TEST_CASE("explained queries as CSV") {
    const Ran ran =
        explain({sample("digits_100_counts.npy"), "--queries", "200", "--query", "17,3", "--csv"});
    CHECK(ran.status == 0);
    std::istringstream lines(ran.out);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    REQUIRE(all.size() == 3);
    CHECK(all[0].starts_with("query,times,plurality,votes,second,answered,log_q,rdp_order,"));
    CHECK(all[1].starts_with("17,1,4,46,21,"));
    CHECK(all[2].starts_with("3,1,2,54,14,"));
    CHECK(ran.err.find("it is for the owner of the data") != std::string::npos);
    const Ran both = explain({sample("digits_100_counts.npy"), "--query", "3", "--csv", "--json"});
    CHECK(both.status == 2);
    CHECK(both.err.find("leave out --json") != std::string::npos);
  }

  TEST_CASE("votes that cost next to nothing are explained as others are") {
    pate_test::Random random(6);
    int next_to_nothing = 0;
    for (int i = 0; i < 24; ++i) {
      const TempDirectory directory;
      const std::int64_t teachers = random.integer(20, 300);
      std::string rows;
      for (std::int64_t k = random.integer(1, 3); k > 0; --k) {
        const std::int64_t others = random.integer(0, teachers / 8);
        rows += fmt::format("{},{},0\n", teachers - others, others);
      }
      write_bytes(directory / "v.csv", rows);
      const double noise = static_cast<double>(teachers) * random.log_uniform(0.02, 0.3);
      std::vector<std::string> mechanism{i % 2 == 0 ? "--sigma2" : "--laplace-scale",
                                         fmt::format("{}", noise), "--delta", "1e-5"};
      CAPTURE(rows);
      CAPTURE(noise);
      const Ran ran = explain(
          {directory / "v.csv", "--header", "no", "--index-column", "no", "--top", "1", "--json"},
          mechanism);
      REQUIRE_MESSAGE(ran.status == 0, ran.err);
      const json query = ran.json().at("queries").at(0);
      CHECK(query.at("costs").size() >= 3);
      next_to_nothing += rdp(query, "exact") < 1e-4 ? 1 : 0;
    }
    CHECK(next_to_nothing > 6);
  }
}
