#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>

#include "cli/commands/summaries.hpp"
#include "cli/streams.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/darrm_report.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate::cli {

std::string darrm_summary(const reports::DarrmReport& report, const VotesTitle& votes,
                          bool colour) {
  const MajorityPlan& plan = report.plan;
  const MajoritySettings& settings = plan.settings;
  const MajorityCost& cost = plan.costs[plan.headline];
  const std::int64_t all = settings.teachers.teachers;
  std::string text;
  const auto out = std::back_inserter(text);
  if (!votes.path.empty()) text += votes_line(votes, settings.queries, all, 2);
  fmt::format_to(out, "{}: {} teachers, {} noise{}\n", option_word(settings.setting), all,
                 option_word(settings.noise), neighbours_text(settings.neighbours()));
  const std::string headline = fmt::format("epsilon = {} at delta = {}", epsilon_text(cost.epsilon),
                                           digits_upwards(cost.delta, 4));
  fmt::format_to(out, "\n{}  for {} answer{}, {}\n\n", bold(headline, colour), settings.queries,
                 settings.queries == 1 ? "" : "s", name(cost.bound));
  for (const MajorityCost& one : plan.costs) {
    fmt::format_to(out, "  {:<18} {:>12} at delta = {}\n", name(one.bound),
                   epsilon_text(one.epsilon), digits_upwards(one.delta, 4));
  }
  fmt::format_to(out, "\none answer: epsilon = {} at delta = {}\n",
                 epsilon_text(settings.target.epsilon), digits_upwards(settings.target.delta, 4));
  if (plan.certified) {
    fmt::format_to(out, "certified: worst {:.10g} <= {:.10g}, of {:.0f} multisets of corners\n",
                   plan.certified->certificate.worst, plan.certified->certificate.bound,
                   plan.certified->certificate.multisets);
  }
  text += "\n  votes  the majority, else a coin\n";
  // A run of equal values is one line.
  for (std::size_t i = 0; i < plan.gamma.size();) {
    std::size_t end = i + 1;
    while (end < plan.gamma.size() && std::abs(plan.gamma[end] - plan.gamma[i]) < 5e-5) ++end;
    const std::int64_t first = least_majority(all) + static_cast<std::int64_t>(i);
    const std::int64_t last = least_majority(all) + static_cast<std::int64_t>(end) - 1;
    fmt::format_to(out, "  {:<9} {:.4f} |{}\n",
                   first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
                   plan.gamma[i],
                   std::string(static_cast<std::size_t>(std::lround(50.0 * plan.gamma[i])), '#'));
    i = end;
  }
  fmt::format_to(out, "\n  {:<20} {:>10} {:>9}  agreement at p = .5 .75 .9 .99\n", "", "of bound",
                 "error");
  for (const MajorityBaseline& one : plan.compared) {
    fmt::format_to(out, "  {:<20} {:>10} {:>9.6f} ", one.name,
                   one.share ? fmt::format("{:.4f}", *one.share) : std::string("-"),
                   one.error.mean);
    for (const double value : one.agreements) fmt::format_to(out, " {:.4f}", value);
    text += '\n';
  }
  if (report.votes) {
    fmt::format_to(
        out, "\nPRIVATE: expected agreement with the majority of these votes {:.4f} +- {:.4f}\n",
        report.votes->agreement, report.votes->agreement_sd);
    if (report.votes->accuracy) {
      fmt::format_to(out,
                     "PRIVATE: expected share of right answers {:.4f} +- {:.4f}, of the majority "
                     "{:.4f}\n",
                     *report.votes->accuracy, *report.votes->accuracy_sd,
                     *report.votes->majority_accuracy);
    }
  }
  if (report.labels) fmt::format_to(out, "labels: {}\n", report.labels->path);
  return text + (report.notices.empty() ? "" : "\n") + notes(report.notices);
}

}  // namespace pate::cli
