#include "pate/accounting/query_explanation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "pate/accounting/tilted_account.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

PublishedStep published_step(const NoisyStep& of, double log_q, double order) {
  PublishedStep step;
  step.rdp = published_cost(of, log_q, order);
  step.capped = step.rdp >= published_cost(of, 0.0, order);
  if (of.is_gaussian() && log_q < 0.0 && log_q > -kInfinity) {
    step.mu2 = of.gaussian_per_move().sigma * std::sqrt(-log_q);
    step.mu1 = *step.mu2 + 1.0;
  }
  return step;
}

// As the reading `expected` weighs it.
QueryBoundCost published_query_cost(const Aggregator& aggregator, const Neighbours& neighbours,
                                    std::int64_t v, double log_q, double order) {
  QueryBoundCost cost{Bound::published, GuaranteeKind::expected, 0.0, {}};
  cost.noisy_max = published_step(aggregator.step(neighbours), log_q, order);
  cost.rdp = cost.noisy_max->rdp;
  if (aggregator.selection) {
    const ThresholdCheck& check = *aggregator.selection;
    cost.selection = published_step(threshold_as_noisy_max(neighbours.per_move(check.sigma1)),
                                    pate::log_q(check, v), order);
    cost.rdp = cost.selection->rdp + std::exp(log_answered(check, v)) * cost.rdp;
  }
  return cost;
}

double tradeoff_query_cost(const Mechanism& mechanism, const Neighbours& neighbours,
                           std::int64_t teachers, std::int64_t v, double log_q, double order) {
  const auto rule = mechanism.answer_rule();
  if (!rule) return tradeoff_cost(mechanism.noisy().step(neighbours), log_q, order).larger();
  const AnswerTable ladder(*rule, neighbours, v, v, teachers);
  const JointCost joint(ladder, order,
                        data_independent_cost(mechanism, neighbours, order).noisy_max);
  const BothDirections log_excess =
      log_q == -kInfinity ? BothDirections{-kInfinity, -kInfinity}
                          : tradeoff_log_excess(mechanism.noisy().step(neighbours), log_q, order);
  return joint.cost(v, log_excess);
}

// The first class of a group, or the second where `other_than` is the first.
std::int64_t class_of(std::span<const std::uint32_t> groups, std::size_t group,
                      std::int64_t other_than) {
  for (std::size_t j = 0; j < groups.size(); ++j) {
    const auto candidate = static_cast<std::int64_t>(j);
    if (groups[j] == group && candidate != other_than) return candidate;
  }
  return -1;
}

// The neighbour of a query that costs most, as counts of classes.
std::optional<WorstNeighbour> worst_neighbour_of(ExactCost& exact, const BothDirections& directions,
                                                 double order,
                                                 std::span<const std::int32_t> histogram,
                                                 std::span<const std::uint32_t> groups) {
  WorstNeighbour worst;
  worst.direction =
      directions.reverse > directions.forward ? Direction::reverse : Direction::forward;
  worst.histogram.assign(histogram.begin(), histogram.end());
  if (exact.is_ball()) {
    const auto neighbour = exact.worst_in_ball(order);
    if (!neighbour) return std::nullopt;
    for (const ChangedClasses& its : *neighbour) {
      std::int32_t left = its.classes;  // the first classes of the group that have no change yet
      for (std::size_t j = 0; j < groups.size() && left > 0; ++j) {
        if (groups[j] != its.group || worst.histogram[j] != histogram[j]) continue;
        worst.histogram[j] += its.change;
        --left;
      }
    }
    for (std::size_t j = 0; j < histogram.size(); ++j) {
      const std::int64_t votes = std::int64_t{worst.histogram[j]} - histogram[j];
      if (votes != 0) worst.changes.push_back({static_cast<std::int64_t>(j), votes});
    }
    return worst;
  }
  const auto neighbour = exact.worst_neighbour_at(order);
  if (!neighbour) return std::nullopt;
  worst.from = class_of(groups, neighbour->from, -1);
  worst.to = class_of(groups, neighbour->to, *worst.from);
  --worst.histogram[static_cast<std::size_t>(*worst.from)];
  ++worst.histogram[static_cast<std::size_t>(*worst.to)];
  return worst;
}

std::vector<double> outcomes_of(const Aggregator& aggregator, ExactCost& exact,
                                std::span<const std::int32_t> histogram,
                                std::span<const std::uint32_t> groups) {
  std::vector<double> result;
  std::map<std::int32_t, double> by_count;  // classes with as many votes are as likely
  const NeighbourOutcomes* const outcomes = exact.is_ball() ? nullptr : exact.outcomes();
  for (std::size_t j = 0; j < histogram.size(); ++j) {
    if (outcomes != nullptr) {
      result.push_back(std::min(std::exp(outcomes->log_probabilities()[groups[j]]), 1.0));
      continue;
    }
    const auto [known, is_new] = by_count.try_emplace(histogram[j]);
    if (is_new) known->second = outcome_probability(aggregator.noisy_max, histogram, j);
    result.push_back(known->second);
  }
  return result;
}

void set_shares(const ExplainedRun& about, const BothDirections& exact, double tradeoff,
                QueryExplanation& result) {
  if (about.tradeoff > 0.0) result.share_tradeoff = tradeoff / about.tradeoff;
  if (about.exact.larger() > 0.0) result.share_exact = exact.larger() / about.exact.larger();
}

}  // namespace

