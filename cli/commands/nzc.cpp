#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/progress.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/nzc_report.hpp"

namespace pate::cli {

namespace {

NzcSettings nzc_settings(const NzcOptions& options) {
  refuse(options.scale.has_value() == options.sigma.has_value(),
         "the noise: one of --scale B (Laplace) and --sigma S (Gaussian)");
  refuse(options.tau.has_value() == options.constant.has_value(),
         "what is added to the plurality: one of --tau TAU and --constant C");
  NzcSettings settings;
  if (options.scale) {
    validate(LaplaceNoisyMax{*options.scale}, "--scale");
    settings.noise = LaplaceNoisyMax{*options.scale};
  } else {
    validate(GaussianNoisyMax{*options.sigma}, "--sigma");
    settings.noise = GaussianNoisyMax{*options.sigma};
  }
  settings.tau = options.tau;
  settings.constant = options.constant;
  settings.delta = options.delta;
  return settings;
}

// Of a report, a cost for people.
std::string cost_line(std::string_view what, double epsilon, double delta) {
  return fmt::format("  {:<38} {:>10} at delta = {}\n", what, epsilon_text(epsilon),
                     digits_upwards(delta, 4));
}

}  // namespace

void add_nzc(CommandLine& line, NzcOptions& options) {
  add_votes_input_options(line, options.input,
                          {"--student", "--decisions", "--allow-empty", "--rows-from"});
  const Section mechanism = line.section("Mechanism");
  mechanism.add("--scale B", options.scale,
                "scale of Laplace noise on each count, in votes (1/gamma in the paper)");
  mechanism.add("--sigma S", options.sigma,
                "standard deviation of Gaussian noise on each count, in votes");
  mechanism.add("--tau TAU", options.tau,
                "failure probability from which the paper derives the constant");
  mechanism.add("--constant C", options.constant, "constant added to the plurality, in votes");
  add_delta(line.section("Privacy"), options.delta, options.any_delta,
            "of (epsilon, delta), of all answers");
  add_output_options(line, options.output);
  add_statement(line, options.output);
}

int run_nzc(const NzcOptions& options, const Streams& streams) {
  const NzcSettings settings = nzc_settings(options);
  check_delta(options.delta, options.any_delta);
  check_output_options(options.output, input_paths(options.input));
  const VotesInput input = open_votes(options.input);
  NzcAnalysis analysis = [&] {
    const Activity activity(streams, "reading votes");
    return analyze_nzc(*input.votes, input.rows, input.labels, settings);
  }();
  std::vector<Notice> doubts = input.doubts();
  analysis.notices.insert(analysis.notices.begin(), doubts.begin(), doubts.end());
  const reports::ReportContext context{version(), settings_of("nzc", add_nzc, options),
                                       input.describe()};
  input.check_unchanged();
  deliver_report(options.output, reports::nzc_report_json(analysis, context),
                 for_people(options.output, guarantee_of(analysis),
                            nzc_summary(analysis, title_of(options.input))),
                 analysis.notices, streams);
  return kDone;
}

std::string nzc_summary(const NzcAnalysis& analysis, const VotesTitle& votes) {
  std::string text = votes_line(votes, analysis.queries, analysis.teachers, analysis.classes);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "NZC: {} {:g}, constant {:.6g}\n\n",
                 analysis.mechanism.noise.is_gaussian() ? "sigma" : "scale",
                 analysis.mechanism.noise.parameter(), analysis.mechanism.constant);
  const double delta = analysis.settings.delta;
  if (analysis.claimed_epsilon) {
    text += cost_line(analysis.holds ? "claimed, and true" : "claimed by the authors: NOT TRUE",
                      *analysis.claimed_epsilon, delta);
  }
  for (const CostEntry& cost : analysis.global) {
    text += cost_line(fmt::format("holds: global sensitivity, {}", name(cost.conversion)),
                      cost.epsilon, cost.delta);
  }
  if (analysis.smooth) {
    text += cost_line("with noise of smooth sensitivity",
                      std::min(analysis.smooth->simple, analysis.smooth->kov), delta);
  }
  fmt::format_to(out, "\none answer, two classes a vote apart: loses {}",
                 epsilon_text(analysis.boundary.loss));
  if (analysis.claimed_query_epsilon) {
    fmt::format_to(out, ", claimed {}", epsilon_text(*analysis.claimed_query_epsilon));
  }
  fmt::format_to(out, "\nfails at a tie with probability e^{:.4g}{}\n", analysis.log_failure_at_tie,
                 analysis.settings.tau
                     ? fmt::format("; tau = {:g} takes constant {:.6g}", *analysis.settings.tau,
                                   *analysis.sufficient_constant)
                     : std::string());
  if (analysis.smooth) {
    fmt::format_to(out,
                   "smooth sensitivity: beta = {:.4g}; 1 from {} changed votes on, {} of {} "
                   "queries\n",
                   analysis.smooth->beta, analysis.smooth->least_distance, analysis.smooth->queries,
                   analysis.queries);
  }
  text += "\nPRIVATE: share of queries whose two largest counts are more than n apart\n";
  std::int64_t beyond = analysis.queries;
  for (std::size_t gap = 0; gap < analysis.queries_by_gap.size() && beyond > 0; ++gap) {
    beyond -= analysis.queries_by_gap[gap];
    if (gap > 3 && gap % 50 != 0) continue;
    fmt::format_to(out, "  n = {:<5} {:.4f}\n", gap,
                   static_cast<double>(beyond) / static_cast<double>(analysis.queries));
  }
  if (analysis.utility) {
    fmt::format_to(out,
                   "PRIVATE: accuracy of the plurality {:.4f}, of the answers {:.4f} to {:.4f}\n",
                   analysis.utility->plurality_accuracy, analysis.utility->at_least,
                   analysis.utility->at_most);
  }
  return text + '\n' + notes(analysis.notices);
}

}  // namespace pate::cli
