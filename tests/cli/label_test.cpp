#include "cli/commands/commands.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "support/killed_child.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

namespace fs = std::filesystem;
using nlohmann::json;
using pate::test::Ran;
using pate::test::read_bytes;
using pate::test::run;
using pate::test::sample;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

// `pate label` on the sample counts, Confident.
Ran label(const fs::path& labels, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"label",          sample("digits_100_counts.npy"),
                                     "--teachers",     "100",
                                     "--sigma2",       "15",
                                     "--delta",        "1e-5",
                                     "--json",         "--force",
                                     "--write-labels", labels.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(std::move(arguments));
}

const std::vector<std::string> kConfident{"--queries", "200",      "--threshold",
                                          "60",        "--sigma1", "15"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::int64_t> column(const fs::path& path, std::int64_t index = 0) {
  const auto table = pate::io::open_table(path.string()).table;
  std::vector<std::int64_t> values(static_cast<std::size_t>(table->rows()));
  table->read_integers(0, table->rows(), index, 1, values);
  return values;
}

std::string error_of(const Ran& ran) {
  CHECK(ran.out.empty());
  return ran.err;
}

// Scores of a student who is sure of class 1 on even rows and knows nothing on odd ones.
std::string student_scores(std::size_t rows) {
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    text += i % 2 == 0 ? "0,1,0,0,0,0,0,0,0,0\n" : "0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1\n";
  }
  return text;
}

// The options of a run with a ledger in `directory`, for runs in process with another source.
pate::cli::LabelOptions options_in(const TempDirectory& directory) {
  pate::cli::LabelOptions options;
  options.input.votes = sample("digits_100_counts.npy");
  options.input.queries = "50";
  options.mechanism.sigma2 = 15.0;
  options.force = true;
  options.mechanism.sigma1 = 15.0;
  options.mechanism.threshold = "60";
  options.delta = 1e-5;
  options.labels = (directory / "labels.npy").string();
  options.ledger = (directory / "ledger.jsonl").string();
  options.output.output = (directory / "report.json").string();
  options.output.quiet = true;
  options.threads = 1;
  return options;
}

int run_quietly(const pate::cli::LabelOptions& options, std::uint64_t seed,
                const pate::io::WritePoints& points) {
  std::ostringstream out;
  std::ostringstream err;
  pate::test::TestBits bits(seed);
  return pate::cli::run_label(options, {out, err, false, false}, bits, points);
}

}  // namespace

TEST_SUITE_BEGIN("cli");

TEST_CASE("label: the file and the report say the same") {
  const TempDirectory directory;
  const Ran ran = label(directory / "l.npy", kConfident);
  REQUIRE(ran.status == 0);
  const json report = ran.json();
  CHECK(report["schema"] == "pate/label/v1");
  const std::vector<std::int64_t> labels = column(directory / "l.npy");
  REQUIRE(labels.size() == 200);
  const auto refused = std::count(labels.begin(), labels.end(), -1);
  CHECK(report["labels"]["refused"] == refused);
  CHECK(report["labels"]["answered"] == 200 - refused);
  CHECK(report["labels"]["asked"] == 200);
  CHECK(report["labels"]["student"] == 0);
  CHECK(report["labels"]["stopped"].is_null());
  CHECK(report["labels"]["path"] == (directory / "l.npy").string());
  CHECK(report["answered"]["realized"] == 200 - refused);
  // 52.7 are expected, with a standard deviation of 5.5.
  CHECK(200 - refused > 20);
  CHECK(200 - refused < 90);
  CHECK(std::all_of(labels.begin(), labels.end(), [](auto v) { return v >= -1 && v < 10; }));
  // The joint cost is that of analyze.
  const Ran analyzed =
      pate::test::analyze({sample("digits_100_counts.npy"), "--queries", "200", "--threshold", "60",
                           "--sigma1", "15", "--sigma2", "15"});
  CHECK(report["headline"]["epsilon"] == analyzed.json()["headline"]["epsilon"]);
  CHECK(report["headline"]["reading"] == "joint");
}

