#include "cli/commands/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/commands/plan_weights.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/weights.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/planning/agreement_outlook.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/planning/weighted_plan.hpp"
#include "pate/base/require.hpp"
#include "pate/events/run_events.hpp"
#include "pate/release/declared/declared_outlook.hpp"
#include "pate/reports/curve_tables.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

// The run as far as it is given; the solved parameter must not be.
PlannedRun given_run(const PlanOptions& options, std::optional<PlanParameter> solved) {
  const MechanismOptions& given = options.mechanism;
  const auto check = [&](PlanParameter parameter, const char* option, bool is_given) {
    refuse(solved == parameter && is_given, "{} is what --solve looks for: leave it out", option);
    return is_given || solved == parameter;
  };
  const bool sigma2 = check(PlanParameter::sigma2, "--sigma2", given.sigma2.has_value());
  const bool sigma1 = check(PlanParameter::sigma1, "--sigma1", given.sigma1.has_value());
  const bool laplace =
      check(PlanParameter::laplace_scale, "--laplace-scale", given.laplace_scale.has_value());
  const bool answers =
      check(PlanParameter::max_answers, "--max-answers", options.max_answers.has_value());
  if (!check(PlanParameter::queries, "--queries", options.queries.has_value())) {
    throw usage_error("the number of queries is missing: add --queries N");
  }
  const bool ptr_sigma =
      check(PlanParameter::ptr_sigma, "--ptr-sigma", given.ptr_sigma.has_value());
  const bool sparse_sigma = check(PlanParameter::ptr_sparse_sigma, "--ptr-sparse-sigma",
                                  given.ptr_sparse_sigma.has_value());
  const bool refusals =
      check(PlanParameter::max_refusals, "--max-refusals", given.max_refusals.has_value());
  const bool ptr = ptr_sigma || sparse_sigma || refusals || given.any_ptr();
  check_sampled(given,
                given.circumstances()
                    .with(Given::laplace, laplace)
                    .with(Given::ptr, ptr)
                    .with(Given::max_answers, answers)
                    .with(Given::declared, options.declared_epsilon || options.sensitivity_order));
  // A plan needs no threshold to know what its check costs.
  check_noise({laplace, sigma2, sigma1 || !given.threshold.empty(), sigma1, false, ptr, answers},
              "--sigma2 S (GNMax) or --laplace-scale B (LNMax)");
  if (ptr) {
    MechanismOptions found;
    if (solved == PlanParameter::ptr_sigma) found.ptr_sigma = 1.0;
    if (solved == PlanParameter::ptr_sparse_sigma) found.ptr_sparse_sigma = 1.0;
    if (solved == PlanParameter::max_refusals) found.max_refusals = 1;
    check_ptr(given, found);
    PlannedRun run;
    run.neighbours = given.neighbours;
    run.queries = options.queries.value_or(1);
    run.ptr_laplace = given.ptr_laplace;
    run.ptr_sigma = given.ptr_sigma;
    run.ptr_delta = given.ptr_delta;
    run.ptr_sparse = given.ptr_sparse;
    run.ptr_sparse_sigma = given.ptr_sparse_sigma;
    run.max_refusals = given.max_refusals;
    return run;
  }
  if (!given.threshold.empty()) check_threshold(given.threshold);
  refuse(answers && !sigma1,
         "--max-answers needs --sigma1: without a threshold every query is answered, and --queries "
         "is the number of answers");
  PlannedRun run;
  run.neighbours = given.counted();
  if (given.one_noise) require(Asked::one_noise, given.neighbours);
  refuse(given.one_noise && solved == PlanParameter::sigma2,
         "--one-noise does not go with --solve sigma2: what is found without it, over sqrt 2, is "
         "the sigma of one noise");
  if (sigma2 && given.sigma2) run.sigma2 = sigma_of_maximum(given);
  run.sigma1 = given.sigma1;
  run.laplace_scale = given.laplace_scale;
  run.one_noise = given.one_noise && laplace;
  run.queries = options.queries.value_or(1);
  run.max_answers = options.max_answers;
  run.sampling = given.sampling();
  return run;
}

