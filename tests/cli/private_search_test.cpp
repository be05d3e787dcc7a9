#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using pate::test::read_bytes;
using pate::test::sample;
using pate::test::TempDirectory;

namespace {

std::vector<std::int64_t> integers_of(const fs::path& path) {
  const auto table = pate::io::open_table(path.string()).table;
  std::vector<std::int64_t> values(static_cast<std::size_t>(table->rows()));
  table->read_integers(0, table->rows(), 0, 1, values);
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("cli");

TEST_CASE("tune --account: what is released, or nothing, is in the report and in the ledger") {
  const TempDirectory directory;
  const fs::path labels = directory / "labels.npy";
  const fs::path ledger = directory / "ledger.jsonl";
  const std::vector<std::int64_t> right = integers_of(sample("digits_100_labels.npy"));
  pate::cli::TuneOptions options;
  options.input.votes = sample("digits_100_counts.npy");
  options.input.labels = sample("digits_100_labels.npy");
  options.input.teachers = 100;
  options.input.queries = "100:130";
  options.tuning.sigma2 = "10,40";
  options.tuning.sigma1 = "10,30";
  options.tuning.threshold = "20:60:20";
  options.tuning.settings.grid.kind.delta = 1e-5;
  options.tuning.settings.grid.threads = 1;
  options.account = "poisson:1";
  options.labels = labels.string();
  options.ledger = ledger.string();
  options.output.output = (directory / "report.json").string();
  options.output.quiet = true;
  int without = 0;
  constexpr int kRuns = 12;
  double epsilon = 0.0;
  for (int seed = 1; seed <= kRuns; ++seed) {
    fs::remove(labels);
    std::ostringstream out;
    std::ostringstream err;
    pate::test::TestBits bits(static_cast<std::uint64_t>(seed));
    REQUIRE(pate::cli::run_private_search(options, {out, err, false, false}, bits) == 0);
    const json report = json::parse(read_bytes(directory / "report.json"));
    // The cost is the same whatever came out.
    if (seed > 1) CHECK(report["headline"]["epsilon"].get<double>() == epsilon);
    epsilon = report["headline"]["epsilon"].get<double>();
    CHECK(report["drawn"] == true);
    CHECK(report["record"]["events"][0]["kind"] == "tuning");
    if (report["best"].is_null()) {
      ++without;
      CHECK(report["labels"].is_null());
      CHECK(!fs::exists(labels));
      continue;
    }
    const std::vector<std::int64_t> found = integers_of(labels);
    REQUIRE(found.size() == 30);
    std::int64_t correct = 0;
    for (std::size_t i = 0; i < found.size(); ++i) correct += found[i] == right[100 + i];
    CHECK(report["best"]["correct"] == correct);
    CHECK(report["best"]["refused"] == std::count(found.begin(), found.end(), -1));
  }
  CHECK(without > 0);
  CHECK(without < kRuns);
  CHECK(pate::reports::read_ledger(ledger).entries.size() == kRuns);
}

TEST_SUITE_END();
