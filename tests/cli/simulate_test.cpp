#include "cli/commands/commands.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/program.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/temp_directory.hpp"

using pate::Layout;
using pate::cli::run_simulate;
using pate::cli::SimulateOptions;
using pate::io::NpyTable;
using pate::test::message_of;
using pate::test::TempDirectory;
using pate::test::write_bytes;

namespace {

SimulateOptions options_for(const std::filesystem::path& output, Layout layout = Layout::counts) {
  SimulateOptions options;
  options.ensemble = {30, 5, 40, 0.8, 0.2, 3};
  options.layout = layout;
  options.output = output.string();
  return options;
}

// Runs the command and returns what it said to the person.
std::string said(const SimulateOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run_simulate(options, {out, err}) == 0);
  CHECK(out.str().empty());
  return err.str();
}

template <typename Error>
std::string refused(const SimulateOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  std::string message = message_of<Error>([&] { (void)run_simulate(options, {out, err}); });
  CHECK(out.str().empty());
  CHECK(err.str().empty());
  return message;
}

std::shared_ptr<NpyTable> open(const std::filesystem::path& path) {
  return std::make_shared<NpyTable>(pate::io::MappedFile(path));
}

std::string contents(const std::filesystem::path& path) {
  const pate::io::MappedFile file(path);
  std::string result;
  for (const std::byte byte : file.bytes()) result += std::to_integer<char>(byte);
  return result;
}

std::vector<std::int32_t> histograms(const pate::VoteSource& votes) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(votes.queries() * votes.classes()));
  votes.read(0, votes.queries(), all);
  return all;
}

}  // namespace

TEST_CASE("simulate command: counts are the simulator's, as a readable dump") {
  const TempDirectory directory;
  SimulateOptions options = options_for(directory / "votes.npy");
  options.labels_output = (directory / "labels.npy").string();
  CHECK(said(options) == "pate: wrote " + options.output +
                             " (counts): 40 queries x 5 classes, 30 teachers; true classes: " +
                             options.labels_output + "\n");

  const pate::CountVotes votes(open(options.output));
  REQUIRE(votes.queries() == 40);
  REQUIRE(votes.classes() == 5);
  CHECK(votes.teachers() == 30);
  const auto labels = open(options.labels_output);
  CHECK(labels->dimensions() == 1);
  const auto true_classes = pate::read_labels(*labels, {40, 5, pate::RowSelection::all(40)});

  const pate::VoteSimulator simulator(options.ensemble);
  const auto read = histograms(votes);
  for (std::size_t i = 0; i < 40; ++i) {
    const pate::SimulatedQuery query = simulator.query(static_cast<std::int64_t>(i));
    CHECK(std::vector<std::int32_t>(&read[5 * i], &read[5 * i] + 5) == query.counts);
    CHECK(true_classes[i] == query.label);
  }
}

TEST_CASE("simulate command: all layouts of a seed are the same votes and labels") {
  const TempDirectory directory;
  std::vector<SimulateOptions> runs;
  for (const Layout layout : {Layout::counts, Layout::predictions, Layout::predictions_by_query}) {
    SimulateOptions options = options_for(directory / name(layout), layout);
    options.labels_output = options.output + "-labels";
    options.quiet = true;
    CHECK(said(options).empty());
    CHECK(contents(options.labels_output) == contents(directory / "counts-labels"));
    runs.push_back(options);
  }
  const auto expected = histograms(pate::CountVotes(open(runs[0].output)));
  const pate::PredictionVotes by_teacher(open(runs[1].output),
                                         pate::PredictionLayout::teachers_by_queries, 5);
  const pate::PredictionVotes by_query(open(runs[2].output),
                                       pate::PredictionLayout::queries_by_teachers, 5);
  CHECK(by_teacher.teachers() == 30);
  CHECK(by_teacher.queries() == 40);
  CHECK(histograms(by_teacher) == expected);
  CHECK(histograms(by_query) == expected);
  std::vector<std::int32_t> one(30 * 40);
  std::vector<std::int32_t> other(30 * 40);
  by_teacher.read_votes(0, 40, one);
  by_query.read_votes(0, 40, other);
  CHECK(one == other);
}

TEST_CASE("simulate command: the same command line writes the same bytes") {
  const TempDirectory directory;
  SimulateOptions options = options_for(directory / "votes.npy");
  CHECK(said(options) ==
        "pate: wrote " + options.output + " (counts): 40 queries x 5 classes, 30 teachers\n");
  const std::string first = contents(options.output);
  CHECK(refused<pate::cli::usage_error>(options).find("is there already") != std::string::npos);
  options.force = true;
  said(options);
  CHECK(contents(options.output) == first);
  options.ensemble.seed = 4;
  said(options);
  CHECK(contents(options.output) != first);
}

