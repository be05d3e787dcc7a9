#include "cli/commands/cost_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>

#include "cli/streams.hpp"

namespace pate::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string order_text(const std::optional<double>& order) {
  if (!order) return "-";
  return *order < 1000.0 ? fmt::format("{:.2f}", *order) : fmt::format("{:.0f}", *order);
}

// The column of the bounds, wider where their longest name is among them.
std::size_t bound_width(std::span<const CostEntry> costs) {
  std::size_t width = 17;
  for (const CostEntry& cost : costs) width = std::max(width, name(cost.bound).size() + 1);
  return width;
}

void cost_line(Out out, const CostEntry& cost, std::size_t width, bool is_headline) {
  fmt::format_to(out, "{} {:<{}}{:<11}{:<11}{:>8}{:>8}  {}\n", is_headline ? '*' : ' ',
                 name(cost.bound), width, name(cost.reading), name(cost.conversion),
                 epsilon_text(cost.epsilon), order_text(cost.order), worth(cost));
}

}  // namespace

std::string mechanism_line(const Aggregator& aggregator) {
  if (!aggregator.is_gaussian()) {
    return fmt::format("LNMax, scale {:g}", std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale);
  }
  const double sigma2 = std::get<GaussianNoisyMax>(aggregator.noisy_max).sigma;
  if (!aggregator.selection) return fmt::format("GNMax, sigma2 {:g}", sigma2);
  return fmt::format("{} GNMax, threshold {:g}, sigma1 {:g}, sigma2 {:g}",
                     aggregator.interactive ? "Interactive" : "Confident",
                     aggregator.selection->threshold, aggregator.selection->sigma1, sigma2);
}

std::string_view worth(const CostEntry& cost) {
  switch (cost.reading) {
    case Reading::joint:
      return "guarantee, private";
    case Reading::expected:
      if (cost.sd) return "expectation, private";
      return cost.bound == Bound::published ? "one direction only" : "guarantee, private";
    case Reading::realized:
      return cost.releasable ? "may be published" : "if order was fixed";
    case Reading::worst_case:
      return "may be published";
  }
  return "";
}

std::string epsilon_text(double epsilon) {
  if (epsilon == 0.0 || !std::isfinite(epsilon)) return fmt::format("{:.4f}", epsilon);
  const bool plain = epsilon >= 0.01 && epsilon < 1e4;
  const double unit = plain ? 1e-4 : std::pow(10.0, std::floor(std::log10(epsilon)) - 2.0);
  // The outward margin of costs is more than this leaves out, so that round numbers stay round.
  const double rounded = std::ceil(epsilon / unit * (1.0 - 4e-11)) * unit;
  return plain ? fmt::format("{:.4f}", rounded) : fmt::format("{:.3g}", rounded);
}

std::string headline_line(const CostEntry& headline, bool colour) {
  const std::string epsilon = fmt::format("epsilon = {}", epsilon_text(headline.epsilon));
  return fmt::format("{} at delta = {}  (* below: {})\n", bold(epsilon, colour), headline.delta,
                     worth(headline));
}

std::string cost_table(std::span<const CostEntry> costs, std::size_t headline) {
  const std::size_t width = bound_width(costs);
  std::string text = fmt::format("  {:<{}}{:<11}{:<11}{:>8}{:>8}  {}\n", "bound", width, "reading",
                                 "conversion", "epsilon", "order", "worth");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    cost_line(std::back_inserter(text), costs[i], width, i == headline);
  }
  return text;
}

std::string costs_and_notices(std::span<const CostEntry> costs, std::size_t headline,
                              std::span<const Notice> notices, bool colour) {
  std::string text =
      fmt::format("\n{}\n{}", headline_line(costs[headline], colour), cost_table(costs, headline));
  if (!notices.empty()) text += '\n';
  for (const Notice& notice : notices) text += fmt::format("note: {}\n", notice.message);
  return text;
}

}  // namespace pate::cli
