// What a plan says of votes that nobody gave.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/commands/summaries.hpp"
#include "cli/text.hpp"
#include "pate/accounting/planning/agreement_outlook.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

const char* orders_in_words(Certificate certificate) {
  return certificate == Certificate::complex ? "complex" : "Renyi";
}

std::string agreement_text(const std::optional<AgreementOutlook>& outlook) {
  if (!outlook) return {};
  std::string text = fmt::format(
      "{:g} % of answers name a class that leads by {:.10g} {} (of two; else by more)\n",
      100.0 * kReliableShare, outlook->least_lead, outlook->least_lead == 1.0 ? "vote" : "votes");
  if (outlook->unanimous) {
    const auto& [ensemble, named, check_tells] = *outlook->unanimous;
    text +=
        fmt::format("all {:g} votes for one class: {:.1f} % of answers name it{}\n", ensemble.votes,
                    percent_at_most(named), ensemble.classes ? "" : ", at most");
  }
  return text;
}

std::string declared_outlook_text(const reports::DeclaredPlan& plan) {
  std::string text = fmt::format(
      "\ndeclared ({}, {}): how likely the test passes, estimated for votes that nobody gave,\n"
      "whose top shares are spread evenly from some share to 1; by {} orders\n",
      decimal(plan.budget.epsilon), decimal(plan.budget.delta), orders_in_words(plan.certificate));
  for (const ConsensusOutlook& outlook : plan.consensus) {
    text += fmt::format("  from {:g}, {:.1f} % answered\n", outlook.least_top_share,
                        100.0 * outlook.answered);
    for (const QueriesOutlook& row : outlook.by_queries) {
      text += fmt::format("    {:>7} queries: passes with {:<9.6g} {:>8.1f} labels\n", row.queries,
                          row.pass_probability, row.labels);
    }
    for (const auto& [probability, queries] : outlook.most_queries) {
      text += fmt::format("    at most {} pass with {}\n",
                          queries ? queries_text(*queries) : "0 queries", probability);
    }
  }
  return text +
         "Choose epsilon by the level that is certain, or by rehearsing on public votes; never by\n"
         "the votes of these teachers.\n";
}

}  // namespace pate::cli
