#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"
#include "pate/reports/ledger.hpp"
#include "support/bit_sources.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using pate::test::Ran;
using pate::test::read_bytes;
using pate::test::run;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

// Two classes, 60 teachers, 40 queries on which they agree more or less.
std::string declared_votes(int agreement) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const int top = std::min(60, 40 + (i * 7 + agreement) % 21);
    text += std::to_string(top) + "," + std::to_string(60 - top) + "\n";
  }
  return text;
}

pate::cli::LabelOptions declared_options(const TempDirectory& directory, double epsilon) {
  pate::cli::LabelOptions options;
  options.input.votes = (directory / "votes.csv").string();
  options.input.teachers = 60;
  options.mechanism.sigma1 = 20.0;
  options.mechanism.sigma2 = 10.0;
  options.mechanism.threshold = "40";
  options.delta = 1e-5;
  options.declared_epsilon = epsilon;
  options.force = true;
  options.labels = (directory / "labels.npy").string();
  options.output.output = (directory / "report.json").string();
  options.threads = 1;
  return options;
}

struct DeclaredRun {
  int status = 0;
  std::string out, err;
};

DeclaredRun run_declared(const pate::cli::LabelOptions& options, pate::BitSource& bits) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = pate::cli::run_label(options, {out, err, false, false}, bits, {});
  return {status, out.str(), err.str()};
}

json rehearsal_of(pate::cli::LabelOptions options, const TempDirectory& directory) {
  options.dry_run = true;
  options.labels.clear();
  options.ledger.clear();
  pate::test::TestBits bits(1);
  REQUIRE(run_declared(options, bits).status == pate::cli::kDone);
  return json::parse(read_bytes(directory / "report.json"));
}

// No bits at all: whoever asks for one fails.
class NoBits final : public pate::BitSource {
 public:
  std::unique_ptr<pate::BitSource> another() override { throw std::runtime_error("no bits"); }

 private:
  std::uint64_t next_word() override { throw std::runtime_error("no bits"); }
};

}  // namespace

TEST_SUITE_BEGIN("cli");

TEST_CASE("label, declared: passes as often as the rehearsal says, and tells nothing else") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", declared_votes(0));
  pate::cli::LabelOptions options = declared_options(directory, 5.0);
  // An epsilon with which it fails now and then.
  const json wanted = rehearsal_of(options, directory)["declared"]["smallest_epsilon"];
  REQUIRE(wanted[0]["epsilon"].is_number());
  options.declared_epsilon = wanted[0]["epsilon"].get<double>() - 0.12;
  const double p = rehearsal_of(options, directory)["declared"]["pass_probability"].get<double>();
  CAPTURE(p);
  REQUIRE(p > 0.1);
  REQUIRE(p < 0.95);
  constexpr int kRuns = 300;
  int passed = 0;
  std::set<std::string> failures;
  for (int n = 0; n < kRuns; ++n) {
    fs::remove(directory / "labels.npy");
    fs::remove(directory / "report.json");
    pate::test::TestBits bits(static_cast<std::uint64_t>(n) + 100);
    const DeclaredRun ran = run_declared(options, bits);
    CHECK(fs::exists(directory / "labels.npy") == (ran.status == pate::cli::kDone));
    if (ran.status == pate::cli::kDone) {
      ++passed;
      continue;
    }
    CHECK(ran.status == pate::cli::kLimitMissed);
    CHECK_FALSE(fs::exists(directory / "report.json"));
    failures.insert(ran.out + ran.err);
  }
  CHECK(std::abs(passed - kRuns * p) < 5.0 * std::sqrt(kRuns * p * (1.0 - p)));
  // Nothing of the votes is in what a failure prints: it is the same for others.
  REQUIRE(failures.size() == 1);
  CHECK(failures.begin()->find("did not pass") != std::string::npos);
  write_bytes(directory / "votes.csv", declared_votes(4));
  pate::test::ConstantBits never(~std::uint64_t{0});
  const DeclaredRun other = run_declared(options, never);
  CHECK(other.status == pate::cli::kLimitMissed);
  CHECK(*failures.begin() == other.out + other.err);
}

