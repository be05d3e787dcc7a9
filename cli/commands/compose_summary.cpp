#include "cli/commands/compose_summary.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cli/commands/cost_table.hpp"

namespace pate::cli {

std::string compose_summary(const Composition& sum, std::span<const ReportPart> parts,
                            bool colour) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const ReportPart& part : parts) {
    fmt::format_to(out, "{}: {}, {} queries\n", part.path, part.mechanism, part.queries);
  }
  fmt::format_to(out, "together: {} queries", sum.queries);
  if (sum.teachers) fmt::format_to(out, ", {} teachers", *sum.teachers);
  if (sum.classes) fmt::format_to(out, ", {} classes", *sum.classes);
  fmt::format_to(out, "\n");
  if (sum.answered_expected) {
    fmt::format_to(out, "answered: {:.1f} expected (sd {:.1f})", *sum.answered_expected,
                   sum.answered_sd);
    if (sum.answered_realized) fmt::format_to(out, ", {} realized", *sum.answered_realized);
    fmt::format_to(out, "\n");
  }
  return text + costs_and_notices(sum.costs, sum.headline, sum.notices, colour);
}

}  // namespace pate::cli
