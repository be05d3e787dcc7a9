#include "cli/commands/analyze_summary.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cli/commands/cost_table.hpp"

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

}  // namespace

std::string analyze_summary(const Account& account, const std::string& votes, bool colour) {
  std::string text;
  const Out out = std::back_inserter(text);
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
  fmt::format_to(out, "\n{}\n{}", headline_line(account.costs[account.headline], colour),
                 cost_table(account.costs, account.headline));
  if (!account.notices.empty()) fmt::format_to(out, "\n");
  for (const Notice& notice : account.notices) fmt::format_to(out, "note: {}\n", notice.message);
  return text;
}

}  // namespace pate::cli