QueryExplanation explain_query(const ExplainedRun& about, const ExactMechanism& mechanism,
                               std::int64_t row, std::int64_t times) {
  const Run& run = about.run;
  const Aggregator& aggregator = run.aggregator.noisy();
  const std::int64_t teachers = run.votes.teachers();
  const Run alone{run.votes, RowSelection::list({row}), aggregator, run.neighbours, run.student, {},
                  {}};
  QueryReader reader(alone);
  reader.read(0, 1);
  const auto histogram = reader.histogram(0);
  const double order = about.order;
  ExactCost exact(mechanism, mechanism.group(histogram, reader.scores(0)));
  const auto groups = groups_of_classes(exact.votes(), histogram, reader.scores(0), teachers);

  QueryExplanation result;
  result.query = row;
  result.times = times;
  result.histogram.assign(histogram.begin(), histogram.end());
  result.plurality = std::max_element(histogram.begin(), histogram.end()) - histogram.begin();
  result.log_q = log_q(aggregator.noisy_max, histogram);
  const std::int64_t v = reader.statistic(0);
  if (aggregator.selection) {
    result.statistic = v;
    result.answered = probability_answered(aggregator, v);
  }
  result.outcomes = outcomes_of(aggregator, exact, histogram, groups);

  const double tradeoff =
      tradeoff_query_cost(aggregator, run.neighbours, teachers, v, result.log_q, order);
  const BothDirections directions = exact.largest(order);
  result.costs = {{Bound::exact, GuaranteeKind::joint, directions.larger(), directions},
                  {Bound::tradeoff, GuaranteeKind::joint, tradeoff, {}},
                  published_query_cost(aggregator, run.neighbours, v, result.log_q, order),
                  {Bound::data_independent,
                   GuaranteeKind::worst_case,
                   data_independent_cost(aggregator, run.neighbours, order).total(),
                   {}}};
  if (!supports(Asked::tilted, {aggregator, run.neighbours})) {
    const TiltedRun tilted(aggregator, run.neighbours, teachers, run.votes.classes(), order);
    result.costs.insert(result.costs.begin() + 1,
                        {Bound::tilted, GuaranteeKind::joint, tilted.cost(histogram, v), {}});
  }
  set_shares(about, directions, tradeoff, result);
  result.worst_neighbour = worst_neighbour_of(exact, directions, order, histogram, groups);
  return result;
}

BothDirections TestedCosts::most_costly() const {
  return larger_of(less, more);
}

TestedCosts tested_costs(const StabilityTest& test, std::int64_t q, const StabilityMoves& moves,
                         double order) {
  const double cap = threshold_data_independent(test, order);
  const auto cost = [&](std::int64_t other) -> BothDirections {
    const LogBernoulliPair pair = answer_pair(test, q, other);
    return {cost_of_log_excess(log_answer_line(pair, order).at(-kInfinity), order, cap),
            cost_of_log_excess(log_answer_line(reversed(pair), order).at(-kInfinity), order, cap)};
  };
  TestedCosts costs;
  if (moves.less) costs.less = cost(q - 1);
  if (moves.more) costs.more = cost(q + 1);
  return costs;
}

QueryExplanation explain_tested_query(const ExplainedRun& about, std::int64_t row,
                                      std::int64_t times) {
  const Run& run = about.run;
  const Run alone{run.votes, RowSelection::list({row}), run.aggregator, run.neighbours, nullptr, {},
                  {}};
  QueryReader reader(alone);
  reader.read(0, 1);
  const auto counts = reader.histogram(0);
  const std::int64_t q = reader.statistic(0);
  QueryExplanation result;
  result.query = row;
  result.times = times;
  result.histogram.assign(counts.begin(), counts.end());
  result.plurality = std::ranges::max_element(counts) - counts.begin();
  result.statistic = q;
  result.votes_to_flip = q + 1;
  result.log_q = -kInfinity;
  result.answered = probability_answered(run.aggregator, q);
  result.outcomes.assign(counts.size(), 0.0);
  result.outcomes[static_cast<std::size_t>(result.plurality)] = 1.0;
  const StabilityMoves moves = stability_moves(counts);
  const TestedCosts costs = tested_costs(*run.aggregator.ptr(), q, moves, about.order);
  const bool is_less = costs.less.larger() >= costs.more.larger();
  if (const auto& move = is_less ? moves.less : moves.more) {
    const BothDirections& cost = is_less ? costs.less : costs.more;
    WorstNeighbour& worst = result.worst_neighbour.emplace();
    worst.from = static_cast<std::int64_t>(move->from);
    worst.to = static_cast<std::int64_t>(move->to);
    worst.direction = cost.reverse > cost.forward ? Direction::reverse : Direction::forward;
    worst.histogram = result.histogram;
    --worst.histogram[move->from];
    ++worst.histogram[move->to];
  }
  const BothDirections exact = costs.most_costly();
  const double tradeoff = tradeoff_query_cost(run.aggregator, run.neighbours, run.votes.teachers(),
                                              q, -kInfinity, about.order);
  result.costs = {{Bound::exact, GuaranteeKind::joint, exact.larger(), exact},
                  {Bound::tradeoff, GuaranteeKind::joint, tradeoff, {}},
                  {Bound::data_independent,
                   GuaranteeKind::worst_case,
                   data_independent_cost(run.aggregator, run.neighbours, about.order).total(),
                   {}}};
  set_shares(about, exact, tradeoff, result);
  return result;
}

}  // namespace pate
