#include "cli/commands/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <utility>

#include "cli/colour.hpp"
#include "cli/commands/tune_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/interruption.hpp"
#include "cli/progress.hpp"
#include "cli/shell_quote.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/io/atomic_file.hpp"
#include "pate/reports/tune_report.hpp"
#include "pate/reports/tune_report_reader.hpp"
#include "pate/tuning/release_ranking.hpp"

namespace pate::cli {

namespace {

// More points than this are not all listed, unless --top asks for them.
constexpr std::size_t kListed = 100'000;
constexpr std::size_t kDefaultTop = 1000;

std::vector<std::string> read_paths(const TuneOptions& options) {
  std::vector<std::string> paths = input_paths(options.input);
  if (!options.tuning.resume.empty()) paths.push_back(options.tuning.resume);
  return paths;
}

// Going on from a report may write it anew; no other output may be an input.
void check_outputs(const TuneOptions& options) {
  check_output_options(options.output, input_paths(options.input));
  const std::string& csv = options.tuning.csv;
  if (csv.empty()) return;
  std::vector<std::string> others = read_paths(options);
  if (!options.output.output.empty()) others.push_back(options.output.output);
  for (const std::string& other : others) {
    std::error_code ignored;
    if (csv == other || std::filesystem::equivalent(csv, other, ignored)) {
      throw usage_error(fmt::format("--csv {} is another file of this run; name another", csv));
    }
  }
}

// A command line that runs the point's aggregator on the queries it asks.
std::string point_command(std::string line, const TuneOptions& options, const VotesInput& input,
                          const Aggregator& aggregator, const TuningPoint& point,
                          const std::string& labels) {
  line += " " + shell_quote(options.input.votes);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {} {}", option, shell_quote(value));
  };
  if (options.input.layout != "counts") add("--layout", options.input.layout);
  if (options.input.classes) add("--classes", std::to_string(*options.input.classes));
  if (options.tuning.max_answers && point.queries != input.rows.size()) {
    const std::int64_t begin = input.rows[0];
    add("--queries", begin == 0 ? std::to_string(point.queries)
                                : fmt::format("{}:{}", begin, begin + point.queries));
  } else {
    add("--queries", options.input.queries);
  }
  add("--indices", options.input.indices);
  add("--student", options.input.student);
  add("--labels", labels);
  if (aggregator.selection) {
    add("--threshold", fmt::format("{}", aggregator.selection->threshold));
    add("--sigma1", fmt::format("{}", aggregator.selection->sigma1));
  }
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    add("--sigma2", fmt::format("{}", gaussian->sigma));
  } else {
    add("--laplace-scale",
        fmt::format("{}", std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale));
  }
  add("--delta", fmt::format("{}", options.tuning.delta));
  return line;
}

// The command line that analyses one point; epsilon is its headline.
std::string analyze_command(const TuneOptions& options, const VotesInput& input,
                            const Aggregator& aggregator, const TuningPoint& point) {
  std::string line =
      point_command("pate analyze", options, input, aggregator, point, options.input.labels);
  if (options.tuning.bound == "published") line += " --bound published";
  if (options.tuning.bound == "published" || options.tuning.reading == "expected") {
    line += " --reading expected";
  }
  if (options.tuning.conversion == "classic") line += " --conversion classic";
  if (!options.tuning.orders.empty()) {
    line += fmt::format(" --orders {}", fmt::join(options.tuning.orders, ","));
  }
  return line;
}

// The command line that rehearses the release of one point with the parameters found. It draws
// nothing: on these votes the parameters are not fixed in advance.
std::string release_command(const TuneOptions& options, const VotesInput& input,
                            const TuningGrid& grid, const TunedPoint& p) {
  const ReleaseParameters& parameters = p.released->parameters;
  return point_command("pate release", options, input, grid.aggregator(p.index), p.point, {}) +
         fmt::format(" --order {} --beta {} --sigma-ss {} --dry-run", parameters.order,
                     parameters.beta, parameters.sigma);
}

}  // namespace

