#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/weights.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/account.hpp"
#include "pate/accounting/costs_apart.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/tuning/agreement.hpp"
#include "pate/votes/tables/teacher_groups.hpp"
#include "pate/votes/tables/teacher_weights.hpp"

namespace pate::cli {

namespace {

Shard shard_of(const AnalyzeOptions& options) {
  if (options.shard.empty()) return {};
  if (options.privacy.limits.any()) {
    throw usage_error(
        "limits are for a whole run, not for a shard: give them to 'pate compose' instead");
  }
  if (options.output.metrics) {
    throw usage_error("--metrics is for a whole run, not for a shard: give it to 'pate compose'");
  }
  return parse_shard(options.shard);
}

// What groups pay, if there are groups.
std::vector<GroupCost> costs_of_groups(const std::optional<TeacherGroups>& groups,
                                       const std::optional<TeacherWeights>& weights,
                                       Account& account) {
  if (!groups) return {};
  account.notices.push_back(
      {"groups",
       "what a group pays is what that teacher of it pays who pays most, where one teacher is "
       "replaced; whole_group is for all of its teachers at once, whatever the votes are"});
  return group_costs(*groups, account, weights ? &*weights : nullptr);
}

// What is known of groups, of weights, of samples and of the bounds.
void require_supported(const AnalyzeOptions& options) {
  const auto circumstances =
      options.mechanism.circumstances(!options.input.student.empty())
          .with(Given::counts, options.input.layout == Layout::counts)
          .with(Given::decisions, !options.input.decisions.empty() || !options.input.labels.empty())
          .with(Given::shard, !options.shard.empty());
  if (!options.groups.empty()) {
    require(Asked::groups, circumstances);
    if (!options.privacy.exact) throw usage_error("--groups needs --exact");
  }
  if (!options.teacher_weights.empty()) {
    check_weighable(options.mechanism.threshold, circumstances);
  }
  check_sampled(options.mechanism, circumstances);
  Exclusions("--sample-teachers")(
      options.mechanism.sampling() && options.privacy.account.profile_deltas,
      "--deltas: of samples the profile is told at --delta alone");
  // What is told of these votes alone promises nothing there.
  const Exclusions excludes("--queries-follow answers");
  excludes(options.rows_from_answers && !options.groups.empty(),
           "--groups: what a group pays for these votes promises nothing; the headline is what any "
           "votes cost");
  excludes(options.rows_from_answers && options.privacy.account.profile_deltas,
           "--deltas: a profile of these votes promises nothing; --delta D has what any votes cost "
           "there");
  // A list of bounds of which none would be computed, or none but those that are without it: both
  // bounds by q are what is computed where nothing is said.
  const std::vector<Bound>& bounds = options.privacy.bounds;
  const bool by_q = std::ranges::all_of(
      bounds, [](Bound bound) { return bound == Bound::published || bound == Bound::tradeoff; });
  if (!by_q || bounds == PrivacyOptions().bounds) return;
  for (const Bound bound : bounds) {
    require(bound == Bound::published ? Asked::published : Asked::tradeoff, circumstances);
  }
}

// Tells meanwhile how far an account is.
class AccountProgress {
 public:
  AccountProgress(AccountSettings& settings, const Streams& streams)
      : progress_(std::in_place, streams, "reading votes") {
    settings.progress = progress_->callback();
    const char* const next = settings.has(Bound::exact)     ? "computing exact costs"
                             : settings.has(Bound::complex) ? "computing moments of complex orders"
                             : settings.has(Bound::tilted)  ? "computing tilted costs"
                                                            : nullptr;
    settings.when_read = [this, next, &streams] {
      progress_.reset();
      if (next != nullptr) activity_.emplace(streams, next);
    };
    settings.when_profiling = [this, &streams](const char* what) {
      activity_.reset();
      progress_.reset();
      return progress_.emplace(streams, what).callback();
    };
  }

