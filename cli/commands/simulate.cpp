#include "cli/commands/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/destinations.hpp"
#include "cli/options/validators.hpp"
#include "cli/progress.hpp"
#include "cli/usage_error.hpp"
#include "pate/error.hpp"
#include "pate/io/atomic_file.hpp"
#include "pate/io/npy_writer.hpp"

namespace pate::cli {

namespace {

constexpr const char* kCounts = "counts";
constexpr const char* kPredictions = "predictions";
constexpr const char* kPredictionsByQuery = "predictions-by-query";

constexpr std::string_view kInt64 = "<i8";
constexpr std::int64_t kItemSize = 8;
// Files are built in memory.
constexpr std::int64_t kLargestFile = std::int64_t{8} << 30;

std::string begin_file(std::int64_t rows, std::int64_t columns) {
  // Both are below 2^31.
  if (rows * columns > kLargestFile / kItemSize) {
    throw parameter_error(fmt::format("votes must be at most {} bytes, got {} x {} x {} bytes",
                                      kLargestFile, rows, columns, kItemSize));
  }
  const std::array shape{rows, columns};
  std::string bytes = npy_header(kInt64, shape);
  bytes.reserve(bytes.size() + static_cast<std::size_t>(rows * columns * kItemSize));
  return bytes;
}

// Both files, complete but not yet written.
struct Dump {
  std::string votes;
  std::vector<std::int32_t> labels;
};

Dump make_rows_of_queries(const VoteSimulator& simulator, bool predictions, ProgressCounter& made) {
  const SimulationSettings& ensemble = simulator.settings();
  Dump dump{begin_file(ensemble.queries, predictions ? ensemble.teachers : ensemble.classes), {}};
  for (std::int64_t i = 0; i < ensemble.queries; ++i) {
    const SimulatedQuery query = simulator.query(i);
    append_int64(dump.votes, predictions ? simulator.teacher_votes(i, query) : query.counts);
    dump.labels.push_back(query.label);
    made.add(1);
  }
  return dump;
}

Dump make_rows_of_teachers(const VoteSimulator& simulator, ProgressCounter& made) {
  const SimulationSettings& ensemble = simulator.settings();
  const auto queries = static_cast<std::size_t>(ensemble.queries);
  const auto teachers = static_cast<std::size_t>(ensemble.teachers);
  Dump dump{begin_file(ensemble.teachers, ensemble.queries), {}};
  std::vector<std::int32_t> votes(queries * teachers);  // transposed: in the order of the file
  for (std::size_t i = 0; i < queries; ++i) {
    const SimulatedQuery query = simulator.query(static_cast<std::int64_t>(i));
    const auto column = simulator.teacher_votes(static_cast<std::int64_t>(i), query);
    for (std::size_t t = 0; t < teachers; ++t) votes[t * queries + i] = column[t];
    dump.labels.push_back(query.label);
    made.add(1);
  }
  append_int64(dump.votes, votes);
  return dump;
}

Dump make_dump(const SimulateOptions& options, const Streams& streams) {
  const VoteSimulator simulator(options.ensemble);
  Progress progress(streams, "simulating");
  ProgressCounter made(progress.callback(), options.ensemble.queries);
  if (options.layout == kPredictions) return make_rows_of_teachers(simulator, made);
  if (options.layout == kPredictionsByQuery) return make_rows_of_queries(simulator, true, made);
  if (options.layout == kCounts) return make_rows_of_queries(simulator, false, made);
  throw usage_error(fmt::format("--layout must be {}, {} or {}, got {}", kCounts, kPredictions,
                                kPredictionsByQuery, options.layout));
}

}  // namespace

void add_simulate(CLI::App& command, SimulateOptions& options) {
  SimulationSettings& ensemble = options.ensemble;
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  // What the validators would add to the help does not fit the line: their description is empty.
  add("--teachers", ensemble.teachers, "M", "number of teachers")->check(decimal());
  add("--classes", ensemble.classes, "K", "number of classes")->check(decimal());
  add("--queries", ensemble.queries, "N", "number of queries")->check(decimal());
  add("--accuracy", ensemble.accuracy, "A", "expected share of teachers that are right");
  add("--correlation", ensemble.correlation, "C", "correlation of their being right, below 1");
  add("--seed", ensemble.seed, "S", "of the random numbers; same seed, same votes")
      ->check(decimal());
  add("--layout", options.layout, "NAME", "counts, predictions or predictions-by-query")
      ->check(CLI::IsMember({kCounts, kPredictions, kPredictionsByQuery}).description(""));
  command.add_option("-o,--output", options.output, "write the votes to this .npy file")
      ->check(not_empty())
      ->type_name("FILE")
      ->required();
  command
      .add_option("--labels-output", options.labels_output,
                  "write the true classes to this .npy file")
      ->check(not_empty())
      ->type_name("FILE");
  command.add_flag("--quiet", options.quiet, "say nothing but errors");
}

int run_simulate(const SimulateOptions& options, const Streams& streams) {
  validate(options.ensemble);
  check_destinations({{"--output", options.output}, {"--labels-output", options.labels_output}},
                     {});
  const Dump dump = make_dump(options, streams);
  // The labels first: where the votes have been written, everything has.
  if (!options.labels_output.empty()) {
    const std::array shape{options.ensemble.queries};
    std::string labels = npy_header(kInt64, shape);
    append_int64(labels, dump.labels);
    write_file_atomically(options.labels_output, labels);
  }
  write_file_atomically(options.output, dump.votes);
  if (!options.quiet) {
    streams.err << fmt::format(
        "pate: wrote {} ({}): {} queries x {} classes, {} teachers{}\n", options.output,
        options.layout, options.ensemble.queries, options.ensemble.classes,
        options.ensemble.teachers,
        options.labels_output.empty() ? std::string() : "; true classes: " + options.labels_output);
  }
  return kDone;
}

}  // namespace pate::cli
