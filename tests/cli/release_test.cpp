#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pate/votes/tables/open_table.hpp"
#include "support/npy_writer.hpp"
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

Ran release(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "release");
  const auto given = [&](const char* option) {
    return std::ranges::find(arguments, option) != arguments.end();
  };
  if (!given("--as-published") && !given("--method")) {
    arguments.insert(arguments.end(), {"--method", "gnss"});
  }
  if (!given("--teachers")) arguments.insert(arguments.end(), {"--teachers", "100"});
  for (const char* more : {"--delta", "1e-5", "--json", "--quiet"}) arguments.emplace_back(more);
  return run(std::move(arguments));
}

std::vector<std::string> digits(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                     "--queries",
                                     "200",
                                     "--threshold",
                                     "60",
                                     "--sigma1",
                                     "15",
                                     "--sigma2",
                                     "15"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The path of votes of other teachers.
std::string simulated(const TempDirectory& directory) {
  std::string path = (directory / "simulated.npy").string();
  CHECK(run({"simulate", "--teachers", "100", "--classes", "10", "--queries", "200", "--seed", "1",
             "-o", path, "--quiet"})
            .status == 0);
  return path;
}

const std::vector<std::string> kFixed{"--order", "4", "--beta", "0.05", "--sigma-ss", "3"};

std::vector<std::string> fixed(std::vector<std::string> more) {
  more.insert(more.end(), kFixed.begin(), kFixed.end());
  return digits(more);
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("S18's votes: the mean released epsilon is as small as it is known to be (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    struct Known {
      const char* votes;
      const char* queries;
      const char* threshold;
      const char* sigma1;
      const char* bound;
      const char* confidence;
      double mean, sd;  // sd 0: not known
    };
    for (const Known& known : {
             Known{"s18_mnist_250_counts.npy", "640", "200", "150", "tradeoff", "0.5", 1.464, .130},
             Known{"s18_mnist_250_counts.npy", "640", "200", "150", "tradeoff",
                   "0.9772498680518208", 1.835, 0},
             Known{"s18_mnist_250_counts.npy", "640", "200", "150", "tradeoff", "0.99999", 2.233,
                   0},
             Known{"s18_adult_250_counts.npy", "1500", "300", "200", "tradeoff", "0.5", 1.291,
                   .108},
             Known{"s18_adult_250_counts.npy", "1500", "300", "200", "tradeoff",
                   "0.9772498680518208", 1.663, 0},
             Known{"s18_adult_250_counts.npy", "1500", "300", "200", "tradeoff", "0.99999", 2.064,
                   0},
             Known{"s18_adult_250_counts.npy", "1500", "300", "200", "exact", "0.5", 1.146, .075},
         }) {
      const std::string votes = shared_votes(known.votes);
      CAPTURE(known.votes);
      CAPTURE(known.confidence);
      const Ran ran =
          release({votes, "--teachers", "250", "--queries", known.queries, "--threshold",
                   known.threshold, "--sigma1", known.sigma1, "--sigma2", "40", "--bound",
                   known.bound, "--confidence", known.confidence, "--any-delta", "--dry-run"});
      REQUIRE(ran.status == 0);
      const json numbers = ran.json().at("private");
      const double mean = numbers.at("mean_published");
      const double sd = numbers.at("noise_sd");
      CHECK(mean <= known.mean * 1.005);
      CHECK(mean >= numbers.at("epsilon_before").get<double>());
      if (known.sd > 0.0) CHECK(mean + 2.0 * sd <= (known.mean + 2.0 * known.sd) * 1.005);
      CHECK(numbers.at("parameters") == "chosen from the votes");
    }
  }

  TEST_CASE("public and private are apart, and add up") {
    const json report = release(digits(kFixed)).json();
    const json& open = report.at("public");
    const json& closed = report.at("private");
    CHECK(open.at("parameters") == "fixed");
    CHECK(open.at("order") == 4.0);
    CHECK(open.at("queries") == 200);
    CHECK(open.at("mechanism").at("name") == "confident");
    CHECK(open.at("delta").get<double>() == doctest::Approx(2e-5));
    CHECK_FALSE(open.contains("answered"));
    CHECK(closed.at("noise_sd").get<double>() ==
          doctest::Approx(closed.at("smooth_sensitivity").get<double>() * 3.0));
    CHECK(closed.at("mean_published").get<double>() ==
          doctest::Approx(closed.at("epsilon_before").get<double>() +
                          closed.at("release_cost").get<double>() +
                          closed.at("k").get<double>() * closed.at("noise_sd").get<double>()));
    // Eight standard deviations around the mean.
    CHECK(std::abs(open.at("epsilon").get<double>() - closed.at("mean_published").get<double>()) <
          8.0 * closed.at("noise_sd").get<double>());
    const std::string statement = open.at("statement");
    for (const char* word : {"one teacher", "Pr[M(D) in S] <=", "fixed in advance", "delta = 2e-05",
                             "normal noise", "joint"}) {
      CHECK_MESSAGE(statement.find(word) != std::string::npos, word);
    }
    // Another run, another number; the private part does not change.
    const json again = release(digits(kFixed)).json();
    CHECK(again.at("public").at("epsilon") != open.at("epsilon"));
    CHECK(again.at("private") == closed);
  }

  TEST_CASE("a dry run draws nothing, and public-only tells nothing else") {
    const json dry = release(fixed({"--dry-run"})).json();
    CHECK_FALSE(dry.contains("public"));
    CHECK(dry.contains("private"));
    const Ran only = release(fixed({"--public-only"}));
    CHECK(only.json().size() == 4);
    for (const char* hidden :
         {"digest", "sha256", "smooth_sensitivity", "epsilon_before", "digits_100"}) {
      CHECK_MESSAGE(only.out.find(hidden) == std::string::npos, hidden);
    }
  }

  TEST_CASE("results do not depend on the number of threads or the order of the queries") {
    const json one = release(digits({"--dry-run", "--threads", "1"})).json();
    const json three = release(digits({"--dry-run", "--threads", "3"})).json();
    CHECK(one.at("private") == three.at("private"));
    const TempDirectory directory;
    std::vector<std::int64_t> rows;
    for (int i = 199; i >= 0; --i) rows.push_back(i);
    const std::string indices = (directory / "rows.npy").string();
    write_bytes(indices, npy_array<std::int64_t>({200}, rows));
    std::vector<std::string> arguments{sample("digits_100_counts.npy"),
                                       "--indices",
                                       indices,
                                       "--rows-from",
                                       "public",
                                       "--threshold",
                                       "60",
                                       "--sigma1",
                                       "15",
                                       "--sigma2",
                                       "15",
                                       "--dry-run"};
    json reordered = release(arguments).json().at("private");
    reordered["chosen_from"] = one.at("private").at("chosen_from");  // digests see the order
    CHECK(reordered == one.at("private"));
  }

  TEST_CASE("parameters from an earlier report are those of that report, and fixed") {
    const TempDirectory directory;
    const std::string report = (directory / "report.json").string();
    std::vector<std::string> others = digits({"--dry-run", "-o", report});
    others[0] = simulated(directory);
    CHECK(release(others).status == 0);
    const json first = json::parse(pate::test::read_bytes(report));
    const Ran second =
        release(digits({"--dry-run", "--other-teachers", "--parameters-from", report}));
    CHECK(second.status == 0);
    CHECK(second.json().at("private").at("parameters") == "fixed");
    for (const char* name : {"order", "beta", "sigma_ss"}) {
      CHECK(second.json().at("private").at(name) == first.at("private").at(name));
    }
    CHECK(release(digits({"--require-releasable", "--other-teachers", "--parameters-from", report}))
              .status == 0);
    CHECK(release(digits({"--parameters-from", sample("README.md")})).status == 3);
    write_bytes(directory / "other.json", R"({"schema": "pate/analyze/v1"})");
    const Ran other = release(digits({"--parameters-from", (directory / "other.json").string()}));
    CHECK(other.status == 3);
    CHECK(other.err.find("pate/analyze/v1") != std::string::npos);
    // The file is to blame, not an option.
    json wrong = first;
    wrong["private"]["order"] = 0.5;
    write_bytes(directory / "wrong.json", wrong.dump());
    const Ran order = release(digits({"--parameters-from", (directory / "wrong.json").string()}));
    CHECK(order.status == 3);
    CHECK(order.err.find("wrong.json: private: expected the parameters of a release (the order of "
                         "a release must be from 1 + 1e-9 to ") != std::string::npos);
  }

  TEST_CASE("parameters chosen from the votes fail --require-releasable before anything is drawn") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    const Ran ran = release(digits({"--require-releasable", "--ledger", ledger}));
    CHECK(ran.status == 1);
    CHECK_FALSE(ran.json().contains("public"));
    CHECK_FALSE(std::filesystem::exists(ledger));
  }

  TEST_CASE("the ledger refuses a second release; with --again it covers both") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    const Ran first = release(fixed({"--ledger", ledger}));
    CHECK(first.status == 0);
    const Ran second = release(fixed({"--ledger", ledger}));
    CHECK(second.status == 6);
    CHECK(second.out.empty());
    const Ran again = release(fixed({"--ledger", ledger, "--again"}));
    CHECK(again.status == 0);
    const json numbers = again.json().at("private");
    // The same parameters, the same cost once more.
    CHECK(numbers.at("earlier_releases_cost") == numbers.at("release_cost"));
    CHECK(again.json().at("public").at("statement").get<std::string>().find("1 earlier one") !=
          std::string::npos);
    const Ran third = release(fixed({"--ledger", ledger, "--again"}));
    CHECK(third.json().at("private").at("earlier_releases_cost").get<double>() ==
          doctest::Approx(2.0 * numbers.at("release_cost").get<double>()));
    // At an order that the earlier beta does not allow there is no number that covers both.
    const Ran steep = release(digits(
        {"--ledger", ledger, "--again", "--order", "40", "--beta", "0.01", "--sigma-ss", "3"}));
    CHECK(steep.status == 4);
    // A dry run releases nothing, and counts what a release would.
    CHECK(release(fixed({"--ledger", ledger, "--dry-run"})).status == 6);
    const Ran rehearsal = release(fixed({"--ledger", ledger, "--dry-run", "--again"}));
    CHECK(rehearsal.json().at("private").at("earlier_releases_cost").get<double>() ==
          doctest::Approx(3.0 * numbers.at("release_cost").get<double>()));
    // Other rows of these votes, another mechanism, other votes: one account all the same.
    for (const std::size_t changed : {std::size_t{2}, std::size_t{8}}) {
      std::vector<std::string> others = fixed({"--ledger", ledger});
      others[changed] = "199";
      CHECK(release(others).status == 6);
    }
    std::vector<std::string> others = fixed({"--ledger", ledger});
    others[0] = simulated(directory);
    CHECK(release(others).status == 6);
  }

  TEST_CASE("a statement names every other entry of the ledger, and counts it") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    const auto label = [&](const std::string& queries) {
      const Ran ran = run({"label",          sample("digits_100_counts.npy"),
                           "--teachers",     "100",
                           "--queries",      queries,
                           "--threshold",    "60",
                           "--sigma1",       "15",
                           "--sigma2",       "15",
                           "--delta",        "1e-5",
                           "--write-labels", (directory / "labels.npy").string(),
                           "--ledger",       ledger,
                           "--json",         "--force"});
      REQUIRE(ran.status == 0);
      CHECK(ran.err.find(ledger + ": ") != std::string::npos);
      return ran.json();
    };
    const auto counted = [](const json& published) {
      std::vector<std::string> ways;
      for (const json& entry : published.at("ledger")) ways.push_back(entry.at("counted"));
      return ways;
    };
    using Ways = std::vector<std::string>;
    const json first = label("200");
    const auto worst_case = [](const json& report) {
      double least = 1e300;
      for (const json& cost : report.at("costs")) {
        if (cost.at("bound") == "data_independent" && cost.at("promise") == "fixed") {
          least = std::min(least, cost.at("epsilon").get<double>());
        }
      }
      return least;
    };
    CHECK(first.at("ledger_total").at("epsilon").get<double>() ==
          doctest::Approx(worst_case(first)).epsilon(1e-12));
    const json other = label("200:300");
    CHECK(other.at("ledger_total").at("epsilon").get<double>() <
          worst_case(first) + worst_case(other));
    // The answers that it is about are counted once, others by what they cost.
    const json a = release(fixed({"--ledger", ledger})).json().at("public");
    CHECK(counted(a) == Ways{"same_answers", "added"});
    CHECK(a.at("epsilon").get<double>() ==
          doctest::Approx(a.at("run").at("epsilon").get<double>() +
                          other.at("filter").at("epsilon").get<double>()));
    CHECK(a.at("delta").get<double>() == doctest::Approx(3e-5));
    // The same answers again: by the noise of the first number.
    const json b = release(fixed({"--ledger", ledger, "--again"})).json().at("public");
    CHECK(counted(b) == Ways{"same_answers", "added", "noise"});
    // Other answers: everything else is added, the run of two numbers as the last of them tells.
    std::vector<std::string> rows = fixed({"--ledger", ledger, "--again"});
    rows[2] = "199";
    const json c = release(rows).json().at("public");
    CHECK(counted(c) == Ways{"within_another", "added", "within_another", "added"});
    CHECK(c.at("others").at("epsilon").get<double>() ==
          doctest::Approx(b.at("run").at("epsilon").get<double>() +
                          other.at("filter").at("epsilon").get<double>()));
    CHECK(c.at("epsilon").get<double>() ==
          doctest::Approx(c.at("run").at("epsilon").get<double>() +
                          b.at("run").at("epsilon").get<double>() +
                          other.at("filter").at("epsilon").get<double>()));
    const std::string statement = c.at("statement");
    for (const char* words : {"line 1 (label, ", "line 2 (label, ", "line 3 (release, ",
                              "line 4 (release, ", "sequential composition"}) {
      CHECK_MESSAGE(statement.find(words) != std::string::npos, words);
    }
    // The ledger says the same.
    const json account = run({"ledger", ledger, "--json"}).json();
    CHECK(account.at("total").at("delta").get<double>() ==
          doctest::Approx(c.at("delta").get<double>()));
    CHECK(account.at("headline").at("promise") == "fixed");
    for (const json& cost : account.at("costs")) {
      if (cost.at("bound") != "released") continue;
      CHECK(cost.at("promise") == "outcome");
      CHECK(cost.at("epsilon").get<double>() ==
            doctest::Approx(c.at("epsilon").get<double>()).epsilon(0.01));
    }
    CHECK(account.at("entries").size() == 5);
    CHECK(account.dump().find("sha256") == std::string::npos);
    // Deltas that add up to one or more make no statement.
    CHECK(release(fixed({"--ledger", ledger, "--again", "--confidence", "0.5", "--any-delta"}))
              .status == 0);
    rows.insert(rows.end(), {"--confidence", "0.5", "--any-delta"});
    CHECK(release(rows).status == 4);
  }

  TEST_CASE("realized: the labels are those of the run only if they are its decisions") {
    const TempDirectory directory;
    const std::string ledger = (directory / "ledger").string();
    const auto label = [&](const char* name) {
      const std::string path = (directory / name).string();
      REQUIRE(run({"label", sample("digits_100_counts.npy"), "--teachers", "100", "--queries",
                   "200", "--threshold", "60", "--sigma1", "15", "--sigma2", "15", "--delta",
                   "1e-5", "--write-labels", path, "--ledger", ledger, "--quiet"})
                  .status == 0);
      return path;
    };
    const std::string first = label("a.npy");
    (void)label("b.npy");
    const json published =
        release(fixed({"--ledger", ledger, "--reading", "realized", "--decisions", first}))
            .json()
            .at("public");
    CHECK(published.at("ledger")[0].at("counted") == "same_answers");
    CHECK(published.at("ledger")[1].at("counted") == "added");
  }

  TEST_CASE("without a ledger that is said, in a notice and in the statement") {
    const Ran ran = release(digits(kFixed));
    CHECK(ran.json().at("notices").dump().find("no_ledger") != std::string::npos);
    CHECK(ran.json().at("public").at("ledger").is_null());
    CHECK(ran.json().at("public").at("statement").get<std::string>().find("No ledger was kept") !=
          std::string::npos);
    CHECK(release(digits({"--ensemble", "x"})).status == 2);
  }

  TEST_CASE(
      "what may always be published is said whatever the values are, and compared with none") {
    const auto notes = [](const std::vector<std::string>& arguments) {
      return release(arguments).json().at("notices").dump();
    };
    const std::string votes = sample("digits_100_counts.npy");
    // In the first of these the cost for any votes is the smaller one, in the other it is not.
    for (const std::vector<std::string>& run_of :
         {std::vector<std::string>{votes, "--queries", "3", "--sigma2", "40"}, digits({})}) {
      for (const bool dry_run : {true, false}) {
        std::vector<std::string> words = run_of;
        if (dry_run) words.emplace_back("--dry-run");
        const std::string found = notes(words);
        CAPTURE(found);
        CHECK(found.find("which_to_publish") != std::string::npos);
        CHECK(found.find("must be fixed before looking") != std::string::npos);
        CHECK(found.find("no larger") == std::string::npos);
      }
    }
  }

  TEST_CASE("parameters that a rehearsal chose from the same votes are not fixed in advance") {
    const TempDirectory directory;
    const std::string rehearsal = (directory / "rehearsal.json").string();
    const std::string ledger = (directory / "ledger").string();
    CHECK(release(digits({"--dry-run", "-o", rehearsal})).status == 0);
    const Ran same = release(digits({"--parameters-from", rehearsal, "--ledger", ledger}));
    REQUIRE(same.status == 0);
    const json open = same.json().at("public");
    CHECK(open.at("parameters") == "chosen from the votes");
    CHECK(open.at("statement").get<std::string>().find("Caution: order, beta") !=
          std::string::npos);
    const Ran required = release(digits({"--parameters-from", rehearsal, "--require-releasable"}));
    CHECK(required.status == 1);
    CHECK_FALSE(required.json().contains("public"));
    // Nor where it was on other queries to the same teachers; of other votes they are.
    std::vector<std::string> others = digits({"--parameters-from", rehearsal});
    others[2] = "100";
    CHECK(release(others).json().at("public").at("parameters") == "chosen from the votes");
    others[0] = simulated(directory);
    CHECK(release(others).json().at("public").at("parameters") == "chosen from the votes");
    others.emplace_back("--other-teachers");
    CHECK(release(others).json().at("public").at("parameters") == "fixed");
    // Which these are not, whatever is said.
    CHECK(release(digits({"--parameters-from", rehearsal, "--other-teachers"}))
              .json()
              .at("public")
              .at("parameters") == "chosen from the votes");
    CHECK(release(digits({"--other-teachers"})).status == 2);
    // A rehearsal of a rehearsal hides nothing.
    const std::string second_rehearsal = (directory / "second.json").string();
    others.insert(others.end(), {"--dry-run", "-o", second_rehearsal});
    CHECK(release(others).status == 0);
    CHECK(release(digits({"--parameters-from", second_rehearsal, "--require-releasable",
                          "--other-teachers"}))
              .status == 1);
    CHECK(release(digits({"--parameters-from", second_rehearsal, "--require-releasable"})).status ==
          1);
    // Nor do the same votes in another file, or other rows of them there.
    const std::string copy = (directory / "copy.csv").string();
    const auto table = pate::io::open_table(sample("digits_100_counts.npy")).table;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(table->rows() * 10));
    table->read_integers(0, table->rows(), 0, 10, counts);
    std::string text;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      text += std::to_string(counts[k]) + (k % 10 == 9 ? '\n' : ',');
    }
    write_bytes(copy, text);
    std::vector<std::string> copied =
        digits({"--parameters-from", rehearsal, "--require-releasable"});
    copied[0] = copy;
    copied[2] = "100";
    CHECK(release(copied).status == 1);
    // What covers an earlier release covers its parameters too.
    const json numbers = same.json().at("private");
    const std::vector<std::string> again =
        digits({"--ledger", ledger, "--again", "--order", numbers.at("order").dump(), "--beta",
                numbers.at("beta").dump(), "--sigma-ss", "3"});
    std::vector<std::string> strict = again;
    strict.emplace_back("--require-releasable");
    CHECK(release(strict).status == 1);
    const Ran second = release(again);
    REQUIRE(second.status == 0);
    CHECK(second.json()
              .at("public")
              .at("statement")
              .get<std::string>()
              .find("those of an earlier release were chosen") != std::string::npos);
  }

  TEST_CASE("realized: refused queries pay for the check only, and the decisions are public") {
    const TempDirectory directory;
    const std::string decisions = (directory / "decisions.npy").string();
    std::vector<std::int64_t> answered(797, -1);
    for (std::size_t i = 0; i < 60; ++i) answered[i] = 3;
    write_bytes(decisions, npy_array<std::int64_t>({797}, answered));
    const Ran ran = release(fixed({"--decisions", decisions, "--reading", "realized", "--accept",
                                   "improbable-decisions", "--accept", "improbable-labels"}));
    CHECK(ran.status == 0);
    CHECK(ran.json().at("public").at("answered") == 60);
    CHECK(ran.json().at("public").at("reading") == "realized");
    const Ran analyzed = run({"analyze",     sample("digits_100_counts.npy"),
                              "--queries",   "200",
                              "--threshold", "60",
                              "--sigma1",    "15",
                              "--sigma2",    "15",
                              "--delta",     "1e-5",
                              "--decisions", decisions,
                              "--orders",    "4",
                              "--reading",   "realized",
                              "--json",      "--quiet"});
    // Forward alone, where the analysis takes the larger direction of every step.
    const double before = ran.json().at("private").at("epsilon_before");
    const double both = analyzed.json().at("headline").at("epsilon");
    CHECK(before <= both);
    CHECK(before >= 0.9 * both);
  }

  TEST_CASE("as published: S18's numbers, never valid and never drawn") {
    const Ran ran = release(digits({"--as-published", "--dry-run"}));
    CHECK(ran.status == 0);
    CHECK(ran.json().at("valid") == false);
    CHECK(ran.json().at("conditions").at("c5") == true);
    CHECK_FALSE(ran.json().contains("public"));
    CHECK(release(digits({"--as-published"})).status == 2);
    CHECK(release(digits({"--as-published", "--dry-run", "--bound", "exact"})).status == 2);
  }

  TEST_CASE("as published: the numbers of S18's votes (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    const std::string votes = shared_votes("s18_mnist_250_counts.npy");
    const json numbers =
        release({votes, "--teachers", "250", "--queries", "640", "--threshold", "200", "--sigma1",
                 "150", "--sigma2", "40", "--as-published", "--dry-run"})
            .json()
            .at("private");
    CHECK(numbers.at("mean_published").get<double>() == doctest::Approx(2.5162).epsilon(1e-4));
    CHECK(numbers.at("noise_sd").get<double>() == doctest::Approx(.38486).epsilon(1e-4));
  }

  TEST_CASE("command lines that cannot be right say which option to change") {
    struct Wrong {
      std::vector<std::string> more;
      int status;
      const char* says;
    };
    for (const Wrong& wrong : {
             Wrong{{"--order", "4"}, 2, "add --beta"},
             Wrong{{"--order", "4", "--beta", "0.05"}, 2, "add --sigma-ss"},
             Wrong{{"--order", "4", "--beta", "0.2", "--sigma-ss", "3"}, 2, "beta must be"},
             Wrong{{"--order", "1", "--beta", "0.2", "--sigma-ss", "3"}, 2, "order"},
             Wrong{{"--order", "4", "--beta", "nan", "--sigma-ss", "3"}, 2, "beta"},
             Wrong{{"--order", "4", "--beta", "0.05", "--sigma-ss", "0"}, 2, "sigma-ss must be"},
             Wrong{{"--confidence", "0.4"}, 2, "confidence must be"},
             Wrong{{"--confidence", "0.8"}, 2, "add --any-delta"},
             Wrong{{"--confidence", "1"}, 2, "confidence must be"},
             Wrong{{"--reading", "realized"}, 2, "--decisions"},
             Wrong{{"--reading", "expected"}, 2, "--as-published"},
             Wrong{{"--bound", "exact"}, 2, "two classes"},
             Wrong{{"--bound", "published"}, 2, "--bound"},
             Wrong{{"--dry-run", "--public-only"}, 2, "--public-only"},
             Wrong{{"--again"}, 2, "--ledger"},
         }) {
      const Ran ran = release(digits(wrong.more));
      CAPTURE(wrong.says);
      CHECK(ran.status == wrong.status);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(ran.err.find(wrong.says) != std::string::npos, ran.err);
    }
  }

  TEST_CASE("releases at the ends of what can be released") {
    // Hardly any noise, so that q is down to 1e-1000: everything stays finite.
    const Ran loud = release({sample("digits_100_counts.npy"), "--queries", "5", "--sigma2", "0.9",
                              "--dry-run", "--order", "1.5", "--beta", "0.1", "--sigma-ss", "2"});
    CHECK(loud.status == 0);
    CHECK(loud.json().at("private").at("smooth_sensitivity").get<double>() > 0.0);
    // An order whose moments no number holds.
    CHECK(release({sample("digits_100_counts.npy"), "--queries", "5", "--sigma2", "0.1",
                   "--dry-run", "--order", "60", "--beta", "0.001", "--sigma-ss", "2"})
              .status == 4);
    const Ran laplace = release(
        {sample("digits_100_counts.npy"), "--queries", "50", "--laplace-scale", "30", "--dry-run"});
    CHECK(laplace.status == 0);
    const Ran gnmax = release({sample("digits_100_counts.npy"), "--queries", "50", "--sigma2", "20",
                               "--dry-run", "--confidence", "0.5", "--any-delta"});
    CHECK(gnmax.status == 0);
  }
}
