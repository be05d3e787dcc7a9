#include "pate/divergence/exact/exact_run.hpp"

#include <algorithm>
#include <utility>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Where the trade-off bound says that a query costs less than this share of the sum of all, over
// the number of queries, the bound takes the place of its exact cost. What is looked at first: from
// this share of the largest bound on.
constexpr double kNegligibleShare = 1e-14;
constexpr double kLooksLarge = 1e-2;

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
  table_ = tradeoff_table(cells_, mechanism.step());
}

void ExactRun::each(std::size_t orders,
                    const std::function<void(std::size_t query, std::size_t order)>& take) {
  const std::vector<std::size_t> sequence = ends_first(orders);
  parallel_for(costs_.size(), threads_, [&](std::size_t i) {
    const std::size_t before = costs_[i].bytes();
    for (const std::size_t k : sequence) take(i, k);
    const std::size_t after = costs_[i].bytes();
    if (after > before && used_.fetch_add(after - before) + (after - before) > memory_) {
      used_ -= after;
      costs_[i].drop_outcomes();
    }
  });
}

std::vector<BothDirections> ExactRun::tradeoff_excesses(std::span<const double> orders) const {
  std::vector<GaussianTradeoffTable::AtOrder> tables;
  if (table_) tables = table_->at_orders(orders, threads_);
  std::vector<BothDirections> result(costs_.size() * orders.size());
  parallel_for(costs_.size(), threads_, [&](std::size_t i) {
    const bool tabulated = table_ && costs_[i].log_q() != -kInfinity;
    QCells::Position position{};
    if (tabulated) position = cells_.locate(costs_[i].log_q());
    for (std::size_t k = 0; k < orders.size(); ++k) {
      result[i * orders.size() + k] = tabulated ? table_->log_excess(tables[k], position)
                                                : costs_[i].tradeoff_excess(orders[k]);
    }
  });
  return result;
}

std::vector<BothDirections> ExactRun::sums(const std::vector<BothDirections>& costs,
                                           const std::vector<char>& which,
                                           std::size_t orders) const {
  std::vector<BothDirections> result;
  for (std::size_t k = 0; k < orders; ++k) {
    CompensatedSum forward;
    CompensatedSum reverse;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      const std::size_t j = i * orders + k;
      if (which[j] == 0) continue;
      forward.add(counts_[i] * costs[j].forward);
      reverse.add(counts_[i] * costs[j].reverse);
    }
    result.push_back({forward.value(), reverse.value()});
  }
  return result;
}

std::optional<std::vector<DistributionPair>> ExactRun::tables(std::size_t i,
                                                              std::span<const std::uint32_t> only) {
  const bool is_kept = costs_[i].holds_outcomes();
  auto result = costs_[i].tables(only);
  if (!is_kept) costs_[i].drop_outcomes();
  return result;
}

std::vector<BothDirections> ExactRun::rdp(std::span<const double> orders) {
  const std::size_t width = orders.size();
  const std::vector<BothDirections> tradeoff = tradeoff_excesses(orders);
  std::vector<BothDirections> largest(tradeoff.size());
  parallel_for(costs_.size(), threads_, [&](std::size_t i) {
    for (std::size_t k = 0; k < width; ++k) {
      largest[i * width + k] = costs_[i].bound(orders[k], tradeoff[i * width + k]);
    }
  });
  // First the queries that may cost most, then all that matter beside those.
  std::vector<BothDirections> least(width);
  for (std::size_t j = 0; j < largest.size(); ++j) {
    BothDirections& most = least[j % width];
    const double count = counts_[j / width];
    most = larger_of(
        most, {kLooksLarge * count * largest[j].forward, kLooksLarge * count * largest[j].reverse});
  }
  std::vector<char> is_exact(largest.size(), 0);
  for (int round = 0; round < 2; ++round) {
    each(width, [&](std::size_t i, std::size_t k) {
      const std::size_t j = i * width + k;
      if (is_exact[j] != 0 || (counts_[i] * largest[j].forward <= least[k].forward &&
                               counts_[i] * largest[j].reverse <= least[k].reverse)) {
        return;
      }
      largest[j] = costs_[i].largest(orders[k], tradeoff[j]);
      is_exact[j] = 1;
    });
    least = sums(largest, is_exact, width);
    for (BothDirections& sum : least) {
      const double share = kNegligibleShare / static_cast<double>(costs_.size());
      sum = {sum.forward * share, sum.reverse * share};
    }
  }
  std::ranges::fill(is_exact, 1);
  return sums(largest, is_exact, width);
}

std::vector<std::vector<BothDirections>> ExactRun::by_group(std::span<const double> orders) {
  std::vector<std::vector<BothDirections>> result(costs_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    result[i].resize(orders.size() * costs_[i].votes().groups.size());
  }
  const std::vector<BothDirections> tradeoff = tradeoff_excesses(orders);
  each(orders.size(), [&](std::size_t i, std::size_t k) {
    thread_local std::vector<BothDirections> costs;
    costs_[i].by_group(orders[k], tradeoff[i * orders.size() + k], costs);
    std::copy(costs.begin(), costs.end(),
              result[i].begin() + static_cast<std::ptrdiff_t>(k * costs.size()));
  });
  return result;
}

}  // namespace pate
