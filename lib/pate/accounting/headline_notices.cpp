#include "pate/accounting/headline_notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "pate/accounting/rdp_entry.hpp"

namespace pate {

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