TEST_CASE("label: noise comes from the system, another one every time, and takes no seed") {
  const TempDirectory directory;
  std::set<std::string> seen;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(label(directory / "l.npy", kConfident).status == 0);
    seen.insert(read_bytes(directory / "l.npy"));
  }
  CHECK(seen.size() == 4);
  const Ran seeded = label(directory / "l.npy", with(kConfident, {"--seed", "1"}));
  CHECK(seeded.status == 2);
  CHECK(run({"label", "--help"}).out.find("seed") == std::string::npos);
}

TEST_CASE("label: text, with who a label is from") {
  const TempDirectory directory;
  const auto rows =
      static_cast<std::size_t>(pate::io::open_table(sample("digits_100_counts.npy")).table->rows());
  write_bytes(directory / "student.csv", student_scores(rows));
  const std::vector<std::string> interactive = with(
      kConfident, {"--student", (directory / "student.csv").string(), "--reinforce-above", "0.9"});
  Ran ran = label(directory / "l.csv", interactive);
  REQUIRE(ran.status == 0);
  CHECK(ran.json()["mechanism"]["name"] == "interactive");
  const std::string text = read_bytes(directory / "l.csv");
  CHECK(text.starts_with("row,label,source\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 201);
  CHECK(text.find("1,student\n") != std::string::npos);

  ran = label(directory / "l.npy", interactive);
  const std::vector<std::int64_t> labels = column(directory / "l.npy", 0);
  const std::vector<std::int64_t> sources = column(directory / "l.npy", 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    CAPTURE(i);
    if (sources[i] == 1) CHECK((labels[i] == 1 && i % 2 == 0));
    if (sources[i] == -1) CHECK((labels[i] == -1 && i % 2 == 1));
    if (sources[i] == 0) CHECK(labels[i] >= 0);
  }
  CHECK(ran.json()["labels"]["student"] == std::count(sources.begin(), sources.end(), 1));
  CHECK(ran.json()["labels"]["student"].get<int>() > 0);
}

TEST_CASE("label: limits stop the run, and the rest gets no label") {
  const TempDirectory directory;
  Ran ran = label(directory / "l.npy", with(kConfident, {"--max-answers", "7"}));
  REQUIRE(ran.status == 0);
  json report = ran.json();
  std::vector<std::int64_t> labels = column(directory / "l.npy");
  CHECK(labels.size() == 200);
  CHECK(200 - std::count(labels.begin(), labels.end(), -1) == 7);
  CHECK(report["labels"]["stopped"] == "max_answers");
  CHECK(labels[report["labels"]["asked"].get<std::size_t>() - 1] >= 0);
  CHECK(report["steps"]["gaussian_maxima"][0]["count"] == 7);

  ran = label(directory / "l.npy", with(kConfident, {"--max-epsilon", "3"}));
  report = ran.json();
  CHECK(report["labels"]["stopped"] == "max_epsilon");
  const double spent =
      pate::test::cost(report, "data_independent", "realized", "improved")["epsilon"];
  CHECK(spent <= 3.0);
  CHECK(spent > 2.5);
  CHECK(report["filter"]["epsilon"] == spent);
  CHECK(report["headline"]["order"] == report["filter"]["order"]);
  CHECK(report["queries"] == 200);
}

TEST_CASE("label: every aggregator") {
  const TempDirectory directory;
  Ran ran = label(directory / "l.npy", {"--queries", "20"});
  CHECK(ran.json()["mechanism"]["name"] == "gnmax");
  CHECK(ran.json()["labels"]["answered"] == 20);
  ran =
      run({"label", sample("digits_100_predictions.npy"), "--teachers", "100", "--layout",
           "predictions", "--classes", "10", "--laplace-scale", "20", "--queries", "20", "--delta",
           "1e-5", "--json", "--force", "--write-labels", (directory / "l.npy").string()});
  CHECK(ran.json()["mechanism"]["name"] == "lnmax");
  CHECK(ran.json()["labels"]["answered"] == 20);
}

TEST_CASE("label: the ledger has the run, and says when it was not the first") {
  const TempDirectory directory;
  const std::string ledger = (directory / "ledger.jsonl").string();
  Ran ran = label(directory / "l.npy", with(kConfident, {"--ledger", ledger}));
  REQUIRE(ran.status == 0);
  CHECK(ran.err.find("labelled before") == std::string::npos);
  CHECK(ran.err.find(ledger + ": 1 entry: epsilon = ") != std::string::npos);
  ran = label(directory / "l.npy", with(kConfident, {"--ledger", ledger}));
  CHECK(ran.status == 0);
  CHECK(ran.err.find("these queries were asked before, once, the last time on ") !=
        std::string::npos);
  CHECK(ran.err.find(ledger + ": 2 entries: epsilon = ") != std::string::npos);
  const Ran other = label(directory / "other.npy",
                          with(kConfident, {"--ledger", ledger, "--ensemble", "others"}));
  CHECK(other.status == 6);
  CHECK(other.err.find("a ledger is the account of one ensemble") != std::string::npos);
  CHECK_FALSE(fs::exists(directory / "other.npy"));
  CHECK(label(directory / "l.npy", kConfident).err.find("no ledger keeps the account") !=
        std::string::npos);
  const pate::reports::Ledger read(ledger);
  REQUIRE(read.entries().size() == 2);
  const json report = ran.json();
  const pate::Event& event = read.entries()[1].event;
  CHECK(event.open.kind == pate::EventKind::run);
  CHECK(event.open.id == report["record"]["events"][0]["id"]);
  // Equal labels or not, the two runs are two events.
  CHECK(event.open.id != read.entries()[0].event.open.id);
  CHECK(event.facts.digests.counts == report["inputs"]["votes"]["votes_digest"]);
  CHECK(event.facts.digests.labels == report["labels"]["sha256"]);
  CHECK(event.open.realized->answered == report["labels"]["answered"]);
  CHECK(event.open.origin.order == report["filter"]["order"].get<double>());
  json settings = json::parse(read.entries()[1].settings.dump());
  CHECK(settings["labels_sha256"] == report["labels"]["sha256"]);
  settings.erase("labels_sha256");
  CHECK(settings == report["settings"]);
  // What depends on the votes is not in it, but for digests.
  CHECK(event.facts.table.empty());
  CHECK(event.facts.exact.empty());
  CHECK_FALSE(event.facts.curves);
}

TEST_CASE("label: killed at any point, no labels are visible that the ledger does not have") {
  const TempDirectory directory;
  const pate::cli::LabelOptions options = options_in(directory);
  bool finished = false;
  int killed = 0;
  int wasted = 0;
  // With an entry before, so that a torn line can be told and marked.
  REQUIRE(run_quietly(options, 1000, {}) == 0);
  for (int point = 0; !finished; ++point) {
    fs::remove(options.labels);
    fs::remove(options.output.output);
    const pate::test::ChildEnd end = pate::test::in_child([&] {
      return run_quietly(options, static_cast<std::uint64_t>(point),
                         pate::test::killing_at(point, 80));
    });
    CAPTURE(point);
    REQUIRE(end.status == 0);
    finished = !end.killed;
    killed += end.killed ? 1 : 0;
    try {
      const pate::reports::Ledger whole(options.ledger);
    } catch (const pate::input_error&) {
      pate::reports::repair_ledger(options.ledger);
    }
    const pate::reports::Ledger ledger(options.ledger);
    // Of a run that was killed an empty file may have the name.
    const auto is_written = [](const fs::path& path) {
      return fs::exists(path) && fs::file_size(path) > 0;
    };
    if (!is_written(options.labels)) {
      ++wasted;
      CHECK_FALSE(is_written(options.output.output));
      continue;
    }
    CHECK(column(options.labels).size() == 50);
    const std::string digest = pate::io::open_table(options.labels).sha256();
    REQUIRE(!ledger.entries().empty());
    CHECK(json::parse(ledger.entries().back().settings.dump())["labels_sha256"] == digest);
    if (is_written(options.output.output)) {
      CHECK(json::parse(read_bytes(options.output.output))["labels"]["sha256"] == digest);
    }
  }
  CHECK(fs::exists(options.output.output));
  CHECK(killed > 15);
  CHECK(wasted > 10);
}

TEST_CASE("label: runs at once on one ledger lose no entry") {
  const TempDirectory directory;
  std::vector<pid_t> children;
  constexpr int kProcesses = 4;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      pate::cli::LabelOptions options = options_in(directory);
      options.labels = (directory / (std::to_string(i) + ".npy")).string();
      options.output.output = (directory / (std::to_string(i) + ".json")).string();
      int status = 99;
      try {
        status = run_quietly(options, static_cast<std::uint64_t>(i), {{}, 5});
      } catch (...) {
      }
      ::_exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int state = 0;
    REQUIRE(::waitpid(child, &state, 0) == child);
    CHECK(state == 0);
  }
  const pate::reports::Ledger ledger(directory / "ledger.jsonl");
  std::set<std::string> files;
  for (const pate::reports::LedgerEntry& entry : ledger.entries()) {
    files.insert(json::parse(entry.settings.dump())["write_labels"].get<std::string>());
  }
  CHECK(files.size() == kProcesses);
}

TEST_CASE("label: with a given source the same labels, whatever the threads") {
  const TempDirectory directory;
  pate::cli::LabelOptions options = options_in(directory);
  options.ledger.clear();
  REQUIRE(run_quietly(options, 42, {}) == 0);
  const std::string first = read_bytes(options.labels);
  // But for what tells the two runs apart.
  const auto report_of = [&] {
    json report = json::parse(read_bytes(options.output.output));
    const std::string id = report.at("record").at("events")[0].at("id");
    CHECK(id.size() == 32);
    report.at("record").at("events")[0].erase("id");
    return std::pair(report.dump(), id);
  };
  const auto report = report_of();
  options.threads = 3;
  REQUIRE(run_quietly(options, 42, {}) == 0);
  CHECK(read_bytes(options.labels) == first);
  CHECK(report_of().first == report.first);
  CHECK(report_of().second != report.second);
}

TEST_CASE("label: what the command line must not say") {
  const TempDirectory directory;
  const fs::path path = directory / "l.npy";
  const auto refused = [&](const std::vector<std::string>& more, const std::string& message) {
    const Ran ran = label(path, with(kConfident, more));
    CHECK(ran.status == 2);
    CHECK(error_of(ran) == "pate: " + message + "\n");
    CHECK_FALSE(fs::exists(path));
  };
  refused({"--max-answers", "0"}, "--max-answers must be >= 1, got 0");
  refused({"--max-epsilon", "-1"}, "--max-epsilon must be >= 0, got -1");
  refused({"--max-epsilon", "nan"}, "--max-epsilon must be >= 0, got nan");
  refused({"--max-epsilon", "inf"}, "max-epsilon must be >= 0 and finite, got inf");
  refused({"--order", "1"}, "--order must be > 1, got 1");
  refused({"--reinforce-above", "0.5"},
          "--reinforce-above needs --student: it takes the student's own labels");
  refused({"-o", path.string()},
          "--write-labels " + path.string() + " is the file of --output; name another file");
  refused({"--ledger", path.string()},
          "--ledger " + path.string() + " is the file of --write-labels; name another file");
  CHECK(label(directory / "l.txt", kConfident).err ==
        "pate: " + (directory / "l.txt").string() +
            ": the name of the file must end in .npy, .csv or .tsv\n");
  CHECK(label(directory / "absent/l.npy", kConfident).status == 5);
  const std::string votes = sample("digits_100_counts.npy");
  CHECK(label(votes, kConfident).err ==
        "pate: --write-labels " + votes + " is an input (" + votes + "); name another file\n");
  CHECK(label(path, with(kConfident, {"--labels", sample("digits_100_labels.npy")})).status == 2);
  CHECK(run({"label", votes, "--teachers", "100", "--sigma2", "15", "--delta", "1e-5"}).status ==
        2);
}

TEST_CASE("label: a bad input or ledger leaves nothing behind") {
  const TempDirectory directory;
  write_bytes(directory / "votes.csv", "5,5\n6,4\n6,5\n");
  Ran ran = run({"label", (directory / "votes.csv").string(), "--teachers", "10", "--sigma2", "1",
                 "--delta", "1e-5", "--write-labels", (directory / "l.npy").string(), "--ledger",
                 (directory / "ledger").string()});
  CHECK(ran.status == 3);
  CHECK(ran.err.find("row 2") != std::string::npos);
  CHECK_FALSE(fs::exists(directory / "l.npy"));
  CHECK_FALSE(fs::exists(directory / "ledger"));
  write_bytes(directory / "ledger", "no ledger\n");
  ran = label(directory / "l.npy", with(kConfident, {"--ledger", (directory / "ledger").string()}));
  CHECK(ran.status == 3);
  CHECK(ran.err ==
        "pate: " + (directory / "ledger").string() + ": line 1 is no line of a ledger: not JSON\n");
  CHECK_FALSE(fs::exists(directory / "l.npy"));
  CHECK(read_bytes(directory / "ledger") == "no ledger\n");
}

TEST_CASE("label: its labels are decisions for analyze, selected alike") {
  const TempDirectory directory;
  const std::string labels = (directory / "l.npy").string();
  const std::vector<std::string> selected{"--queries", "50:150",   "--threshold",
                                          "60",        "--sigma1", "15"};
  const Ran ran = label(labels, selected);
  const json report = ran.json();
  const double order = report["filter"]["order"];
  const Ran analyzed =
      pate::test::analyze(with({sample("digits_100_counts.npy"), "--sigma2", "15", "--decisions",
                                labels, "--orders", json(order).dump()},
                               selected));
  REQUIRE(analyzed.status == 0);
  CHECK(analyzed.json()["answered"]["realized"] == report["labels"]["answered"]);
  CHECK(pate::test::cost(analyzed.json(), "tradeoff", "realized", "improved")["epsilon"] ==
        pate::test::cost(report, "tradeoff", "realized", "improved")["epsilon"]);
}

TEST_CASE("label: text says which row of the votes a label is of, and analyze goes by it") {
  const TempDirectory directory;
  const std::string labels = (directory / "l.csv").string();
  std::string rows;
  for (int i = 796; i >= 0; --i) rows += std::to_string(i) + "\n";
  pate::test::write_bytes(directory / "rows.csv", rows);
  const std::vector<std::string> selected{"--indices",   (directory / "rows.csv").string(),
                                          "--rows-from", "public",
                                          "--threshold", "60",
                                          "--sigma1",    "15"};
  const json report = label(labels, selected).json();
  CHECK(pate::test::read_bytes(labels).starts_with("row,label\n796,"));
  // The same queries in another order: what was answered stays with its row.
  const auto costs = [&](const std::vector<std::string>& rest) {
    const Ran analyzed = pate::test::analyze(
        with({sample("digits_100_counts.npy"), "--sigma2", "15", "--threshold", "60", "--sigma1",
              "15", "--decisions", labels, "--orders", json(report["filter"]["order"]).dump()},
             rest));
    REQUIRE(analyzed.status == 0);
    CHECK(analyzed.json()["answered"]["realized"] == report["labels"]["answered"]);
    return pate::test::cost(analyzed.json(), "tradeoff", "realized", "improved")["epsilon"];
  };
  CHECK(costs({}) == pate::test::cost(report, "tradeoff", "realized", "improved")["epsilon"]);
  CHECK(costs({"--indices", (directory / "rows.csv").string()}) == costs({}));
}

TEST_SUITE_END();
