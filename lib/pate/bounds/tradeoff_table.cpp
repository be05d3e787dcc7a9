#include "pate/bounds/tradeoff_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/bounds/margin.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/bounds/two_tails.hpp"
#include "pate/math/log_space.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// Guesses the best split at an order from those at the two orders before, on a line.
class NearbyStart {
 public:
  [[nodiscard]] double at(double order) const {
    const double line =
        alpha_ + (alpha_ - alpha_before_) * (order - order_) / (order_ - order_before_);
    return std::isfinite(line) ? line : alpha_;
  }
  void found(double order, double alpha) {
    order_before_ = order_;
    alpha_before_ = alpha_;
    order_ = order;
    alpha_ = alpha;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double order_before_ = kNone, alpha_before_ = kNone, order_ = kNone, alpha_ = kNone;
};

}  // namespace

std::vector<GaussianTradeoffTable::AtOrder> GaussianTradeoffTable::at_orders(
    std::span<const double> orders, unsigned threads) const {
  std::vector<AtOrder> tables(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    tables[j].order = orders[j];
    tables[j].log_cap = log_expm1(0.5 * orders[j] * (orders[j] - 1.0) * mu_ * mu_);
    tables[j].cap = with_margin(0.5 * orders[j] * mu_ * mu_);
    tables[j].forward.resize(cells_.size());
    tables[j].reverse.resize(cells_.size());
    tables[j].converged.resize(cells_.size());
  }
  parallel_for(cells_.size(), threads, [&](std::size_t i) {
    const QCells::Nodes log_q = cells_.nodes(i);
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      NearbyStart forward_start;
      NearbyStart reverse_start;
      for (AtOrder& table : tables) {
        const auto forward = maximize_two_tails(Direction::forward, log_q[k], mu_, table.order,
                                                forward_start.at(table.order));
        const auto reverse = maximize_two_tails(Direction::reverse, log_q[k], mu_, table.order,
                                                reverse_start.at(table.order));
        forward_start.found(table.order, forward.alpha);
        reverse_start.found(table.order, reverse.alpha);
        table.forward[i][k] = forward.log_excess - log_q[k];
        table.reverse[i][k] = reverse.log_excess - log_q[k];
      }
    }
    for (AtOrder& table : tables) {
      const double scale = std::max(
          {1.0, table.forward[i].front() + log_q.front(), table.forward[i].back() + log_q.back()});
      const bool converged =
          QCells::converged(table.forward[i], scale) && QCells::converged(table.reverse[i], scale);
      table.converged[i] = converged ? 1 : 0;
    }
  });
  return tables;
}

BothDirections GaussianTradeoffTable::log_excess(const AtOrder& table,
                                                 const QCells::Position& position) const {
  BothDirections result;
  if (position.cell == QCells::kNoCell || table.converged[position.cell] == 0) {
    result = gaussian_tradeoff_log_excess(position.log_q, mu_, table.order);
  } else {
    result.forward = position.log_q + QCells::interpolate(position, table.forward[position.cell]);
    result.reverse = position.log_q + QCells::interpolate(position, table.reverse[position.cell]);
  }
  return {std::min(result.forward, table.log_cap), std::min(result.reverse, table.log_cap)};
}

}  // namespace pate
