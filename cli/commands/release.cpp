#include "cli/commands/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/activity.hpp"
#include "cli/commands/release_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/accounting/data_independent_entries.hpp"
#include "pate/accounting/rdp_entry.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/release/collect_votes.hpp"
#include "pate/release/draw.hpp"
#include "pate/reports/as_published_report.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/sampling/system_bits.hpp"

namespace pate::cli {

namespace {

// S18's procedure is there to be compared with: it draws nothing, and has options of its own.
void check_as_published(const ReleaseOptions& options) {
  if (!options.dry_run) {
    throw usage_error(
        "--as-published needs --dry-run: the published procedure under-reports, so that nothing is "
        "drawn from it");
  }
  if (options.bound == "exact" || options.reading == "joint" || options.confidence ||
      options.require_releasable || !options.ledger.empty() || !options.parameters_from.empty()) {
    throw usage_error(
        "--as-published has the readings expected and realized, and goes with --order, --beta and "
        "--sigma-ss only");
  }
}

void check_options(const ReleaseOptions& options) {
  if (options.as_published) return check_as_published(options);
  const bool given = options.order || options.beta || options.sigma_ss;
  if (given && !(options.order && options.beta && options.sigma_ss)) {
    throw usage_error(fmt::format("--order, --beta and --sigma-ss go together: add {}",
                                  !options.order  ? "--order"
                                  : !options.beta ? "--beta"
                                                  : "--sigma-ss"));
  }
  if (given && !options.parameters_from.empty()) {
    throw usage_error("--parameters-from excludes --order, --beta and --sigma-ss");
  }
  if (options.reading == "realized" && options.input.decisions.empty()) {
    throw usage_error("--reading realized needs --decisions: which queries the run answered");
  }
  if (options.reading == "expected") {
    throw usage_error(
        "--reading expected goes with --as-published: an expectation is no guarantee");
  }
  if (options.dry_run && options.public_only) {
    throw usage_error("--dry-run draws nothing, so --public-only would print nothing");
  }
  if (options.again && options.ledger.empty()) {
    throw usage_error("--again needs --ledger FILE: what was released before");
  }
}

// Whether parameters were chosen to suit these votes, or others of the same file: both are votes of
// the same teachers.
bool chosen_from(const FoundParameters& parameters, const InputFile& votes) {
  return std::ranges::any_of(parameters.chosen_from, [&](const std::string& digest) {
    return digest == votes.sha256 || digest == votes.votes_digest;
  });
}

ReleaseSettings settings_of(const ReleaseOptions& options,
                            const std::optional<FoundParameters>& found) {
  ReleaseSettings settings;
  validate_delta(options.delta);
  settings.delta = options.delta;
  settings.confidence = options.confidence;
  (void)safety_factor(options.confidence, options.delta);
  settings.bound = options.bound == "exact" ? ReleasedBound::exact : ReleasedBound::tradeoff;
  settings.cost = options.reading == "realized" ? ReleasedCost::realized : ReleasedCost::joint;
  settings.threads = options.threads;
  if (options.order) {
    settings.parameters = ReleaseParameters{*options.order, *options.beta, *options.sigma_ss};
  } else if (found) {
    settings.parameters = found->parameters;
  }
  if (settings.parameters) validate(*settings.parameters);
  return settings;
}

std::string reading_in_force(const ReleaseOptions& options) {
  if (!options.reading.empty()) return options.reading;
  return options.as_published ? "expected" : "joint";
}

void append_settings(const ReleaseOptions& options, Settings& settings) {
  settings.emplace_back("delta", options.delta);
  settings.emplace_back("bound", options.bound);
  settings.emplace_back("reading", reading_in_force(options));
  settings.emplace_back("confidence", setting(options.confidence));
  settings.emplace_back("order", setting(options.order));
  settings.emplace_back("beta", setting(options.beta));
  settings.emplace_back("sigma_ss", setting(options.sigma_ss));
  settings.emplace_back("parameters_from", setting(options.parameters_from));
  settings.emplace_back("dry_run", options.dry_run);
  settings.emplace_back("ledger", setting(options.ledger));
  settings.emplace_back("again", options.again);
  settings.emplace_back("as_published", options.as_published);
  settings.emplace_back("require_releasable", options.require_releasable);
}

std::vector<Notice> notices_of(const ReleasePlan& plan, const VotesInput& input, bool dry_run) {
  std::vector<Notice> notices;
  if (input.ambiguous_decisions()) {
    notices.push_back(
        {"decisions_ambiguous",
         "every entry of --decisions is 0 or 1: 0 was taken as refused, not as a released label"});
  }
  if (plan.chosen_from_votes) {
    notices.push_back({"parameters_from_votes",
                       "order, beta and sigma were chosen from these votes, which the guarantee "
                       "does not allow for; fix them with --order --beta --sigma-ss or "
                       "--parameters-from, found on public, simulated or earlier votes"});
  }
  if (plan.k == 0.0) {
    notices.push_back({"not_a_bound",
                       "with confidence 0.5 the published epsilon is an unbiased estimate, not a "
                       "bound: half of the time it is too small"});
  }
  notices.push_back({"private_part", dry_run ? "nothing was drawn; these numbers are private"
                                             : "only the part `public` may be published"});
  return notices;
}

// Where a cost that holds for any votes is no larger than `epsilon`, which is drawn, or what is
// drawn in the mean, nothing needs to be drawn.
void note_data_independent(const VoteProfile& votes, const ReleaseSettings& settings,
                           double epsilon, std::vector<Notice>& notices) {
  const bool realized = settings.cost == ReleasedCost::realized;
  const StepCounts steps =
      steps_of(votes.aggregator, votes.queries, realized ? votes.answered : votes.queries);
  std::vector<Notice> of_entries;
  const auto costs =
      data_independent_entries(steps, default_orders(), {settings.delta, false}, of_entries);
  const CostEntry& least = *std::ranges::min_element(costs, {}, &CostEntry::epsilon);
  if (least.epsilon > epsilon) return;
  notices.push_back({"data_independent_no_larger",
                     fmt::format("{} is no larger, {}, holds for any votes and may be published "
                                 "without noise and without cost",
                                 label(least), least.epsilon)});
}

Run make_run(const ReleaseOptions& options, VotesInput& input) {
  const bool has_student = input.student != nullptr;
  return {*input.votes,
          input.rows,
          make_aggregator(options.mechanism, input.votes->teachers(), has_student),
          input.student.get(),
          std::move(input.decisions),
          std::nullopt};
}

ReportContext make_context(const ReleaseOptions& options, const VotesInput& input) {
  ReportContext context;
  context.version = version();
  context.settings.emplace_back("command", std::string("release"));
  append_settings(options.input, context.settings);
  std::erase_if(context.settings, [](const auto& setting) { return setting.first == "labels"; });
  append_settings(options.mechanism, context.settings);
  append_settings(options, context.settings);
  context.inputs = input.describe();
  return context;
}

int run_as_published(const ReleaseOptions& options, const Streams& streams) {
  PublishedReleaseSettings settings;
  settings.delta = options.delta;
  settings.reading =
      reading_in_force(options) == "realized" ? Reading::realized : Reading::expected;
  settings.order = options.order;
  settings.beta = options.beta;
  settings.sigma_ss = options.sigma_ss;
  settings.threads = options.threads;
  VotesInput input = open_votes(options.input);
  const Run run = make_run(options, input);
  const ReportContext context = make_context(options, input);
  const PublishedRelease release = published_release(run, settings);
  input.check_unchanged();
  const std::vector<Notice> notices{
      {"not_valid",
       "this reproduces a published procedure that under-reports: Theorem 23 leaves out that "
       "unequal variances amplify the difference of the means, Pr[answered] is taken for a "
       "constant, and half of all values lie below the cost"}};
  deliver_report(options.output,
                 as_published_report_json(release, settings.reading, notices, context),
                 as_published_summary(release, notices, options.input.votes), notices, streams);
  return kDone;
}

}  // namespace

void add_release(CLI::App& command, ReleaseOptions& options) {
  add_votes_input_options(command, options.input);
  command.remove_option(command.get_option("--labels"));
  add_mechanism_options(command, options.mechanism);
  const std::string privacy = "Privacy";
  command.add_option("--delta", options.delta, "failure probability of the run")
      ->required()
      ->type_name("D")
      ->group(privacy);
  command.add_option("--bound", options.bound, "tradeoff, or exact (two classes only)")
      ->check(CLI::IsMember({"tradeoff", "exact"}))
      ->type_name("NAME")
      ->group(privacy);
  command.add_option("--reading", options.reading, "joint, or realized with --decisions")
      ->check(CLI::IsMember({"joint", "realized", "expected"}))
      ->type_name("NAME")
      ->group(privacy);
  command
      .add_option("--confidence", options.confidence,
                  "Pr[epsilon not too small]; default 1 - delta")
      ->type_name("P")
      ->group(privacy);
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group(privacy);
  command
      .add_flag("--require-releasable", options.require_releasable,
                "status 1, and nothing drawn, unless\nthe parameters are fixed in advance")
      ->group(privacy);
  const std::string fixed = "Parameters fixed in advance (default: chosen from the votes)";
  command.add_option("--order", options.order, "Renyi order")->type_name("L")->group(fixed);
  command.add_option("--beta", options.beta, "smoothness of the sensitivity")
      ->type_name("B")
      ->group(fixed);
  command.add_option("--sigma-ss", options.sigma_ss, "noise, in smooth sensitivities")
      ->type_name("S")
      ->group(fixed);
  command
      .add_option("--parameters-from", options.parameters_from,
                  "those of an earlier report of pate release")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(fixed);
  const std::string drawing = "Drawing";
  command.add_flag("--dry-run", options.dry_run, "draw nothing: the private part only")
      ->group(drawing);
  command.add_option("--ledger", options.ledger, "record the release; refuse a second one")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(drawing);
  command.add_flag("--again", options.again, "release again, covering earlier releases")
      ->group(drawing);
  command
      .add_flag("--as-published", options.as_published,
                "S18's procedure, which under-reports;\nwith --dry-run only")
      ->group(drawing);
  add_output_options(command, options.output);
  command.add_flag("--public-only", options.public_only, "put out what may be published only")
      ->group("Output");
}

int run_release(const ReleaseOptions& options, const Streams& streams) {
  check_options(options);
  check_mechanism_options(options.mechanism, !options.input.student.empty());
  std::vector<std::string> inputs = input_paths(options.input);
  if (!options.parameters_from.empty()) inputs.push_back(options.parameters_from);
  if (!options.ledger.empty()) inputs.push_back(options.ledger);
  check_output_options(options.output, inputs);
  if (options.as_published) return run_as_published(options, streams);
  std::optional<FoundParameters> found;
  if (!options.parameters_from.empty()) found = read_release_parameters(options.parameters_from);
  ReleaseSettings settings = settings_of(options, found);

  VotesInput input = open_votes(options.input);
  const Run run = make_run(options, input);
  const ReportContext context = make_context(options, input);
  const std::string digest = context.inputs.front().votes_digest.value_or("");
  settings.chosen_before = found && chosen_from(*found, context.inputs.front());
  bool limit_missed =
      options.require_releasable && (!settings.parameters || settings.chosen_before);

  // Locked from here on: what it says stays true until the release is in it.
  std::optional<Ledger> ledger;
  if (!options.ledger.empty() && !options.dry_run && !limit_missed) {
    ledger.emplace(options.ledger);
    if (!options.again) require_no_earlier(*ledger, "release", digest, options.input.votes);
    settings.earlier = earlier_releases(ledger->earlier("release", digest), options.ledger);
    limit_missed = options.require_releasable &&
                   std::ranges::any_of(settings.earlier, &EarlierRelease::chosen_from_votes);
  }
  const bool dry_run = options.dry_run || limit_missed;
  std::optional<Activity> activity(std::in_place, streams, "computing sensitivities");
  const VoteProfile votes = collect_votes(run);
  const ReleasePlan plan = release_plan(votes, settings);
  activity.reset();
  input.check_unchanged();

  std::optional<PublicRelease> published;
  if (!dry_run) {
    SystemBits source;
    published = public_release(votes, settings, plan, draw_released_rdp(plan, source));
    if (ledger) ledger->append(release_entry(plan, *published, digest, version()));
  }
  std::vector<Notice> notices = notices_of(plan, input, dry_run);
  note_data_independent(votes, settings,
                        published ? published->epsilon : plan.numbers.mean_published, notices);
  if (published && options.public_only) {
    deliver_report(options.output, public_release_json(*published, version()),
                   public_release_summary(*published), {}, streams);
  } else {
    deliver_report(options.output, release_report_json(plan, published, notices, context),
                   release_summary(plan, published, notices, options.input.votes), notices,
                   streams);
  }
  if (!limit_missed) return kDone;
  streams.err << "pate: limit missed: the parameters are not fixed in advance; nothing was drawn\n";
  return kLimitMissed;
}

}  // namespace pate::cli