TEST_CASE("simulate command: after an error nothing is written") {
  const TempDirectory directory;
  SimulateOptions options = options_for(directory / "votes.npy");
  options.labels_output = (directory / "labels.npy").string();
  const SimulateOptions good = options;

  options.ensemble.accuracy = 1.5;
  CHECK(refused<pate::parameter_error>(options) == "accuracy must be >= 0 and <= 1, got 1.5");
  options = good;
  options.ensemble.queries = 2000000000;
  CHECK(refused<pate::parameter_error>(options) ==
        "votes must be at most 8589934592 bytes, got 2000000000 x 5 x 8 bytes");
  options.layout = Layout::predictions;
  CHECK(refused<pate::parameter_error>(options) ==
        "votes must be at most 8589934592 bytes, got 30 x 2000000000 x 8 bytes");
  options = good;
  const std::string nowhere = (directory / "no").string();
  options.output = nowhere + "/votes.npy";
  CHECK(refused<pate::output_error>(options) ==
        options.output + ": cannot be written: " + nowhere + " is no directory");
  options = good;
  options.labels_output = nowhere + "/labels.npy";
  CHECK(refused<pate::output_error>(options) ==
        options.labels_output + ": cannot be written: " + nowhere + " is no directory");
  options = good;
  options.labels_output = (directory.path() / "." / "votes.npy").string();
  CHECK(refused<pate::cli::usage_error>(options) ==
        "--labels-output " + options.labels_output + " is the file of --output; name another file");
  CHECK(std::filesystem::is_empty(directory.path()));

  write_bytes(directory / "votes.npy", "precious");
  std::filesystem::create_symlink("votes.npy", directory / "labels.npy");
  CHECK(refused<pate::cli::usage_error>(good) != "[no exception]");
  CHECK(contents(directory / "votes.npy") == "precious");
}

TEST_CASE("simulate command: the command line") {
  const auto parse = [](SimulateOptions& options, const std::string& line) {
    std::vector<pate::cli::Command> commands(
        1, {{"simulate", "makes votes", "pate simulate -o votes.npy"}, {}, {}});
    pate::cli::add_simulate(commands.front().line, options);
    std::istringstream words("pate simulate " + line);
    std::ostringstream out;
    const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    const pate::cli::Command* const named = pate::cli::parse(commands, arguments, out);
    CHECK(named == &commands.front());
  };
  SimulateOptions options;
  parse(options, "-o v.npy");
  CHECK(options.ensemble.teachers == 250);
  CHECK(options.ensemble.classes == 10);
  CHECK(options.ensemble.queries == 1000);
  CHECK(options.ensemble.accuracy == 0.9);
  CHECK(options.ensemble.correlation == 0.1);
  CHECK(options.ensemble.seed == 0);
  CHECK(options.layout == Layout::counts);
  CHECK(options.output == "v.npy");
  CHECK(options.labels_output.empty());
  CHECK_FALSE(options.quiet);
  parse(options,
        "--teachers 11 --classes 2 --queries 7 --accuracy .5 --correlation 0 --quiet "
        "--seed 18446744073709551615 --layout predictions -o v --labels-output l");
  CHECK(options.ensemble.teachers == 11);
  CHECK(options.ensemble.classes == 2);
  CHECK(options.ensemble.queries == 7);
  CHECK(options.ensemble.accuracy == 0.5);
  CHECK(options.ensemble.correlation == 0.0);
  CHECK(options.ensemble.seed == ~std::uint64_t{0});
  CHECK(options.layout == Layout::predictions);
  CHECK(options.labels_output == "l");
  CHECK(options.quiet);
  CHECK_THROWS_AS(parse(options, ""), pate::cli::usage_error);
  CHECK_THROWS_AS(parse(options, "-o v --layout prediction"), pate::cli::usage_error);
  CHECK_THROWS_AS(parse(options, "-o v --teachers many"), pate::cli::usage_error);
  CHECK_THROWS_AS(parse(options, "-o v --seed -1"), pate::cli::usage_error);
}

TEST_CASE("simulate command: its help fits a terminal of 80 columns") {
  std::ostringstream out;
  std::ostringstream err;
  CHECK(pate::cli::run_program({"pate", "simulate", "--help"}, {out, err}) == 0);
  std::istringstream help(out.str());
  for (std::string line; std::getline(help, line);) CHECK_MESSAGE(line.size() <= 80, line);
}
