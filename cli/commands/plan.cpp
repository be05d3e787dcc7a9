#include "cli/commands/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include "cli/commands/plan_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/planning/solve.hpp"
#include "pate/reports/plan_report.hpp"

namespace pate::cli {

namespace {

// What --solve calls a parameter, which is how its option is called.
constexpr std::array<std::pair<const char*, PlanParameter>, 5> kParameters{
    {{"sigma2", PlanParameter::sigma2},
     {"sigma1", PlanParameter::sigma1},
     {"laplace-scale", PlanParameter::laplace_scale},
     {"queries", PlanParameter::queries},
     {"max-answers", PlanParameter::max_answers}}};

constexpr std::array kConversions{ReportedConversion::gdp, ReportedConversion::improved,
                                  ReportedConversion::classic, ReportedConversion::pure,
                                  ReportedConversion::kov};

std::vector<std::string> parameter_names() {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : kParameters) names.emplace_back(name);
  return names;
}

std::vector<std::string> conversion_names() {
  std::vector<std::string> names;
  for (const ReportedConversion conversion : kConversions) names.emplace_back(name(conversion));
  return names;
}

std::optional<PlanParameter> solved_parameter(const std::string& text) {
  for (const auto& [name, parameter] : kParameters) {
    if (text == name) return parameter;
  }
  return std::nullopt;
}

// The run as far as it is given; the solved parameter must not be.
PlannedRun planned_run(const PlanOptions& options, std::optional<PlanParameter> solved) {
  const MechanismOptions& given = options.mechanism;
  const auto check = [&](PlanParameter parameter, const char* option, bool is_given) {
    if (solved == parameter && is_given) {
      throw usage_error(fmt::format("{} is what --solve looks for: leave it out", option));
    }
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
  if (laplace && (sigma2 || sigma1 || !given.threshold.empty())) {
    throw usage_error("--laplace-scale (LNMax) excludes --sigma2, --threshold and --sigma1");
  }
  if (!laplace && !sigma2) {
    throw usage_error("the noise is missing: add --sigma2 S (GNMax) or --laplace-scale B (LNMax)");
  }
  if (!given.threshold.empty()) {
    if (!sigma1) throw usage_error("--threshold needs --sigma1: add it");
    check_threshold(given.threshold);
  }
  if (answers && !sigma1) {
    throw usage_error(
        "--max-answers needs --sigma1: without a threshold every query is answered, and --queries "
        "is the number of answers");
  }
  return {given.sigma2, given.sigma1, given.laplace_scale, options.queries.value_or(1),
          options.max_answers};
}

PlanSettings plan_settings(const PlanOptions& options) {
  PlanSettings settings;
  settings.delta = options.delta;
  for (const ReportedConversion conversion : kConversions) {
    if (name(conversion) == options.conversion) settings.conversion = conversion;
  }
  if (!options.orders.empty()) settings.orders = options.orders;
  return settings;
}

Settings settings_of(const PlanOptions& options) {
  Settings settings{{"command", std::string("plan")}};
  append_settings(options.mechanism, settings);
  settings.emplace_back("queries", setting(options.queries));
  settings.emplace_back("max_answers", setting(options.max_answers));
  settings.emplace_back("delta", options.delta);
  settings.emplace_back("epsilon", setting(options.epsilon));
  settings.emplace_back("solve", setting(options.solve));
  settings.emplace_back("conversion", setting(options.conversion));
  settings.emplace_back("orders", setting(options.orders));
  settings.emplace_back("max_epsilon", setting(options.max_epsilon));
  return settings;
}

}  // namespace

void add_plan(CLI::App& command, PlanOptions& options) {
  add_mechanism_options(command, options.mechanism);
  const std::string run = "Run";
  command.add_option("--queries", options.queries, "queries put to the ensemble")
      ->check(decimal())
      ->type_name("N")
      ->group(run);
  command.add_option("--max-answers", options.max_answers, "the run stops after so many answers")
      ->check(decimal())
      ->type_name("K")
      ->group(run);
  const std::string privacy = "Privacy";
  command.add_option("--delta", options.delta, "failure probability of (epsilon, delta)")
      ->required()
      ->type_name("D")
      ->group(privacy);
  command.add_option("--conversion", options.conversion, "headline: the smallest, or gdp, ...")
      ->check(CLI::IsMember(conversion_names()))
      ->type_name("NAME")
      ->group(privacy);
  command.add_option("--orders", options.orders, "only these Renyi orders: 2,4,8.5")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(privacy);
  command.add_option("--max-epsilon", options.max_epsilon, "exit status 1 above this epsilon")
      ->type_name("E")
      ->group(privacy);
  const std::string calibration = "Calibration (both or neither)";
  command.add_option("--epsilon", options.epsilon, "the target that the headline must keep")
      ->type_name("E")
      ->group(calibration);
  command
      .add_option("--solve", options.solve,
                  "find the smallest sigma2, sigma1 or\n"
                  "laplace-scale, or the most queries or\n"
                  "max-answers")
      ->check(CLI::IsMember(parameter_names()))
      ->type_name("NAME")
      ->group(calibration);
  add_output_options(command, options.output);
}

int run_plan(const PlanOptions& options, const Streams& streams) {
  if (options.epsilon.has_value() != !options.solve.empty()) {
    throw usage_error(options.epsilon ? "--epsilon needs --solve, the option to look for: add it"
                                      : "--solve needs --epsilon, the target to keep: add it");
  }
  if (options.max_epsilon && !(*options.max_epsilon >= 0.0)) {
    throw usage_error(fmt::format("--max-epsilon must be >= 0, got {}", *options.max_epsilon));
  }
  check_output_options(options.output, {});
  const auto parameter = solved_parameter(options.solve);
  const PlannedRun run = planned_run(options, parameter);
  const PlanSettings settings = plan_settings(options);
  const Plan result =
      parameter ? solve(run, settings, *parameter, *options.epsilon) : plan(run, settings);

  deliver_report(options.output, plan_report_json(result, {version(), settings_of(options), {}}),
                 plan_summary(result, streams.out_colour()), result.notices, streams);
  const double epsilon = result.costs[result.headline].epsilon;
  if (!options.max_epsilon || epsilon <= *options.max_epsilon) return kDone;
  streams.err << fmt::format("pate: limit missed: epsilon is {}, above --max-epsilon {}\n", epsilon,
                             *options.max_epsilon);
  return kLimitMissed;
}

}  // namespace pate::cli
