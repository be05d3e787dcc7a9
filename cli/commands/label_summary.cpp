#include "cli/commands/label_summary.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cli/commands/cost_table.hpp"

namespace pate::cli {

std::string label_summary(const LabelReport& report, const std::string& votes, bool colour) {
  const Account& account = report.account;
  const LabelledQueries& labelled = report.labelled;
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}: {} of {} queries asked, {} teachers, {} classes\n", votes,
                 labelled.asked, labelled.labels.size(), account.teachers, account.classes);
  fmt::format_to(out, "{}\n{}: {} labels by the teachers", mechanism_line(account.aggregator),
                 report.path, labelled.answered);
  if (labelled.student > 0) fmt::format_to(out, ", {} by the student", labelled.student);
  fmt::format_to(out, ", {} refused\norder fixed before the run: {}\n", labelled.refused(),
                 report.filter.order());
  return text + costs_and_notices(account.costs, account.headline, account.notices, colour);
}

}  // namespace pate::cli
