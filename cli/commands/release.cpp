#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>
#include <utility>
#include <variant>

#include "cli/commands/release_checks.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/privacy.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/curve/complex_plan.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/declared/at_most_plan.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/release/smooth/release_plan.hpp"
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

using AnySettings =
    std::variant<CurvePlanSettings, ReleaseSettings, AtMostSettings, ComplexPlanSettings>;

// The same alternatives as a plan has; what both have in common.
const ReleaseTerms& terms_of(const AnySettings& settings) {
  return std::visit([](const auto& its) -> const ReleaseTerms& { return its; }, settings);
}

AnySettings make_settings(const ReleaseOptions& options,
                          const std::optional<reports::FoundParameters>& found) {
  ReleaseSettings settings = options.settings;
  settings.cost =
      options.reading == GuaranteeKind::realized ? ReleasedCost::realized : ReleasedCost::joint;
  if (options.at_most) {
    const ReleaseTerms& terms = settings;
    return AtMostSettings{terms, *options.at_most, options.cost, options.certificate};
  }
  if (method_of(options) == ReleaseMethod::curve &&
      (asks_for_complex(options) || (found && found->complex))) {
    if (found && options.certificate &&
        (*options.certificate == Certificate::complex) != found->complex.has_value()) {
      throw usage_error(fmt::format("the parameters of {} are those of a curve by {} orders",
                                    options.parameters_from, found->complex ? "complex" : "Renyi"));
    }
    check_complex_curve(options);
    const ReleaseTerms& terms = settings;
    ComplexPlanSettings complex{terms, ParameterOrigin::public_inputs, {}};
    if (options.floor) {
      complex.origin = ParameterOrigin::given;
      complex.parameters = {*options.orders_for, *options.floor, *options.s, *options.beta};
    } else if (found) {
      complex.origin = ParameterOrigin::report;
      complex.parameters = *found->complex;
    } else {
      return complex;
    }
    validate(complex.parameters);
    return complex;
  }
  if (method_of(options) == ReleaseMethod::curve) {
    const ReleaseTerms& terms = settings;  // of all settings those that any method has
    CurvePlanSettings curve{terms, options.cost, ParameterOrigin::public_inputs, {}};
    if (options.parameters_from_labels) {
      curve.origin = ParameterOrigin::released_labels;
      curve.parameters.order = *options.order;
      return curve;
    }
    if (options.order) {
      curve.origin = ParameterOrigin::given;
      curve.parameters = {*options.order, *options.s, *options.beta};
    } else if (found) {
      curve.origin = ParameterOrigin::report;
      curve.parameters = {found->order, found->noise, found->beta};
    } else {
      return curve;
    }
    validate(curve.parameters);
    return curve;
  }
  (void)safety_factor(settings.confidence, settings.delta);
  if (settings.confidence) {
    check_delta(
        1.0 - *settings.confidence, options.any_delta,
        fmt::format("--confidence {}, whose failures count as delta:", *settings.confidence));
  }
  settings.bound = options.bound == Bound::exact ? ReleasedBound::exact : ReleasedBound::tradeoff;
  if (options.order) {
    settings.parameters = ReleaseParameters{*options.order, *options.beta, *options.sigma_ss};
  } else if (found) {
    settings.parameters = ReleaseParameters{found->order, found->beta, found->noise};
  }
  if (settings.parameters) validate(*settings.parameters);
  return settings;
}

reports::AnyReleasePlan make_plan(const VoteProfile& votes, const AnySettings& any,
                                  const reports::CurveTables& tables, const Streams& streams) {
  if (const auto* const curve = std::get_if<CurvePlanSettings>(&any)) {
    Progress progress(streams, "computing tables");
    return curve_plan(votes, *curve, tables, progress.callback());
  }
  if (const auto* const complex = std::get_if<ComplexPlanSettings>(&any)) {
    Progress progress(streams, "computing tables");
    return complex_plan(votes, *complex, tables, progress.callback());
  }
  if (const auto* const at_most = std::get_if<AtMostSettings>(&any)) {
    Progress progress(streams, "computing tables");
    return at_most_plan(votes, *at_most, tables, progress.callback());
  }
  const Activity activity(streams, "computing sensitivities");
  return release_plan(votes, std::get<ReleaseSettings>(any));
}

// The one thing here that costs privacy.
PublicRelease draw(const VoteProfile& votes, const AnySettings& settings,
                   const reports::AnyReleasePlan& any, BitSource& source) {
  if (const auto* const curve = std::get_if<CurvePlan>(&any)) {
    return public_release(votes, *curve, curve->mechanism.draw(curve->place, source));
  }
  if (const auto* const at_most = std::get_if<AtMostPlan>(&any)) {
    return public_release(votes, *at_most, at_most->ladder().toss(at_most->level, source));
  }
  if (const auto* const complex = std::get_if<ComplexPlan>(&any)) {
    return public_release(votes, *complex, complex->draw(source));
  }
  const auto& plan = std::get<ReleasePlan>(any);
  return public_release(votes, std::get<ReleaseSettings>(settings), plan,
                        draw_released_rdp(plan, source));
}

// What the test of a claim, or a curve, looks at.
Certificate certificate_of(const ReleaseOptions& options, const Run& run) {
  if (options.certificate) return *options.certificate;
  if (options.cost || options.order || options.parameters_from_labels ||
      options.reading == GuaranteeKind::realized) {
    return Certificate::renyi;
  }
  const Aggregator& aggregator = run.aggregator.noisy();
  return default_certificate(joint_question(aggregator, run.votes.teachers(), run.votes.classes()));
}

