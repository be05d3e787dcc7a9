#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/privacy.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate::cli {

namespace {

// S18's procedure is there to be compared with: it draws nothing, and has options of its own.
void check_as_published(const ReleaseOptions& options) {
  if (!options.dry_run) {
    throw usage_error(
        "--as-published needs --dry-run: the published procedure under-reports, so that nothing is "
        "drawn from it");
  }
  if (options.bound == Bound::exact || options.bound == Bound::tradeoff ||
      options.reading == Reading::joint || options.settings.confidence ||
      options.require_releasable || !options.ledger.empty() || !options.parameters_from.empty()) {
    throw usage_error(
        "--as-published has the bound published and the readings expected and realized, and goes "
        "with --order, --beta and --sigma-ss only");
  }
}

void check_options(const ReleaseOptions& options) {
  if (options.dry_run && options.output.public_only) {
    throw usage_error("--dry-run draws nothing, so --public-only would print nothing");
  }
  check_delta(options.settings.delta, options.any_delta);
  if (options.as_published) return check_as_published(options);
  if (options.sensitivity_curve || options.bound == Bound::published) {
    throw usage_error(fmt::format("{} goes with --as-published", options.sensitivity_curve
                                                                     ? "--sensitivity-curve"
                                                                     : "--bound published"));
  }
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
  if (options.other_teachers && options.parameters_from.empty()) {
    throw usage_error("--other-teachers is about the votes behind --parameters-from FILE");
  }
  if (options.reading == Reading::realized && options.input.decisions.empty()) {
    throw usage_error("--reading realized needs --decisions: which queries the run answered");
  }
  if (options.reading == Reading::expected) {
    throw usage_error(
        "--reading expected goes with --as-published: an expectation is no guarantee");
  }
  check_ensemble(options.ensemble, options.ledger);
  if (options.again && options.ledger.empty()) {
    throw usage_error("--again needs --ledger FILE: what was released before");
  }
}

// Whether parameters were chosen to suit votes of these teachers: all that were chosen from votes,
// unless the votes are said to be of others, and are neither these nor others of the same file.
bool chosen_from(const reports::FoundParameters& parameters, bool other_teachers,
                 const reports::InputFile& votes) {
  return std::ranges::any_of(parameters.chosen_from, [&](const std::string& digest) {
    return !other_teachers || digest == votes.sha256 || digest == votes.votes_digest;
  });
}

ReleaseSettings make_settings(const ReleaseOptions& options,
                              const std::optional<reports::FoundParameters>& found) {
  ReleaseSettings settings = options.settings;
  (void)safety_factor(settings.confidence, settings.delta);
  settings.bound = options.bound == Bound::exact ? ReleasedBound::exact : ReleasedBound::tradeoff;
  settings.cost =
      options.reading == Reading::realized ? ReleasedCost::realized : ReleasedCost::joint;
  if (options.order) {
    settings.parameters = ReleaseParameters{*options.order, *options.beta, *options.sigma_ss};
  } else if (found) {
    settings.parameters = found->parameters;
  }
  if (settings.parameters) validate(*settings.parameters);
  return settings;
}

// With the reading and the bound in force where none is given.
ReleaseOptions in_force(ReleaseOptions options) {
  if (!options.bound) options.bound = options.as_published ? Bound::published : Bound::tradeoff;
  if (!options.reading) {
    options.reading = options.as_published ? Reading::expected : Reading::joint;
  }
  return options;
}

std::vector<Notice> notices_of(const ReleasePlan& plan, bool dry_run) {
  std::vector<Notice> notices;
  if (plan.chosen_from_votes) {
    notices.push_back({"parameters_from_votes",
                       "order, beta and sigma were chosen from these votes, or from votes that "
                       "may be of the same teachers, which the guarantee does not allow for; fix "
                       "them with --order --beta --sigma-ss, or with --parameters-from, found on "
                       "votes that are public or simulated, and --other-teachers"});
  } else if (plan.rests_on_chosen()) {
    notices.push_back({"parameters_from_votes",
                       "parameters of an earlier release in the ledger were chosen from votes, "
                       "which the guarantee does not allow for"});
  }
  if (plan.k == 0.0) {
    notices.push_back({"not_a_bound",
                       "with confidence 0.5 the released epsilon is an unbiased estimate, not a "
                       "bound: half of the time it is too small"});
  }
  notices.push_back({"private_part", dry_run ? "nothing was drawn; these numbers are private"
                                             : "only the part `public` may be published"});
  return notices;
}

// Whatever is drawn: a comparison with it, or with what depends on the votes, is no advice.
void note_data_independent(const VoteProfile& votes, const ReleaseSettings& settings,
                           std::vector<Notice>& notices) {
  const StepCounts steps = steps_of(votes.aggregator, votes.queries, votes.queries);
  std::vector<Notice> of_entries;
  note_what_may_be_published(
      data_independent_entries(steps, default_orders(), {settings.delta, false}, of_entries),
      notices);
}

// The run of a release, as its ledger knows it.
reports::ReleasedRun about(const Run& run, const std::vector<reports::InputFile>& inputs,
                           ReleasedCost cost) {
  reports::ReleasedRun released;
  released.digest = reports::run_digest(inputs, run.aggregator);
  for (const reports::InputFile& input : inputs) {
    if (input.votes_digest) released.votes_digest = *input.votes_digest;
    if (input.role == "decisions" && cost == ReleasedCost::realized) {
      released.decisions = input.sha256;
    }
  }
  return released;
}

reports::ReportContext make_context(const ReleaseOptions& options, const VotesInput& input) {
  return {version(), settings_of("release", add_release, in_force(options)), input.describe()};
}

// What is wrong with S18's procedure for this run.
Notice not_valid(const AsPublishedRelease& release, Reading reading, const Aggregator& aggregator) {
  const Gnss& gnss = release.gnss;
  const double valid = release_cost(release.order, gnss.beta, gnss.sigma_ss, 0.0);
  std::string text = "this reproduces a published procedure that under-reports: ";
  if (gnss.cost < valid) {
    text += fmt::format(
        "Theorem 23 charges {:.5g} for what costs {:.5g}, as it leaves out that unequal variances "
        "amplify the difference of the means (beta <= 1/(4 order) = {:.5g} makes it valid), ",
        gnss.cost, valid, 0.25 / release.order);
  }
  if (reading == Reading::expected && aggregator.selection) {
    text += "Pr[answered] is taken for a constant, ";
  }
  return {"not_valid", text + "half of all values lie below the cost"};
}

int run_as_published(const ReleaseOptions& options, const Streams& streams) {
  AsPublishedSettings settings;
  settings.delta = options.settings.delta;
  settings.reading = *in_force(options).reading;
  settings.order = options.order;
  settings.beta = options.beta;
  settings.sigma_ss = options.sigma_ss;
  settings.threads = options.settings.threads;
  settings.curve = options.sensitivity_curve;
  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism);
  const reports::ReportContext context = make_context(options, input);
  const AsPublishedRelease release = release_as_published(run, settings);
  input.check_unchanged();
  std::vector<Notice> notices{not_valid(release, settings.reading, run.aggregator)};
  put_doubts_first(input, thresholds_of(options.mechanism, run.votes.teachers()), settings.delta,
                   notices);
  deliver_report(options.output,
                 reports::as_published_report_json(release, settings.reading, notices, context),
                 as_published_summary(release, notices, options.input.votes), notices, streams);
  return kDone;
}

}  // namespace

