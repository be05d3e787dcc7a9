#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "cli/commands/summaries.hpp"
#include "pate/accounting/costs_apart.hpp"
#include "pate/base/files.hpp"

namespace pate::cli {

std::string weights_text(std::span<const WeightCost> weights) {
  if (weights.empty()) return {};
  const auto is_told = [&](std::optional<double> WeightCost::*cost) {
    return std::ranges::any_of(weights,
                               [&](const WeightCost& its) { return (its.*cost).has_value(); });
  };
  std::string text = "\n  weight        teachers   any votes";
  const bool has_tradeoff = is_told(&WeightCost::tradeoff);
  const bool is_exact = is_told(&WeightCost::exact);
  if (has_tradeoff) text += "  tradeoff (private)";
  if (is_exact) text += "  exact (private)";
  text += '\n';
  const auto told = [](std::optional<double> epsilon) {
    return epsilon ? epsilon_text(*epsilon) : std::string("-");
  };
  for (const WeightCost& cost : weights) {
    text += fmt::format("  {:<12g} {:>9}  {:>10}", cost.weight, cost.teachers,
                        epsilon_text(cost.any_votes));
    if (has_tradeoff) text += fmt::format("  {:>18}", told(cost.tradeoff));
    if (is_exact) text += fmt::format("  {:>15}", told(cost.exact));
    text += '\n';
  }
  return text;
}

std::string groups_text(std::span<const GroupCost> groups) {
  if (groups.empty()) return {};
  std::string text =
      "\n  group                        teachers  epsilon (private)  all of them, any votes\n";
  for (const GroupCost& group : groups) {
    text +=
        fmt::format("  {:<28} {:>8}  {:>17}  {:>22}\n",
                    io::printable(group.name, 28, io::Letters::any), group.teachers,
                    epsilon_text(std::min(group.epsilon, group.profile.value_or(group.epsilon))),
                    group.whole_group ? epsilon_text(*group.whole_group) : "-");
  }
  return text;
}

}  // namespace pate::cli