// The outlook of a budget that is declared beforehand, with votes that nobody gave.
std::optional<reports::DeclaredPlan> declared_plan(const PlanOptions& options,
                                                   std::optional<PlanParameter> solved,
                                                   reports::ReportContext& context,
                                                   const Streams& streams) {
  if (!options.declared_epsilon) {
    refuse(options.certificate || !options.tables.empty(),
           "--certificate and --tables go with --declared-epsilon");
    return std::nullopt;
  }
  refuse(solved || options.max_answers,
         "--declared-epsilon excludes --solve, --epsilon and --max-answers");
  refuse(!options.teachers || !options.classes,
         "--declared-epsilon needs --teachers M and --classes m, of the votes that are to come");
  require(Asked::release, options.mechanism.circumstances());
  check_mechanism_options(options.mechanism, false);
  DeclaredSettings settings;
  settings.question =
      joint_question(make_aggregator(options.mechanism, *options.teachers, 1, false).noisy(),
                     options.mechanism.counted(), *options.teachers, *options.classes);
  settings.budget = {*options.declared_epsilon, options.settings.delta, false};
  settings.queries = options.queries.value_or(0);
  settings.certificate = options.certificate;
  settings.threads = options.threads;
  const DeclaredMechanism mechanism(settings);
  if (mechanism.test().certificate() == Certificate::renyi) {
    expect_cost_table(settings.question.cost, *options.teachers, "test");
  }
  const reports::CurveTables tables(options.tables);
  Progress progress(streams, "computing tables");
  reports::DeclaredPlan result{settings.budget, mechanism.test().certificate(), *options.teachers,
                               *options.classes,
                               declared_outlook(mechanism, tables, progress.callback())};
  context.tables = tables.used();
  return result;
}

// What W19 says by how much one vote can change a query's published cost.
std::optional<reports::PublishedSensitivity> planned_sensitivity(const PlanOptions& options) {
  if (!options.sensitivity_order) return std::nullopt;
  check_published_sensitivity(options.sensitivity_order, options.mechanism);
  refuse(!options.teachers || !options.classes,
         "--published-sensitivity needs --teachers M and --classes m, of the votes that are to "
         "come");
  return reports::PublishedSensitivity{
      *options.sensitivity_order,
      sensitivity_curve(sigma_of_maximum(options.mechanism), *options.sensitivity_order,
                        *options.classes, *options.teachers)};
}

// What a run is planned to cost; with weights what teachers of each pay, and how these were found.
struct Planned {
  WeightedPlan found;
  std::optional<TeacherWeights> weights;
  std::vector<GroupWeight> groups;
  std::vector<std::string> lines;  // of the weights that were found
};

Planned planned(const PlanOptions& options, VotesInput& input) {
  const PlannedRun run = given_run(options, options.solve);
  const PlanSettings& settings = options.settings;
  if (options.solve == PlanParameter::teacher_weights) {
    BudgetedWeights found = weights_of_groups(options, run, input);
    auto weights = parse_weights(found.lines, "the weights found");
    return {std::move(found.found), std::move(weights), std::move(found.groups),
            std::move(found.lines)};
  }
  const auto weights = open_weights(options.teacher_weights, input, options.teachers);
  if (!weights) {
    return {{options.solve ? solve(run, settings, *options.solve, *options.epsilon)
                           : plan(run, settings),
             {}},
            {},
            {},
            {}};
  }
  return {options.solve ? solve_weighted(run, *weights, settings, *options.solve, *options.epsilon)
                        : plan_weighted(run, *weights, settings),
          weights,
          {},
          {}};
}

