#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "cli/commands/summaries.hpp"
#include "pate/accounting/costs_apart.hpp"
#include "pate/base/files.hpp"

namespace pate::cli {

std::string weights_text(std::span<const WeightCost> weights) {
  if (weights.empty()) return {};
  const bool is_exact = weights.front().exact.has_value();
  std::string text = fmt::format("\n  weight        teachers   any votes  tradeoff (private){}\n",
                                 is_exact ? "  exact (private)" : "");
  for (const WeightCost& cost : weights) {
    text += fmt::format("  {:<12g} {:>9}  {:>10}  {:>18}", cost.weight, cost.teachers,
                        epsilon_text(cost.any_votes),
                        cost.tradeoff ? epsilon_text(*cost.tradeoff) : "-");
    if (is_exact) text += fmt::format("  {:>15}", epsilon_text(*cost.exact));
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