std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings) {
  std::vector<Notice> result{
      {"parameters_from_votes",
       "choosing parameters by looking at private votes is itself data-dependent, and no epsilon "
       "here covers it: tune on public or held-out votes, or account for the choice"}};
  const auto add = [&](const char* code, std::string message) {
    result.push_back({code, std::move(message)});
  };
  add("private_numbers",
      "every epsilon here depends on the votes: it is for the owner of the data and must not be "
      "published as it is");
  if (tuning.grid.has_selection()) {
    add("grid_upper_bounds",
        fmt::format("the epsilon of points that are not refined is an upper bound, at most {:g} % "
                    "above that of pate analyze",
                    100.0 * kGridAccuracy));
    if (settings.grid.kind.cost.reading == Reading::expected) {
      add("expectation",
          "these costs are expectations over the selection noise, not guarantees for a run");
    }
  }
  if (settings.grid.kind.cost.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
  if (tuning.ranked_by_release) {
    add("release_parameters_from_votes",
        "order, beta and sigma-ss of a release were found on these votes: do not give them as "
        "fixed "
        "when you release from these votes, let pate release choose them, and it says that they "
        "were chosen from the votes; fixed they are for other votes, if these are public, "
        "simulated "
        "or of an earlier run");
    const auto computed = std::count_if(tuning.points.begin(), tuning.points.end(),
                                        [](const TunedPoint& p) { return p.release_computed; });
    const auto front = std::count_if(tuning.points.begin(), tuning.points.end(),
                                     [](const TunedPoint& p) { return p.pareto; });
    if (computed < front) {
      add("releases_limited", fmt::format("releases are computed for {} of the {} points of the "
                                          "Pareto front: --top limits them",
                                          computed, front));
    }
  }
  if (tuning.points.size() < tuning.evaluated) {
    add("points_limited", fmt::format("{} of {} points are listed: the Pareto front, the best and "
                                      "those that were refined",
                                      tuning.points.size(), tuning.evaluated));
  }
  if (!tuning.complete && settings.release && tuning.evaluated == tuning.last - tuning.first) {
    add("interrupted",
        "interrupted: the best point is by epsilon, not by what a release would publish; --resume "
        "goes on from this report");
  } else if (!tuning.complete) {
    add("interrupted", fmt::format("interrupted: {} of {} points are evaluated, none is refined; "
                                   "--resume goes on from this report",
                                   tuning.evaluated, tuning.last - tuning.first));
  }
  if (settings.shard.of > 1) {
    add("shard", fmt::format("this is part {} of {} of the grid: best and front are those of the "
                             "part",
                             settings.shard.index, settings.shard.of));
  }
  return result;
}

int report_tune_misses(const Tuning& tuning, const Streams& streams) {
  if (tuning.choice.best) return kDone;
  for (const NearestMiss& miss : tuning.choice.nearest_misses) {
    const TunedPoint& p = tuning.points[miss.position];
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << fmt::format(" no point keeps the limits; nearest to --{}: {} {}, {} answers\n",
                               miss.of_max_epsilon ? "max-epsilon" : "min-answered",
                               tuning.ranked_by_release ? "mean published epsilon" : "epsilon",
                               tuning.ranked_by_release ? p.released->mean : p.point.epsilon,
                               p.point.answered);
  }
  if (tuning.ranked_by_release && tuning.choice.nearest_misses.empty()) {
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << " no point of the Pareto front has a finite epsilon to release\n";
  }
  return kLimitMissed;
}

namespace {

std::string sha256_of(const std::vector<InputFile>& inputs, const char* role) {
  for (const InputFile& input : inputs) {
    if (input.role == role) return input.sha256;
  }
  return {};
}

// The points of the report of --resume, which must be of the same work.
KnownPoints known_points(const TuneOptions& options, const TuningGrid& grid,
                         const TuneSettings& settings, const std::vector<InputFile>& inputs) {
  SavedTuning now;
  now.settings = settings;
  now.tuning.grid = grid;
  std::tie(now.tuning.first, now.tuning.last) = points_of_shard(grid, settings.shard);
  for (const InputFile& input : inputs) {
    if (input.votes_digest) now.votes_digest = *input.votes_digest;
  }
  now.student_sha256 = sha256_of(inputs, "student");
  now.labels_sha256 = sha256_of(inputs, "labels");
  SavedTuning saved = read_tune_report(options.tuning.resume);
  check_same_tuning(options.tuning.resume, saved, now);
  return std::move(saved.tuning.points);
}

}  // namespace

void add_tune(CLI::App& command, TuneOptions& options) {
  add_votes_input_options(command, options.input);
  command.remove_option(command.get_option("--decisions"));
  add_tuning_options(command, options.tuning);
  add_output_options(command, options.output);
}

int run_tune(const TuneOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  const GridOptions grid_options = check_grid_options(options.tuning, has_student);
  TuneSettings settings = make_tune_settings(options.tuning, !options.input.labels.empty());
  if (options.tuning.max_answers && !options.input.indices.empty()) {
    throw usage_error(
        "--max-answers leaves out the last queries, which --indices cannot express: shorten the "
        "file of --indices instead");
  }
  check_outputs(options);

  VotesInput input = open_votes(options.input);
  const TuningGrid grid = make_grid(grid_options, input.votes->teachers());
  if (!settings.top && grid.size() > kListed) settings.top = kDefaultTop;
  const TuningVotes votes{*input.votes, input.rows, input.student.get(), std::move(input.labels)};

  TuneContext context;
  context.settings = settings;
  context.report.version = version();
  context.report.inputs = input.describe();
  KnownPoints known;
  if (!options.tuning.resume.empty()) {
    known = known_points(options, grid, settings, context.report.inputs);
  }
  int interrupted = 0;
  const Tuning tuning = [&] {
    const Interruption interruption;
    const auto stop = [&] { return interruption.requested(); };
    Tuning result = [&] {
      Progress progress(streams, "evaluating points");
      return tune(votes, grid, settings, known, {progress.callback(), stop});
    }();
    if (settings.release && result.complete) {
      Progress progress(streams, "computing releases");
      rank_by_release(votes, settings, result, {progress.callback(), stop});
    }
    if (!result.complete) interrupted = interruption.exit_status();
    return result;
  }();
  input.check_unchanged();
  if (interrupted != 0 && options.output.output.empty()) {
    streams.err << "pate: interrupted; with -o FILE what is done would have been kept\n";
    return interrupted;
  }

  context.report.settings.emplace_back("command", std::string("tune"));
  append_settings(options.input, context.report.settings);
  append_settings(options.tuning, context.report.settings);
  if (tuning.choice.best) {
    const TunedPoint& best = tuning.points[*tuning.choice.best];
    context.best_command =
        tuning.continuum
            ? analyze_command(options, input, tuning.continuum->aggregator, tuning.continuum->point)
            : analyze_command(options, input, grid.aggregator(best.index), best.point);
    if (best.released) context.release_command = release_command(options, input, grid, best);
  }
  context.notices = tune_notices(tuning, settings);

  if (!options.tuning.csv.empty()) {
    write_file_atomically(options.tuning.csv, tune_points_csv(tuning, context));
  }
  deliver_report(options.output, tune_report_json(tuning, context),
                 tune_summary(tuning, context, options.input.votes), context.notices, streams);
  if (interrupted != 0) return interrupted;
  if (settings.shard.of > 1) return kDone;
  return report_tune_misses(tuning, streams);
}

}  // namespace pate::cli