// Who will vote, as far as it is said.
void check_ensemble(const PlanOptions& options) {
  if (options.teachers)
    require(*options.teachers >= 1, "--teachers must be at least 1, got {}", *options.teachers);
  // Where teachers are added or removed their number is what is protected, and a plan is public.
  const bool needs_them = options.declared_epsilon || options.sensitivity_order;
  refuse(
      options.teachers && options.mechanism.counted().hide_number() && !needs_them,
      "--neighbours add-remove excludes --teachers and --classes: how many teachers there are is "
      "what it protects, and a plan tells it; by how much a class must lead does not depend on "
      "it");
  if (!options.classes) return;
  if (options.mechanism.any_ptr()) {
    throw usage_error("--classes says nothing of PTR: leave it out");
  }
  if (!options.teachers) throw usage_error("--classes needs --teachers M: add it");
}

// What the noise leaves of the agreement of all teachers, in the votes that it is told in.
std::optional<AgreementOutlook> planned_agreement(const PlanOptions& options, const PlannedRun& run,
                                                  const std::optional<TeacherWeights>& weights) {
  std::optional<PlannedEnsemble> ensemble;
  if (weights) {
    ensemble = {static_cast<double>(weights->total()) / static_cast<double>(weights->heaviest()),
                options.classes};
  } else if (options.teachers) {
    ensemble = {static_cast<double>(*options.teachers), options.classes};
  }
  return agreement_outlook(run, ensemble);
}

// Doubts about thresholds and delta.
std::vector<Notice> plan_doubts(const PlanOptions& options, const PlannedRun& run,
                                const std::optional<TeacherWeights>& weights) {
  const std::vector<double> thresholds = thresholds_of(options.mechanism, options.teachers);
  const std::optional<StabilityTest> test = run.tested();
  std::vector<Notice> doubts =
      slip_notices(weights ? std::vector<double>{} : thresholds, options.teachers,
                   options.settings.delta, test ? &*test : nullptr, &options.mechanism);
  if (weights) add_weight_slips(*weights, thresholds, doubts);
  return doubts;
}

}  // namespace

void add_plan(CommandLine& line, PlanOptions& options) {
  add_mechanism_options(line, options.mechanism);
  add_neighbours(line, options.mechanism.neighbours);
  const Section run = line.section("Run");
  run.add("--queries N", options.queries, "number of queries put to the ensemble");
  run.add("--max-answers K", options.max_answers, "end the run after K answers");
  run.add("--teachers M", options.teachers,
          "number of teachers: says how much of their agreement the noise leaves, and where a "
          "threshold is out of their reach; of --teacher-weights: how many there must be");
  run.add("--classes m", options.classes, "number of classes, with --teachers");
  add_sample_options(run, options.mechanism, true);
  run.add("--teacher-weights FILE", options.teacher_weights,
          "how much the vote of each teacher will count, a line each, as in 'pate analyze'; what "
          "teachers of each weight pay is reported");
  const Section privacy = line.section("Privacy");
  add_delta(privacy, options.settings.delta, options.any_delta);
  const Section declared = line.section("A budget declared beforehand (estimates, without votes)");
  declared.add("--declared-epsilon E", options.declared_epsilon,
               "how likely the test of pate label --declared-epsilon E passes, by queries, for "
               "votes of three levels of agreement");
  add_certificate(declared, options.certificate);
  declared.add("--tables DIR", options.tables,
               "cache directory for its tables, which hold nothing private", {.recorded = false});
  add_threads(declared, options.threads);
  const Section calibration = line.section("Calibration (--epsilon goes with --solve)");
  calibration.add("--epsilon E", options.epsilon, "target epsilon for --solve");
  calibration.add(
      "--solve NAME", options.solve,
      {PlanParameter::sigma2, PlanParameter::sigma1, PlanParameter::laplace_scale,
       PlanParameter::ptr_sigma, PlanParameter::ptr_sparse_sigma, PlanParameter::queries,
       PlanParameter::max_answers, PlanParameter::max_refusals, PlanParameter::teacher_weights},
      "parameter to calibrate: the smallest sigma2, sigma1, laplace-scale, ptr-sigma "
      "or ptr-sparse-sigma, or the largest queries, max-answers or max-refusals; or "
      "the largest weights of groups, teacher-weights, which have --group-epsilon");
  calibration.add("--groups FILE", options.groups,
                  "with --solve teacher-weights: file with a line for each of the M teachers, the "
                  "name of its group");
  calibration.add("--group-epsilon NAME=E,...", options.group_epsilon,
                  "what a teacher of each group may pay, whatever the votes");
  calibration.add("--weights-output FILE", options.weights_output,
                  "write the weight of each teacher that was found, a line each, for "
                  "--teacher-weights",
                  {.recorded = false});
  privacy.add("--conversion NAME", options.settings.conversion,
              {EpsilonMethod::gdp, EpsilonMethod::optimal, EpsilonMethod::improved,
               EpsilonMethod::classic, EpsilonMethod::pure, EpsilonMethod::kov,
               EpsilonMethod::moments, EpsilonMethod::strong, EpsilonMethod::profile},
              "how to compute the epsilon that is reported first; default: the smallest");
  privacy.add("--published-sensitivity L", options.sensitivity_order,
              "report by how much one vote changes the published cost of a query at Renyi order "
              "L, and what Algorithm 3 of W19 loses (GNMax; with --teachers, --classes)");
  add_orders(privacy, options.settings.orders);
  privacy.add("--max-epsilon E", options.limits.max_epsilon,
              "exit with status 1 above this epsilon");
  add_output_options(line, options.output);
  add_format(line, options.output, "the costs");
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
  add_export_options(line, options.exports);
}

