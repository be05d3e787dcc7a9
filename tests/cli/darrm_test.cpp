#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using nlohmann::json;
using pate::test::Ran;
using pate::test::run;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

bool no_solver() {
  return !pate::LinearProgram::is_available();
}

Ran darrm(const std::string& words, const std::string& votes = "") {
  std::vector<std::string> arguments{"darrm"};
  std::istringstream in(words);
  for (std::string word; in >> word;) arguments.push_back(word);
  if (!votes.empty()) arguments.insert(arguments.begin() + 1, votes);
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  return run(std::move(arguments));
}

void refuses(const std::string& words, int status, const std::string& what,
             const std::string& votes = "") {
  const Ran ran = darrm(words, votes);
  CAPTURE(words);
  CAPTURE(ran.err);
  CHECK(ran.status == status);
  CHECK(ran.out.empty());
  CHECK(ran.err.find(what) != std::string::npos);
}

const std::string kPlain = "--setting independent-fresh --epsilon 0.1 --m 3";

}  // namespace

TEST_CASE("darrm: options that are wrong") {
  refuses("--setting independent-fresh --epsilon 0 --m 3 --teachers 11", 2,
          "--epsilon must be > 0");
  refuses("--setting independent-fresh --epsilon nan --m 3 --teachers 11", 2, "--epsilon");
  refuses("--epsilon 1 --m 3 --teachers 11", 2, "--setting");
  refuses(kPlain, 2, "add --teachers K");
  refuses("--setting independent-fresh --epsilon 0.1 --teachers 11", 2, "add --m M");
  refuses("--setting independent-fresh --epsilon 0.1 --teachers 11 --m 12", 2,
          "at most the number of teachers, 11");
  refuses("--setting independent-fresh --epsilon 0.1 --teachers 11 --m -1", 2, "--m must be > 0");
  refuses(kPlain + " --teachers 0", 2, "--teachers must be >= 1 and <= 4096, got 0");
  refuses(kPlain + " --teachers 11 --delta-teacher 1", 2,
          "--delta-teacher must be >= 0 and < 1, got 1");
  refuses(kPlain + " --teachers 11 --affected 12", 2, "1 .. 11, got 12");
  refuses(kPlain + " --teachers 11 --weights binomial:1.5", 2, "between 0.5 and 1");
  refuses(kPlain + " --teachers 11 --weights published:0.5", 2, "between 0.5 and 1");
  refuses(kPlain + " --teachers 11 --write-labels l.npy", 2, "--write-labels needs VOTES");
  refuses(kPlain + " --teachers 11 --noise-function one-vote", 2, "is for --setting non-private");
  refuses(kPlain + " --teachers 11 --noise-function constant --monotone", 2, "--monotone is for");
  refuses("--setting non-private --epsilon 0.1 --m 3 --teachers 11", 2, "excludes --m");
  refuses(
      "--setting static-shards --epsilon 0.1 --m 3 --teachers 11 --affected 2 --noise-function "
      "constant",
      2, "a record affects one teacher");
}

TEST_CASE("darrm: deltas, and files that are inputs") {
  const TempDirectory directory;
  const std::string weights = (directory / "w.csv").string();
  write_bytes(weights, "1\n1\n1\n1\n1\n1\n");
  const std::string rest = kPlain + " --teachers 11 --noise-function constant ";
  refuses(rest + "--delta 0.3", 2, "add --any-delta");
  refuses(rest + "--total-delta 0.3", 2, "--total-delta 0.3 is above 0.1");
  refuses(rest + "--delta 1", 2, "--delta must be >= 0 and < 1, got 1");
  refuses(rest + "--delta nan", 2, "--delta must be >= 0");
  refuses(rest + "--queries 9223372036854775807 --total-delta 1e-5", 2, "at most 1000000000");
  CHECK(darrm(rest + "--delta-teacher -0.0").json()["headline"]["delta"].dump() == "0.0");
  // Where so many failures are allowed nothing is left to promise but them.
  CHECK(darrm(rest + "--queries 10 --total-delta 0.99 --any-delta").json()["headline"]["epsilon"] ==
        0.0);
  refuses(rest + "--total-delta 0", 2, "delta must be > 0");
  refuses(rest + "--weights " + weights + " -o " + weights, 2, "is an input");
  CHECK(darrm(rest + "--delta 0.3 --any-delta").status == 0);
  write_bytes(weights, "1\n1\n1\n1\ninf\n1\n");
  refuses(rest + "--weights " + weights, 3, "row 4");
  write_bytes(weights, "1\n1\n1\n1\nnan\n1\n");
  refuses(rest + "--weights " + weights, 3, "row 4");
}

