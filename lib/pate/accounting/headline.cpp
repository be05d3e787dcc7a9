#include "pate/accounting/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pate/accounting/rdp_entry.hpp"
#include "pate/error.hpp"

namespace pate {

std::size_t headline_of(std::span<const CostEntry> costs, const HeadlineChoice& choice) {
  const bool any_private = std::any_of(costs.begin(), costs.end(),
                                       [](const CostEntry& cost) { return cost.data_dependent; });
  const CostEntry* best = nullptr;
  for (const CostEntry& cost : costs) {
    if (choice.reading ? cost.reading != *choice.reading : cost.reading == Reading::realized) {
      continue;
    }
    if (choice.conversion ? cost.conversion != *choice.conversion
                          : any_private && cost.conversion != ReportedConversion::improved) {
      continue;
    }
    // Entries with votes come best first.
    if (best == nullptr || (!any_private && cost.epsilon < best->epsilon)) best = &cost;
  }
  if (best != nullptr) return static_cast<std::size_t>(best - costs.data());
  std::string computed;
  for (const CostEntry& cost : costs) computed += (computed.empty() ? "" : ", ") + label(cost);
  throw parameter_error(fmt::format(
      "no cost has{}{}{}{}; computed are {}", choice.reading ? " reading " : "",
      choice.reading ? name(*choice.reading) : "", choice.conversion ? " conversion " : "",
      choice.conversion ? name(*choice.conversion) : "", computed));
}

void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline_index,
                          std::vector<Notice>& notices) {
  const CostEntry& headline = costs[headline_index];
  const auto add = [&](const char* code, std::string message) {
    notices.push_back({code, std::move(message)});
  };
  if (headline.data_dependent) {
    add("private_number",
        "the headline depends on the votes: it is for the owner of the data and must not be "
        "published as it is");
  }
  const CostEntry& public_cost =
      *std::min_element(costs.begin(), costs.end(), [](const CostEntry& a, const CostEntry& b) {
        return a.releasable != b.releasable ? a.releasable : a.epsilon < b.epsilon;
      });
  if (headline.data_dependent && public_cost.releasable &&
      public_cost.epsilon <= headline.epsilon * (1.0 + 1e-6)) {
    add("data_independent_no_larger", fmt::format("{} is no larger, {}, and may be published",
                                                  label(public_cost), public_cost.epsilon));
  }
  if (headline.reading == Reading::expected && headline.sd) {
    add("expectation",
        "the headline is an expectation over the selection noise, not a guarantee for a run");
  }
  if (headline.reading == Reading::realized) {
    add("realized_order",
        "a realized cost is a guarantee only at an order that was fixed before the run");
  }
  if (headline.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
}

}  // namespace pate
