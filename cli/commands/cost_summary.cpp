#include "cli/commands/cost_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/text.hpp"
#include "pate/accounting/guarantee.hpp"
#include "pate/numerics/decimal.hpp"

namespace pate::cli {

namespace {

// What a cost is worth, in a few words.
std::string_view worth(const CostEntry& cost) {
  if (cost.promise == Promise::none) {
    if (cost.order_chosen_after) return "if order was fixed";
    if (cost.reading == GuaranteeKind::expected && (cost.sd || !is_forward_only(cost.bound))) {
      return "expectation, private";
    }
    if (is_forward_only(cost.bound)) return "one direction only";
    return cost.reading == GuaranteeKind::joint ? "of this outcome, no promise"
                                                : "chosen parameters";
  }
  if (cost.releasable) {
    return cost.promise == Promise::fixed ? "may be published" : "of the outcome, may be published";
  }
  return cost.promise == Promise::fixed ? "guarantee, private" : "of the outcome, private";
}

std::string large_epsilon(const CostEntry& cost) {
  if (cost.promise == Promise::none || !(cost.epsilon > kLargeEpsilon)) return {};
  return fmt::format(
      "note: epsilon is above {:g}, which promises next to nothing: what one teacher votes may "
      "make "
      "a conclusion e^{} times as likely\n",
      kLargeEpsilon, epsilon_text(cost.epsilon));
}

// A line of column names and one for each cost, the headline marked by a star.
std::string cost_table(std::span<const CostEntry> costs, std::size_t headline) {
  std::size_t width = 17;  // of the bounds, more where their longest name is among them
  for (const CostEntry& cost : costs) width = std::max(width, name(cost.bound).size() + 1);
  std::string text = fmt::format("  {:<{}}{:<11}{:<11}{:>8}{:>8}  {}\n", "bound", width, "reading",
                                 "conversion", "epsilon", "order", "worth");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const CostEntry& cost = costs[i];
    fmt::format_to(std::back_inserter(text), "{} {:<{}}{:<11}{:<11}{:>8}{:>8}  {}\n",
                   i == headline ? '*' : ' ', name(cost.bound), width, name(cost.reading),
                   name(cost.conversion), epsilon_text(cost.epsilon), order_text(cost.order),
                   worth(cost));
  }
  return text;
}

// What a person wants of the costs: the headline, then the smallest of each kind that was asked for
// (--exact, --bound complex or tilted, --decisions, released numbers), what papers would print,
// which of a plan is `of_plan`, and what holds for any votes.
std::string few_costs(std::span<const CostEntry> costs, std::size_t headline,
                      std::optional<EpsilonMethod> of_plan) {
  struct Kind {
    const char* what;
    std::function<bool(const CostEntry&)> has;
  };
  const std::array<Kind, 10> kinds{{
      {"declared beforehand", [](const CostEntry& cost) { return cost.bound == Bound::declared; }},
      {"by exact costs",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::joint &&
                (cost.bound == Bound::exact || cost.bound == Bound::exact_per_teacher);
       }},
      {"by complex orders", [](const CostEntry& cost) { return cost.bound == Bound::complex; }},
      {"by the trade-off bound",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::joint && cost.bound == Bound::tradeoff;
       }},
      {"the tilted bound",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::joint && cost.bound == Bound::tilted;
       }},
      {"as it was answered",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::realized && cost.bound == Bound::tradeoff;
       }},
      {"with what was released",
       [](const CostEntry& cost) { return cost.reading == GuaranteeKind::released; }},
      {"the published method",
       [&](const CostEntry& cost) {
         return of_plan
                    ? cost.conversion == *of_plan
                    : cost.reading == GuaranteeKind::expected && cost.bound == Bound::published &&
                          cost.conversion == EpsilonMethod::classic;
       }},
      {"by its answers alone",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::realized && cost.releasable;
       }},
      {"for any votes",
       [](const CostEntry& cost) {
         return cost.reading == GuaranteeKind::worst_case && cost.releasable;
       }},
  }};
  const auto row = [](const char* what, const CostEntry& cost) {
    return fmt::format("  {:<24}{:>10}  {}\n", what, epsilon_text(cost.epsilon), worth(cost));
  };
  const CostEntry& first = costs[headline];
  const char* called = first.data_dependent ? "for these votes" : "headline";
  std::string text;
  for (const Kind& kind : kinds) {
    const CostEntry* least = nullptr;
    for (const CostEntry& cost : costs) {
      if (kind.has(cost) && (least == nullptr || cost.epsilon < least->epsilon)) least = &cost;
    }
    if (least == &first && !first.data_dependent) called = kind.what;
    if (least != nullptr && least != &first) text += row(kind.what, *least);
  }
  return row(called, first) + text;
}

}  // namespace

std::string order_text(const std::optional<double>& order) {
  if (!order) return "-";
  return *order < 1000.0 ? fmt::format("{:.2f}", *order) : fmt::format("{:.0f}", *order);
}

std::string costs_for_people(const OutputOptions& options, const Guarantee& guarantee,
                             std::span<const CostEntry> costs, std::string summary) {
  return options.format ? cost_table(costs, *options.format)
                        : for_people(options, guarantee, std::move(summary));
}

std::string cost_table(std::span<const CostEntry> costs, TableFormat format) {
  TextTable table{
      {"epsilon", "delta", "bound", "reading", "direction", "conversion", "order", "worth"}, {}};
  for (const CostEntry& cost : costs) {
    table.rows.push_back(
        {table_number(cost.epsilon, epsilon_text(cost.epsilon), format),
         table_number(cost.delta, decimal(cost.delta), format), std::string(name(cost.bound)),
         std::string(name(cost.reading)), std::string(direction_name(cost.bound)),
         std::string(name(cost.conversion)),
         cost.order ? table_number(*cost.order, order_text(cost.order), format) : std::string(),
         std::string(worth(cost))});
  }
  return table.text(format);
}

std::string costs_and_notices(std::span<const CostEntry> costs, std::size_t headline,
                              std::span<const Notice> notices, bool colour, bool all,
                              std::optional<EpsilonMethod> of_plan) {
  const CostEntry& first = costs[headline];
  const std::string epsilon = fmt::format("epsilon = {}", epsilon_text(first.epsilon));
  const std::string large = large_epsilon(first);
  return fmt::format("\n{} at delta = {}  ({}{})\n\n{}{}{}{}", bold(epsilon, colour),
                     decimal(first.delta), all ? "* below: " : "", worth(first),
                     all ? cost_table(costs, headline) : few_costs(costs, headline, of_plan),
                     notices.empty() && large.empty() ? "" : "\n", large, notes(notices));
}

}  // namespace pate::cli
