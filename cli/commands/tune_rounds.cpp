#include "cli/commands/tune_rounds.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>

#include "cli/commands/summaries.hpp"
#include "cli/commands/tuned_command_lines.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/tuning_grids.hpp"
#include "cli/progress.hpp"
#include "pate/base/require.hpp"
#include "pate/reports/rounds_report.hpp"
#include "pate/tuning/rounds.hpp"

namespace pate::cli {

void check_tune_outputs(const TuneOptions& options) {
  const Destination csv{"--csv", options.tuning.csv};
  std::vector<std::string> inputs = input_paths(options.input);
  for (const std::string* path : {&options.tuning.groups, &options.tuning.teacher_weights}) {
    if (!path->empty()) inputs.push_back(*path);
  }
  check_output_options(options.output, inputs, {csv});
  check_destinations({csv}, {options.tuning.resume});
}

void add_one_noise_notice(const TuningOptions& options, std::vector<Notice>& notices) {
  if (!options.one_noise || options.sigma2.empty()) return;
  notices.push_back({"one_noise",
                     "one Gaussian noise on one of two counts is the mechanism with sqrt 2 times "
                     "as much on both: every sigma2 here, and in the command of the best point, "
                     "is that of both, to be given without --one-noise; over sqrt 2 it is that of "
                     "the one noise"});
}

int run_rounds(const TuneOptions& options, const Streams& streams) {
  const auto grids = check_rounds(options.tuning, !options.input.student.empty());
  const TuneSettings settings = make_tune_settings(options.tuning, !options.input.labels.empty());
  refuse(!options.input.indices.empty(),
         "--rounds excludes --indices: its rounds are ranges of rows");
  if (options.output.format) {
    throw usage_error("--rounds has no table: leave out --format");
  }
  check_tune_outputs(options);
  VotesInput input = open_votes(options.input);
  if (options.tuning.one_noise) require_two_classes(input);
  require_teachers(options.tuning.neighbours, input.votes->teachers());
  const std::int64_t queries = input.rows.size();
  const std::int64_t first = *options.tuning.first_queries;
  require(first >= 1 && first < queries,
          "--first-queries must be at least 1 and below the number of queries, {}, got {}", queries,
          first);
  reports::RoundsContext context;
  context.kind = settings.grid.kind;
  context.goal = settings.goal;
  context.queries = {first, queries - first};
  context.teachers = input.votes->teachers();
  context.classes = input.votes->classes();
  context.has_labels = input.labels.has_value();
  context.report = {version(), settings_of("tune", add_tune, options), input.describe()};
  const std::int64_t begin = input.rows[0];
  for (std::size_t r = 0; r < 2; ++r) context.grids[r] = make_grid(grids[r], context.teachers);
  const std::array<Round, 2> rounds{
      Round{{*input.votes, RowSelection::range(begin, begin + first), nullptr, input.labels},
            context.grids[0]},
      Round{{*input.votes, RowSelection::range(begin + first, begin + queries), input.student.get(),
             input.labels},
            context.grids[1]}};
  const RoundsTuning found = [&] {
    Progress progress(streams, "evaluating points");
    return tune_rounds(rounds, context.kind, context.goal, settings.grid.threads,
                       {progress.callback(), {}});
  }();
  input.check_unchanged();
  if (found.best) context.commands = rounds_commands(options, input, context, *found.best);
  Tuning shape;
  shape.grid = context.grids[0];
  shape.complete = true;
  context.notices = tune_notices(shape, settings);
  add_one_noise_notice(options.tuning, context.notices);
  context.notices.push_back(
      {"order_fixed_before",
       "the scores of the second round come from the answers of the first: the sum is a guarantee "
       "at an order that is named before the first round"});
  for (const TuningGrid& grid : context.grids) {
    prepend_input_warnings(input, grid.threshold, settings.grid.kind.delta, context.notices);
    input.notices.clear();
  }
  deliver_report(options.output, reports::rounds_report_json(found, context),
                 rounds_summary(found, context, title_of(options.input)), context.notices, streams);
  if (found.best) return kDone;
  streams.err << alarming("pate: limit missed:", streams.err_colour())
              << " no pair of points keeps the limits\n";
  return kLimitMissed;
}

}  // namespace pate::cli
