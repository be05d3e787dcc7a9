#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/output.hpp"
#include "cli/progress.hpp"
#include "pate/error.hpp"
#include "pate/io/atomic_file.hpp"
#include "pate/io/npy_header.hpp"

namespace pate::cli {

namespace {

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
  std::string bytes = io::npy_header(kInt64, shape);
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
    io::append_int64(dump.votes, predictions ? simulator.teacher_votes(i, query) : query.counts);
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
  io::append_int64(dump.votes, votes);
  return dump;
}

Dump make_dump(const SimulateOptions& options, const Streams& streams) {
  const VoteSimulator simulator(options.ensemble);
  Progress progress(streams, "simulating");
  ProgressCounter made(progress.callback(), options.ensemble.queries);
  if (options.layout == Layout::predictions) return make_rows_of_teachers(simulator, made);
  return make_rows_of_queries(simulator, options.layout == Layout::predictions_by_query, made);
}

}  // namespace

void add_simulate(CommandLine& line, SimulateOptions& options) {
  SimulationSettings& ensemble = options.ensemble;
  const Section section = line.section("");
  const Traits shown{.shows_default = true};
  section.add("--teachers M", ensemble.teachers, "number of teachers", shown);
  section.add("--classes K", ensemble.classes, "number of classes", shown);
  section.add("--queries N", ensemble.queries, "number of queries", shown);
  section.add("--accuracy A", ensemble.accuracy, "expected share of teachers that are right",
              shown);
  section.add("--correlation C", ensemble.correlation, "correlation of their being right, below 1",
              shown);
  section.add("--seed S", ensemble.seed, "of the random numbers; same seed, same votes", shown);
  section.add("--layout NAME", options.layout,
              {Layout::counts, Layout::predictions, Layout::predictions_by_query},
              "counts, predictions or predictions-by-query", shown);
  section.add("-o,--output FILE", options.output, "write the votes to this .npy file",
              {.required = true});
  section.add("--labels-output FILE", options.labels_output,
              "write the true classes to this .npy file");
  section.add("--quiet", options.quiet, "say nothing but errors");
}

int run_simulate(const SimulateOptions& options, const Streams& streams) {
  validate(options.ensemble);
  check_destinations({{"--output", options.output}, {"--labels-output", options.labels_output}},
                     {});
  const Dump dump = make_dump(options, streams);
  // The labels first: where the votes have been written, everything has.
  if (!options.labels_output.empty()) {
    const std::array shape{options.ensemble.queries};
    std::string labels = io::npy_header(kInt64, shape);
    io::append_int64(labels, dump.labels);
    io::write_file_atomically(options.labels_output, labels);
  }
  io::write_file_atomically(options.output, dump.votes);
  if (!options.quiet) {
    streams.err << fmt::format(
        "pate: wrote {} ({}): {} queries x {} classes, {} teachers{}\n", options.output,
        name(options.layout), options.ensemble.queries, options.ensemble.classes,
        options.ensemble.teachers,
        options.labels_output.empty() ? std::string() : "; true classes: " + options.labels_output);
  }
  return kDone;
}

}  // namespace pate::cli
