#include <doctest/doctest.h>

#include <algorithm>
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
#include "support/seals.hpp"
#include "support/temp_directory.hpp"

using nlohmann::json;
using pate::test::cost;
using pate::test::Piped;
using pate::test::Ran;
using pate::test::resealed;
using pate::test::run;
using pate::test::sample;
using pate::test::shared_votes;
using pate::test::TempDirectory;
using pate::test::Words;
using pate::test::operator+;

namespace {

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
  report.erase("seal");
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
        Words{counts, "--queries", "7:300"} + kConfident,
        Words{counts, "--queries", "2"} + kGnmax,
        by_teacher + Words{"--queries", "120"} + kConfident,
        by_teacher + Words{"--queries", "5:90", "--orders", "2,4,8,16"} + kGnmax,
        by_teacher + Words{"--queries", "3", "--laplace-scale", "20"},
        Words{counts, "--queries", "300", "--ptr-sigma", "3", "--ptr-delta", "1e-9"},
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
    check_refused({reports.write("4", resealed(broken)), plain}, 3,
                  "partials: expected the member exact, as settings.exact or settings.bound says");
  }

  TEST_CASE("exact costs of rounds add up to those of all their queries") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string orders = "2,4,6,8,10,12,16,20";
    const Words exact{"--exact", "--orders", orders};
    const std::string first =
        reports.analyze("1", Words{votes, "--queries", "0:80"} + kConfident + exact);
    const std::string second =
        reports.analyze("2", Words{votes, "--queries", "80:200"} + kConfident + exact);
    const json whole =
        read(reports.analyze("whole", Words{votes, "--queries", "200"} + kConfident + exact));
    const json composed = compose({first, second, "--orders", orders});
    for (const char* conversion : {"improved", "classic"}) {
      const double sum = epsilon(composed, "exact", "joint", conversion);
      const double at_once = epsilon(whole, "exact", "joint", conversion);
      CHECK(std::abs(sum - at_once) <= 1e-12 * at_once);
      CHECK(sum < epsilon(composed, "tradeoff", "joint", conversion));
      // The best of all orders.
      CHECK(epsilon(compose({first, second}), "exact", "joint", conversion) <= sum);
    }
    // What is composed can be composed again; a plan counts in full, and so does a part of which
    // no exact cost is known.
    const std::string both = reports.write("both", composed.dump());
    const std::string plan =
        reports.make("plan", {"plan", "--delta", "1e-5", "--sigma2", "50", "--queries", "3"});
    const json more = compose({both, plan});
    CHECK(more.at("costs") == compose({first, plan, second}).at("costs"));
    CHECK(epsilon(more, "exact", "joint", "improved") >
          epsilon(compose({first, second}), "exact", "joint", "improved"));
    const std::string plain = reports.analyze("plain", Words{votes, "--queries", "80"} + kGnmax);
    const json without = compose({first, plain});
    CHECK(epsilon(without, "exact", "joint", "improved") <
          epsilon(without, "tradeoff", "joint", "improved"));
    CHECK(epsilon(without, "exact", "joint", "improved") >
          epsilon(read(plain), "tradeoff", "joint", "improved"));
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
    check_refused({one, reports.write("digest", resealed(other))}, 3,
                  "digest: inputs.votes.votes_digest: expected ");
    other = read(two);
    other.at("tool").at("version") = "9.9.9";
    check_refused({one, reports.write("version", resealed(other))}, 3,
                  "version: tool.version: expected 1.0.0 as in ");
    // Limits are those of the run.
    const Ran limit = run({"compose", one, two, "--max-epsilon", "0.5", "--json", "--quiet"});
    CHECK(limit.status == 1);
    CHECK(limit.err == "pate: limit missed: --max-epsilon 0.5\n");
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
      for (const json& expected : whole.at("costs")) {
        // No order was named before the first half.
        if (expected.at("reading") == "realized") continue;
        CAPTURE(expected.dump());
        const json found =
            cost(sum, expected.at("bound"), expected.at("reading"), expected.at("conversion"));
        REQUIRE(!found.is_null());
        const auto its = found.at("epsilon").get<double>();
        const auto best = expected.at("epsilon").get<double>();
        // The best order of the grid, and the best order of all; bounds of single queries may be
        // 1e-7 above, here or there.
        const bool by_votes = expected.at("data_dependent") == true;
        CHECK(its >= best * (1.0 - (by_votes ? 2e-7 : 1e-10)));
        CHECK(its <= best * (1.0 + (by_votes ? 1e-3 : 1e-12)));
        CHECK(found.at("releasable") == expected.at("releasable"));
        CHECK(found.contains("sd") == expected.contains("sd"));
      }
      // At the same orders nothing is lost; tables of q differ, and agree to their accuracy.
      const json& values = whole.at("rdp").at("tradeoff").at("joint");
      const json& found = sum.at("rdp").at("tradeoff").at("joint");
      REQUIRE(sum.at("rdp").at("orders") == whole.at("rdp").at("orders"));
      for (std::size_t j = 0; j < values.size(); ++j) {
        const auto its = found[j].get<double>();
        const auto cap = sum.at("rdp").at("any_votes")[j].get<double>();
        CHECK(pate_test::relative_error(its, std::min(values[j].get<double>(), cap)) < 1e-10);
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
    CHECK(sum.at("trajectory").empty());  // no cost of the first round alone leads to the sum
    CHECK(sum.at("notices").dump().find("adaptive_rounds") != std::string::npos);
    // What the second round asked may be an answer's doing: it is counted for any votes.
    const double joint = epsilon(sum, "tradeoff", "joint", "improved");
    CHECK(joint > epsilon(read(first), "tradeoff", "joint", "improved"));
    CHECK(joint > epsilon(read(second), "data_independent", "worst_case", "improved"));
    CHECK(joint < epsilon(sum, "data_independent", "worst_case", "improved"));
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
    CHECK(results(nested) == results(flat));
    CHECK(compose({plan, b, c, a}).at("costs") == flat.at("costs"));
    CHECK(compose({plan, b, c, a}).at("guarantee") == flat.at("guarantee"));
    // The sum of one is that one: a sum of it is no other.
    const std::string one = reports.make("one", {"compose", a});
    CHECK(results(compose({one})) == results(read(one)));
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
    CHECK(epsilon(sum, "tradeoff", "joint", "improved") <
          epsilon(sum, "data_independent", "worst_case", "improved"));
    // Realized costs at the order that both fixed.
    CHECK(cost(sum, "tradeoff", "realized", "improved").at("order") == 8.0);

    // All that a ledger records is about the same teachers.
    const json entries = compose({ledger});
    REQUIRE(entries.at("parts").size() == 2);
    CHECK(entries.at("parts")[0].at("schema") == "pate/ledger/v3");
    CHECK(entries.at("headline").at("releasable") == true);
    // The ledger knows no tables; what holds for any votes is the same.
    for (const char* conversion : {"improved", "classic", "gdp"}) {
      CHECK(cost(entries, "data_independent", "worst_case", conversion) ==
            cost(sum, "data_independent", "worst_case", conversion));
    }
    // The account of a ledger is its sum, to the bit.
    for (const std::string delta : {"1e-5", "3e-7"}) {
      const Ran account = run({"ledger", ledger, "--json", "--quiet", "--delta", delta});
      CHECK(account.json().at("costs") == compose({ledger, "--delta", delta}).at("costs"));
      CHECK(account.json().at("guarantee").at("formula") ==
            compose({ledger, "--delta", delta}).at("guarantee").at("formula"));
    }
  }

  TEST_CASE("what happened counts once, wherever it is told of") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string ledger = reports.path("ledger");
    const auto label = [&](const std::string& name, const Words& words) {
      return reports.make(
          name, Words{"label", votes, "--teachers", "100", "--queries", "30", "--delta", "1e-5",
                      "--order", "8", "--force", "--write-labels", reports.path("labels.csv"),
                      "--ledger", ledger} +
                    kConfident + words);
    };
    const std::string a = label("a", {});
    const json alone = compose({a});
    for (const Words& words : {Words{ledger, a}, Words{a, ledger}, Words{a, a, ledger, a}}) {
      const json sum = compose(words);
      CHECK(sum.at("costs") == alone.at("costs"));
      CHECK(sum.at("guarantee") == alone.at("guarantee"));
      CHECK(sum.at("record").at("events").size() == 1);
    }
    const std::string all = reports.make("all", {"compose", a, ledger});
    CHECK(compose({all, a}).at("costs") == alone.at("costs"));
    // Another run of the same queries is another event.
    const std::string b = label("b", {});
    CHECK(compose({a, b}).at("record").at("events").size() == 2);
    CHECK(compose({a, b, ledger}).at("costs") == compose({b, a}).at("costs"));
    CHECK(epsilon(compose({a, b}), "data_independent", "worst_case", "gdp") >
          epsilon(alone, "data_independent", "worst_case", "gdp"));
    // A plan did not happen: who names it twice means two.
    const std::string plan =
        reports.make("plan", {"plan", "--sigma2", "20", "--queries", "10", "--delta", "1e-5"});
    const std::string twice =
        reports.make("twice", {"plan", "--sigma2", "20", "--queries", "20", "--delta", "1e-5"});
    CHECK(epsilon(compose({plan, plan}), "data_independent", "worst_case", "gdp") ==
          doctest::Approx(epsilon(read(twice), "data_independent", "worst_case", "gdp")));
    CHECK(compose({plan, plan}).at("notices").dump().find("counted_twice") != std::string::npos);
  }

  TEST_CASE("equal labels of two runs are two events") {
    const Reports reports;
    const std::string votes = reports.write("votes.csv", "100,0\n0,100\n100,0\n");
    const auto label = [&](const std::string& name) {
      return read(
          reports.make(name, {"label", votes, "--teachers", "100", "--sigma2", "5", "--delta",
                              "1e-5", "--force", "--write-labels", reports.path(name + ".csv")}));
    };
    const json a = label("a");
    const json b = label("b");
    REQUIRE(a.at("labels").at("sha256") == b.at("labels").at("sha256"));
    const auto id = [](const json& report) { return report.at("record").at("events")[0].at("id"); };
    CHECK(id(a) != id(b));
    CHECK(compose({reports.path("a"), reports.path("b")}).at("queries") == 6);
    CHECK(compose({reports.path("a"), reports.path("a")}).at("queries") == 3);
  }

  TEST_CASE("numbers about one run count each other, those about two runs add up") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string ledger = reports.path("ledger");
    const auto release = [&](const std::string& name, const std::string& queries) {
      return reports.make(name, Words{"release", votes, "--teachers", "100", "--queries", queries,
                                      "--delta", "1e-5", "--order", "6", "--s", "4", "--beta",
                                      "0.04", "--ledger", ledger, "--again"} +
                                    kConfident);
    };
    const auto drawn = [&](const std::string& path) {
      return read(path).at("record").at("events")[0].at("drawn").at("epsilon").get<double>();
    };
    const std::string first = release("first", "20");
    const std::string again = release("again", "20");
    const std::string other = release("other", "20:40");
    const auto released = [&](const Words& words) {
      return epsilon(compose(words), "released", "released", "improved");
    };
    CHECK(released({first}) == drawn(first));
    CHECK(released({first, again}) == drawn(again));
    CHECK(released({again, first}) == drawn(again));
    CHECK(released({first, again, other}) ==
          doctest::Approx(drawn(again) + drawn(other)).epsilon(1e-14));
    CHECK(released({other, ledger, first}) == released({first, again, other}));
    CHECK(released({ledger}) == released({first, again, other}));
    const json account = run({"ledger", ledger, "--json", "--quiet"}).json();
    CHECK(epsilon(account, "released", "released", "improved") == released({ledger}));
    CHECK(account.at("entries")[0].at("added") == false);
    CHECK(account.at("entries")[1].at("added") == true);
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
    CHECK(epsilon(sum, "released", "released", "improved") ==
          doctest::Approx(expected).epsilon(1e-12));
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
    CHECK(part.at("notices").dump().find("parameters_from_votes") != std::string::npos);
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
      const json sum = compose({path});
      const json its = cost(sum, "tradeoff", "realized", "improved");
      CHECK(its.at("epsilon").get<double>() ==
            doctest::Approx(epsilon(report, "tradeoff", "realized", "improved")).epsilon(1e-9));
      CHECK(its.at("order") == report.at("filter").at("order"));
      const json& event = sum.at("record").at("events")[0];
      CHECK(event.at("origin").at("limited") == true);
      CHECK(event.at("origin").contains("stopped") == (path == stopped));
      // Again.
      const json again = compose({reports.write("again", sum.dump())});
      CHECK(results(again) == results(sum));
    }
    // Different orders: neither was named for both.
    const json both = compose({stopped, whole, "--same-teachers"});
    const json shared = cost(both, "tradeoff", "realized", "improved");
    bool is_public = false;
    for (const double order : {2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0}) {
      is_public = is_public || shared.at("order") == order;
    }
    CHECK(is_public);
  }

  TEST_CASE("the cap of a run with a limit stays in a sum") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string run = reports.make(
        "run", Words{"label", votes, "--teachers", "100", "--delta", "1e-5", "--max-epsilon", "0.5",
                     "--write-labels", reports.path("l.csv"), "--ledger", reports.path("ledger")} +
                   kConfident);
    for (const json& sum : {compose({run}), compose({reports.path("ledger")})}) {
      CHECK(epsilon(sum, "data_independent", "worst_case", "improved") <= 0.5 * (1.0 + 1e-9));
    }
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
                     "--goal",        "private",
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

  TEST_CASE("a shard of which anything was changed is refused by its name") {
    const Reports reports;
    const Words votes{sample("digits_100_counts.npy"), "--queries", "12", "--delta", "1e-5"};
    const Words labels{"--labels", sample("digits_100_labels.npy")};
    const std::vector<Words> makes{
        Words{"analyze"} + votes + kConfident + labels,
        Words{"analyze"} + votes + kGnmax + Words{"--exact"},
        Words{"analyze"} + votes + Words{"--ptr-sigma", "4", "--ptr-delta", "1e-9"},
        Words{"tune"} + votes + labels + Words{"--sigma2", "15,25,35,45"},
    };
    pate_test::Random random(3812);
    for (const Words& make : makes) {
      const std::string one = reports.make("one", make + Words{"--shard", "1/2"});
      const std::string two = reports.make("two", make + Words{"--shard", "2/2"});
      const json shard = read(two);
      const json sum = compose({one, two});
      // White space and the order of members say nothing.
      CHECK(results(compose({one, reports.write("two", shard.dump(7))})) == results(sum));
      for (int i = 0; i < 60; ++i) {
        const json broken = pate::test::changed(shard, random);
        CAPTURE(json::diff(shard, broken).dump());
        check_refused({one, reports.write("two", broken.dump())}, 3, "two: ");
      }
      json without = shard;
      without.erase("seal");
      check_refused({one, reports.write("two", without.dump())}, 3, "two: seal: is missing");
      without = shard;
      without.at("seal").at("sources") = std::string(64, '0');
      check_refused({one, reports.write("two", without.dump())}, 3,
                    "two: was made by another build of pate (1.0.0)");
    }
  }

  TEST_CASE("limits of what may be published are judged by what may be published") {
    const Reports reports;
    // All teachers agree: the private epsilon is near 0.
    const std::string votes = reports.write("v.csv", "99,0,0\n0,99,0\n");
    Words shards;
    for (const char* shard : {"1/2", "2/2"}) {
      shards.push_back(
          reports.analyze(std::string("s") + shard[0], {votes, "--sigma2", "5", "--shard", shard}));
    }
    const double any_votes =
        compose(shards + Words{"--public-only"}).at("public").at("headline").at("epsilon");
    const double own = compose(shards).at("headline").at("epsilon");
    REQUIRE(own < 0.5 * any_votes);
    for (const double limit : {0.9 * any_votes, 1.1 * any_votes}) {
      const Ran ran = run(Words{"compose", "--public-only", "--json", "--quiet", "--max-epsilon",
                                std::to_string(limit)} +
                          shards);
      const bool holds = limit > any_votes;
      CHECK(ran.status == (holds ? 0 : 1));
      const json verdicts = ran.json().at("public").at("verdicts");
      REQUIRE(verdicts.size() == 1);
      CHECK(verdicts[0].at("option") == "--max-epsilon");
      CHECK(verdicts[0].at("holds") == holds);
      CHECK(!compose(shards + Words{"--public-only"}).at("public").contains("verdicts"));
    }
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
    check_refused(piped({ledger, inputs[1][0]}), 3, "which a search is not");
  }

  TEST_CASE("rounds that cannot be added are refused by file and field") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string a = reports.analyze("a", Words{votes, "--queries", "50"} + kConfident);
    const std::string other_delta =
        reports.make("delta", Words{"analyze", votes, "--delta", "1e-6"} + kConfident);
    CHECK(compose({a, other_delta}).at("delta") == 1e-5);
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
    check_refused({a, reports.write("empty", "{}")}, 3, "empty: expected the schema of a report");
    check_refused({a, "-o", a}, 2, "is an input");
    check_refused({a, "--max-epsilon", "-1"}, 2, "--max-epsilon must be >= 0");
  }

  TEST_CASE("numbers that a report derives change nothing, whoever edits them") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string labels = sample("digits_100_labels.npy");
    const std::string ledger = reports.path("ledger");
    const std::vector<std::string> paths{
        reports.analyze("exact",
                        Words{votes, "--queries", "40", "--orders", "2,8", "--exact"} + kConfident),
        reports.analyze("decided",
                        Words{votes, "--queries", "40", "--decisions", labels} + kConfident),
        reports.make("label", Words{"label", votes, "--teachers", "100", "--queries", "40",
                                    "--delta", "1e-5", "--max-answers", "9", "--write-labels",
                                    reports.path("l.csv"), "--ledger", ledger} +
                                  kConfident),
        reports.make("release",
                     Words{"release", votes, "--teachers", "100", "--queries", "40", "--delta",
                           "1e-5", "--order", "6", "--s", "4", "--beta", "0.04"} +
                         kConfident),
        reports.make("plan", {"plan", "--sigma2", "20", "--queries", "10", "--delta", "1e-5"}),
        reports.make("darrm",
                     {"darrm", "--teachers", "11", "--epsilon", "0.1", "--m", "3", "--setting",
                      "independent-fresh", "--queries", "10", "--total-delta", "1e-6"}),
    };
    pate_test::Random random(3636);
    for (const std::string& path : paths) {
      const json good = read(path);
      // The number that stands first is checked wherever it is told.
      if (good.contains("headline")) {
        json other = good;
        other["headline"]["epsilon"] =
            good["headline"]["epsilon"].get<double>() * random.uniform(0.1, 0.99);
        for (const char* command : {"compose", "table", "report"}) {
          const Ran ran =
              run({command, reports.write("other", other.dump()), "-o", reports.path("of_other")});
          CHECK(ran.status == 3);
          CHECK(ran.err.find("epsilon") != std::string::npos);
        }
      }
      const json honest = compose({path});
      // Every number outside of the record, of the settings and of the answers that are counted.
      std::vector<std::string> places;
      const json flat = good.flatten();
      for (const auto& [place, value] : flat.items()) {
        if (!value.is_number() || place.starts_with("/record/")) continue;
        // How a sum calls its part; an order below 1 is none.
        if (place.starts_with("/answered/") || place.ends_with("/order")) continue;
        // Of a release without a ledger they must be one number.
        if (place == "/public/epsilon" || place == "/public/run/epsilon") continue;
        places.push_back(place);
      }
      REQUIRE(places.size() > 10);
      int changed = 0;
      for (int trial = 0; trial < 40; ++trial) {
        json edited = good;
        for (int k = 0; k < 20; ++k) {
          const auto any = random.integer(0, static_cast<std::int64_t>(places.size()) - 1);
          json& value = edited[json::json_pointer(places[static_cast<std::size_t>(any)])];
          value = value.get<double>() * 0.25;
          ++changed;
        }
        // What a report says twice is refused where the two differ.
        const Ran ran =
            run({"compose", "--json", "--quiet", reports.write("edited", edited.dump())});
        REQUIRE((ran.status == 0 || ran.status == 3));
        if (ran.status == 3) continue;
        const json sum = ran.json();
        CHECK(sum.at("costs") == honest.at("costs"));
        CHECK(sum.at("guarantee") == honest.at("guarantee"));
        CHECK(sum.at("record") == honest.at("record"));
      }
      CHECK(changed == 800);
    }
  }

  TEST_CASE("an event with two descriptions is refused") {
    const Reports reports;
    const std::string votes = sample("digits_100_counts.npy");
    const std::string a =
        reports.make("a", Words{"label", votes, "--teachers", "100", "--queries", "40", "--delta",
                                "1e-5", "--write-labels", reports.path("l.csv")} +
                              kConfident);
    const auto refuses = [&](const char* place, const json& value, const std::string& message) {
      json edited = read(a);
      edited.at(json::json_pointer(std::string("/record/events/0/") + place)) = value;
      check_refused({a, reports.write("edited", edited.dump())}, 3, message);
    };
    refuses("steps/gaussian_maxima/0/sigma2", 16.0, "expected the steps that its 40 queries take");
    refuses("origin/order", 3.0, "what the record of the report costs");
    refuses("private/votes_digest", std::string(64, '0'), "which differ in votes_digest");
    refuses("private/table/log_q/0", -40.0, "which differ in its queries");
    refuses("private/table/count/0", 7, "record.events[0].private.table.");
    refuses("id", "nothing", "expected 32 hexadecimal digits");
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
        Words{"analyze", votes, "--queries", "9", "--delta", "1e-5", "--orders", orders,
              "--exact"} +
            kGnmax,
        Words{"label", votes, "--teachers", "100", "--queries", "9", "--delta", "1e-5",
              "--write-labels", reports.path("l.csv")} +
            kConfident,
        Words{"release", votes, "--teachers", "100", "--queries", "9", "--delta", "1e-5", "--order",
              "6", "--s", "4", "--beta", "0.04"} +
            kConfident,
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
      for (int i = 0; i < 80; ++i) {
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
        // With a digest that fits, so that readers see it.
        const bool is_sealed = broken.is_object() && broken.contains("seal");
        const std::string path =
            reports.write("broken", is_sealed ? resealed(broken) : broken.dump());
        const Ran ran = run({"compose", path, good, "--quiet"});
        // A delta may be one that has to be asked for.
        const bool is_large = ran.err.find("--any-delta") != std::string::npos;
        CHECK_MESSAGE((ran.status == 0 || ran.status == 3 || (ran.status == 2 && is_large)), place,
                      " ", ran.status, " ", ran.err);
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
    // Rows that were picked by earlier answers count for any votes; noise that is not Gaussian, of
    // which no votes are known, is in no profile.
    REQUIRE(run({"plan", "--laplace-scale", "60", "--queries", "20", "--delta", "1e-5", "--quiet",
                 "-o", path("laplace")})
                .status == 0);
    CHECK(profile(composed({first, path("laplace")})).is_null());
    std::ifstream again(first);
    json adaptive = json::parse(again);
    adaptive["record"]["events"][0]["origin"]["rows_from_answers"] = true;
    std::ofstream(path("adaptive")) << adaptive.dump();
    CHECK(profile(composed({path("adaptive"), second})).at("epsilon") > profile(sum).at("epsilon"));
    const json open = composed({first, second}, {"--public-only"});
    CHECK(open.dump().find("private\":") == std::string::npos);
    CHECK(open.at("public").at("record").at("events").size() == 2);
    // Queries that do not fit the event are refused.
    adaptive["record"]["events"][0]["queries"] = 11;
    std::ofstream(path("broken")) << adaptive.dump();
    CHECK(run({"compose", path("broken"), second, "--quiet"}).status == 3);
  }
}
