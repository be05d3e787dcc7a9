#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <string>
#include <vector>

#include "support/accuracy.hpp"
#include "support/piped.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::cost;
using pate::test::Piped;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using Words = std::vector<std::string>;

namespace {

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kConfident{"--threshold", "60%", "--sigma1", "15", "--sigma2", "15"};
const Words kGnmax{"--sigma2", "20"};

// A directory of reports.
class Reports {
 public:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }
  // Runs a command that writes its report there; its path.
  [[nodiscard]] std::string make(const std::string& name, const Words& words) const {
    const Ran ran = run(words + Words{"--quiet", "-o", path(name)});
    REQUIRE_MESSAGE(ran.status == 0, ran.err);
    return path(name);
  }
  [[nodiscard]] std::string analyze(const std::string& name, const Words& words) const {
    return make(name, Words{"analyze", "--delta", "1e-5"} + words);
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  TempDirectory directory_;
};

json read(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

json compose(const Words& words) {
  const Ran ran = run(Words{"compose", "--json", "--quiet"} + words);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  return ran.json();
}

// The text of a report without what tells a composed one from others.
std::string results(json report) {
  report.erase("settings");
  report.erase("parts");
  return report.dump(1);
}

double epsilon(const json& report, const char* bound, const char* reading, const char* conversion) {
  const json entry = cost(report, bound, reading, conversion);
  REQUIRE(!entry.is_null());
  return entry.at("epsilon").get<double>();
}

void check_refused(const Words& words, int status, const std::string& message) {
  const Ran ran = run(Words{"compose"} + words);
  CHECK(ran.status == status);
  CHECK(ran.out.empty());
  CHECK_MESSAGE(ran.err.find(message) != std::string::npos, ran.err);
}

}  // namespace

TEST_SUITE("compose") {
  TEST_CASE("all shards together are the run, bit for bit") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string labels = sample("digits_100_labels.npy");
    const std::vector<Words> lines{
        {votes, "--labels", labels, "--decisions", labels, "--reading", "realized"},
        {votes, "--queries", "10:211", "--bound", "tradeoff", "--orders", "2,4,8"},
        {votes, "--queries", "2"},
        {votes, "--labels", labels},
    };
    int number = 0;
    for (const Words& line : lines) {
      for (const Words& mechanism : {kConfident, kGnmax, Words{"--laplace-scale", "20"}}) {
        if (mechanism != kConfident && line.size() == 7) continue;
        const std::string name = std::to_string(++number);
        const json whole = read(reports.analyze(name, line + mechanism));
        for (const std::string of : {"2", "3", "7"}) {
          Words shards;
          for (int index = std::stoi(of); index >= 1; --index) {
            const std::string shard = std::to_string(index) + "/" + of;
            shards.push_back(reports.analyze(
                name + "-" + std::to_string(index),
                line + mechanism + Words{"--shard", shard, "--threads", std::to_string(index)}));
          }
          const json composed = compose(shards);
          CHECK_MESSAGE(results(composed) == results(whole), number, " of ", of);
          CHECK(composed.at("parts").size() == shards.size());
          CHECK(composed.at("settings").at("command") == "compose");
        }
      }
    }
  }

  TEST_CASE("all shards of the Interactive aggregator on real votes are the run (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("mnist_t10k_250_counts.npy");
    const std::string student = shared_votes("mnist_t10k_250_student_scores.npy");
    const Reports reports;
    const Words line{votes,      "--student", student,    "--threshold", "150",
                     "--sigma1", "120",       "--sigma2", "40"};
    const json whole = read(reports.analyze("whole", line));
    const json composed = compose({reports.analyze("2", line + Words{"--shard", "2/2"}),
                                   reports.analyze("1", line + Words{"--shard", "1/2"})});
    CHECK(results(composed) == results(whole));
  }

  TEST_CASE("exact costs of all shards are those of the run, from counts and by teacher") {
    const Reports reports;
    const std::string counts = sample("digits_100_counts.npy");
    const std::string predictions = sample("digits_100_predictions.npy");
    const Words by_teacher{predictions, "--layout", "predictions", "--classes", "10"};
    const std::vector<Words> lines{
        Words{counts} + kConfident,
        Words{counts, "--queries", "2"} + kGnmax,
        by_teacher + kConfident,
        by_teacher + Words{"--queries", "5:190", "--orders", "2,4,8,16"} + kGnmax,
        by_teacher + Words{"--queries", "3", "--laplace-scale", "20"},
        Words{counts, "--ptr-sigma", "3", "--ptr-delta", "1e-9"},
    };
    int number = 0;
    for (const Words& line : lines) {
      const std::string name = std::to_string(++number);
      const json whole = read(reports.analyze(name, line + Words{"--exact"}));
      for (const std::string of : {"1", "2", "5"}) {
        Words shards;
        for (int index = std::stoi(of); index >= 1; --index) {
          const std::string shard = std::to_string(index) + "/" + of;
          shards.push_back(reports.analyze(
              name + "-" + std::to_string(index),
              line + Words{"--exact", "--shard", shard, "--threads", std::to_string(index)}));
        }
        const json composed = compose(shards);
        CHECK_MESSAGE(results(composed) == results(whole), number, " of ", of);
        CHECK(composed.contains("per_teacher") == (line.front() == predictions));
      }
    }
  }

