#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

// Files that the program wrote before reports had records, in tests/cli/old_reports, of the first
// 12 queries of sample_votes/digits_100_counts.npy: read where nothing is lost, else refused.

using nlohmann::json;
using pate::test::cost;
using pate::test::Ran;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::Words;
using pate::test::operator+;

namespace {

std::string old_file(const std::string& name) {
  return pate::test::source_file("tests/cli/old_reports/" + name);
}

json compose(const Words& words) {
  const Ran ran = run(Words{"compose", "--json", "--quiet"} + words);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  return ran.json();
}

json old_sum(const std::string& name, const Words& more = {}) {
  return compose(Words{old_file(name)} + more);
}

// The sum of a report of now.
json new_sum(const Words& words, const Words& more = {}) {
  const TempDirectory directory;
  const std::string path = (directory / "now.json").string();
  const Ran ran = run(words + Words{"--quiet", "-o", path});
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  return compose(Words{path} + more);
}

const Words kVotes{sample("digits_100_counts.npy"), "--queries", "12", "--delta", "1e-5"};
const Words kConfident{"--threshold", "60", "--sigma1", "15", "--sigma2", "15"};
const std::string kOrders = "2,3,4,6,8,12,16,24,32";

void check_refused(const std::string& name, const std::string& message) {
  CAPTURE(name);
  const Ran ran = run({"compose", old_file(name), "--quiet"});
  CHECK(ran.status == 3);
  CHECK(ran.out.empty());
  CHECK_MESSAGE(ran.err.find(name + ": ") != std::string::npos, ran.err);
  CHECK_MESSAGE(ran.err.find(message) != std::string::npos, ran.err);
}

double epsilon(const json& report, const char* bound, const char* reading, const char* conversion) {
  const json entry = cost(report, bound, reading, conversion);
  REQUIRE(!entry.is_null());
  return entry.at("epsilon").get<double>();
}

}  // namespace