int run_plan(const PlanOptions& options, const Streams& streams) {
  const bool has_budgets = options.solve == PlanParameter::teacher_weights;
  if (!has_budgets && options.epsilon.has_value() != options.solve.has_value()) {
    throw usage_error(options.epsilon ? "--epsilon needs --solve, the option to look for: add it"
                                      : "--solve needs --epsilon, the target to keep: add it");
  }
  check_delta(options.settings.delta, options.any_delta);
  check_limits(options.limits);
  check_plan_weights(options);
  check_ensemble(options);
  std::vector<std::string> inputs;
  for (const std::string* path : {&options.teacher_weights, &options.groups}) {
    if (!path->empty()) inputs.push_back(*path);
  }
  std::vector<Destination> outputs = options.exports.destinations();
  if (!options.weights_output.empty()) {
    outputs.emplace_back("--weights-output", options.weights_output);
  }
  check_output_options(options.output, inputs, outputs);
  VotesInput input;  // without votes
  auto [found, weights, groups, lines] = planned(options, input);
  Plan& result = found.plan;
  const std::vector<Notice> doubts = plan_doubts(options, result.run, weights);
  result.notices.insert(result.notices.begin(), doubts.begin(), doubts.end());
  const auto agreement = planned_agreement(options, result.run, weights);
  if (agreement) {
    const std::vector<Notice> told = agreement_notices(*agreement);
    result.notices.insert(result.notices.end(), told.begin(), told.end());
  }

  const auto judged = judged_limits(options.limits, result.costs[result.headline]);
  reports::ReportContext context{version(),
                                 settings_of("plan", add_plan, options),
                                 input.describe(),
                                 {},
                                 {planned_run(result)},
                                 verdicts_of(judged)};
  const reports::PlanExtras extras{declared_plan(options, options.solve, context, streams),
                                   planned_sensitivity(options), agreement, found.weights, groups};
  input.check_unchanged();
  constexpr bool kPublic = true;  // there are no votes yet
  if (!options.weights_output.empty()) {
    write_output(options.weights_output, fmt::format("{}\n", fmt::join(lines, "\n")), streams,
                 readers_of(kPublic));
  }
  write_exports(options.exports, context.record, result.costs[result.headline],
                {.orders = options.settings.orders}, streams);
  deliver_report(
      options.output, reports::plan_report_json(result, context, extras, options.output.audience()),
      costs_for_people(options.output, guarantee_of(result), result.costs,
                       plan_summary(result, extras, options.output.all, streams.out_colour()) +
                           group_weights_text(groups)),
      result.notices, streams, kPublic);
  return report_judged(judged, kPublic, streams);
}

}  // namespace pate::cli