TEST_CASE("darrm: votes that are wrong") {
  const TempDirectory directory;
  const auto file = [&](const char* name, const std::string& text) {
    write_bytes(directory / name, text);
    return (directory / name).string();
  };
  const std::string rest = kPlain + " --noise-function constant";
  refuses(rest, 3, "expected votes for two classes, found 3", file("three.csv", "3,4,4\n"));
  refuses(rest, 3, "row 1", file("sum.csv", "5,6\n5,7\n"));
  refuses(rest + " --teachers 12", 3, "--teachers says 12", file("votes.csv", "5,6\n"));
  refuses(rest + " --ledger l.jsonl --write-labels l.npy", 2, "another unit",
          file("votes.csv", "5,6\n"));
  refuses(rest + " --weights " + file("w.csv", "1\n2\n"), 3, "expected 6 weights",
          file("votes.csv", "5,6\n"));
  refuses(rest + " --weights " + file("w.csv", "1\n2\n-3\n4\n5\n6\n"), 3, "row 2: a weight",
          file("votes.csv", "5,6\n"));
}

TEST_CASE("darrm: an optimum, with weights of a file" * doctest::skip(no_solver())) {
  const TempDirectory directory;
  write_bytes(directory / "w.csv", "1\n1\n1\n1\n1\n1\n");
  const json plain = darrm(kPlain + " --teachers 11 --monotone --weights uniform").json();
  const json weighed =
      darrm(kPlain + " --teachers 11 --monotone --weights " + (directory / "w.csv").string())
          .json();
  CHECK(plain["gamma"] == weighed["gamma"]);
  CHECK(weighed["inputs"].contains("weights"));
  CHECK(plain["certificate"]["worst"].get<double>() <= plain["certificate"]["bound"].get<double>());
  CHECK(plain["objective"]["value"].get<double>() > 0.9);
}

TEST_CASE("darrm: labels tell how right the answers are") {
  const TempDirectory directory;
  write_bytes(directory / "v.csv", "1,10\n8,3\n5,6\n");
  write_bytes(directory / "l.csv", "1\n1\n0\n");
  const std::string rest =
      kPlain + " --noise-function constant --labels " + (directory / "l.csv").string();
  const json report = darrm(rest, (directory / "v.csv").string()).json();
  const double gamma = report["gamma"][0].get<double>();
  // One majority of three is right.
  CHECK(report["votes"]["majority_accuracy"].get<double>() == doctest::Approx(1.0 / 3.0));
  CHECK(report["votes"]["accuracy"].get<double>() ==
        doctest::Approx(0.5 - gamma / 6.0).epsilon(1e-12));
  CHECK_FALSE(darrm(kPlain + " --noise-function constant", (directory / "v.csv").string())
                  .json()["votes"]
                  .contains("accuracy"));
  refuses(kPlain + " --teachers 11 --labels l.csv", 2, "--labels needs VOTES");
  write_bytes(directory / "l.csv", "1\n2\n0\n");
  refuses(rest, 3, "l.csv", (directory / "v.csv").string());
}