TEST_SUITE("old reports") {
  TEST_CASE("analyses and plans cost what fresh ones cost at the orders that they tell of") {
    struct Kind {
      std::string name;
      Words words;
    };
    const std::string labels = sample("digits_100_labels.npy");
    const std::vector<Kind> kinds{
        {"analyze_decisions",
         Words{"analyze"} + kVotes + kConfident + Words{"--decisions", labels}},
        {"analyze_exact", Words{"analyze"} + kVotes + kConfident + Words{"--exact"}},
        {"analyze_gnmax", Words{"analyze"} + kVotes + Words{"--sigma2", "20"}},
        {"analyze_laplace", Words{"analyze"} + kVotes + Words{"--laplace-scale", "20"}},
        {"analyze_tilted",
         Words{"analyze"} + kVotes + kConfident + Words{"--bound", "tradeoff,tilted"}},
        {"analyze_published",
         Words{"analyze"} + kVotes + kConfident + Words{"--bound", "published"}},
        {"analyze_ptr",
         Words{"analyze"} + kVotes + Words{"--ptr-sigma", "4", "--ptr-delta", "1e-9"}},
        {"analyze_ptr_sparse",
         Words{"analyze"} + kVotes +
             Words{"--ptr-sparse", "0.5", "--max-refusals", "3", "--ptr-delta", "1e-9"}},
        {"plan", {"plan", "--sigma2", "20", "--queries", "9", "--delta", "1e-5"}},
    };
    int same = 0;
    for (const Kind& kind : kinds) {
      const Words orders = kind.name == "plan" ? Words{} : Words{"--orders", kOrders};
      const json before = old_sum(kind.name + ".json", {"--orders", kOrders});
      const json now = new_sum(kind.words + orders, {"--orders", kOrders});
      for (const json& expected : now.at("costs")) {
        CAPTURE(kind.name);
        CAPTURE(expected.dump());
        const json its =
            cost(before, expected.at("bound"), expected.at("reading"), expected.at("conversion"));
        // Curves of one bound are all that a report of only this bound has.
        const bool is_told = kind.name != "analyze_published" || expected.at("bound") != "tradeoff";
        if (!is_told) continue;
        if (its.is_null()) {
          // Nor had reports of the sparse form curves: what it costs no votes change.
          CHECK((kind.name == "analyze_tilted" || kind.name == "analyze_ptr_sparse"));
          continue;
        }
        ++same;
        CHECK(its.at("epsilon").get<double>() ==
              doctest::Approx(expected.at("epsilon").get<double>()).epsilon(1e-9));
        CHECK(its.at("releasable") == expected.at("releasable"));
      }
      CHECK(before.at("steps") == now.at("steps"));
      CHECK(before.at("queries") == now.at("queries"));
    }
    CHECK(same > 50);
    // With more orders, never less than the truth; with the exact queries, the truth.
    const json searched = new_sum(Words{"analyze"} + kVotes + kConfident + Words{"--exact"});
    const json exact = old_sum("analyze_exact.json");
    for (const char* conversion : {"improved", "classic", "profile"}) {
      CHECK(epsilon(exact, "exact", "joint", conversion) ==
            doctest::Approx(epsilon(searched, "exact", "joint", conversion)).epsilon(1e-6));
    }
    CHECK(epsilon(old_sum("analyze_confident.json"), "tradeoff", "joint", "improved") >=
          epsilon(searched, "tradeoff", "joint", "improved") * (1.0 - 1e-12));
  }

  TEST_CASE("runs of the mechanism keep order, cap, answers and steps") {
    const json plain = old_sum("label.json");
    CHECK(cost(plain, "tradeoff", "realized", "improved").at("order") == 8.0);
    const json limits = old_sum("label_limits.json").at("record").at("events")[0];
    CHECK(limits.at("origin").at("limited") == true);
    CHECK(limits.at("origin").at("order") == 8.0);
    CHECK(limits.at("steps").at("gaussian_maxima")[0].at("count") == 3);
    // Curves of what was asked hold given the answers alone.
    const json limited = old_sum("label_limits.json");
    CHECK(epsilon(limited, "tradeoff", "joint", "improved") ==
          epsilon(limited, "data_independent", "worst_case", "improved"));
    const json capped = old_sum("label_max_epsilon.json");
    CHECK(capped.at("record").at("events")[0].contains("cap"));
    CHECK(epsilon(capped, "data_independent", "worst_case", "improved") <= 2.0 * (1.0 + 1e-9));
    for (const char* name : {"label_ptr.json", "label_ptr_sparse.json"}) {
      CHECK(old_sum(name).at("delta") == 1e-5);
    }
    const json gnmax = old_sum("label_gnmax.json");
    const json plan = new_sum({"plan", "--sigma2", "20", "--queries", "12", "--delta", "1e-5"});
    CHECK(cost(gnmax, "data_independent", "worst_case", "gdp") ==
          cost(plan, "data_independent", "worst_case", "gdp"));
    // A file is one event; two files are two.
    CHECK(old_sum("label.json", {old_file("label.json")}).at("record").at("events").size() == 1);
    CHECK(old_sum("label.json", {old_file("label_gnmax.json")}).at("record").at("events").size() ==
          2);
  }

  TEST_CASE("lists that were made from answers count for any votes in a sum") {
    const json alone = old_sum("analyze_indices.json");
    CHECK(alone.at("record").at("events")[0].at("origin").at("rows_from_answers") == true);
    CHECK(epsilon(alone, "tradeoff", "joint", "improved") <
          epsilon(alone, "data_independent", "worst_case", "improved"));
    const json sum = old_sum("analyze_indices.json", {old_file("analyze_confident.json")});
    CHECK(sum.at("notices").dump().find("adaptive_rounds") != std::string::npos);
  }

  TEST_CASE("numbers that were published keep their epsilon") {
    for (const char* name : {"release_curve", "release_gnss", "release_public"}) {
      CAPTURE(name);
      std::ifstream file(old_file(std::string(name) + ".json"));
      const json published = json::parse(file).at("public");
      const json sum = old_sum(std::string(name) + ".json");
      CHECK(epsilon(sum, "released", "released", "improved") == published.at("epsilon"));
      CHECK(cost(sum, "released", "released", "improved").at("delta") == published.at("delta"));
      // The run and the noise, without what was drawn.
      CHECK(!cost(sum, "data_independent", "worst_case", "improved").is_null());
    }
    const json chosen = old_sum("release_gnss_chosen.json");
    CHECK(chosen.at("guarantee").at("holds") == false);
    CHECK(chosen.at("headline").at("releasable") == false);
  }

  TEST_CASE("answers of private majorities") {
    std::ifstream file(old_file("darrm_fresh.json"));
    const json before = json::parse(file);
    const json fresh = old_sum("darrm_fresh.json", {"--delta", "1e-6"});
    CHECK(old_sum("darrm_fresh.json").at("delta") == 0.0);
    CHECK(fresh.at("headline").at("epsilon").get<double>() ==
          doctest::Approx(before.at("headline").at("epsilon").get<double>()).epsilon(1e-12));
    CHECK(fresh.at("record").at("events")[0].at("protects") == "record");
    CHECK(old_sum("darrm_labels.json").at("record").at("events")[0].contains("id"));
    CHECK(old_sum("darrm.jsonl").at("headline").at("epsilon").get<double>() ==
          doctest::Approx(1.0));
  }

  TEST_CASE("a ledger of the version before is accounted for, and goes on") {
    const TempDirectory directory;
    const std::string path = (directory / "ledger.jsonl").string();
    std::ifstream file(old_file("ledger.jsonl"));
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    pate::test::write_bytes(path, bytes);
    const json account = run({"ledger", path, "--json", "--quiet"}).json();
    const json& entries = account.at("entries");
    REQUIRE(entries.size() == 5);
    CHECK(account.at("ensemble").at("name") == "digits");
    // Two numbers about the first run: the second counts all three.
    CHECK(entries[0].at("added") == false);
    CHECK(entries[3].at("added") == false);
    for (const std::size_t k : {1U, 2U, 4U}) CHECK(entries[k].at("added") == true);
    std::vector<json> lines;
    for (std::size_t at = 0; at < bytes.size(); at = bytes.find('\n', at) + 1) {
      lines.push_back(json::parse(bytes.substr(at, bytes.find('\n', at) - at)));
    }
    const double drawn = lines[4].at("released").at("run").at("epsilon").get<double>();
    CHECK(entries[4].at("epsilon") == drawn);
    double before = drawn;
    for (const std::size_t k : {1U, 2U}) {
      before += lines[k].at("released").at("epsilon").get<double>();
    }
    const json released = cost(account, "released", "released", "improved");
    CHECK(released.at("epsilon").get<double>() > drawn);
    CHECK(released.at("epsilon").get<double>() <= before);
    CHECK(account.at("costs") == compose({path, "--delta", std::to_string(0.00003)}).at("costs"));
    CHECK(compose({path, "--delta", "1e-6"}).at("costs") ==
          run({"ledger", path, "--json", "--quiet", "--delta", "1e-6"}).json().at("costs"));

    // What is appended is chained to the lines that are there.
    const Words label = Words{"label",
                              sample("digits_100_counts.npy"),
                              "--teachers",
                              "100",
                              "--queries",
                              "40:50",
                              "--delta",
                              "1e-5",
                              "--sigma2",
                              "20",
                              "--force",
                              "--write-labels",
                              (directory / "l.csv").string(),
                              "--ledger",
                              path,
                              "--quiet",
                              "-o",
                              (directory / "l.json").string()};
    const Ran first = run(label);
    REQUIRE_MESSAGE(first.status == 0, first.err);
    REQUIRE(run(label).status == 0);
    const json after = run({"ledger", path, "--json", "--quiet"}).json();
    CHECK(after.at("entries").size() == 7);
    std::ifstream longer(path);
    std::string all(std::istreambuf_iterator<char>(longer), {});
    CHECK(all.substr(0, bytes.size()) == bytes);
    all.replace(all.rfind("\"asked\":10", bytes.size()), 10, "\"asked\":11");
    pate::test::write_bytes(path, all);
    CHECK(run({"ledger", path}).status == 3);
  }

  TEST_CASE("a line of the version before that does not fit is refused by its number") {
    const TempDirectory directory;
    const std::string path = (directory / "ledger.jsonl").string();
    std::ifstream file(old_file("ledger.jsonl"));
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto refusal = [&](const std::string& from, const std::string& to) {
      std::string edited = bytes;
      REQUIRE(edited.find(from) != std::string::npos);
      edited.replace(edited.find(from), from.size(), to);
      pate::test::write_bytes(path, edited);
      const Ran ran = run({"ledger", path});
      CHECK(ran.status == 3);
      return ran.err;
    };
    CHECK(refusal("\"entries\":[1,4]", "\"entries\":[1,7]")
              .find("line 5: released.run.entries[1]: expected the line of an entry before") !=
          std::string::npos);
    CHECK(refusal("\"kind\":\"release\"", "\"kind\":\"gift\"")
              .find("line 4 is no line of a ledger: expected the kind label or release") !=
          std::string::npos);
    CHECK(refusal("\"steps\"", "\"stepz\"").find("line 1: released: expected the member steps") !=
          std::string::npos);
    CHECK(refusal("\"beta\":0.03", "\"beta\":3").find("line 4: settings: expected the noise") !=
          std::string::npos);
  }

  TEST_CASE("what a report does not say is asked for") {
    check_refused("sum.json", "compose its parts again: analyze_gnmax.json (SHA-256 ");
    check_refused("sum_public.json", "compose the whole report in its place");
    check_refused("label_public.json", "compose the whole report in its place");
    check_refused("plan_public.json", "compose the whole report in its place");
    check_refused("release_of_ledger.json", "compose the ledger in its place");
    check_refused("release_dry_run.json", "expected a release that was made");
    check_refused("darrm_static.json", "run pate darrm on all of their queries together");
    const Ran shard = run({"compose", old_file("analyze_shard.json"), old_file("plan.json")});
    CHECK(shard.status == 3);
    CHECK(shard.err.find("compose the shards of a run by themselves first") != std::string::npos);
  }
}
