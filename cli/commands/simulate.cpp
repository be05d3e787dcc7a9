#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/output.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/votes/tables/npy_header.hpp"

namespace pate::cli {

namespace {

constexpr std::string_view kInt64 = "<i8";
constexpr std::int64_t kItemSize = 8;
// Files are built in memory.
constexpr std::int64_t kMaxFile = std::int64_t{8} << 30;

// What the name asks for: .csv and .tsv are text, .npy or no ending an array.
reports::LabelsFormat format_of(const std::string& path) {
  if (std::filesystem::path(path).extension().empty()) return reports::LabelsFormat::npy;
  return reports::labels_format(path);
}

// A file of integers, in memory. Text has a header, so that no row is taken for one: a name for
// each column.
class Table {
 public:
  Table(const std::string& path, const char* column, const std::vector<std::int64_t>& shape)
      : format_(format_of(path)), columns_(shape.size() == 1 ? 1 : shape[1]) {
    const std::int64_t rows = shape[0];
    // Both are below 2^31.
    if (rows * columns_ > kMaxFile / kItemSize) {
      throw parameter_error(fmt::format("votes must be at most {} bytes, got {} x {} x {} bytes",
                                        kMaxFile, rows, columns_, kItemSize));
    }
    // At least a digit and what comes after it.
    const auto numbers = static_cast<double>(rows) * static_cast<double>(columns_);
    expect_memory(
        numbers * (format_ == reports::LabelsFormat::npy ? static_cast<double>(kItemSize) : 2.0),
        "making the file in memory");
    if (format_ == reports::LabelsFormat::npy) {
      bytes_ = io::npy_header(kInt64, shape);
      bytes_.reserve(bytes_.size() + static_cast<std::size_t>(rows * columns_ * kItemSize));
      return;
    }
    for (std::int64_t i = 0; i < columns_; ++i) {
      bytes_ += shape.size() == 1 ? std::string(column) : fmt::format("{}_{}", column, i);
      bytes_ += end_of(i);
    }
  }