TEST_CASE("darrm: unanimous teachers are not answered with a coin, whatever the weights" *
          doctest::skip(no_solver())) {
  for (const std::string weights : {"total-variation", "published:0.75", "agreement"}) {
    CAPTURE(weights);
    const json report = darrm(
                            "--setting independent-fresh --epsilon 0.1 --m 30 --teachers 101 "
                            "--total-delta 1e-5 --weights " +
                            weights)
                            .json();
    for (const json& value : report["gamma"]) CHECK(value.get<double>() > 0.9);
    for (const json& notice : report["notices"]) CHECK(notice["code"] != "better_compared");
  }
}

TEST_CASE("darrm: a compared noise function that agrees better is pointed at" *
          doctest::skip(no_solver())) {
  const auto noted = [](const json& report) {
    return std::ranges::any_of(report["notices"],
                               [](const json& one) { return one["code"] == "better_compared"; });
  };
  const json report = darrm(kPlain + " --teachers 11 --weights published:0.95").json();
  bool is_better = false;
  for (const json& one : report["compared"]) {
    if (one["share_of_bound"].is_null() || one["share_of_bound"].get<double>() > 1.0) continue;
    for (std::size_t k = 0; k < one["agreements"].size(); ++k) {
      is_better = is_better || one["agreements"][k].get<double>() >
                                   report["compared"][0]["agreements"][k].get<double>() + 0.01;
    }
  }
  CHECK(is_better);
  CHECK(noted(report));
  CHECK_FALSE(noted(darrm(kPlain + " --teachers 11 --noise-function constant").json()));
}

TEST_CASE("darrm: three settings of the same answers, and what each may claim") {
  const auto epsilon = [](const std::string& setting, const std::string& more = "") {
    return darrm("--setting " + setting + " --epsilon 0.1 --teachers 11 --queries 100 " + more)
        .json()["headline"]["epsilon"]
        .get<double>();
  };
  const std::string three = "--m 3 --noise-function double-subsampling";
  CHECK(epsilon("independent-fresh", three) == doctest::Approx(30.0));
  CHECK(epsilon("static-whole", three) == doctest::Approx(1.1));
  CHECK(epsilon("static-shards", three) == doctest::Approx(0.1));
  CHECK(epsilon("non-private") == doctest::Approx(10.0));
}

TEST_CASE("darrm: labels come from the source's bits, files are not replaced") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", "11,0\n0,11\n5,6\n6,5\n");
  pate::cli::DarrmOptions options;
  options.input.votes = (directory / "votes.csv").string();
  options.setting = pate::TeacherSetting::independent_fresh;
  options.noise = pate::NoiseFunction::constant;
  options.epsilon = 2.0;
  options.m = 6.0;
  options.labels = (directory / "labels.csv").string();
  options.output.quiet = true;
  std::ostringstream out;
  std::ostringstream err;
  pate::test::TestBits bits(3);
  CHECK(pate::cli::run_darrm(options, {out, err, false, false}, bits) == 0);
  const auto table = pate::io::open_table(options.labels).table;
  REQUIRE(table->rows() == 4);
  // The whole majority is private at m = 6: the coin comes with 2^-36.
  std::vector<std::int64_t> labels(4);
  table->read_integers(0, 4, 1, 1, labels);
  CHECK(labels == std::vector<std::int64_t>{0, 1, 1, 0});
  CHECK_THROWS_AS((void)pate::cli::run_darrm(options, {out, err, false, false}, bits),
                  pate::cli::usage_error);
}

TEST_CASE("darrm: above the limit nothing is drawn, and nothing recorded") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", "11,0\n0,11\n5,6\n6,5\n");
  const std::string labels = (directory / "l.npy").string();
  const std::string ledger = (directory / "ledger.jsonl").string();
  const Ran ran = darrm("--setting non-private --epsilon 0.5 --max-epsilon 1.9 --write-labels " +
                            labels + " --ledger " + ledger,
                        (directory / "votes.csv").string());
  CHECK(ran.status == 1);
  CHECK(ran.err.find("so no answer was drawn") != std::string::npos);
  CHECK_FALSE(ran.json().contains("labels"));
  CHECK_FALSE(std::filesystem::exists(labels));
  CHECK_FALSE(std::filesystem::exists(ledger));
}

