#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/commands/tune_rounds.hpp"
#include "cli/commands/tuned_command_lines.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/tuning_grids.hpp"
#include "cli/options/weights.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/saved_tuning.hpp"
#include "pate/reports/seal.hpp"
#include "pate/reports/tune_report.hpp"
#include "pate/tuning/declared_search.hpp"
#include "pate/tuning/group_budgets.hpp"
#include "pate/tuning/known_points.hpp"
#include "pate/tuning/tune.hpp"
#include "pate/tuning/weighted_tuning.hpp"
#include "pate/votes/tables/teacher_groups.hpp"
#include "pate/votes/tables/teacher_weights.hpp"

namespace pate::cli {

namespace {

// More points than this are not all listed, unless --top asks for them.
constexpr std::size_t kListed = 100'000;
constexpr std::size_t kDefaultTop = 1000;

// Said when the first signal comes.
constexpr const char* kEnding =
    "pate: interrupted: waiting for the points that are begun; a second signal ends at once\n";
constexpr const char* kFinishing =
    "pate: interrupted: waiting for the points that are begun, then writing what is done; a second "
    "signal ends at once, without a report\n";

// The points of the report of --resume, which must be of the same work.
KnownPoints known_points(const TuneOptions& options, const TuningGrid& grid,
                         const TuneSettings& settings,
                         const std::vector<reports::InputFile>& inputs) {
  reports::SavedTuning now;
  now.settings = settings;
  now.tuning.grid = grid;
  std::tie(now.tuning.first, now.tuning.last) = points_of_shard(grid, settings.shard);
  for (const reports::InputFile& input : inputs) {
    if (input.votes_digest) now.votes_digest = *input.votes_digest;
    if (input.role == "student") now.student_sha256 = input.sha256;
    if (input.role == "labels") now.labels_sha256 = input.sha256;
  }
  if (options.input.labels_rows) now.labels_rows = option_word(*options.input.labels_rows);
  const io::JsonValue report = io::JsonValue::read_file(options.tuning.resume);
  reports::require_sealed(report);
  reports::SavedTuning saved = reports::read_tune_report(report);
  reports::check_same_tuning(options.tuning.resume, saved, now);
  return std::move(saved.tuning.points);
}

// What the report of --resume says of some points must be what the votes say.
void require_points_again(const TuneOptions& options, const TuningTask& task,
                          const TuningGoal& goal, const KnownPoints& known) {
  const std::uint64_t seed = std::uint64_t{std::random_device()()} << 32U | std::random_device()();
  const auto differs = differing_point(task, goal, known, seed);
  if (!differs) return;
  throw input_error(
      fmt::format("{}: points: the point of index {} has other numbers than these votes give it: "
                  "it was changed after it was made; leave out --resume",
                  options.tuning.resume, *differs));
}

// What must be known of parameters for a budget that is declared beforehand.
void add_declared_notices(const VotesInput& input, const Neighbours& neighbours,
                          const std::optional<OffGridPoint>& best, const DeclaredOutcome& outcome,
                          std::vector<Notice>& notices) {
  std::erase_if(notices, [](const Notice& one) { return one.code == "parameters_from_votes"; });
  notices.insert(
      notices.begin(),
      {"declared_for_other_votes",
       "a budget is declared for other votes than these: parameters that follow from the votes "
       "that are then labelled are not fixed beforehand, and void the guarantee. These must be "
       "public, of pate simulate, or of teachers of other data; how likely the votes that are "
       "labelled pass is not known from them"});
  if (!best) return;
  const double any = epsilon_for_any_votes(best->aggregator, neighbours, input.rows.size(),
                                           outcome.goal.budget.delta);
  if (any <= outcome.goal.budget.epsilon) {
    notices.push_back({"any_votes_suffice",
                       fmt::format("whatever the votes are, this run costs epsilon = {} at most: "
                                   "it needs no test",
                                   any)});
  }
}

// Who has a budget of its own: the groups of a file, or teachers of one weight.
std::optional<TeacherGroups> open_budgeted(const TuneOptions& options,
                                           const std::optional<TeacherWeights>& weights,
                                           VotesInput& input) {
  if (options.tuning.group_epsilon.empty()) return std::nullopt;
  return options.tuning.groups.empty() ? groups_by_weight(*weights)
                                       : open_groups(options.tuning.groups, input);
}

Notice weighted_notice(const TeacherWeights& weights) {
  return {"teacher_weights",
          fmt::format("votes count by the weights of their teachers, which must have been fixed "
                      "without looking at votes; parameters are in votes of weight 1, epsilon is "
                      "that of the heaviest teacher, {:g}, and so holds for everybody",
                      static_cast<double>(weights.heaviest()) * weights.unit)};
}

// Rounded down: with an epsilon that is rounded up it is no more than the budget.
std::string margin_text(double margin) {
  const std::string less = fixed_upwards(-margin, 4);
  if (less.starts_with('-')) return less.substr(1);
  return less.find_first_of("123456789") == std::string::npos ? less : "-" + less;
}

// What groups pay at the point that was found, or that comes nearest, PRIVATE.
std::string budgets_text(const std::optional<GroupOutcome>& outcome) {
  if (!outcome || outcome->groups.empty()) return {};
  std::string text =
      "\n  group                        teachers  epsilon (private)    budget    margin\n";
  for (const GroupBudget& group : outcome->groups) {
    text += fmt::format("  {:<28} {:>8}  {:>17}  {:>8}  {:>8}\n",
                        io::printable(group.cost.name, 28, io::Letters::any), group.cost.teachers,
                        epsilon_text(group.cost.epsilon), fmt::format("{:g}", group.budget),
                        margin_text(group.margin()));
  }
  return text;
}

std::string misses_of_groups(const GroupOutcome& outcome, bool may_tell_numbers) {
  std::string text = fmt::format("no point keeps the budget of every group; {} {} tried",
                                 outcome.tested, outcome.tested == 1 ? "was" : "were");
  if (!may_tell_numbers) return text;
  for (const GroupBudget& group : outcome.groups) {
    if (group.is_kept()) continue;
    text += fmt::format("; nearest: {} pays {} of {:g}",
                        io::printable(group.cost.name, 40, io::Letters::any),
                        epsilon_text(group.cost.epsilon), group.budget);
    break;
  }
  return text;
}

// Solves for the parameter, and makes grid, queries and options those of the only point.
SolvedParameter solve_for(SolvedFor parameter, const TuneSettings& settings, TuningGrid& grid,
                          VotesInput& input, TuneOptions& options) {
  refuse(grid.size() != 1, "--solve needs one value of every parameter that it does not look for");
  refuse(parameter == SolvedFor::queries && !options.input.indices.empty(),
         "--solve queries leaves out the last queries, which --indices cannot express: shorten the "
         "file of --indices instead");
  const TuningVotes votes{*input.votes, input.rows, input.student.get(), {}};
  const SolvedParameter found =
      solve_parameter(votes, grid.aggregator(0), grid.neighbours, settings.grid,
                      *settings.goal.max_epsilon, parameter);
  if (parameter == SolvedFor::sigma2) {
    grid.noise = {found.value};
    return found;
  }
  const std::int64_t begin = input.rows[0];
  const auto queries = static_cast<std::int64_t>(found.value);
  options.input.queries =
      begin == 0 ? std::to_string(queries) : fmt::format("{}:{}", begin, begin + queries);
  input.rows = RowSelection::range(begin, begin + queries);
  return found;
}

}  // namespace

void add_tune(CommandLine& line, TuneOptions& options) {
  add_votes_input_options(line, options.input, {"--decisions"});
  line.record_null("decisions");
  add_tuning_options(line, options.tuning);
  const Section account =
      line.section("The price of looking: run and choose, so that the best labels may be released");
  account.add("--account LAW:K", options.account,
              "try random points of the grid with fresh noise, K times on average by the law "
              "geometric, poisson or logarithmic, and release the labels of the best");
  account.add("--write-labels FILE", options.labels,
              "with --account: write the labels to this .npy, .csv or .tsv file; -1 means refused");
  account.add("--force", options.force, "replace an existing file of labels", {.recorded = false});
  account.add("--ledger FILE", options.ledger,
              "with --account: record the choice in this ledger before the labels appear");
  add_ensemble(account, options.ensemble, options.access);
  add_output_options(line, options.output);
  add_format(line, options.output, "the Pareto front");
  add_statement(line, options.output);
  add_public_only(line, options.output);
}

int run_tune(const TuneOptions& given, const Streams& streams) {
  TuneOptions options = given;
  if (!options.account.empty()) {
    refuse(!options.tuning.groups.empty() || !options.tuning.group_epsilon.empty(),
           "--account excludes --groups and --group-epsilon: what it costs holds for "
           "any votes, and for every group alike");
    refuse(!options.tuning.teacher_weights.empty(),
           "--account excludes --teacher-weights: it draws labels by whole votes");
    SystemBits source;
    return run_private_search(options, streams, source);
  }
  check_ensemble(options.ensemble, options.ledger, options.access);
  refuse(!options.labels.empty() || !options.ledger.empty() || options.force,
         "--write-labels, --force, --ledger and --ensemble go with --account LAW:K: nothing else "
         "that pate tune does releases labels");
  refuse(options.output.public_only || options.output.statement,
         "--public-only and --statement go with --account LAW:K: everything else that pate tune "
         "says depends on the votes, and promises nothing");
  settle_goal(options.tuning);
  if (options.tuning.rounds) return run_rounds(options, streams);
  const TuningOptions& tuned = options.tuning;
  refuse(tuned.first_queries || !tuned.second_sigma2.empty() || !tuned.second_threshold.empty() ||
             !tuned.second_sigma1.empty(),
         "--first-queries and --second-... go with --rounds 2");
  const bool has_student = !options.input.student.empty();
  const GridOptions grid_options = check_grid_options(options.tuning, has_student);
  TuneSettings settings = make_tune_settings(options.tuning, !options.input.labels.empty());
  refuse(options.tuning.settings.grid.max_answers && !options.input.indices.empty(),
         "--max-answers leaves out the last queries, which --indices cannot express: shorten the "
         "file of --indices instead");
  if (!options.tuning.teacher_weights.empty()) {
    check_weighable(options.tuning.threshold,
                    Circumstances(options.tuning.neighbours)
                        .with(Given::counts, options.input.layout == Layout::counts)
                        .with(Given::student, !options.input.student.empty()));
  }
  check_tune_outputs(options);

  VotesInput input = open_votes(options.input);
  if (options.tuning.one_noise) require_two_classes(input);
  refuse(!options.tuning.group_epsilon.empty() && grid_options.search,
         "--group-epsilon needs a grid: give --sigma2, and --threshold and --sigma1");
  const std::optional<TeacherWeights> weights = open_weights(options.tuning.teacher_weights, input);
  const std::optional<TeacherGroups> groups = open_budgeted(options, weights, input);
  std::vector<double> budgets;
  if (groups) budgets = parse_group_budgets(options.tuning.group_epsilon, groups->names);
  if (grid_options.search) ask_to_search(settings);
  require_teachers(options.tuning.neighbours, input.votes->teachers());
  const TuningVotes unlabelled{*input.votes, input.rows, input.student.get(), {}};
  TuningGrid grid = !settings.search ? make_grid(grid_options, input.votes->teachers())
                    : weights
                        ? WeightedTuning(unlabelled, *weights).search_grid(settings.grid.threads)
                        : search_grid(unlabelled, settings.grid.threads);
  grid.neighbours = options.tuning.neighbours;
  if (options.tuning.declared_epsilon) {
    expect_cost_table(default_cost(grid.aggregator(0), grid.neighbours, input.votes->teachers(),
                                   input.votes->classes()),
                      input.votes->teachers(), "test");
  }
  std::optional<SolvedParameter> solved;
  TuneOptions asked = options;
  if (options.tuning.solve) solved = solve_for(*options.tuning.solve, settings, grid, input, asked);
  if (!settings.top && grid.size() > kListed) settings.top = kDefaultTop;
  if (!settings.top && settings.search) settings.top = 0;
  const auto [first_point, last_point] = points_of_shard(grid, settings.shard);
  expect_memory(tuning_memory(last_point - first_point),
                fmt::format("a grid of {} points", last_point - first_point));
  const TuningVotes votes{*input.votes, input.rows, input.student.get(), std::move(input.labels)};

  reports::TuneContext context;
  context.settings = settings;
  context.solved = solved;
  context.report.version = version();
  context.report.inputs = input.describe();
  KnownPoints known;
  if (!options.tuning.resume.empty()) {
    known = known_points(options, grid, settings, context.report.inputs);
  }
  int interrupted = 0;
  const Tuning tuning = [&] {
    const Interruption interruption(options.output.quiet            ? ""
                                    : options.output.output.empty() ? kEnding
                                                                    : kFinishing);
    const auto stop = [&] { return interruption.requested(); };
    Tuning result = [&] {
      Progress progress(streams, "evaluating points");
      if (!known.empty()) {
        require_points_again(options, {votes, grid, settings.grid, {{}, stop}}, settings.goal,
                             known);
      }
      if (options.tuning.declared_epsilon) {
        DeclaredOutcome& outcome = context.declared.emplace();
        outcome.goal.budget = {*options.tuning.declared_epsilon, settings.grid.kind.delta, false};
        outcome.goal.certificate = options.tuning.certificate;
        std::optional<Progress> test;
        const auto when_testing = [&] {
          return test.emplace(streams, "testing the budget").callback();
        };
        return search_declared(votes, grid, settings, known, CurveTableSource(),
                               {progress.callback(), stop, when_testing}, outcome);
      }
      const Watcher watcher{progress.callback(), stop};
      if (weights) return WeightedTuning(votes, *weights).run(grid, settings, watcher);
      return tune(votes, grid, settings, known, watcher);
    }();
    if (groups && result.complete) {
      Progress progress(streams, "exact costs of points");
      context.groups =
          choose_for_groups(votes, settings, *groups, budgets, result, {progress.callback(), stop},
                            weights ? &*weights : nullptr);
    }
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
  if (interrupted != 0 && !options.output.quiet) {
    streams.err << fmt::format("pate: writing what is done, {} points\n", tuning.evaluated);
  }

  context.report.settings = settings_of("tune", add_tune, given);
  std::optional<OffGridPoint> declared_best;
  if (tuning.has_best()) {
    const TunedPoint best = tuning.choice.best ? tuning.points[*tuning.choice.best] : TunedPoint{};
    context.best_command =
        tuning.continuum
            ? analyze_command(asked, input, tuning.continuum->aggregator, tuning.continuum->point)
            : analyze_command(asked, input, grid.mechanism(best.index), best.point);
    if (best.released) context.release_command = release_command(options, input, grid, best);
    if (context.declared) {
      declared_best = tuning.continuum ? tuning.continuum
                                       : OffGridPoint{grid.aggregator(best.index), best.point};
      context.rehearsal_command =
          rehearsal_command(options, input, *declared_best, context.declared->goal.budget.epsilon);
    }
  }
  context.notices = tune_notices(tuning, settings);
  if (context.declared) {
    add_declared_notices(input, grid.neighbours, declared_best, *context.declared, context.notices);
  }
  add_one_noise_notice(options.tuning, context.notices);
  if (context.groups) {
    context.notices.push_back({"groups",
                               "what a group pays is exact, by the conversion optimal: that of the "
                               "teacher of it who pays most, where one teacher is replaced"});
    if (tuning.has_best()) context.best_command += analyze_groups(options.tuning.groups);
  }
  if (weights) context.notices.push_back(weighted_notice(*weights));
  const std::vector<double> none;  // of a search: what it looks at is not what anybody wrote
  if (weights && !settings.search) add_weight_slips(*weights, grid.threshold, context.notices);
  const std::optional<StabilityTest> test = highest_test(grid);
  MechanismOptions least;
  if (!settings.search && !weights && !grid.ptr) {
    (grid.laplace ? least.laplace_scale : least.sigma2) = grid.noise.front();
    if (grid.has_selection()) least.sigma1 = grid.sigma1.front();
  }
  prepend_input_warnings(input, settings.search || weights ? none : grid.threshold,
                         settings.grid.kind.delta, context.notices, test ? &*test : nullptr,
                         &least);

  if (!options.tuning.csv.empty()) {
    write_output(options.tuning.csv, reports::tune_points_csv(tuning, context), streams,
                 io::Readers::owner);
  }
  deliver_report(options.output, reports::tune_report_json(tuning, context),
                 options.output.format ? front_table(tuning, context, *options.output.format)
                                       : tune_summary(tuning, context, title_of(options.input)) +
                                             budgets_text(context.groups),
                 context.notices, streams);
  if (interrupted != 0) return interrupted;
  if (settings.shard.of > 1) return kDone;
  if (context.declared && !tuning.has_best()) {
    return report_missed(
        {fmt::format("no parameters that were tested pass the test of --declared-epsilon {} with "
                     "probability {}",
                     context.declared->goal.budget.epsilon, context.declared->goal.least_pass)},
        streams);
  }
  // Without a point that keeps the other limits no group was asked.
  if (context.groups && context.groups->tested > 0 && !tuning.has_best()) {
    return report_missed(
        {misses_of_groups(*context.groups, may_tell_numbers(options.output, streams))}, streams);
  }
  return report_tune_misses(tuning, may_tell_numbers(options.output, streams), streams);
}

}  // namespace pate::cli
