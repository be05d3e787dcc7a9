#include "cli/commands/analyze_summary.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "cli/colour.hpp"

namespace pate::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string mechanism(const Aggregator& aggregator) {
  if (!aggregator.is_gaussian()) {
    return fmt::format("LNMax, scale {:g}", std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale);
  }
  const double sigma2 = std::get<GaussianNoisyMax>(aggregator.noisy_max).sigma;
  if (!aggregator.selection) return fmt::format("GNMax, sigma2 {:g}", sigma2);
  return fmt::format("{} GNMax, threshold {:g}, sigma1 {:g}, sigma2 {:g}",
                     aggregator.interactive ? "Interactive" : "Confident",
                     aggregator.selection->threshold, aggregator.selection->sigma1, sigma2);
}

// What a cost is worth, in a few words.
std::string_view worth(const CostEntry& cost) {
  switch (cost.reading) {
    case Reading::joint:
      return "guarantee, private";
    case Reading::expected:
      if (cost.sd) return "expectation, private";
      return cost.bound == Bound::published ? "one direction only" : "guarantee, private";
    case Reading::realized:
      return "if order was fixed";
    case Reading::worst_case:
      return "may be published";
  }
  return "";
}

// Four decimals, or three digits where that says little.
std::string epsilon_text(double epsilon) {
  return epsilon == 0.0 || (epsilon >= 0.01 && epsilon < 1e4) ? fmt::format("{:.4f}", epsilon)
                                                              : fmt::format("{:.3g}", epsilon);
}

std::string order_text(const std::optional<double>& order) {
  if (!order) return "-";
  return *order < 1000.0 ? fmt::format("{:.2f}", *order) : fmt::format("{:.0f}", *order);
}

void cost_line(Out out, const CostEntry& cost, bool is_headline) {
  fmt::format_to(out, "{} {:<17}{:<11}{:<11}{:>8}{:>8}  {}\n", is_headline ? '*' : ' ',
                 name(cost.bound), name(cost.reading), name(cost.conversion),
                 epsilon_text(cost.epsilon), order_text(cost.order), worth(cost));
}

}  // namespace

std::string analyze_summary(const Account& account, const std::string& votes, bool colour) {
  std::string text;
  const Out out = std::back_inserter(text);
  const CostEntry& headline = account.costs[account.headline];
  fmt::format_to(out, "{}: {} queries, {} teachers, {} classes\n", votes, account.queries,
                 account.teachers, account.classes);
  fmt::format_to(out, "{}\n", mechanism(account.aggregator));
  if (account.aggregator.selection) {
    fmt::format_to(out, "answered: {:.1f} expected (sd {:.1f})", account.answered_expected,
                   account.answered_sd);
    if (account.answered_realized) fmt::format_to(out, ", {} realized", *account.answered_realized);
    fmt::format_to(out, "\n");
  }
  if (account.utility) {
    fmt::format_to(out, "accuracy: {:.2f} % expected of released labels; plurality {:.2f} %\n",
                   100.0 * account.utility->expected_accuracy,
                   100.0 * account.utility->plurality_accuracy);
  }
  const std::string epsilon = fmt::format("epsilon = {}", epsilon_text(headline.epsilon));
  fmt::format_to(out, "\n{} at delta = {:g}  (* below: {})\n\n", bold(epsilon, colour),
                 headline.delta, worth(headline));
  fmt::format_to(out, "  {:<17}{:<11}{:<11}{:>8}{:>8}  {}\n", "bound", "reading", "conversion",
                 "epsilon", "order", "worth");
  for (std::size_t i = 0; i < account.costs.size(); ++i) {
    cost_line(out, account.costs[i], i == account.headline);
  }
  if (!account.notices.empty()) fmt::format_to(out, "\n");
  for (const Notice& notice : account.notices) fmt::format_to(out, "note: {}\n", notice.message);
  return text;
}

}  // namespace pate::cli