  TEST_CASE("shards with and without exact costs, or teachers, are not mixed") {
    const Reports reports;
    const Words counts = Words{sample("digits_100_counts.npy"), "--queries", "50"} + kGnmax;
    const Words predictions = Words{sample("digits_100_predictions.npy"),
                                    "--queries",
                                    "50",
                                    "--layout",
                                    "predictions",
                                    "--classes",
                                    "10"} +
                              kGnmax;
    const std::string first = reports.analyze("1", counts + Words{"--exact", "--shard", "1/2"});
    const std::string plain = reports.analyze("2", counts + Words{"--shard", "2/2"});
    check_refused({first, plain}, 3, "settings.exact: expected true");
    const std::string other =
        reports.analyze("3", predictions + Words{"--exact", "--shard", "2/2"});
    check_refused({first, other}, 3, "settings.classes");
    json broken = read(first);
    broken.at("partials").erase("exact");
    check_refused({reports.write("4", broken.dump()), plain}, 3,
                  "partials: expected the member exact, as settings.exact or settings.bound says");
  }

  TEST_CASE("exact costs of rounds add up by direction at the given orders") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const Words exact{"--exact", "--orders", "2,4,6,8,10,12,16,20"};
    const std::string first =
        reports.analyze("1", Words{votes, "--queries", "0:80"} + kConfident + exact);
    const std::string second =
        reports.analyze("2", Words{votes, "--queries", "80:200"} + kConfident + exact);
    const json whole =
        read(reports.analyze("whole", Words{votes, "--queries", "200"} + kConfident + exact));
    const json composed = compose({first, second});
    for (const char* conversion : {"improved", "classic"}) {
      const double sum = epsilon(composed, "exact", "joint", conversion);
      const double at_once = epsilon(whole, "exact", "joint", conversion);
      CHECK(std::abs(sum - at_once) <= 1e-12 * at_once);
      CHECK(sum < epsilon(composed, "tradeoff", "joint", conversion));
    }
    const json& rdp = composed.at("rdp").at("exact").at("joint");
    for (const char* direction : {"forward", "reverse"}) {
      const auto parts = {read(first), read(second)};
      for (std::size_t k = 0; k < 8; ++k) {
        double sum = 0.0;
        for (const json& part : parts) {
          sum += part.at("rdp").at("exact").at("joint").at(direction).at(k).get<double>();
        }
        CHECK(rdp.at(direction).at(k).get<double>() == doctest::Approx(sum).epsilon(1e-14));
      }
    }
    // What is composed can be composed again; a plan counts in full.
    const std::string both = reports.write("both", composed.dump());
    const std::string plan =
        reports.make("plan", {"plan", "--delta", "1e-5", "--sigma2", "50", "--queries", "3"});
    const json more = compose({both, plan});
    const double planned = 3.0 * 8.0 / (50.0 * 50.0);
    CHECK(more.at("rdp").at("exact").at("joint").at("forward").at(3).get<double>() ==
          doctest::Approx(rdp.at("forward").at(3).get<double>() + planned));
    // Without orders, or without --exact, there is nothing to add.
    const std::string plain = reports.analyze("plain", Words{votes, "--queries", "80"} + kGnmax);
    const json without = compose({first, plain});
    CHECK(cost(without, "exact", "joint", "improved").is_null());
    CHECK(without.at("notices").dump().find("analyze with --exact --orders") != std::string::npos);
  }

  TEST_CASE("a shard's report is about its queries and says so") {
    const Reports reports;
    const Words line = Words{sample("digits_100_counts.npy"), "--queries", "90"} + kConfident;
    const json shard = read(reports.analyze("shard", line + Words{"--shard", "2/3"}));
    CHECK(shard.at("queries") == 30);
    CHECK(shard.at("shard") == json{{"index", 2}, {"of", 3}, {"run_queries", 90}});
    CHECK(shard.at("notices").back().at("code") == "shard");
    const json rows = read(reports.analyze(
        "rows", Words{sample("digits_100_counts.npy"), "--queries", "30:60"} + kConfident));
    CHECK(shard.at("costs") == rows.at("costs"));
    // The digest is that of the whole run's votes.
    const json whole = read(reports.analyze("whole", line));
    CHECK(shard.at("inputs") == whole.at("inputs"));
    const Ran limit =
        run(Words{"analyze", "--delta", "1e-5", "--shard", "1/2", "--max-epsilon", "3"} + line);
    CHECK(limit.status == 2);
    CHECK(limit.err.find("limits are for a whole run") != std::string::npos);
    CHECK(run(Words{"analyze", "--delta", "1e-5", "--shard", "3/2"} + line).status == 2);
  }

  TEST_CASE("shards that do not make one run are refused by file and field") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const Words line = Words{votes, "--queries", "90"} + kConfident;
    const auto shard = [&](const std::string& name, const std::string& index, const Words& words) {
      return reports.analyze(name, words + Words{"--shard", index});
    };
    const std::string one = shard("one", "1/2", line);
    const std::string two = shard("two", "2/2", line);
    check_refused({one}, 3, "shard 2 of 2 is missing");
    check_refused({one, two, one}, 3, "one: shard.index: shard 1 of 2 is there twice");
    check_refused({one, shard("of", "2/3", line)}, 3, "of: shard.of: expected 2 as in ");
    check_refused({one, shard("rows", "2/2", Words{votes, "--queries", "10:100"} + kConfident)}, 3,
                  "rows: settings.queries: expected 90 as in ");
    check_refused({one, shard("noise", "2/2", line + Words{"--bound", "tradeoff"})}, 3,
                  "noise: settings.bound: expected [published,tradeoff] as in ");
    check_refused(
        {one, shard("labels", "2/2", line + Words{"--labels", sample("digits_100_labels.npy")})}, 3,
        "labels: inputs.labels.sha256: expected ");
    check_refused({one, reports.analyze("whole", line)}, 3, "one: shard: expected a whole run");
    check_refused({one, two, "--delta", "1e-4"}, 2, "shards are put together as they were made");
    json other = read(two);
    other.at("inputs").at("votes").at("votes_digest") = std::string(64, '0');
    check_refused({one, reports.write("digest", other.dump())}, 3,
                  "digest: inputs.votes.votes_digest: expected ");
    other = read(two);
    other.at("tool").at("version") = "9.9.9";
    check_refused({one, reports.write("version", other.dump())}, 3,
                  "version: tool.version: expected 0.1.0 as in ");
    // Limits are those of the run.
    const Ran limit = run({"compose", one, two, "--max-epsilon", "0.5", "--json", "--quiet"});
    CHECK(limit.status == 1);
    CHECK(limit.err.find("limit missed: epsilon is ") != std::string::npos);
  }

  TEST_CASE("two halves cost what the whole costs") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string labels = sample("digits_100_labels.npy");
    for (const Words& mechanism :
         {kConfident + Words{"--decisions", labels}, kGnmax, Words{"--laplace-scale", "20"}}) {
      const auto part = [&](const char* name, const char* queries) {
        return reports.analyze(name, Words{votes, "--queries", queries} + mechanism);
      };
      const json whole = read(part("whole", "200"));
      const json sum = compose({part("first", "0:77"), part("second", "77:200")});
      CHECK(sum.at("queries") == 200);
      CHECK(sum.at("mechanism").at("name") == "composed");
      REQUIRE(sum.at("costs").size() == whole.at("costs").size());
      for (const json& expected : whole.at("costs")) {
        const json found =
            cost(sum, expected.at("bound"), expected.at("reading"), expected.at("conversion"));
        REQUIRE(!found.is_null());
        const auto its = found.at("epsilon").get<double>();
        const auto best = expected.at("epsilon").get<double>();
        // The best order of the grid, and the best order of all.
        CHECK(its >= best * (1.0 - 1e-10));
        CHECK(its <= best * (1.0 + (expected.at("data_dependent") == true ? 1e-3 : 1e-12)));
        CHECK(found.at("releasable") == expected.at("releasable"));
        CHECK(found.contains("sd") == expected.contains("sd"));
      }
      // At the same orders nothing is lost; tables of q differ, and agree to their accuracy.
      for (const char* bound : {"published", "tradeoff"}) {
        for (const auto& [curve, values] : whole.at("rdp").at(bound).items()) {
          const json& found = sum.at("rdp").at(bound).at(curve);
          for (std::size_t j = 0; j < values.size(); ++j) {
            CHECK(pate_test::relative_error(found[j].get<double>(), values[j].get<double>()) <
                  1e-10);
          }
        }
      }
    }
  }

  TEST_CASE(
      "S18's two rounds on real votes: Confident, then Interactive with a student (real votes)" *
      doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("mnist_t10k_250_counts.npy");
    const std::string student = shared_votes("mnist_t10k_250_student_scores.npy");
    const Reports reports;
    const std::string first = reports.analyze(
        "first",
        {votes, "--queries", "300", "--threshold", "200", "--sigma1", "150", "--sigma2", "40"});
    const std::string second =
        reports.analyze("second", {votes, "--queries", "300:2500", "--student", student,
                                   "--threshold", "150", "--sigma1", "120", "--sigma2", "40"});
    const json sum = compose({first, second});
    CHECK(sum.at("queries") == 2500);
    CHECK(sum.at("trajectory").size() == 2);
    CHECK(sum.at("notices")[0].at("code") == "adaptive_rounds");
    CHECK(sum.at("headline").at("order_chosen_after") == true);
    const double joint = epsilon(sum, "tradeoff", "joint", "improved");
    const double of_first = epsilon(read(first), "tradeoff", "joint", "improved");
    const double of_second = epsilon(read(second), "tradeoff", "joint", "improved");
    // More than either, less than both epsilons together.
    CHECK(joint > of_second);
    CHECK(joint < of_first + of_second);
    CHECK(joint == doctest::Approx(2.1352).epsilon(1e-4));
    // At an order that was fixed before.
    const json fixed = compose({first, second, "--orders", "10"});
    CHECK(fixed.at("headline").at("order") == 10.0);
    double rdp = 0.0;
    for (const std::string& path : {first, second}) {
      const json report = read(path);
      const json& orders = report.at("rdp").at("orders");
      for (std::size_t j = 0; j < orders.size(); ++j) {
        if (orders[j] == 10.0) rdp += report.at("rdp").at("tradeoff").at("joint")[j].get<double>();
      }
    }
    CHECK(fixed.at("headline").at("parts").at("steps").get<double>() ==
          doctest::Approx(rdp).epsilon(1e-13));
    CHECK(fixed.at("headline").at("epsilon").get<double>() >= joint);
  }

  TEST_CASE("sums are reports that can be added again") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const auto part = [&](const char* name, const char* queries) {
      return reports.analyze(name, Words{votes, "--queries", queries} + kConfident);
    };
    const std::string a = part("a", "0:50");
    const std::string b = part("b", "50:100");
    const std::string c = part("c", "100:200");
    const std::string plan =
        reports.make("plan", {"plan", "--sigma2", "20", "--queries", "10", "--delta", "1e-5"});
    const json flat = compose({a, b, c, plan});
    const json nested = compose({reports.make("ab", {"compose", a, b}), c, plan});
    for (const json& expected : flat.at("costs")) {
      CHECK(epsilon(nested, expected.at("bound").get<std::string>().c_str(),
                    expected.at("reading").get<std::string>().c_str(),
                    expected.at("conversion").get<std::string>().c_str()) ==
            doctest::Approx(expected.at("epsilon").get<double>()).epsilon(1e-13));
    }
    CHECK(nested.at("steps") == flat.at("steps"));
    CHECK(nested.at("answered").at("expected").is_null());
  }

  TEST_CASE("runs of the mechanism add, as reports and as a ledger") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string ledger = reports.path("ledger");
    const auto label = [&](const std::string& name, const Words& words) {
      return reports.make(
          name, Words{"label", votes, "--teachers", "100", "--delta", "1e-5", "--order", "8",
                      "--write-labels", reports.path(name + ".csv"), "--ledger", ledger} +
                    words);
    };
    const std::string a = label("a", Words{"--queries", "40"} + kConfident);
    const std::string b = label("b", Words{"--queries", "40:60", "--max-answers", "7"} + kGnmax);
    const json sum = compose({a, b});
    CHECK(sum.at("queries") == 60);
    CHECK(sum.at("steps").at("gaussian_maxima") ==
          json{{{"sigma2", 15.0}, {"count", 40}}, {{"sigma2", 20.0}, {"count", 7}}});
    const json analyzed =
        compose({reports.analyze("x", Words{votes, "--queries", "40"} + kConfident),
                 reports.analyze("y", Words{votes, "--queries", "40:47"} + kGnmax)});
    // Asked were the same queries; before the run that was certain.
    CHECK(epsilon(sum, "tradeoff", "joint", "improved") ==
          doctest::Approx(epsilon(analyzed, "tradeoff", "joint", "improved")).epsilon(1e-9));
    CHECK(!cost(sum, "tradeoff", "realized", "improved").is_null());

    // Realized costs at the order that both fixed.
    CHECK(cost(sum, "tradeoff", "realized", "improved").at("order") == 8.0);
    CHECK(!cost(sum, "tradeoff", "realized", "improved").contains("order_chosen_after"));

    // All that a ledger records is about the same teachers.
    const json entries = compose({ledger});
    REQUIRE(entries.at("parts").size() == 2);
    CHECK(entries.at("parts")[0].at("schema") == "pate/ledger/v2");
    // Answers decided what the first run cost; the steps of the second were certain.
    std::ifstream lines(ledger);
    std::string first;
    std::getline(lines, first);
    const double released = json::parse(first).at("released").at("epsilon").get<double>();
    const json certain = read(
        reports.make("certain", {"plan", "--sigma2", "20", "--queries", "7", "--delta", "1e-5"}));
    const double expected = released + certain.at("headline").at("epsilon").get<double>();
    CHECK(entries.at("headline").at("epsilon").get<double>() ==
          doctest::Approx(expected).epsilon(1e-14));
    CHECK(entries.at("headline").at("epsilon").get<double>() >= expected);
    CHECK(entries.at("headline").at("delta").get<double>() >= 2e-5);
    CHECK(entries.at("headline").at("releasable") == true);
  }

  TEST_CASE("a released epsilon adds with its delta") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string release = reports.make(
        "release", Words{"release", votes, "--teachers", "100", "--queries", "100", "--delta",
                         "1e-5", "--order", "6", "--s", "4", "--beta", "0.04"} +
                       kConfident);
    const json published = read(release).at("public");
    const std::string a = reports.analyze("a", Words{votes, "--queries", "100:110"} + kGnmax);
    const json sum = compose({a, release});
    const double expected = epsilon(read(a), "data_independent", "worst_case", "gdp") +
                            published.at("epsilon").get<double>();
    CHECK(cost(sum, "data_independent", "worst_case", "gdp").is_null());
    CHECK(epsilon(sum, "released", "released", "gdp") == doctest::Approx(expected).epsilon(1e-12));
    CHECK(sum.at("delta").get<double>() >=
          (1e-5 + published.at("delta").get<double>()) *
              (1.0 - 2.0 * std::numeric_limits<double>::epsilon()));
    CHECK(sum.at("released").at("epsilon") == published.at("epsilon"));
    const std::string dry = reports.make(
        "dry", Words{"release", votes, "--teachers", "100", "--queries", "100", "--delta", "1e-5",
                     "--dry-run", "--order", "6", "--s", "4", "--beta", "0.04"} +
                   kConfident);
    check_refused({a, dry}, 3, "expected a release that was made");
  }

  TEST_CASE("parameters that were chosen from votes stay chosen, whatever is added up") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const auto release = [&](const char* name, const Words& parameters) {
      return reports.make(name, Words{"release", "--method", "gnss", votes, "--teachers", "100",
                                      "--queries", "100", "--delta", "1e-5"} +
                                    kConfident + parameters);
    };
    const std::string chosen = release("chosen", {});
    const std::string fixed =
        release("fixed", {"--order", "4", "--beta", "0.05", "--sigma-ss", "3"});
    const Words strict{"--require-releasable", "--quiet"};
    CHECK(run(Words{"compose", fixed} + strict).status == 0);
    const Ran ran = run(Words{"compose", chosen} + strict);
    CHECK(ran.status == 1);
    CHECK(ran.err.find("were chosen from votes") != std::string::npos);
    // In a sum, in a sum of sums, and with a plan.
    const std::string sum = reports.make("sum", {"compose", fixed, chosen});
    const std::string plan =
        reports.make("plan", {"plan", "--sigma2", "20", "--queries", "10", "--delta", "1e-5"});
    const std::string more = reports.make("more", {"compose", sum, plan});
    for (const std::string& path : {sum, more}) {
      CHECK(run(Words{"compose", path} + strict).status == 1);
      const json report = read(path);
      CHECK(report.at("provenance").at("parameters") == "chosen from the votes");
      CHECK(report.at("provenance").at("confidence") == 0.99999);
      CHECK(report.at("headline").at("bound") == "released");
      CHECK(report.at("headline").at("reading") == "released");
      CHECK(report.at("headline").at("releasable") == false);
      CHECK(report.at("guarantee").at("holds") == false);
    }
    // Nor is it put out as what may be published.
    const Ran open = run({"compose", sum, "--public-only", "--json"});
    CHECK(open.status == 1);
    CHECK(open.out.empty());
    const std::string a = reports.analyze("a", Words{votes, "--queries", "50"} + kConfident);
    const Ran shown = run({"compose", a, "--public-only", "--summary"});
    CHECK(shown.status == 0);
    CHECK(shown.out.find("confident, 50 queries\n") != std::string::npos);
    // Every part shows what it is, and what was said about it.
    const json part = read(more).at("parts")[0];
    CHECK(part.at("epsilon") == read(sum).at("headline").at("epsilon"));
    CHECK(part.at("provenance") == read(sum).at("provenance"));
    CHECK(part.at("notices").dump().find("parameters_from_votes") != std::string::npos);
    // A sum that does not say what qualifies it is none that can be added.
    json silent = read(sum);
    silent.erase("provenance");
    check_refused({reports.write("silent", silent.dump())}, 3, "silent: provenance: is missing");
  }

  TEST_CASE("a run with limits keeps its order, also when it is added up") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const auto label = [&](const char* name, const Words& words) {
      return reports.make(name, Words{"label", votes, "--teachers", "100", "--delta", "1e-5",
                                      "--write-labels", reports.path(std::string(name) + ".csv")} +
                                    kConfident + words);
    };
    const std::string stopped = label("stopped", {"--max-answers", "3", "--order", "3"});
    const std::string whole = label("whole", {"--queries", "20", "--max-answers", "30"});
    for (const std::string& path : {stopped, whole}) {
      const json report = read(path);
      CHECK(report.at("rdp").at("orders") == json::array({report.at("filter").at("order")}));
      const json sum = compose({path});
      for (const char* reading : {"joint", "realized"}) {
        const json its = cost(sum, "tradeoff", reading, "improved");
        CHECK(its.at("epsilon").get<double>() ==
              doctest::Approx(epsilon(report, "tradeoff", reading, "improved")).epsilon(1e-9));
        CHECK(its.at("order") == report.at("filter").at("order"));
      }
      CHECK(sum.at("provenance").at("limited") == true);
      CHECK(sum.at("provenance").at("stopped") == (path == stopped));
      // Again.
      const json again = compose({reports.write("again", sum.dump())});
      CHECK(again.at("headline").at("epsilon") == sum.at("headline").at("epsilon"));
      CHECK(again.at("provenance") == sum.at("provenance"));
    }
    // Different orders: nothing but what holds for any votes.
    const json both = compose({stopped, whole, "--same-teachers"});
    CHECK(both.at("headline").at("bound") == "data_independent");
    CHECK(both.at("notices")[0].at("code") == "orders_differ");
    // A report of before, with costs at orders that were not fixed.
    json before = read(stopped);
    before.at("rdp").at("orders") = {2.0};
    check_refused({reports.write("before", before.dump())}, 3,
                  "before: rdp.orders: expected the one order that this run with limits fixed, 3");
  }

  TEST_CASE("any bound may be the headline, and has to keep the limits then") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string a = reports.analyze("a", Words{votes, "--queries", "50"} + kConfident);
    const json sum = compose({a, "--bound", "data-independent"});
    CHECK(sum.at("headline").at("bound") == "data_independent");
    CHECK(sum.at("headline").at("conversion") == "gdp");
    const std::string between =
        std::to_string(0.5 * (epsilon(sum, "tradeoff", "joint", "improved") +
                              sum.at("headline").at("epsilon").get<double>()));
    CHECK(run({"compose", a, "--max-epsilon", between, "--quiet"}).status == 0);
    CHECK(run({"compose", a, "--max-epsilon", between, "--quiet", "--bound", "data-independent"})
              .status == 1);
    CHECK(compose({a, "--bound", "published"}).at("headline").at("reading") == "expected");
    check_refused({a, "--bound", "exact"}, 2, "no cost has bound exact");
    // Each part is shown with its own headline.
    const json part = sum.at("parts")[0];
    CHECK(part.at("epsilon") == read(a).at("headline").at("epsilon"));
    CHECK(part.at("order") == read(a).at("headline").at("order"));
    CHECK(part.at("answered") == read(a).at("answered").at("expected"));
  }

  TEST_CASE("all shards of a tuning are the tuning, bit for bit") {
    const Reports reports;
    const Words grid{"tune",          sample("digits_100_counts.npy"),
                     "--queries",     "200",
                     "--delta",       "1e-5",
                     "--sigma1",      "10,20",
                     "--sigma2",      "15,30",
                     "--threshold",   "40%:60%:5%",
                     "--objective",   "answered",
                     "--max-epsilon", "5"};
    json whole = read(reports.make("whole", grid));
    Words shards;
    for (const char* index : {"3", "1", "2"}) {
      shards.push_back(reports.make(std::string("t") + index,
                                    grid + Words{"--shard", std::string(index) + "/3"}));
    }
    json joined = compose(shards);
    CHECK(results(joined) == results(whole));
    check_refused({shards[0], shards[1]}, 3, "shard 2 of 3 is missing");
    check_refused(shards + Words{shards[0]}, 3, "shard 3 is there twice");
    check_refused(shards + Words{"--delta", "1e-6"}, 2, "shards are put together as they were");
    Words other = grid;
    other.back() = "4";
    check_refused({shards[1], shards[2], reports.make("other", other + Words{"--shard", "3/3"})}, 3,
                  "other: limits.max_epsilon: expected the same as in ");
  }

  TEST_CASE("reports and ledgers may come out of pipes, which can be read once") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const Words line = Words{votes, "--queries", "90"} + kConfident;
    const Words grid{"tune", votes, "--queries", "50", "--delta", "1e-5", "--sigma2", "15,30"};
    const std::string ledger = reports.path("ledger");
    const std::string label = reports.make(
        "label", Words{"label", votes, "--teachers", "100", "--delta", "1e-5", "--queries",
                       "90:100", "--write-labels", reports.path("labels.csv"), "--ledger", ledger} +
                     kGnmax);
    const std::string whole = reports.analyze("whole", line);
    const std::vector<Words> inputs{
        {reports.analyze("1", line + Words{"--shard", "1/2"}),
         reports.analyze("2", line + Words{"--shard", "2/2"})},
        {reports.make("t1", grid + Words{"--shard", "1/2"}),
         reports.make("t2", grid + Words{"--shard", "2/2"})},
        {ledger},
        {whole, label},
        {whole, ledger, "--same-teachers"},
    };
    std::list<Piped> pipes;
    const auto piped = [&](Words words) {
      for (std::string& word : words) {
        if (word.starts_with("--")) continue;
        std::ifstream file(word);
        pipes.emplace_back(std::string(std::istreambuf_iterator<char>(file), {}));
        word = pipes.back().path();
      }
      return words;
    };
    for (const Words& words : inputs) {
      const json composed = compose(piped(words));
      json expected = compose(words);
      // Notices name the files.
      expected["notices"] = composed.at("notices");
      CHECK_MESSAGE(results(composed) == results(expected), words[0]);
    }
    // What does not go together is refused as it is with files.
    check_refused(piped({inputs[0][0], inputs[1][0]}), 3, "shard: expected a whole run");
    check_refused(piped({ledger, inputs[1][0]}), 3, "shard: expected a whole run");
  }

  TEST_CASE("rounds that cannot be added are refused by file and field") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string a = reports.analyze("a", Words{votes, "--queries", "50"} + kConfident);
    const std::string other_delta =
        reports.make("delta", Words{"analyze", votes, "--delta", "1e-6"} + kConfident);
    check_refused({a, other_delta}, 3, "delta: delta: expected 1e-05 as in ");
    CHECK(compose({a, other_delta, "--delta", "1e-6"}).at("delta") == 1e-6);

    const std::string more = reports.path("more.npy");
    REQUIRE(run({"simulate", "--teachers", "100", "--classes", "10", "--queries", "20", "--seed",
                 "1", "-o", more})
                .status == 0);
    const std::string b = reports.analyze("b", Words{more} + kConfident);
    check_refused({a, b}, 3, "add --same-teachers");
    CHECK(compose({a, b, "--same-teachers"}).at("queries") == 70);
    const std::string fewer = reports.path("fewer.npy");
    REQUIRE(run({"simulate", "--teachers", "99", "--classes", "10", "--queries", "20", "--seed",
                 "1", "-o", fewer})
                .status == 0);
    const std::string c = reports.analyze("c", Words{fewer} + kConfident);
    check_refused({a, c, "--same-teachers"}, 3, "c: teachers: expected 100 as in ");

    const std::string inspect = reports.make("inspect", {"inspect", votes});
    check_refused({a, inspect}, 3, "inspect: schema: expected ");
    check_refused({a, reports.path("missing")}, 3, "missing: ");
    check_refused({a, reports.write("text", "hello")}, 3, "text: expected a JSON report");
    check_refused({a, reports.write("empty", "{}")}, 3, "empty: schema: is missing");
    check_refused({a, "-o", a}, 2, "is an input");
    check_refused({a, "--max-epsilon", "-1"}, 2, "--max-epsilon must be >= 0");
    check_refused({a, "--orders", "7.77"}, 3, "a: rdp.orders: expected all of the given orders");
  }

  TEST_CASE("a report that contradicts itself is refused") {
    const Reports reports;
    const json good =
        read(reports.analyze("good", Words{sample("digits_100_counts.npy"), "--queries", "40",
                                           "--orders", "2,8", "--exact"} +
                                         kConfident));
    const auto refuses = [&](const char* place, double factor, const std::string& message) {
      json edited = good;
      json& value = edited.at(json::json_pointer(place));
      value = value.get<double>() * factor;
      check_refused({reports.write("edited", edited.dump())}, 3, message);
    };
    refuses("/rdp/tradeoff/joint/1", 0.1, "rdp.exact.joint.forward[1]: expected at most ");
    refuses("/rdp/tradeoff/joint/0", 10.0, "rdp.tradeoff.joint[0]: expected at most ");
    refuses("/rdp/tradeoff/selection/0", 10.0, "the data-independent RDP of this run at order 2");
    refuses("/rdp/tradeoff/noisy_max/1", 10.0, "rdp.tradeoff.noisy_max[1]: expected at most ");
    refuses("/rdp/exact/joint/reverse/0", 3.0, "the tradeoff RDP of this run at order 2, found ");
    bool any = false;
    for (std::size_t i = 0; i < good.at("costs").size(); ++i) {
      const json& cost = good["costs"][i];
      if (cost["bound"] != "tradeoff" || cost["reading"] != "joint") continue;
      any = true;
      const std::string place = "/costs/" + std::to_string(i) + "/epsilon";
      refuses(place.c_str(), 0.1, "the exact epsilon of this run");
      refuses(place.c_str(), 10.0, "the tradeoff epsilon of this run");
    }
    CHECK(any);
    for (const json& cost : good.at("costs")) {
      const auto i = static_cast<std::size_t>(&cost - &good.at("costs").front());
      const std::string place = "/costs/" + std::to_string(i) + "/epsilon";
      if (cost["epsilon"] > 0.0) refuses(place.c_str(), -1.0, "expected a number >= 0, found -");
    }
    refuses("/rdp/orders/0", 0.5000000000000001,
            "an order from 1 + 1e-9 to 1e9, found 1.0000000000");
    refuses("/rdp/orders/1", 1e160, "an order from 1 + 1e-9 to 1e9, found 8e+160");
    CHECK(run({"compose", reports.write("good again", good.dump()), "--quiet"}).status == 0);
    for (const char* const key : {"teachers", "inputs", "settings", "steps"}) {
      json edited = good;
      edited.erase(key);
      check_refused({reports.write("edited", edited.dump())}, 3, std::string(key) + ": is missing");
    }
  }

  TEST_CASE("of a report with exact curves alone the sum has its orders") {
    const Reports reports;
    json alone = read(reports.analyze("one", Words{sample("digits_100_counts.npy"), "--queries",
                                                   "40", "--orders", "2,8", "--exact"} +
                                                 kConfident));
    alone.at("rdp").erase("tradeoff");
    alone.at("rdp").erase("published");
    const Ran sum = run({"compose", reports.write("alone", alone.dump()), "--quiet"});
    REQUIRE(sum.status == 0);
    const json composed = json::parse(sum.out);
    CHECK(composed["rdp"]["orders"] == json({2.0, 8.0}));
    CHECK(composed["rdp"]["exact"] == alone["rdp"]["exact"]);
  }

  TEST_CASE("sums whose provenance contradicts itself are refused") {
    const Reports reports;
    const Words words = Words{sample("digits_100_counts.npy"), "--queries", "40"} + kConfident;
    const std::string one = reports.analyze("one", words + Words{"--orders", "2,8"});
    const json good = json::parse(run({"compose", one, "--quiet"}).out);
    REQUIRE(good.contains("provenance"));
    for (const auto& [key, message] :
         {std::pair("limited",
                    "provenance.fixed_order: expected an order, since limits could stop a run"),
          {"adaptive_rounds", "provenance.adaptive: expected true, since rounds are"}}) {
      json edited = good;
      edited.at("provenance")["fixed_order"] = nullptr;
      edited.at("provenance")["adaptive"] = false;
      edited.at("provenance")[key] = true;
      check_refused({reports.write("edited", edited.dump())}, 3, message);
    }
  }

  TEST_CASE("curves that are below what the epsilons of a report say are refused") {
    const Reports reports;
    const json good =
        read(reports.analyze("good", Words{sample("digits_100_counts.npy"), "--queries", "40",
                                           "--decisions", sample("digits_100_labels.npy")} +
                                         kConfident));
    CHECK(run({"compose", reports.write("good", good.dump()), "--quiet"}).status == 0);
    for (const auto& [bound, curve] : {std::pair("tradeoff", "joint"),
                                       {"tradeoff", "selection"},
                                       {"tradeoff", "noisy_max"},
                                       {"tradeoff", "noisy_max_realized"},
                                       {"published", "noisy_max"},
                                       {"published", "noisy_max_realized"}}) {
      json edited = good;
      for (json& value : edited.at("rdp").at(bound).at(curve)) value = value.get<double>() * 0.5;
      check_refused({reports.write("edited", edited.dump())}, 3,
                    "which the RDP of this report is at order ");
    }
    for (const char* const bound : {"tradeoff", "published"}) {
      for (const char* const curve : {"noisy_max", "selection"}) {
        json edited = good;
        edited.at("rdp").at(bound).erase(curve);
        check_refused({reports.write("edited", edited.dump())}, 3,
                      std::string(curve) + ": is missing");
      }
    }
  }

  TEST_CASE("epsilons below what their report says otherwise are refused, whoever they are of") {
    const Reports reports;
    const Words words = Words{sample("digits_100_counts.npy"), "--queries", "40", "--decisions",
                              sample("digits_100_labels.npy")} +
                        kConfident;
    const json searched = read(reports.analyze("searched", words));
    const json at_orders =
        read(reports.analyze("at orders", words + Words{"--orders", "2,8,12", "--exact"}));
    int from_rdp = 0;
    for (const json* const good : {&searched, &at_orders}) {
      CHECK(run({"compose", reports.write("good", good->dump()), "--quiet"}).status == 0);
      for (std::size_t i = 0; i < good->at("costs").size(); ++i) {
        json edited = *good;
        json& cost = edited.at("costs")[i];
        if (cost["bound"] == "data_independent" || cost["conversion"] == "profile") continue;
        ++from_rdp;
        cost["epsilon"] = cost["epsilon"].get<double>() * 0.95;
        check_refused({reports.write("edited", edited.dump())}, 3,
                      ", which the RDP of this report is at order ");
      }
    }
    CHECK(from_rdp >= 10);
    json gdp = searched;
    gdp.at("costs").back()["epsilon"] = gdp["costs"].back()["epsilon"].get<double>() * 0.999;
    REQUIRE(gdp["costs"].back()["conversion"] == "gdp");
    check_refused({reports.write("edited", gdp.dump())}, 3, "the sum of its parts, found ");
    json edited = at_orders;
    for (json& cost : edited.at("costs")) {
      if (cost["conversion"] == "profile") cost["lower"] = cost["epsilon"].get<double>() * 1.001;
    }
    check_refused({reports.write("edited", edited.dump())}, 3,
                  "below which no epsilon of this run is true, found ");
  }

  TEST_CASE("malformed reports are input errors, whatever is wrong with them") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string labels = sample("digits_100_labels.npy");
    const std::string orders = "2,4,8";
    const std::vector<Words> makes{
        Words{"analyze", votes, "--queries", "40", "--delta", "1e-5", "--orders", orders,
              "--decisions", labels} +
            kConfident,
        Words{"analyze", votes, "--queries", "40", "--delta", "1e-5", "--orders", orders,
              "--labels", labels, "--shard", "1/2"} +
            kConfident,
        Words{"plan", "--sigma2", "20", "--queries", "10", "--delta", "1e-5"},
    };
    const std::vector<json> values{nullptr,
                                   -1,
                                   0,
                                   1e300,
                                   0.5,
                                   "x",
                                   true,
                                   json::array(),
                                   json::object(),
                                   json::array({1, "x"}),
                                   std::int64_t{1} << 62};
    pate_test::Random random(77);
    for (std::size_t k = 0; k < makes.size(); ++k) {
      const std::string good = reports.make("good" + std::to_string(k), makes[k]);
      const json flat = read(good).flatten();
      std::vector<std::string> places;
      for (const auto& [place, value] : flat.items()) places.push_back(place);
      for (int i = 0; i < 400; ++i) {
        json broken = read(good);
        const std::string& place = places[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(places.size()) - 1))];
        json::json_pointer pointer(place);
        // The value itself, or something that holds it.
        while (!pointer.empty() && random.integer(0, 2) == 0) pointer.pop_back();
        const auto pick =
            static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(values.size())));
        if (pick < values.size()) {
          broken[pointer] = values[pick];
        } else if (!pointer.empty()) {
          const std::string key = pointer.back();
          pointer.pop_back();
          json& parent = broken[pointer];
          if (parent.is_object()) parent.erase(key);
        }
        const std::string path = reports.write("broken", broken.dump());
        const Ran ran = run({"compose", path, good, "--quiet"});
        CHECK_MESSAGE((ran.status == 0 || ran.status == 3), place, " ", ran.status, " ", ran.err);
        if (ran.status == 3) CHECK(ran.out.empty());
      }
    }
  }

  TEST_CASE("profiles of several runs are that of all their queries") {
    const TempDirectory directory;
    const auto path = [&](const char* name) { return (directory / name).string(); };
    const std::string votes = sample("digits_100_counts.npy");
    const auto exact = [&](const char* rows, const char* name, std::vector<std::string> more = {}) {
      std::vector<std::string> arguments{"analyze",  votes,     "--queries", rows,      "--sigma2",
                                         "20",       "--delta", "1e-5",      "--exact", "--orders",
                                         "3,5,8,12", "--quiet", "-o",        path(name)};
      arguments.insert(arguments.end(), more.begin(), more.end());
      REQUIRE(run(arguments).status == 0);
      return path(name);
    };
    const auto composed = [&](const std::vector<std::string>& parts,
                              const std::vector<std::string>& more = {}) {
      std::vector<std::string> arguments{"compose", "--json", "--quiet"};
      arguments.insert(arguments.end(), parts.begin(), parts.end());
      arguments.insert(arguments.end(), more.begin(), more.end());
      const auto ran = run(arguments);
      INFO(ran.err);
      REQUIRE(ran.status == 0);
      return ran.json();
    };
    const auto profile = [](const json& report) -> json {
      return pate::test::cost(report, "exact", "joint", "profile");
    };
    const std::string first = exact("0:10", "first");
    const std::string second = exact("10:24", "second");
    const std::string checked = exact("24:34", "checked", {"--threshold", "60", "--sigma1", "30"});
    std::ifstream file(exact("0:24", "both"));
    const json both = json::parse(file);
    const json sum = composed({first, second}, {"--conversion", "profile"});
    CHECK(sum.at("headline") == profile(sum));
    CHECK(profile(sum).at("epsilon").get<double>() ==
          doctest::Approx(profile(both).at("epsilon").get<double>()).epsilon(2e-4));
    CHECK(sum.at("profile").at("epsilon_at").at("delta").size() == 10);
    CHECK(sum.at("exact_queries").size() == 2);
    // Another mechanism, a sum of a sum, and Gaussian steps of a plan.
    const json three = composed({first, second, checked});
    CHECK(profile(three).at("epsilon") > profile(sum).at("epsilon"));
    std::ofstream(path("sum")) << sum.dump();
    CHECK(profile(composed({path("sum"), checked})) == profile(three));
    REQUIRE(run({"plan", "--sigma2", "60", "--queries", "20", "--delta", "1e-5", "--quiet", "-o",
                 path("plan")})
                .status == 0);
    const json planned = composed({first, second, path("plan")});
    CHECK(profile(planned).at("epsilon") > profile(sum).at("epsilon"));
    CHECK(profile(planned).at("epsilon") <
          pate::test::cost(planned, "exact", "joint", "improved").at("epsilon"));
    CHECK(profile(planned).at("lower") <= profile(sum).at("epsilon"));
    // Not where rows were picked by earlier answers, nor beside other noise that votes do not show.
    REQUIRE(run({"plan", "--laplace-scale", "60", "--queries", "20", "--delta", "1e-5", "--quiet",
                 "-o", path("laplace")})
                .status == 0);
    CHECK(profile(composed({first, path("laplace")})).is_null());
    std::ifstream again(first);
    json adaptive = json::parse(again);
    adaptive["settings"]["indices"] = "picked.npy";
    std::ofstream(path("adaptive")) << adaptive.dump();
    CHECK(profile(composed({path("adaptive"), second})).is_null());
    CHECK(!composed({first, second}, {"--public-only"}).contains("exact_queries"));
    // Queries that do not fit the report are refused.
    adaptive["exact_queries"][0]["queries"] = 11;
    std::ofstream(path("broken")) << adaptive.dump();
    CHECK(run({"compose", path("broken"), second, "--quiet"}).status == 3);
  }
}
