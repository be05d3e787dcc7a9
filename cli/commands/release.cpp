#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <optional>
#include <utility>
#include <variant>

#include "cli/commands/release_checks.hpp"
#include "cli/commands/release_settings.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/output_files.hpp"
#include "cli/options/privacy.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/curve_tables.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/public_notices.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/release_report.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

// Whether parameters were chosen to suit votes of these teachers: all that were chosen from votes,
// unless the votes are said to be of others, and are neither these nor others of the same file.
bool chosen_from(const reports::FoundParameters& parameters, bool other_teachers,
                 const reports::InputFile& votes) {
  return std::ranges::any_of(parameters.chosen_from, [&](const std::string& digest) {
    return !other_teachers || digest == votes.sha256 || digest == votes.votes_digest;
  });
}

std::vector<Notice> notices_of(const reports::AnyReleasePlan& any, bool dry_run) {
  std::vector<Notice> notices;
  const auto* const gnss = std::get_if<ReleasePlan>(&any);
  if (gnss != nullptr && gnss->chosen_from_votes) {
    notices.push_back({"parameters_from_votes",
                       "order, beta and sigma were chosen from these votes, or from votes that "
                       "may be of the same teachers, which the guarantee does not allow for; fix "
                       "them with --order --beta --sigma-ss, or with --parameters-from, found on "
                       "votes that are public or simulated, and --other-teachers"});
  } else if (std::visit([](const auto& plan) { return plan.uses_chosen_parameters(); }, any)) {
    notices.push_back({"parameters_from_votes",
                       "parameters of an earlier release in the ledger were chosen from votes, "
                       "which the guarantee does not allow for"});
  }
  if (gnss != nullptr && gnss->k == 0.0) {
    notices.push_back({"not_a_bound",
                       "with confidence 0.5 the released epsilon is an unbiased estimate, not a "
                       "bound: half of the time it is too small"});
  }
  const bool is_chosen =
      std::visit([](const auto& plan) { return plan.uses_chosen_parameters(); }, any);
  notices.push_back(
      {"private_part", dry_run     ? "nothing was drawn; these numbers are private"
                       : is_chosen ? "nothing of this release may be published, as nothing is "
                                     "promised of numbers with parameters chosen from votes"
                                   : "only the part `public` may be published"});
  return notices;
}

// Whatever is drawn: a comparison with it, or with what depends on the votes, is no advice. That
// with the floor of a curve is, which is public.
void note_data_independent(const VoteProfile& votes, double delta,
                           const reports::AnyReleasePlan& plan, double others_epsilon,
                           std::vector<Notice>& notices) {
  if (others_epsilon > 0.0) {
    notices.push_back(
        {"which_to_publish",
         "what pate ledger tells of all of the ledger, for any votes, may always be "
         "published; which of two numbers is published must be fixed before looking"});
    return;
  }
  const MechanismCounts steps =
      steps_of(votes.aggregator, votes.neighbours, votes.queries, votes.queries);
  std::vector<Notice> of_entries;
  const std::vector<CostEntry> entries =
      data_independent_entries(steps, default_orders(), {delta, false}, of_entries);
  add_publishable_notice(entries, notices);
  const auto* const curve = std::get_if<CurvePlan>(&plan);
  const auto* const complex = std::get_if<ComplexPlan>(&plan);
  const auto* const at_most = std::get_if<AtMostPlan>(&plan);
  if (curve == nullptr && complex == nullptr && at_most == nullptr) return;
  if ((curve != nullptr && !curve->terms.earlier.empty()) || entries.empty()) return;
  const double least = std::ranges::min_element(entries, {}, &CostEntry::epsilon)->epsilon;
  const double floor = curve != nullptr     ? curve->mechanism.curve().floor()
                       : complex != nullptr ? complex->curve.floor()
                                            : at_most->claim.claim();
  if (floor < least) return;
  notices.push_back(
      {"curve_above_any_votes",
       fmt::format("whatever the votes are, this release publishes {:.6g} or more, where {} "
                   "holds for any votes: publish that one instead",
                   floor, digits_upwards(least, 6))});
}