TEST_CASE("darrm: a ledger of teachers that promise nothing") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", "11,0\n0,11\n5,6\n6,5\n");
  const std::string ledger = (directory / "ledger.jsonl").string();
  const std::string rest = "--setting non-private --epsilon 0.5 --force --ledger " + ledger +
                           " --write-labels " + (directory / "l.npy").string();
  const json first = darrm(rest, (directory / "votes.csv").string()).json();
  CHECK(first["ledger_total"]["epsilon"].get<double>() == doctest::Approx(2.0));
  const json second = darrm(rest, (directory / "votes.csv").string()).json();
  CHECK(second["ledger_total"]["epsilon"].get<double>() == doctest::Approx(4.0));
  const json account = run({"ledger", ledger, "--json"}).json();
  CHECK(account["entries"].size() == 2);
  const Ran sum = run({"compose", ledger, "--json", "--delta", "1e-5"});
  CHECK(sum.status == 0);
  const double epsilon = sum.json()["headline"]["epsilon"].get<double>();
  CHECK(epsilon <= 4.0);  // the sum of eight pure answers, or their exact composition
  CHECK(epsilon > 3.99);
}

TEST_CASE("darrm: reports are added up where one teacher is protected") {
  const TempDirectory directory;
  const std::string one_vote = (directory / "one_vote.json").string();
  const std::string fresh = (directory / "fresh.json").string();
  CHECK(darrm("--teachers 11 --queries 4 --setting non-private --epsilon 0.5 -o " + one_vote)
            .status == 0);
  CHECK(darrm(kPlain + " --teachers 11 --noise-function constant -o " + fresh).status == 0);
  const Ran sum =
      run({"compose", one_vote, one_vote, "--same-teachers", "--json", "--delta", "1e-5"});
  CAPTURE(sum.err);
  CHECK(sum.status == 0);
  const double epsilon = sum.json()["headline"]["epsilon"].get<double>();
  CHECK(epsilon <= 4.0);  // the sum of eight pure answers, or their exact composition
  CHECK(epsilon > 3.99);
  const Ran refused =
      run({"compose", one_vote, fresh, "--same-teachers", "--json", "--delta", "1e-5"});
  CHECK(refused.status == 3);
  CHECK(refused.err.find("protects one teacher's votes as") != std::string::npos);
  CHECK(refused.err.find("found one that protects one record of the data") != std::string::npos);
}

TEST_CASE(
    "darrm: reports of new coins add up to what a record loses, those of static teachers not") {
  const TempDirectory directory;
  const std::string fresh = (directory / "fresh.json").string();
  const std::string sum = (directory / "sum.json").string();
  const std::string constant = " --teachers 11 --epsilon 0.1 --m 3 --noise-function constant -o ";
  CHECK(darrm("--setting independent-fresh --delta-teacher 1e-6 --queries 2" + constant + fresh)
            .status == 0);
  const Ran twice = run({"compose", fresh, fresh, "--same-teachers", "-o", sum, "--quiet"});
  CAPTURE(twice.err);
  CHECK(twice.status == 0);
  // A sum is added to others as what it is.
  const Ran more = run({"compose", sum, fresh, "--same-teachers", "--json", "--quiet"});
  CAPTURE(more.err);
  REQUIRE(more.status == 0);
  CHECK(more.json()["headline"]["epsilon"].get<double>() >= 6 * 0.3);
  CHECK(more.json()["headline"]["epsilon"].get<double>() == doctest::Approx(1.8).epsilon(1e-9));
  CHECK(more.json()["headline"]["delta"].get<double>() >= 1.0 - std::pow(1.0 - 1e-6, 18));
  CHECK(more.json()["guarantee"]["protected"] ==
        "one record of the data that the teachers learn from");
  CHECK(more.json()["record"]["events"][0]["protects"] == "record");
  const std::string plan = (directory / "plan.json").string();
  CHECK(run({"plan", "--sigma2", "40", "--queries", "10", "--delta", "1e-5", "-o", plan, "--quiet"})
            .status == 0);
  const Ran mixed = run({"compose", sum, plan, "--same-teachers", "--json", "--quiet"});
  CHECK(mixed.status == 3);
  CHECK(mixed.err.find("costs of the two do not add up") != std::string::npos);
  for (const std::string setting : {"static-whole", "static-shards"}) {
    const std::string once = (directory / (setting + ".json")).string();
    CHECK(darrm("--setting " + setting + constant + once).status == 0);
    const Ran refused = run({"compose", once, "--json", "--quiet"});
    CHECK(refused.status == 3);
    CHECK(refused.err.find("run pate darrm on all of their queries together") != std::string::npos);
  }
}