 private:
  std::optional<Progress> progress_;
  std::optional<Activity> activity_;
};

Account weighted_account_of(const Run& run, const TeacherWeights& weights, AccountSettings settings,
                            std::vector<WeightCost>& costs, const Streams& streams) {
  AccountProgress progress(settings, streams);
  WeightedAccount found = account_weighted(run, weighable(run.votes), weights, settings);
  costs = std::move(found.weights);
  found.account.notices.push_back(weights_notice(costs.back().weight, run.aggregator.refuses()));
  return std::move(found.account);
}

Account account_of(const Run& run, AccountSettings settings, Partials* partials,
                   std::optional<double> sample_teachers, const Streams& streams) {
  AccountProgress progress(settings, streams);
  if (sample_teachers) return account_sampled(run, *sample_teachers, settings);
  return account(run, settings, partials);
}

// What all rows of the file cost: a sentence.
std::string whole_file_cost(const Run& run, AccountSettings settings) {
  const Run all{run.votes,
                RowSelection::all(run.votes.queries()),
                run.aggregator,
                run.neighbours,
                run.student,
                {},
                {}};
  for (const Bound model : {Bound::exact, Bound::complex, Bound::tilted}) {
    settings.models.erase(model);
  }
  settings.reading.reset();
  settings.conversion.reset();
  const Account costs = account(all, settings);
  double any_votes = std::numeric_limits<double>::infinity();
  for (const CostEntry& cost : costs.costs) {
    if (!cost.data_dependent) any_votes = std::min(any_votes, cost.epsilon);
  }
  return fmt::format("All {} rows cost {:.5f} for these votes, {:.5f} for any", run.votes.queries(),
                     costs.costs[costs.headline].epsilon, any_votes);
}

// The expected share of the answers that are the plurality; none where none is expected.
std::optional<double> agreement_of_answers(const Run& run, const Account& account,
                                           unsigned threads) {
  if (!(account.answered_expected > 0.0)) return {};
  if (run.aggregator.ptr() != nullptr) return 1.0;  // PTR tells the plurality or nothing
  const std::vector<QueryKey> keys{sorted_histogram()};
  const std::vector<DistinctQueries> counted = count_distinct(run, keys, {.threads = threads});
  const Aggregator& aggregator = run.aggregator.noisy();
  return expected_agreeing(aggregator, agreement_of(aggregator.noisy_max, run.votes.classes(),
                                                    counted.front(), threads)) /
         account.answered_expected;
}

}  // namespace

void add_analyze(CommandLine& line, AnalyzeOptions& options) {
  options.input.may_leave_out_abstentions = true;
  add_votes_input_options(line, options.input);
  add_mechanism_options(line, options.mechanism);
  add_neighbours(line, options.mechanism.neighbours);
  add_privacy_options(line, options.privacy);
  line.section("Privacy").add("--groups FILE", options.groups,
                              "with --exact and predictions: file with a line for each teacher, "
                              "the name of its group; what each group pays is reported");
  line.section("Votes").add("--teacher-weights FILE", options.teacher_weights,
                            "file with a line for each teacher of predictions: how much its vote "
                            "counts; what teachers of each weight pay is reported");
  add_sample_options(line.section("Mechanism"), options.mechanism, false);
  add_limit_options(line, options.privacy.limits);
  line.section("Interactive")
      .add("--reinforce-above GAMMA", options.reinforce_above,
           "also report how many refused queries would get the student's label, if its score is "
           "above GAMMA");
  add_rows_from_answers(line.section("Origin"), options.rows_from_answers);
  line.section("Work").add("--shard I/N", options.shard,
                           "process part I of N; join the parts with pate compose");
  add_output_options(line, options.output);
  add_format(line, options.output, "the costs");
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
  add_export_options(line, options.exports);
}

int run_analyze(const AnalyzeOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  if (options.reinforce_above && (!has_student || !options.shard.empty())) {
    throw usage_error(has_student ? "--reinforce-above is for a whole run, not for a shard"
                                  : "--reinforce-above needs --student: its scores are compared");
  }
  AccountSettings settings = make_account_settings(options.privacy);
  settings.queries_follow_answers = options.rows_from_answers;
  require_supported(options);
  std::vector<std::string> inputs = input_paths(options.input);
  for (const std::string* path : {&options.groups, &options.teacher_weights}) {
    if (!path->empty()) inputs.push_back(*path);
  }
  check_output_options(options.output, inputs, options.exports.destinations());
  refuse(options.exports.any() && !options.shard.empty(),
         "--export-rdp and --export-pld are for a whole run, not for a shard: give them to 'pate "
         "compose' instead");
  const Shard shard = shard_of(options);
  // A scheduler may well have one machine: 1/1 is a shard that compose takes, too.
  const bool is_shard = !options.shard.empty();

  VotesInputOptions asked = options.input;
  asked.has_limits = options.privacy.limits.any();
  VotesInput input = open_votes(asked);
  std::optional<TeacherGroups> groups;
  if (!options.groups.empty()) groups = open_groups(options.groups, input);
  const std::optional<TeacherWeights> weights = open_weights(options.teacher_weights, input);
  const Run run = make_run(input, options.mechanism, shard);
  if (!weights) {
    doubt_decisions(run, asked, input, [&] { return whole_file_cost(run, settings); });
  }
  // Digests read every byte once more: beside the account, not after it.
  auto described = input.describe_async(settings.threads);
  Partials partials;
  CostsApart apart;
  Account account = weights ? weighted_account_of(run, *weights, settings, apart.weights, streams)
                            : account_of(run, settings, is_shard ? &partials : nullptr,
                                         options.mechanism.sample_teachers, streams);
  apart.groups = costs_of_groups(groups, weights, account);
  if (options.reinforce_above) {
    account.answered_student = expected_reinforced(run, *options.reinforce_above);
  }

  const std::vector<double> thresholds = thresholds_of(options.mechanism, run.votes.teachers());
  if (weights) add_weight_slips(*weights, thresholds, account.notices);
  prepend_input_warnings(input, weights ? std::vector<double>{} : thresholds, settings.delta,
                         account.notices, run.aggregator.ptr(), &options.mechanism);
  if (shard.of > 1) {
    account.notices.push_back(
        {"shard", fmt::format("these are the costs of the queries of shard {} of {} alone; 'pate "
                              "compose' of the reports of all shards has those of the run",
                              shard.index, shard.of)});
  }

  const auto judged = judged_limits(options.privacy.limits, account.costs[account.headline],
                                    account.answered_expected, account.answered_realized);
  reports::ReportContext context{version(), settings_of("analyze", add_analyze, options),
                                 described.get()};
  context.verdicts = verdicts_of(judged);
  input.check_unchanged();
  // A part of a run is no event.
  if (!is_shard) {
    context.record = {reports::analysis_event(account, context.inputs)};
  }

  write_exports(options.exports, context.record, account.costs[account.headline],
                {.orders = settings.orders, .threads = settings.threads}, streams);
  deliver_report(
      options.output,
      reports::analyze_report_json(account, context, is_shard ? &partials : nullptr,
                                   reports::Audience::owner, &apart),
      costs_for_people(options.output, guarantee_of(account), account.costs,
                       analyze_summary(account, title_of(options.input), options.output.all,
                                       streams.out_colour(), apart.weights) +
                           groups_text(apart.groups) + weights_text(apart.weights)),
      account.notices, streams, false,
      // Which votes win by weight, or in samples, is not what is counted there.
      options.output.metrics && options.teacher_weights.empty() &&
              !options.mechanism.sample_teachers
          ? agreement_of_answers(run, account, settings.threads)
          : std::nullopt);
  return report_judged(judged, may_tell_numbers(options.output, streams), streams);
}

}  // namespace pate::cli
