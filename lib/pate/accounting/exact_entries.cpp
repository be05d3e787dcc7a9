#include "pate/accounting/exact_entries.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "pate/accounting/rdp_entry.hpp"
#include "pate/rdp/conversion.hpp"

namespace pate {

namespace {

constexpr std::array kConversions{ReportedConversion::improved, ReportedConversion::classic};

}  // namespace

std::span<const ReportedConversion> exact_conversions() {
  return kConversions;
}

std::vector<double> exact_epsilons(const BothDirections& rdp, double order, double delta) {
  std::vector<double> result;
  for (const ReportedConversion conversion : kConversions) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      result.push_back(
          epsilon_from_rdp(rdp_conversion(conversion), rdp.of(direction), order, delta));
    }
  }
  return result;
}

std::vector<CostEntry> exact_entries(Bound bound, std::span<const OptimalOrder> best, bool spent,
                                     double delta, std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  for (std::size_t c = 0; c < kConversions.size(); ++c) {
    CostEntry entry;
    entry.bound = bound;
    entry.reading = Reading::joint;
    entry.conversion = kConversions[c];
    entry.delta = delta;
    entry.data_dependent = true;
    if (spent) {
      const OptimalOrder& forward = best[2 * c];
      const OptimalOrder& reverse = best[2 * c + 1];
      const OptimalOrder& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
      const double steps =
          larger.epsilon - conversion_term(rdp_conversion(entry.conversion), larger.order, delta);
      set_epsilon(entry, larger, {{"steps", std::max(steps, 0.0)}}, notices);
    } else {
      entry.parts = {{"steps", 0.0}, {"delta", 0.0}};
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace pate
