#include "pate/accounting/bound_at_orders.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

class Published : public BoundAtOrders {
 public:
  Published(const CostInputs& inputs, std::span<const double> orders, unsigned threads)
      : inputs_(inputs),
        orders_(orders.begin(), orders.end()),
        table_(published_table(inputs.cells(), inputs.step())) {
    if (table_) tables_ = table_->at_orders(orders, threads);
  }

  void noisy_max(const QCells::Position& q, std::span<const std::size_t> at,
                 std::span<double> costs) const override {
    if (q.log_q == -kInfinity) {
      for (const std::size_t j : at) costs[j] = 0.0;
    } else if (table_) {
      const GaussianPublishedBound bound = table_->bound(q.log_q);
      for (const std::size_t j : at) {
        costs[j] = GaussianPublishedTable::cost(tables_[j], q, bound);
      }
    } else {
      for (const std::size_t j : at) {
        costs[j] = published_cost(inputs_.step(), q.log_q, orders_[j]);
      }
    }
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return published_selection_cost(*inputs_.ladder(), statistic, orders_[order]);
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
        table_(inputs.aggregator().is_gaussian() ? tradeoff_table(inputs.cells(), inputs.step())
                                                 : std::nullopt) {
    if (table_) tables_ = table_->at_orders(orders, threads);
    if (!inputs.ladder()) return;
    if (table_) fill_nodes();
    std::vector<std::optional<JointCost>> made(orders.size());
    parallel_for(orders.size(), threads, [&](std::size_t j) {
      const double cap =
          data_independent_cost(inputs.aggregator(), inputs.neighbours(), orders[j]).noisy_max;
      made[j].emplace(*inputs.ladder(), orders[j], cap, &*inputs.places());
    });
    for (auto& joint : made) joints_.push_back(std::move(*joint));
  }

  void noisy_max(const QCells::Position& q, std::span<const std::size_t> at,
                 std::span<double> costs) const override {
    if (q.log_q == -kInfinity) {
      for (const std::size_t j : at) costs[j] = 0.0;
    } else if (table_) {
      for (const std::size_t j : at) {
        const BothDirections log_excess = table_->log_excess(tables_[j], q);
        const double excess = std::exp(log_excess.larger());
        costs[j] = fits_double(excess)
                       ? cost_of_excess(excess, orders_[j], tables_[j].cap)
                       : cost_of_log_excess(log_excess.larger(), orders_[j], tables_[j].cap);
      }
    } else if (inputs_.ladder()) {
      throw parameter_error("a selection goes with Gaussian noise, or with PTR");
    } else {
      for (const std::size_t j : at) {
        costs[j] = tradeoff_cost(inputs_.step(), q.log_q, orders_[j]).larger();
      }
    }
  }

  void joint(std::int64_t statistic, const QCells::Position& q, std::span<const std::size_t> at,
             std::span<double> costs) const override {
    // The maximum cannot go wrong (one class, or PTR): only the selection costs anything.
    const bool is_sure = q.log_q == -kInfinity;
    for (const std::size_t j : at) {
      costs[j] = joints_[j].cost(statistic, is_sure ? BothDirections{-kInfinity, -kInfinity}
                                                    : table_->log_excess(tables_[j], q));
    }
  }

  [[nodiscard]] QCells::Nodes joint_at_nodes(std::size_t order, std::int64_t statistic,
                                             std::size_t cell) const override {
    QCells::Nodes costs;
    joints_[order].cost(statistic,
                        std::span(nodes_[order]).subspan(cell * QCells::kNodes, QCells::kNodes),
                        costs.data());
    return costs;
  }

  [[nodiscard]] double selection(std::size_t order, std::int64_t statistic) const override {
    return joints_[order].selection_cost(statistic);
  }

 private:
  void fill_nodes() {
    nodes_.resize(orders_.size());
    for (std::size_t j = 0; j < orders_.size(); ++j) {
      for (std::size_t cell = 0; cell < inputs_.cells().size(); ++cell) {
        for (const BothDirections& log : table_->at_nodes(tables_[j], cell)) {
          nodes_[j].push_back({log, {std::exp(log.forward), std::exp(log.reverse)}});
        }
      }
    }
  }

  const CostInputs& inputs_;
  std::vector<double> orders_;
  std::optional<GaussianTradeoffTable> table_;
  std::vector<GaussianTradeoffTable::AtOrder> tables_;
  std::vector<std::vector<JointCost::Node>> nodes_;  // by order; wide cell, then node
  std::vector<JointCost> joints_;
};

}  // namespace

void BoundAtOrders::joint(std::int64_t /*statistic*/, const QCells::Position& /*q*/,
                          std::span<const std::size_t> /*at*/, std::span<double> /*costs*/) const {
  throw std::logic_error("only the trade-off bound sees a query as one mechanism");
}

QCells::Nodes BoundAtOrders::joint_at_nodes(std::size_t /*order*/, std::int64_t /*statistic*/,
                                            std::size_t /*cell*/) const {
  throw std::logic_error("only the trade-off bound sees a query as one mechanism");
}

std::unique_ptr<BoundAtOrders> bound_at_orders(Bound bound, const CostInputs& inputs,
                                               std::span<const double> orders, unsigned threads) {
  switch (bound) {
    case Bound::published:
      return std::make_unique<Published>(inputs, orders, threads);
    case Bound::tradeoff:
      return std::make_unique<Tradeoff>(inputs, orders, threads);
    case Bound::data_independent:
    case Bound::tilted:
    case Bound::complex:
    case Bound::exact:
    case Bound::exact_per_teacher:
    case Bound::released:
    case Bound::declared:
      break;
  }
  throw parameter_error("only the published and the trade-off bound depend on queries through q");
}

double published_selection_cost(const AnswerTable& ladder, std::int64_t statistic, double order) {
  return threshold_published(
      std::min(ladder.log_answered(statistic), ladder.log_refused(statistic)),
      ladder.neighbours().per_move(ladder.check().sigma1), order);
}

}  // namespace pate