TEST_CASE("darrm: --public-only puts out nothing of the votes") {
  const TempDirectory directory;
  const auto votes = [&](const char* name, const std::string& text) {
    write_bytes(directory / name, text);
    return (directory / name).string();
  };
  const std::string rest = kPlain + " --noise-function constant --public-only";
  const Ran one = darrm(rest, votes("votes.csv", "11,0\n0,11\n5,6\n6,5\n"));
  const Ran other = darrm(rest, votes("other.csv", "0,11\n0,11\n0,11\n6,5\n"));
  REQUIRE(one.status == 0);
  CHECK(one.out == other.out);
  CHECK(one.out.find("votes.csv") == std::string::npos);
  const json report = one.json();
  CHECK(report.size() == 4);
  CHECK(report["public"]["headline"]["epsilon"].get<double>() == doctest::Approx(1.2));
  CHECK(report["public"]["gamma"].size() == 6);
  CHECK_FALSE(report["public"].contains("votes"));
  // What may be published of it is enough for a sum.
  const std::string file = (directory / "public.json").string();
  write_bytes(file, one.out);
  const Ran sum = run({"compose", file, "--json", "--quiet"});
  CHECK(sum.status == 0);
  CHECK(sum.json()["headline"]["epsilon"].get<double>() <= 1.2 * (1.0 + 1e-9));
}

TEST_CASE("darrm: fives and eights of MNIST by 11 teachers (real votes)" *
          doctest::skip(!pate::test::has_shared_votes() || no_solver())) {
  const std::string votes = pate::test::shared_votes("mnist_t10k_5v8_11_counts.npy");
  const json report =
      darrm("--setting independent-fresh --epsilon 0.1 --m 3 --monotone --total-delta 1e-6", votes)
          .json();
  CHECK(report["teachers"]["count"] == 11);
  std::int64_t queries = 0;
  for (const auto& count : report["votes"]["queries_by_ones"]) queries += count.get<std::int64_t>();
  CHECK(queries == 1206);
  CHECK(report["queries"] == 1206);
  const double agreement = report["votes"]["agreement"].get<double>();
  CHECK(agreement > 0.9);
  CHECK(agreement < 1.0);
  // By predictions the same.
  const json by_teachers =
      darrm(
          "--setting independent-fresh --epsilon 0.1 --m 3 --monotone --total-delta 1e-6 "
          "--layout predictions --classes 2",
          pate::test::shared_votes("mnist_t10k_5v8_11_predictions.npy"))
          .json();
  CHECK(by_teachers["votes"] == report["votes"]);
  CHECK(by_teachers["headline"] == report["headline"]);
  // Its teachers were trained once, on disjoint shards: everything costs what one of them costs.
  const TempDirectory directory;
  const json shards = darrm("--setting static-shards --epsilon 0.1 --m 6 --write-labels " +
                                (directory / "labels.npy").string(),
                            votes)
                          .json();
  CHECK(shards["headline"]["epsilon"] == 0.1);
  const auto labels = pate::io::open_table((directory / "labels.npy").string()).table;
  CHECK(labels->rows() == 1206);
}
