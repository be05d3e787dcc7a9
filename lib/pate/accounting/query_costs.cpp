#include "pate/accounting/query_costs.hpp"

#include <algorithm>
#include <cmath>

#include "pate/aggregators/joint_cost.hpp"
#include "pate/bounds/q_tables.hpp"
#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// Positions are a hundred bytes each; beyond this many they are found anew at every order.
constexpr std::size_t kKeptPositions = 100'000;

std::vector<double> finite_log_q(const Tally& tally) {
  std::vector<double> values;
  values.reserve(tally.distinct.size());
  for (const DistinctQuery& query : tally.distinct) {
    if (query.log_q != -kInfinity) values.push_back(query.log_q);
  }
  return values;
}

class Published : public BoundAtOrders {
 public:
  Published(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        table_(published_table(inputs.cells(), inputs.aggregator().noisy_max)) {
    if (table_) tables_ = table_->at_orders(orders, threads);
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    const double log_q = inputs_.tally().distinct[query].log_q;
    costs.noisy_max.assign(orders_.size(), 0.0);
    if (log_q == -kInfinity) return;
    if (table_) {
      const GaussianPublishedBound bound = table_->bound(log_q);
      const QCells::Position position = inputs_.position(query);
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] = GaussianPublishedTable::cost(tables_[j], position, bound);
      }
    } else {
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] = published_cost(inputs_.aggregator().noisy_max, log_q, orders_[j]);
      }
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    const AnswerLadder& ladder = *inputs_.ladder();
    return threshold_published(
        std::min(ladder.log_answered(statistic), ladder.log_refused(statistic)),
        ladder.check().sigma1, orders_[order]);
  }

 private:
  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::optional<GaussianPublishedTable> table_;
  std::vector<GaussianPublishedTable::AtOrder> tables_;
};

class Tradeoff : public BoundAtOrders {
 public:
  Tradeoff(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        table_(tradeoff_table(inputs.cells(), inputs.aggregator().noisy_max)) {
    if (table_) tables_ = table_->at_orders(orders, threads);
    if (!inputs.ladder()) return;
    std::vector<std::optional<JointCost>> made(orders.size());
    parallel_for(orders.size(), threads, [&](std::size_t j) {
      const double cap = data_independent_cost(inputs.aggregator(), orders[j]).noisy_max;
      made[j].emplace(*inputs.ladder(), orders[j], cap);
    });
    for (auto& joint : made) joints_.push_back(std::move(*joint));
  }

  void query(std::size_t query, QueryCosts& costs) const override {
    const DistinctQuery& input = inputs_.tally().distinct[query];
    costs.noisy_max.assign(orders_.size(), 0.0);
    if (input.log_q == -kInfinity) {
      certain(input.statistic, costs);
    } else if (table_) {
      tabulated(query, costs);
    } else {
      for (std::size_t j = 0; j < orders_.size(); ++j) {
        costs.noisy_max[j] =
            tradeoff_cost(inputs_.aggregator().noisy_max, input.log_q, orders_[j]).larger();
      }
      costs.joint = costs.noisy_max;
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return joints_[order].selection_cost(statistic);
  }

 private:
  // The noisy maximum cannot go wrong (one class): only the selection costs anything.
  void certain(std::int64_t statistic, QueryCosts& costs) const {
    costs.joint.assign(orders_.size(), 0.0);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      costs.joint[j] = joints_[j].cost(statistic, {-kInfinity, -kInfinity});
    }
  }

  void tabulated(std::size_t query, QueryCosts& costs) const {
    const DistinctQuery& input = inputs_.tally().distinct[query];
    const QCells::Position position = inputs_.position(query);
    costs.joint.resize(orders_.size());
    for (std::size_t j = 0; j < orders_.size(); ++j) {
      const BothDirections log_excess = table_->log_excess(tables_[j], position);
      const BothDirections excess{std::exp(log_excess.forward), std::exp(log_excess.reverse)};
      costs.noisy_max[j] =
          is_held(excess.larger())
              ? cost_of_excess(excess.larger(), orders_[j], tables_[j].cap)
              : cost_of_log_excess(log_excess.larger(), orders_[j], tables_[j].cap);
      costs.joint[j] = joints_.empty() ? costs.noisy_max[j]
                                       : joints_[j].cost(input.statistic, log_excess, excess);
    }
  }

  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::optional<GaussianTradeoffTable> table_;
  std::vector<GaussianTradeoffTable::AtOrder> tables_;
  std::vector<JointCost> joints_;
};

}  // namespace

CostInputs::CostInputs(const Tally& tally, const Aggregator& aggregator)
    : tally_(tally), aggregator_(aggregator), cells_(finite_log_q(tally)) {
  if (aggregator.selection && !tally.distinct.empty()) {
    ladder_.emplace(*aggregator.selection, tally.distinct.front().statistic,
                    tally.distinct.back().statistic, tally.teachers);
  }
  answered_.reserve(tally.distinct.size());
  statistic_of_.reserve(tally.distinct.size());
  for (const DistinctQuery& query : tally.distinct) {
    if (statistics_.empty() || statistics_.back().value != query.statistic) {
      statistics_.push_back({query.statistic, 0.0});
    }
    statistics_.back().queries += static_cast<double>(query.count);
    statistic_of_.push_back(statistics_.size() - 1);
    answered_.push_back(ladder_ ? std::exp(ladder_->log_answered(query.statistic)) : 1.0);
  }
  if (!aggregator.is_gaussian() || tally.distinct.size() > kKeptPositions) return;
  positions_.resize(tally.distinct.size());
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const double log_q = tally.distinct[i].log_q;
    if (log_q != -kInfinity) positions_[i] = cells_.locate(log_q);
  }
}

QCells::Position CostInputs::position(std::size_t query) const {
  return positions_.empty() ? cells_.locate(tally_.distinct[query].log_q) : positions_[query];
}

std::unique_ptr<BoundAtOrders> bound_at_orders(Bound bound, const CostInputs& inputs,
                                               std::span<const double> orders, unsigned threads) {
  switch (bound) {
    case Bound::published:
      return std::make_unique<Published>(inputs, orders, threads);
    case Bound::tradeoff:
      return std::make_unique<Tradeoff>(inputs, orders, threads);
    case Bound::data_independent:
    case Bound::exact:
    case Bound::exact_per_teacher:
      break;
  }
  throw parameter_error("only the published and the trade-off bound depend on queries through q");
}

}  // namespace pate