// What may be published needs parameters that were fixed beforehand; --require-releasable says so
// by a status of its own.
void refuse_to_publish(bool is_chosen, const ReleaseOptions& options) {
  if (!is_chosen || !options.output.public_only || options.require_releasable) return;
  throw usage_error(
      "--public-only: of a number whose parameters, or those of an earlier one in the ledger, "
      "were chosen from votes, nothing may be published; without --method gnss they are not, "
      "or give --parameters-from a rehearsal on other votes");
}

// The run of a release, as its ledger knows it.
reports::ReleasedRun about(const Run& run, const std::vector<reports::InputFile>& inputs,
                           ReleasedCost cost) {
  reports::ReleasedRun released;
  released.digest = reports::run_digest(inputs, {run.aggregator, run.neighbours});
  for (const reports::InputFile& input : inputs) {
    if (input.votes_digest) released.votes_digest = *input.votes_digest;
    if (input.role == "decisions" && cost == ReleasedCost::realized) {
      released.decisions = input.sha256;
    }
  }
  return released;
}

// Before hours are spent on what will not fit.
void expect_room(std::optional<CurveCost> given, const Run& run) {
  expect_cost_table(given.value_or(default_cost(run.aggregator.noisy(), run.neighbours,
                                                run.votes.teachers(), run.votes.classes())),
                    run.votes.teachers(), "curve");
}

}  // namespace

