#include "cli/commands/analyze_summary.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cli/commands/cost_table.hpp"

namespace pate::cli {

std::string analyze_summary(const Account& account, const std::string& votes, bool colour) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}: {} queries, {} teachers, {} classes\n", votes, account.queries,
                 account.teachers, account.classes);
  fmt::format_to(out, "{}\n", mechanism_line(account.aggregator));
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
  return text + costs_and_notices(account.costs, account.headline, account.notices, colour);
}

}  // namespace pate::cli