void add_release(CommandLine& line, ReleaseOptions& options) {
  add_votes_input_options(line, options.input, {"--labels"});
  add_mechanism_options(line, options.mechanism);
  const Section privacy = line.section("Privacy");
  add_delta(privacy, options.settings.delta, options.any_delta, "failure probability of the run");
  privacy.add("--bound NAME", options.bound, {Bound::tradeoff, Bound::exact, Bound::published},
              "tradeoff, exact (two classes only), or\npublished (with --as-published)");
  privacy.add("--reading NAME", options.reading,
              {Reading::joint, Reading::realized, Reading::expected},
              "joint, or realized with --decisions");
  privacy.add("--confidence P", options.settings.confidence,
              "Pr[epsilon not too small]; default 1 - delta");
  add_threads(privacy, options.settings.threads);
  const Section fixed =
      line.section("Parameters fixed in advance (default: chosen from the votes)");
  fixed.add("--order L", options.order, "Renyi order");
  fixed.add("--beta B", options.beta, "smoothness of the sensitivity");
  fixed.add("--sigma-ss S", options.sigma_ss, "noise, in smooth sensitivities");
  fixed.add("--parameters-from FILE", options.parameters_from,
            "those of an earlier report of pate release");
  fixed.add("--other-teachers", options.other_teachers,
            "the votes these were chosen from are of\nother teachers, or were made up");
  const Section drawing = line.section("Drawing");
  drawing.add("--dry-run", options.dry_run, "draw nothing: the private part only");
  drawing.add("--ledger FILE", options.ledger, "record the release; refuse a second one");
  add_ensemble(drawing, options.ensemble);
  drawing.add("--again", options.again, "release again, counting the whole ledger");
  drawing.add("--as-published", options.as_published,
              "the procedure of the 2018 paper (S18),\nwhich under-reports; with --dry-run only");
  drawing.add("--sensitivity-curve", options.sensitivity_curve,
              "with it: how much one vote can change the\ncost of an answer, as a function of q");
  privacy.add("--require-releasable", options.require_releasable,
              "status 1, and nothing drawn, unless\nthe parameters are fixed in advance");
  add_output_options(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
}

int run_release(const ReleaseOptions& options, const Streams& streams) {
  check_options(options);
  check_mechanism_options(options.mechanism, !options.input.student.empty());
  std::vector<std::string> inputs = input_paths(options.input);
  if (!options.parameters_from.empty()) inputs.push_back(options.parameters_from);
  check_output_options(options.output, inputs, {{"--ledger", options.ledger}});
  std::vector<std::string> all_files = inputs;
  all_files.push_back(options.ledger);
  if (options.as_published) return run_as_published(options, streams);
  std::optional<reports::FoundParameters> found;
  if (!options.parameters_from.empty())
    found = reports::read_release_parameters(options.parameters_from);
  ReleaseSettings settings = make_settings(options, found);

  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism);
  const reports::ReportContext context = make_context(options, input);
  reports::ReleasedRun released = about(run, context.inputs, settings.cost);
  settings.chosen_before =
      found && chosen_from(*found, options.other_teachers, context.inputs.front());
  std::vector<std::string> votes_of_parameters;
  if (found) {
    votes_of_parameters = found->chosen_from;
  } else if (!settings.parameters) {
    votes_of_parameters = {context.inputs.front().sha256,
                           context.inputs.front().votes_digest.value_or("")};
  }
  bool limit_missed =
      options.require_releasable && (!settings.parameters || settings.chosen_before);

  reports::LedgerCounts counts;
  // Locked from here on: what it says stays true until the release is in it.
  std::optional<reports::Ledger> ledger;
  if (!options.ledger.empty()) {
    if (!options.dry_run && !limit_missed) ledger.emplace(options.ledger);
    const std::vector<reports::LedgerEntry> entries =
        ledger ? ledger->entries() : reports::read_ledger(options.ledger);
    released.ensemble = reports::ensemble_of(entries, options.ledger, options.ensemble,
                                             run.votes.teachers(), run.votes.classes());
    if (!options.again) reports::require_no_release(entries, options.ledger);
    counts = reports::count_entries(entries, released, options.ledger);
    settings.earlier = counts.earlier;
    settings.ledger = counts.others;
    limit_missed =
        limit_missed || (options.require_releasable &&
                         std::ranges::any_of(counts.others, &OtherEntry::chosen_from_votes));
  }
  const auto missed = [&] {
    return report_missed({"the parameters are not fixed in advance; nothing was drawn"}, streams);
  };
  if (limit_missed && options.output.public_only) return missed();  // there is nothing to put out
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
    if (ledger) {
      ledger->append(
          reports::release_entry(plan, *published, released, counts.same_run, version()));
    }
  }
  std::vector<Notice> notices = notices_of(plan, dry_run);
  put_doubts_first(input, thresholds_of(options.mechanism, run.votes.teachers()), settings.delta,
                   notices);
  if (published && !ledger) notices.push_back(no_ledger());
  note_data_independent(votes, settings, notices);
  if (published && options.output.public_only) {
    notices = reports::public_notices(notices, all_files);
    deliver_report(options.output, reports::public_release_json(*published, notices, version()),
                   for_people(options.output, guarantee_of(published),
                              public_release_summary(*published, notices)),
                   notices, streams);
  } else {
    deliver_report(
        options.output,
        reports::release_report_json(plan, published, votes_of_parameters, notices, context),
        for_people(options.output, guarantee_of(published),
                   release_summary(plan, published, notices, options.input.votes)),
        notices, streams);
  }
  return limit_missed ? missed() : kDone;
}

}  // namespace pate::cli