void add_release(CommandLine& line, ReleaseOptions& options) {
  options.input.makes_something = true;
  add_votes_input_options(line, options.input, {"--labels"});
  add_mechanism_options(line, options.mechanism);
  add_neighbours(line, options.mechanism.neighbours);
  const Section privacy = line.section("Privacy");
  add_delta(privacy, options.settings.delta, options.any_delta, "delta of the run");
  privacy.add("--method NAME", options.method, {ReleaseMethod::curve, ReleaseMethod::gnss},
              "curve (default), or gnss: Gaussian noise scaled to smooth sensitivity");
  privacy.add("--cost NAME", options.cost,
              {CurveCost::tilted, CurveCost::exact, CurveCost::tradeoff},
              "curve: cost of a query: tilted, tradeoff or exact (two classes only); default: "
              "chosen from the mechanism");
  privacy.add("--bound NAME", options.bound, {Bound::tradeoff, Bound::exact, Bound::published},
              "gnss: bound on the cost of a query: tradeoff, exact (two classes only), or "
              "published with --as-published");
  privacy.add("--reading NAME", options.reading,
              {GuaranteeKind::joint, GuaranteeKind::realized, GuaranteeKind::expected},
              "kind of guarantee: joint, or realized with --decisions");
  privacy.add(
      "--confidence P", options.settings.confidence,
      "gnss: probability that the noise does not make epsilon too small; default: 1 - delta");
  add_threads(privacy, options.settings.threads);
  const Section fixed =
      line.section("Parameters (default: of a curve from public inputs, of gnss from the votes)");
  fixed.add("--order L", options.order, "Renyi order alpha");
  fixed.add("--orders-for E", options.orders_for,
            "curve by complex orders: the epsilon that its orders suit");
  fixed.add("--floor E", options.floor, "curve by complex orders: where it begins");
  fixed.add("--s S", options.s, "curve: scale of the noise on the index");
  fixed.add("--beta B", options.beta,
            "curve: growth per index step; gnss: smoothness of the sensitivity");
  fixed.add("--sigma-ss S", options.sigma_ss,
            "gnss: noise as a multiple of the smooth sensitivity");
  fixed.add("--parameters-from FILE", options.parameters_from,
            "use the parameters of an earlier report of pate release");
  fixed.add(
      "--parameters-from-labels", options.parameters_from_labels,
      "curve: choose s and beta by the number of answered queries; needs --order and --decisions");
  fixed.add("--other-teachers", options.other_teachers,
            "gnss: --parameters-from rests on votes that are simulated or of other teachers");
  privacy.add("--certificate NAME", options.certificate, {Certificate::renyi, Certificate::complex},
              "what a curve, or the test of --at-most, looks at: costs at Renyi orders, or moments "
              "at complex ones, of lists fixed beforehand, which give a smaller epsilon; default: "
              "complex for Gaussian noise where there are tables");
  add_rows_from_answers(line.section("Origin"), options.rows_from_answers);
  const Section claims = line.section("A claim that was fixed beforehand");
  claims.add("--at-most C", options.at_most,
             "test privately whether epsilon is at most C, and tell C where it passes, else what "
             "holds for any votes");
  const Section drawing = line.section("Drawing");
  drawing.add("--dry-run", options.dry_run, "draw nothing; report only the private part");
  drawing.add("--ledger FILE", options.ledger,
              "record the release in this ledger; refuse a second one");
  add_ensemble(drawing, options.ensemble, options.access);
  drawing.add("--tables DIR", options.tables,
              "curve: cache directory for its tables, which hold nothing private",
              {.recorded = false});
  drawing.add("--again", options.again, "allow a further release; it counts the whole ledger");
  drawing.add("--as-published", options.as_published,
              "reproduce the 2018 paper (S18), which under-reports; needs --dry-run");
  drawing.add("--sensitivity-curve", options.sensitivity_curve,
              "with --as-published: report how much one vote changes the cost of an answer, by q");
  privacy.add("--require-releasable", options.require_releasable,
              "exit with status 1 and draw nothing unless the parameters are fixed in advance");
  add_output_options(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
}

int run_release(const ReleaseOptions& options, const Streams& streams) {
  check_release_options(options);
  require(Asked::release, options.mechanism.circumstances());
  check_mechanism_options(options.mechanism, !options.input.student.empty());
  std::vector<std::string> inputs = input_paths(options.input);
  if (!options.parameters_from.empty()) inputs.push_back(options.parameters_from);
  check_output_options(options.output, inputs, {{"--ledger", options.ledger}});
  std::vector<std::string> all_files = inputs;
  all_files.push_back(options.ledger);
  if (options.as_published) return run_as_published(options, streams);
  std::optional<reports::FoundParameters> found;
  if (!options.parameters_from.empty())
    found = reports::read_release_parameters(options.parameters_from, method_of(options));
  AnySettings settings = make_settings(options, found);
  const double delta = options.settings.delta;

  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism);
  doubt_decisions(run, options.input, input);
  if (const auto* claim = std::get_if<AtMostSettings>(&settings);
      claim != nullptr && certificate_of(options, run) == Certificate::renyi) {
    expect_room(claim->bound, run);
  }
  reports::ReportContext context{version(), {}, input.describe()};
  reports::ReleasedRun released = about(run, context.inputs, terms_of(settings).cost);
  std::vector<std::string> votes_of_parameters;
  bool is_chosen = false;
  if (auto* const gnss = std::get_if<ReleaseSettings>(&settings)) {
    gnss->chosen_before =
        found && chosen_from(*found, options.other_teachers, context.inputs.front());
    if (found) {
      votes_of_parameters = found->chosen_from;
    } else if (!gnss->parameters) {
      votes_of_parameters = {context.inputs.front().sha256,
                             context.inputs.front().votes_digest.value_or("")};
    }
    is_chosen = !gnss->parameters || gnss->chosen_before;
    refuse_to_publish(is_chosen, options);
  }

  reports::LedgerCounts counts;
  std::optional<Notice> torn;
  // Locked from here on: what it says stays true until the release is in it.
  std::optional<reports::Ledger> ledger;
  if (!options.ledger.empty()) {
    if (!options.dry_run && !(is_chosen && options.require_releasable)) {
      ledger.emplace(options.ledger, io::WritePoints{},
                     telling(options.access, options.ledger, streams));
    }
    const reports::LedgerText text =
        ledger ? ledger->text() : reports::read_ledger(options.ledger, options.access);
    const std::vector<reports::LedgerEntry>& entries = text.entries;
    released.ensemble =
        reports::ensemble_of(entries, options.ledger, options.ensemble, run.votes.teachers(),
                             run.votes.classes(), options.mechanism.neighbours);
    if (!options.again) {
      reports::require_no_release(entries, options.ledger, options.at_most.has_value());
    }
    counts = reports::count_entries(entries, released, options.ledger);
    torn = torn_notice(options.output.public_only ? "the ledger" : options.ledger, text);
    if (torn) counts.conditions.not_covered.push_back("of the ledger, " + text.left_out());
    std::visit(
        [&](ReleaseTerms& terms) {
          terms.earlier = counts.earlier;
          terms.ledger = counts.others;
          terms.others_epsilon = counts.added.epsilon;
          terms.others_delta = counts.added.delta;
          terms.others_conditions = counts.conditions;
        },
        settings);
    is_chosen = is_chosen || std::ranges::any_of(counts.others, &OtherEntry::chosen_from_votes);
  }
  const bool limit_missed = is_chosen && options.require_releasable;
  const auto missed = [&] {
    return report_missed({"the parameters are not fixed in advance; nothing was drawn"}, streams);
  };
  if (limit_missed && options.output.public_only) return missed();  // there is nothing to put out
  refuse_to_publish(is_chosen, options);
  const bool dry_run = options.dry_run || limit_missed;
  // Known only with the ledger: earlier numbers about these answers are counted by Renyi costs.
  if (const auto* const curve = std::get_if<CurvePlanSettings>(&settings)) {
    if (!found && curve->earlier.empty() && certificate_of(options, run) == Certificate::complex) {
      const ReleaseTerms terms = *curve;
      settings = ComplexPlanSettings{terms, ParameterOrigin::public_inputs, {}};
    } else {
      expect_room(curve->bound, run);
    }
  }
  context.settings = settings_of("release", add_release, in_force(options, settings, run));
  const VoteProfile votes = collect_votes(run, options.settings.threads);
  const reports::CurveTables tables(options.tables);
  const reports::AnyReleasePlan plan = make_plan(votes, settings, tables, streams);
  context.tables = tables.used();
  input.check_unchanged();

  std::optional<PublicRelease> published;
  std::list<io::TakenName> taken;
  if (!dry_run) {
    taken = take_new_names();
    if (!ledger) {
      counts.about = reports::new_event_id();
      released.ensemble = {"", run.votes.teachers(), run.votes.classes()};
    }
    for (const reports::InputFile& file : context.inputs) {
      if (file.votes_digest) released.votes_sha256 = file.sha256;
    }
    const auto record = [&](const PublicRelease& told) {
      const Event event = reports::release_event(plan, told, released, counts.about, counts.covers,
                                                 reports::new_event_id());
      if (ledger) {
        ledger->append({event, reports::ledger_settings("release", context, ""), version()});
      }
      counts.covers.push_back(event.open.id);
      context.record.push_back(event);
    };
    // What holds whatever comes out is in the ledger before the coin is tossed; a claim that passes
    // then counts that entry.
    const auto* const at_most = std::get_if<AtMostPlan>(&plan);
    const bool reserved = at_most != nullptr;
    if (reserved) record(public_release(votes, *at_most, false));
    SystemBits source;
    published = draw(votes, settings, plan, source);
    if (!reserved || published->at_most->passed) record(*published);
  }
  std::vector<Notice> notices = notices_of(plan, dry_run);
  if (torn) notices.push_back(*torn);
  if (tables.has_unused()) notices.push_back(reports::tables_unused());
  if (std::ranges::any_of(context.tables, &reports::TableFile::read)) {
    notices.push_back(
        {"tables_read",
         fmt::format("the costs behind the curve were read from tables that were kept in files: {} "
                     "of each, picked at random, were computed anew and agree; of all others who "
                     "may write to these files is trusted",
                     CostsWithinDistance::kCheckedEntries)});
  }
  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()), delta,
                         notices, nullptr, &options.mechanism);
  if (published && !ledger) notices.push_back(no_ledger());
  if (!published && counts.added.epsilon > 0.0) {
    notices.push_back(
        {"ledger_adds",
         fmt::format("these numbers are of this run: what else the ledger has is added to the one "
                     "that is drawn, {} at delta {}",
                     counts.added.epsilon, decimal(counts.added.delta))});
  }
  note_data_independent(votes, delta, plan, counts.added.epsilon, notices);
  const Neighbours neighbours = run.neighbours;
  const auto deliver = [&](const std::string& json, const std::string& summary) {
    const auto put_out = [&] {
      deliver_report(options.output, json,
                     for_people(options.output, guarantee_of(published, neighbours), summary),
                     notices, streams);
    };
    if (!published) return put_out();
    write_paid(ledger.has_value(), "The number was drawn", put_out);
  };
  if (published && options.output.public_only) {
    notices = reports::public_notices(notices, all_files);
    deliver(reports::release_report_json(plan, published, {}, notices, context, neighbours,
                                         options.output.audience()),
            public_release_summary(*published, notices));
  } else {
    deliver(reports::release_report_json(plan, published, votes_of_parameters, notices, context,
                                         neighbours),
            release_summary(plan, published, notices, options.input.votes));
  }
  return limit_missed ? missed() : kDone;
}

}  // namespace pate::cli
