#include "pate/exact/exact_run.hpp"

#include <algorithm>
#include <utility>

#include "pate/math/compensated_sum.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

ExactRun::ExactRun(const ExactMechanism& mechanism, std::vector<ExactQuery> queries,
                   unsigned threads, std::size_t memory)
    : threads_(threads), memory_(memory) {
  costs_.reserve(queries.size());
  for (ExactQuery& query : queries) {
    counts_.push_back(static_cast<double>(query.count));
    costs_.emplace_back(mechanism, std::move(query.votes));
  }
}

void ExactRun::each(std::span<const double> orders,
                    const std::function<void(std::size_t query, std::size_t order,
                                             const std::vector<BothDirections>& costs)>& take) {
  parallel_for(costs_.size(), threads_, [&](std::size_t i) {
    const std::size_t before = costs_[i].bytes();
    std::vector<BothDirections> costs;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      costs_[i].by_group(orders[k], costs);
      take(i, k, costs);
    }
    const std::size_t added = costs_[i].bytes() - before;
    if (added > 0 && used_.fetch_add(added) + added > memory_) {
      used_ -= added;
      costs_[i].forget();
    }
  });
}

std::vector<BothDirections> ExactRun::rdp(std::span<const double> orders) {
  std::vector<BothDirections> largest(costs_.size() * orders.size());
  each(orders, [&](std::size_t i, std::size_t k, const std::vector<BothDirections>& costs) {
    BothDirections& most = largest[i * orders.size() + k];
    for (const BothDirections& cost : costs) {
      most = {std::max(most.forward, cost.forward), std::max(most.reverse, cost.reverse)};
    }
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
  each(orders, [&](std::size_t i, std::size_t k, const std::vector<BothDirections>& costs) {
    std::copy(costs.begin(), costs.end(),
              result[i].begin() + static_cast<std::ptrdiff_t>(k * costs.size()));
  });
  return result;
}

}  // namespace pate
