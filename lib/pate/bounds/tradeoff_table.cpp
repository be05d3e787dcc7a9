#include "pate/bounds/tradeoff_table.hpp"

#include <algorithm>
#include <limits>

#include "pate/bounds/margin.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/bounds/two_tails.hpp"
#include "pate/math/log_space.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

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
      // The best split moves little from one order to the next.
      double start_forward = std::numeric_limits<double>::quiet_NaN();
      double start_reverse = start_forward;
      for (AtOrder& table : tables) {
        const auto forward =
            maximize_two_tails(Direction::forward, log_q[k], mu_, table.order, start_forward);
        const auto reverse =
            maximize_two_tails(Direction::reverse, log_q[k], mu_, table.order, start_reverse);
        start_forward = forward.alpha;
        start_reverse = reverse.alpha;
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
