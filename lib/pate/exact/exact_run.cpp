#include "pate/exact/exact_run.hpp"

#include <algorithm>
#include <utility>

#include "pate/math/sums.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// The positions 0 .. size - 1: the last, the first, and then always the middle of what is left, so
// that neighbours are bounded from both sides.
std::vector<std::size_t> ends_first(std::size_t size) {
  std::vector<std::size_t> result;
  if (size > 0) result.push_back(size - 1);
  if (size > 1) result.push_back(0);
  std::vector<std::pair<std::size_t, std::size_t>> gaps{{0, size == 0 ? 0 : size - 1}};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto [low, high] = gaps[i];
    if (high - low < 2) continue;
    const std::size_t middle = low + (high - low) / 2;
    result.push_back(middle);
    gaps.emplace_back(low, middle);
    gaps.emplace_back(middle, high);
  }
  return result;
}

}  // namespace

ExactRun::ExactRun(const ExactMechanism& mechanism, std::vector<ExactQuery> queries,
                   unsigned threads, std::size_t memory)
    : cells_({}), threads_(threads), memory_(memory) {
  costs_.reserve(queries.size());
  for (ExactQuery& query : queries) {
    counts_.push_back(static_cast<double>(query.count));
    costs_.emplace_back(mechanism, std::move(query.votes));
  }
  std::vector<double> log_q;
  for (const ExactCost& cost : costs_) {
    if (cost.log_q() != -kInfinity) log_q.push_back(cost.log_q());
  }
  cells_ = QCells(log_q);
  table_ = tradeoff_table(cells_, mechanism.aggregator().noisy_max);
}

void ExactRun::each(std::span<const double> orders,
                    const std::function<void(std::size_t query, std::size_t order,
                                             const BothDirections& tradeoff)>& take) {
  const std::vector<std::size_t> sequence = ends_first(orders.size());
  std::vector<GaussianTradeoffTable::AtOrder> tables;
  if (table_) tables = table_->at_orders(orders, threads_);
  parallel_for(costs_.size(), threads_, [&](std::size_t i) {
    const std::size_t before = costs_[i].bytes();
    const bool tabulated = table_ && costs_[i].log_q() != -kInfinity;
    QCells::Position position{};
    if (tabulated) position = cells_.locate(costs_[i].log_q());
    for (const std::size_t k : sequence) {
      take(i, k,
           tabulated ? table_->log_excess(tables[k], position)
                     : costs_[i].tradeoff_excess(orders[k]));
    }
    const std::size_t after = costs_[i].bytes();
    if (after > before && used_.fetch_add(after - before) + (after - before) > memory_) {
      used_ -= after;
      costs_[i].forget();
    }
  });
}

std::optional<std::vector<OutcomeTable>> ExactRun::tables(std::size_t i) {
  const bool is_kept = costs_[i].holds_outcomes();
  std::optional<std::vector<OutcomeTable>> result;
  if (costs_[i].outcomes() != nullptr) result = costs_[i].tables();
  if (!is_kept) costs_[i].forget();
  return result;
}

std::vector<BothDirections> ExactRun::rdp(std::span<const double> orders) {
  std::vector<BothDirections> largest(costs_.size() * orders.size());
  each(orders, [&](std::size_t i, std::size_t k, const BothDirections& tradeoff) {
    largest[i * orders.size() + k] = costs_[i].largest(orders[k], tradeoff);
  });
  std::vector<BothDirections> result;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    CompensatedSum forward;
    CompensatedSum reverse;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      forward.add(counts_[i] * largest[i * orders.size() + k].forward);
      reverse.add(counts_[i] * largest[i * orders.size() + k].reverse);
    }
    result.push_back({forward.value(), reverse.value()});
  }
  return result;
}

std::vector<std::vector<BothDirections>> ExactRun::by_group(std::span<const double> orders) {
  std::vector<std::vector<BothDirections>> result(costs_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    result[i].resize(orders.size() * costs_[i].votes().groups.size());
  }
  each(orders, [&](std::size_t i, std::size_t k, const BothDirections& tradeoff) {
    thread_local std::vector<BothDirections> costs;
    costs_[i].by_group(orders[k], tradeoff, costs);
    std::copy(costs.begin(), costs.end(),
              result[i].begin() + static_cast<std::ptrdiff_t>(k * costs.size()));
  });
  return result;
}

}  // namespace pate
