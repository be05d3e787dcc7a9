#include <algorithm>
#include <cmath>

#include "pate/divergence/exact/exact_cost.hpp"

namespace pate {

// The outcomes of a query against those of its neighbours, as privacy losses are made of.

namespace {

OutcomeMass refused(const LogBernoulliPair& pair) {
  return {std::exp(pair.log_not_p), std::exp(pair.log_not_p_neighbour), pair.log_not_ratio};
}

}  // namespace

std::optional<std::vector<DistributionPair>> ExactCost::tables(
    std::span<const std::uint32_t> only) {
  if (is_ball()) {
    if (ball() == nullptr) return std::nullopt;
    return tables_of(*ball_);
  }
  if (only.empty() || holds_outcomes()) {
    if (outcomes() == nullptr) return std::nullopt;
    return tables_of(*outcomes_, only);
  }
  const auto few = mechanism_.outcomes(votes_, only);
  if (!few) return std::nullopt;
  return tables_of(*few, {});
}

std::vector<DistributionPair> ExactCost::tables_of(const NeighbourOutcomes& outcomes,
                                                   std::span<const std::uint32_t> only) const {
  const auto& neighbours = outcomes.neighbours();
  const std::size_t elements = votes_.groups.size() + 2;
  // Probabilities on the votes, by change of the statistic and group: the same for most neighbours.
  // And, but for its ratio to that, on the neighbour.
  constexpr double kSmall = 1e-280;
  std::vector<std::vector<double>> probabilities(answers_.size());
  std::vector<std::vector<double>> on_neighbour(answers_.size());
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const LogBernoulliPair pair =
        mechanism_.aggregator().selection ? answers_[i] : LogBernoulliPair{};
    for (const double log_p : outcomes.log_probabilities()) {
      probabilities[i].push_back(std::exp(log_p + pair.log_p));
      on_neighbour[i].push_back(std::exp(log_p + pair.log_p_neighbour));
    }
  }
  std::vector<DistributionPair> result;
  const std::size_t size = only.empty() ? neighbours.size() : only.size();
  result.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t k = only.empty() ? i : only[i];
    const auto [from, to] = neighbours[k];
    const std::size_t line = line_of(from, to);
    DistributionPair table;
    table.reserve(elements + 1);
    LogBernoulliPair pair{};  // without a selection every query is answered
    if (mechanism_.aggregator().selection) {
      pair = answers_[line];
      table.push_back(refused(pair));
    }
    const double* const log_ratios = outcomes.log_ratios(k);
    for (std::size_t e = 0; e < elements; ++e) {
      const double number = outcomes.classes(k, e);
      if (number == 0.0) continue;
      const std::size_t group = e + 2 < elements ? e : e + 2 == elements ? from : to;
      const double log_p = outcomes.log_probabilities()[group];
      const double q = on_neighbour[line][group];
      table.push_back(
          {number * probabilities[line][group],
           number * (q > kSmall ? q * outcomes.ratio(k, e)
                                : std::exp(log_p + log_ratios[e] + pair.log_p_neighbour)),
           pair.log_ratio - log_ratios[e]});
    }
    result.push_back(std::move(table));
  }
  return result;
}

std::vector<DistributionPair> ExactCost::selection_tables(std::optional<std::size_t> from) const {
  // Sums of (P - gamma Q)+ grow with the distance of the statistics: of changes the one that is
  // furthest down and the one furthest up.
  std::size_t lowest = answers_.size();
  std::size_t highest = 0;
  if (is_ball()) {
    lowest = 0;
    highest = answers_.size() - 1;
  }
  for (std::size_t a = 0; a < lines_from_.size(); ++a) {
    const LineSet& lines = line_sets_[lines_from_[a]];
    if ((from && a != *from) || lines.empty()) continue;
    lowest = std::min<std::size_t>(lowest, lines.front());
    highest = std::max<std::size_t>(highest, lines.back());
  }
  // Where nothing changes every sum is (1 - gamma)+, the least there is.
  std::vector<std::size_t> furthest;
  if (lowest < zero_line_) furthest.push_back(lowest);
  if (highest > zero_line_) furthest.push_back(highest);
  if (furthest.empty() && lowest <= highest) furthest.push_back(lowest);
  std::vector<DistributionPair> result;
  for (const std::size_t i : furthest) {
    const LogBernoulliPair& pair = answers_[i];
    result.push_back(
        {refused(pair), {std::exp(pair.log_p), std::exp(pair.log_p_neighbour), pair.log_ratio}});
  }
  return result;
}

}  // namespace pate