// Whether settings are of a curve or a claim, and what it looks at.
std::optional<Certificate> certificate_in_use(const AnySettings& settings,
                                              const ReleaseOptions& options, const Run& run) {
  if (std::holds_alternative<ComplexPlanSettings>(settings)) return Certificate::complex;
  if (std::holds_alternative<CurvePlanSettings>(settings)) return Certificate::renyi;
  if (std::holds_alternative<AtMostSettings>(settings)) return certificate_of(options, run);
  return std::nullopt;
}

// With what is in force where nothing is given.
ReleaseOptions in_force(ReleaseOptions options, const AnySettings& settings, const Run& run) {
  options.certificate = certificate_in_use(settings, options, run);
  if (!options.at_most) options.method = method_of(options);
  if (!options.certificate) {
    if (!options.bound) options.bound = Bound::tradeoff;
  } else if (!options.cost && options.certificate != Certificate::complex) {
    options.cost = default_cost(run.aggregator.noisy(), run.votes.classes());
  }
  if (!options.reading) options.reading = GuaranteeKind::joint;
  return options;
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
  notices.push_back({"private_part", dry_run ? "nothing was drawn; these numbers are private"
                                             : "only the part `public` may be published"});
  return notices;
}

// Whatever is drawn: a comparison with it, or with what depends on the votes, is no advice. That
// with the floor of a curve is, which is public.
void note_data_independent(const VoteProfile& votes, double delta,
                           const reports::AnyReleasePlan& plan, std::vector<Notice>& notices) {
  const MechanismCounts steps = steps_of(votes.aggregator, votes.queries, votes.queries);
  std::vector<Notice> of_entries;
  const std::vector<CostEntry> entries =
      data_independent_entries(steps, default_orders(), {delta, false}, of_entries);
  add_publishable_notice(entries, notices);
  const auto* const curve = std::get_if<CurvePlan>(&plan);
  const auto* const complex = std::get_if<ComplexPlan>(&plan);
  if (curve == nullptr && complex == nullptr) return;
  if ((curve != nullptr && !curve->terms.earlier.empty()) || entries.empty()) return;
  const double least = std::ranges::min_element(entries, {}, &CostEntry::epsilon)->epsilon;
  const double floor = curve != nullptr ? curve->mechanism.curve().floor() : complex->curve.floor();
  if (floor < least) return;
  notices.push_back(
      {"curve_above_any_votes",
       fmt::format("whatever the votes are, this release publishes {:.6g} or more, where {:.6g} "
                   "holds for any votes: publish that one instead",
                   floor, least)});
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

// Before hours are spent on what will not fit.
void expect_room(std::optional<CurveCost> given, const Run& run) {
  expect_cost_table(given.value_or(default_cost(run.aggregator.noisy(), run.votes.classes())),
                    run.votes.teachers(), "curve");
}

}  // namespace

void add_release(CommandLine& line, ReleaseOptions& options) {
  options.input.makes_something = true;
  add_votes_input_options(line, options.input, {"--labels"});
  add_mechanism_options(line, options.mechanism);
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
  const Section claims = line.section("A claim that was fixed beforehand");
  claims.add("--at-most C", options.at_most,
             "test privately whether epsilon is at most C, and tell C where it passes, else what "
             "holds for any votes");
  const Section drawing = line.section("Drawing");
  drawing.add("--dry-run", options.dry_run, "draw nothing; report only the private part");
  drawing.add("--ledger FILE", options.ledger,
              "record the release in this ledger; refuse a second one");
  add_ensemble(drawing, options.ensemble);
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
  refuse_ptr(options.mechanism);
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
  if (const auto* claim = std::get_if<AtMostSettings>(&settings);
      claim != nullptr && certificate_of(options, run) == Certificate::renyi) {
    expect_room(claim->bound, run);
  }
  reports::ReportContext context{version(), {}, input.describe()};
  reports::ReleasedRun released = about(run, context.inputs, terms_of(settings).cost);
  std::vector<std::string> votes_of_parameters;
  bool limit_missed = false;
  if (auto* const gnss = std::get_if<ReleaseSettings>(&settings)) {
    gnss->chosen_before =
        found && chosen_from(*found, options.other_teachers, context.inputs.front());
    if (found) {
      votes_of_parameters = found->chosen_from;
    } else if (!gnss->parameters) {
      votes_of_parameters = {context.inputs.front().sha256,
                             context.inputs.front().votes_digest.value_or("")};
    }
    limit_missed = options.require_releasable && (!gnss->parameters || gnss->chosen_before);
  }

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
    std::visit(
        [&](ReleaseTerms& terms) {
          terms.earlier = counts.earlier;
          terms.ledger = counts.others;
          terms.others_epsilon = counts.added.epsilon;
          terms.others_delta = counts.added.delta;
        },
        settings);
    limit_missed =
        limit_missed || (options.require_releasable &&
                         std::ranges::any_of(counts.others, &OtherEntry::chosen_from_votes));
  }
  const auto missed = [&] {
    return report_missed({"the parameters are not fixed in advance; nothing was drawn"}, streams);
  };
  if (limit_missed && options.output.public_only) return missed();  // there is nothing to put out
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
  if (!dry_run) {
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
                         notices);
  if (published && !ledger) notices.push_back(no_ledger());
  note_data_independent(votes, delta, plan, notices);
  if (published && options.output.public_only) {
    notices = reports::public_notices(notices, all_files);
    deliver_report(options.output,
                   reports::release_report_json(plan, published, {}, notices, context,
                                                options.output.audience()),
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