TEST_CASE("label, declared: the ledger is charged before the coin, passed or not") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", declared_votes(0));
  pate::cli::LabelOptions options = declared_options(directory, 5.0);
  options.ledger = (directory / "ledger.jsonl").string();
  // Without a single bit nothing is drawn; the entry is there all the same.
  NoBits none;
  CHECK_THROWS_AS((void)run_declared(options, none), std::runtime_error);
  CHECK_FALSE(fs::exists(directory / "labels.npy"));
  pate::test::ConstantBits never(~std::uint64_t{0});
  CHECK(run_declared(options, never).status == pate::cli::kLimitMissed);
  CHECK_FALSE(fs::exists(directory / "labels.npy"));
  pate::test::TestBits bits(9);
  REQUIRE(run_declared(options, bits).status == pate::cli::kDone);
  const pate::reports::Ledger ledger(options.ledger);
  REQUIRE(ledger.entries().size() == 3);
  const json report = json::parse(read_bytes(directory / "report.json"));
  for (const auto& entry : ledger.entries()) {
    pate::PublicEvent open = entry.event.open;
    CHECK(open.kind == pate::EventKind::declared);
    REQUIRE(open.claim);
    CHECK(open.claim->epsilon == 5.0);
    CHECK(open.claim->delta == 1e-5);
    CHECK_FALSE(open.steps);
    CHECK_FALSE(open.realized);
    // What came out makes no difference to what is recorded.
    open.id = ledger.entries().front().event.open.id;
    CHECK(open == ledger.entries().front().event.open);
  }
  CHECK(report["ledger_total"]["epsilon"].get<double>() <= 15.0 * (1.0 + 1e-9));
  CHECK(report["ledger_total"]["delta"].get<double>() == doctest::Approx(3e-5));
  CHECK(report["declared"]["passed"] == true);
  CHECK(report["headline"]["epsilon"] == 5.0);
  CHECK(report["headline"]["releasable"] == true);
  CHECK(report["guarantee"]["holds"] == true);
  CHECK(report["record"]["events"][0]["claim"]["epsilon"] == 5.0);
  // Two reports of the same run are one event.
  const std::string path = (directory / "report.json").string();
  const Ran sum = run({"compose", path, path, "--json"});
  REQUIRE(sum.status == 0);
  CHECK(sum.json()["headline"]["epsilon"].get<double>() == doctest::Approx(5.0).epsilon(1e-14));
}

TEST_CASE("label, declared: a failed test is followed by fewer queries") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", declared_votes(0));
  pate::cli::LabelOptions options = declared_options(directory, 5.0);
  options.fallback_queries = 2;
  class FailsThenDraws final : public pate::BitSource {
   public:
    std::unique_ptr<pate::BitSource> another() override {
      return std::make_unique<pate::test::TestBits>(5);
    }

   private:
    std::uint64_t next_word() override { return left_-- > 0 ? ~std::uint64_t{0} : ++words_; }
    int left_ = 2;
    std::uint64_t words_ = 0;
  } bits;
  const DeclaredRun ran = run_declared(options, bits);
  REQUIRE(ran.status == pate::cli::kDone);
  const json report = json::parse(read_bytes(directory / "report.json"));
  CHECK(report["declared"]["passed"] == false);
  CHECK(report["declared"]["fallback"]["queries"] == 2);
  CHECK(report["declared"]["fallback"]["epsilon"] == 2.5);
  CHECK(report["labels"]["asked"] == 2);
  // A row for every query, so that labels stand beside their queries.
  const std::string labels = read_bytes(directory / "labels.npy");
  const auto queries = report["queries"].get<std::size_t>();
  CHECK(labels.find("'shape': (" + std::to_string(queries) + ",)") != std::string::npos);
  CHECK(queries > 2);
  CHECK(report["headline"]["epsilon"] == 5.0);
  options.fallback_queries = 40;
  CHECK_THROWS_WITH_AS((void)run_declared(options, bits), doctest::Contains("at most"),
                       std::runtime_error);
}

TEST_CASE("label, declared: what is adaptive or hopeless is refused") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", declared_votes(0));
  const auto refused = [&](std::vector<std::string> more, const char* delta = "1e-5") {
    std::vector<std::string> arguments{"label",      (directory / "votes.csv").string(),
                                       "--teachers", "60",
                                       "--sigma2",   "10",
                                       "--delta",    delta};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run(std::move(arguments));
    CHECK(ran.out.empty());
    CHECK(ran.status != 0);
    CHECK_FALSE(fs::exists(directory / "l.npy"));
    return ran.err;
  };
  const std::string labels = (directory / "l.npy").string();
  const auto says = [](const std::string& text, const char* what) {
    CAPTURE(text);
    CHECK(text.find(what) != std::string::npos);
  };
  says(refused({"--write-labels", labels, "--declared-epsilon", "1", "--max-epsilon", "1"}),
       "excludes --max-epsilon");
  says(refused({"--write-labels", labels, "--declared-epsilon", "1", "--max-answers", "1"}),
       "excludes --max-answers");
  says(refused({"--write-labels", labels, "--declared-epsilon", "1", "--order", "3"}),
       "excludes --order");
  says(refused({"--write-labels", labels, "--fallback-queries", "3"}),
       "goes with --declared-epsilon");
  says(refused({"--dry-run"}), "goes with --declared-epsilon");
  says(refused({"--declared-epsilon", "1"}), "--write-labels is required");
  says(refused({"--write-labels", labels, "--declared-epsilon", "1", "--dry-run"}),
       "makes no labels");
  says(refused({"--write-labels", labels, "--declared-epsilon", "nan"}),
       "an epsilon that is told beforehand");
  says(refused({"--write-labels", labels, "--declared-epsilon", "0"}),
       "an epsilon that is told beforehand");
  says(refused({"--write-labels", labels, "--declared-epsilon", "0.02", "--certificate", "renyi"}),
       "out of reach");
}