  // Whole rows.
  void add(std::span<const std::int32_t> values) {
    if (format_ == reports::LabelsFormat::npy) return io::append_int64(bytes_, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      fmt::format_to(std::back_inserter(bytes_), "{}{}", values[i],
                     end_of(static_cast<std::int64_t>(i)));
    }
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  // After the i-th number.
  [[nodiscard]] char end_of(std::int64_t i) const {
    if ((i + 1) % columns_ == 0) return '\n';
    return format_ == reports::LabelsFormat::csv ? ',' : '\t';
  }

  reports::LabelsFormat format_;
  std::int64_t columns_;
  std::string bytes_;
};

// Both files, complete but not yet written.
struct Dump {
  Table votes;
  std::vector<std::int32_t> labels;
};

Dump make_rows_of_queries(const VoteSimulator& simulator, const SimulateOptions& options,
                          ProgressCounter& made) {
  const SimulationSettings& ensemble = simulator.settings();
  const bool predictions = options.layout == Layout::predictions_by_query;
  Dump dump{Table(options.output, predictions ? "teacher" : "class",
                  {ensemble.queries, predictions ? ensemble.teachers : ensemble.classes}),
            {}};
  for (std::int64_t i = 0; i < ensemble.queries; ++i) {
    const SimulatedQuery query = simulator.query(i);
    dump.votes.add(predictions ? simulator.teacher_votes(i, query) : query.counts);
    dump.labels.push_back(query.label);
    made.add(1);
  }
  return dump;
}

Dump make_rows_of_teachers(const VoteSimulator& simulator, const SimulateOptions& options,
                           ProgressCounter& made) {
  const SimulationSettings& ensemble = simulator.settings();
  const auto queries = static_cast<std::size_t>(ensemble.queries);
  const auto teachers = static_cast<std::size_t>(ensemble.teachers);
  Dump dump{Table(options.output, "query", {ensemble.teachers, ensemble.queries}), {}};
  std::vector<std::int32_t> votes(queries * teachers);  // transposed: in the order of the file
  for (std::size_t i = 0; i < queries; ++i) {
    const SimulatedQuery query = simulator.query(static_cast<std::int64_t>(i));
    const auto column = simulator.teacher_votes(static_cast<std::int64_t>(i), query);
    for (std::size_t t = 0; t < teachers; ++t) votes[t * queries + i] = column[t];
    dump.labels.push_back(query.label);
    made.add(1);
  }
  dump.votes.add(votes);
  return dump;
}

Dump make_dump(const SimulateOptions& options, const Streams& streams) {
  const VoteSimulator simulator(options.ensemble);
  Progress progress(streams, "simulating");
  ProgressCounter made(progress.callback(), options.ensemble.queries);
  return options.layout == Layout::predictions ? make_rows_of_teachers(simulator, options, made)
                                               : make_rows_of_queries(simulator, options, made);
}

// What is there may be votes of teachers, or of a run whose report names them.
void check_not_there(const char* option, const std::string& file, bool force) {
  std::error_code ignored;  // who writes it tells
  if (force || file.empty() || !std::filesystem::is_regular_file(file, ignored)) return;
  throw usage_error(fmt::format(
      "{} {} is there already; name another file, or add --force to replace it", option, file));
}

}  // namespace

void add_simulate(CommandLine& line, SimulateOptions& options) {
  SimulationSettings& ensemble = options.ensemble;
  const Section section = line.section("");
  section.add("--teachers M", ensemble.teachers, "number of teachers");
  section.add("--classes K", ensemble.classes, "number of classes");
  section.add("--queries N", ensemble.queries, "number of queries");
  section.add("--accuracy A", ensemble.accuracy, "expected share of teachers that are right");
  section.add("--correlation C", ensemble.correlation,
              "correlation between teachers' errors, below 1");
  section.add("--seed S", ensemble.seed,
              "seed of the random numbers; equal seeds give equal votes");
  section.add("--layout NAME", options.layout,
              {Layout::counts, Layout::predictions, Layout::predictions_by_query},
              "array layout: counts, predictions or predictions-by-query");
  section.add("-o,--output FILE", options.output,
              "write the votes to this .npy, .csv or .tsv file; - is standard output",
              {.required = true});
  section.add("--labels-output FILE", options.labels_output,
              "write the true classes to this .npy, .csv or .tsv file");
  section.add("--force", options.force, "replace existing files");
  section.add("--quiet", options.quiet, "print errors only");
  add_progress(section, options.progress);
}

int run_simulate(const SimulateOptions& options, const Streams& streams) {
  validate(options.ensemble);
  check_destinations({{"--output", options.output}, {"--labels-output", options.labels_output}},
                     {});
  (void)format_of(options.labels_output);
  check_not_there("--output", options.output, options.force);
  check_not_there("--labels-output", options.labels_output, options.force);
  const Dump dump = make_dump(options, streams);
  // The labels first: where the votes have been written, everything has.
  if (!options.labels_output.empty()) {
    Table labels(options.labels_output, "label", std::vector{options.ensemble.queries});
    labels.add(dump.labels);
    write_output(options.labels_output, labels.bytes(), streams, io::Readers::by_umask);
  }
  write_output(options.output, dump.votes.bytes(), streams, io::Readers::by_umask);
  if (!options.quiet) {
    streams.err << fmt::format(
        "pate: wrote {} ({}): {} x {} classes, {}{}\n",
        io::printable(options.output, 4096, io::Letters::any), name(options.layout),
        queries_text(options.ensemble.queries), options.ensemble.classes,
        teachers_text(options.ensemble.teachers),
        options.labels_output.empty()
            ? std::string()
            : "; true classes: " + io::printable(options.labels_output, 4096, io::Letters::any));
  }
  return kDone;
}

}  // namespace pate::cli
