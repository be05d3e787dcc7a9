#include "pate/accounting/cost_sums.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/accounting/joint_sums.hpp"
#include "pate/accounting/noisy_max_sums.hpp"
#include "pate/accounting/set_sums.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Queries that are added up by one thread, in order.
constexpr std::size_t kPiece = 512;
// Pairs of order and selection statistic that are tabulated at once, a hundred bytes each.
constexpr std::size_t kTabulated = 1'000'000;

SelectionCosts selection_costs(const CostInputs& inputs, const BoundAtOrders& costs,
                               std::size_t orders, unsigned threads) {
  SelectionCosts result(inputs.ladder() ? orders : 0);
  parallel_for(result.size(), threads, [&](std::size_t j) {
    for (const auto& statistic : inputs.statistics()) {
      result[j].push_back(costs.selection(j, statistic.value));
    }
  });
  return result;
}

// Ranges of at least kPiece queries, but for the last: what is added up by one thread, in order.
template <class Weights, class MakeSums>
void add_pieces(const QuerySets& queries, std::span<const Weights> weights,
                const MakeSums& make_sums, std::vector<std::function<CostPiece()>>& tasks) {
  const auto ungrouped = queries.ungrouped();
  for (std::size_t begin = 0; begin < ungrouped.size(); begin += kPiece) {
    const auto part = ungrouped.subspan(begin, std::min(kPiece, ungrouped.size() - begin));
    tasks.push_back([part, make_sums] {
      auto sums = make_sums();
      sums.add_loose(part);
      return sums.take();
    });
  }
  const auto sets = queries.sets();
  for (std::size_t begin = 0; begin < sets.size();) {
    std::size_t end = begin;
    std::size_t size = 0;
    while (end < sets.size() && size < kPiece) size += queries.queries(sets[end++]).size();
    tasks.push_back([=] {
      auto sums = make_sums();
      for (std::size_t i = begin; i < end; ++i) sums.add_set(sets[i], weights[i]);
      return sums.take();
    });
    begin = end;
  }
}

// Queries of the sets by q, by checkpoint and statistic: the trajectory charges for their checks.
std::vector<std::vector<double>> checks_in_sets(const CostInputs& inputs) {
  const QueryCounts& query_counts = inputs.query_counts();
  std::vector<std::vector<double>> checks(query_counts.checkpoints.size(),
                                          std::vector<double>(inputs.statistics().size(), 0.0));
  for (const QuerySets::Set& set : inputs.by_q().sets()) {
    for (const auto& [i, s] : inputs.by_q().queries(set)) {
      for (const Occurrence& occurrence : query_counts.occurrences_of(i)) {
        checks[occurrence.checkpoint][inputs.statistic_of(i)] += occurrence.count;
      }
    }
  }
  return checks;
}

void add_checkpoints(const Summation& run, std::span<const CostPiece> pieces, CheckpointCosts& at) {
  const std::size_t orders = run.all.size();
  const bool has_checks = !run.selection.empty() && !run.joint_in_trajectory();
  const auto checks = has_checks ? checks_in_sets(run.inputs) : std::vector<std::vector<double>>();
  for (std::size_t j = 0; j < orders; ++j) {
    double total = 0.0;
    auto& by_checkpoint = at.rdp.emplace_back();
    for (std::size_t k = 0; k < run.inputs.query_counts().checkpoints.size(); ++k) {
      for (const CostPiece& piece : pieces) {
        if (!piece.by_checkpoint.empty()) total += piece.by_checkpoint[k * orders + j];
      }
      for (std::size_t v = 0; has_checks && v < checks[k].size(); ++v) {
        total += checks[k][v] * run.selection[j][v];
      }
      by_checkpoint.push_back(total);
    }
  }
}

std::vector<RunCost> sum_up(const CostInputs& inputs, Bound bound, std::span<const double> orders,
                            unsigned threads, CheckpointCosts* at) {
  const auto costs = bound_at_orders(bound, inputs, orders, threads);
  const SelectionCosts selection = selection_costs(inputs, *costs, orders.size(), threads);
  std::vector<std::size_t> all(orders.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Summation run{inputs, *costs, selection, std::move(all),
                      at == nullptr ? std::nullopt : std::optional(at->reading)};
  std::vector<std::function<CostPiece()>> tasks;
  add_pieces(
      inputs.by_q(), inputs.q_weights(), [&run] { return NoisyMaxSums(run); }, tasks);
  if (bound == Bound::tradeoff && inputs.ladder()) {
    add_pieces(
        inputs.by_answer(), inputs.answer_weights(), [&run] { return JointSums(run); }, tasks);
  }
  std::vector<CostPiece> pieces(tasks.size());
  parallel_for(tasks.size(), threads, [&](std::size_t k) { pieces[k] = tasks[k](); });

  std::vector<RunCost> result(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    CompensatedSum checks;
    for (std::size_t k = 0; !selection.empty() && k < selection[j].size(); ++k) {
      checks.add(inputs.statistics()[k].queries * selection[j][k]);
    }
    result[j].order = orders[j];
    result[j].selection = checks.value();
    for (const auto part : {&RunCost::noisy_max_expected, &RunCost::noisy_max_realized,
                            &RunCost::joint, &RunCost::spent_variance}) {
      CompensatedSum sum;
      for (const CostPiece& piece : pieces) sum.add(piece.sums[j].*part);
      result[j].*part = sum.value();
    }
    // Without a selection a query is its noisy maximum.
    if (bound == Bound::tradeoff && !inputs.ladder()) {
      result[j].joint = result[j].noisy_max_expected;
    }
  }
  if (at != nullptr) add_checkpoints(run, pieces, *at);
  return result;
}

}  // namespace

std::vector<RunCost> run_costs(const CostInputs& inputs, Bound bound,
                               std::span<const double> orders, unsigned threads,
                               CheckpointCosts* checkpoints) {
  // In batches that keep what is tabulated per selection statistic small. How they are cut depends
  // on the votes alone.
  const std::size_t statistics = std::max<std::size_t>(inputs.statistics().size(), 1);
  const std::size_t batch = std::clamp<std::size_t>(kTabulated / statistics, 1, orders.size());
  std::vector<RunCost> result;
  if (checkpoints != nullptr) checkpoints->rdp.clear();
  for (std::size_t begin = 0; begin < orders.size(); begin += batch) {
    const auto part = orders.subspan(begin, std::min(batch, orders.size() - begin));
    const auto costs = sum_up(inputs, bound, part, threads, checkpoints);
    result.insert(result.end(), costs.begin(), costs.end());
  }
  return result;
}

}  // namespace pate
