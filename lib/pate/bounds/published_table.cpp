#include "pate/bounds/published_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/bounds/data_independent.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

// Costs below this underflow or are at their floor, where they are no smooth function.
constexpr double kSmallestSmooth = 1e-290;

}  // namespace

std::vector<GaussianPublishedTable::AtOrder> GaussianPublishedTable::at_orders(
    std::span<const double> orders, unsigned threads) const {
  std::vector<AtOrder> tables(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    tables[j].order = orders[j];
    tables[j].data_independent = gaussian_noisy_max_data_independent(sigma_, orders[j]);
    tables[j].log_cost.resize(cells_.size());
    tables[j].usable.assign(cells_.size(), 1);
  }
  parallel_for(cells_.size(), threads, [&](std::size_t i) {
    const QCells::Nodes log_q = cells_.nodes(i);
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      const GaussianPublishedBound bound(log_q[k], sigma_);
      for (AtOrder& table : tables) {
        if (table.usable[i] == 0) continue;
        const double cost = bound.cost(table.order, std::numeric_limits<double>::infinity());
        table.log_cost[i][k] = std::log(cost) - log_q[k];
        table.usable[i] = std::isfinite(cost) && cost > kSmallestSmooth ? 1 : 0;
      }
    }
    for (AtOrder& table : tables) {
      if (table.usable[i] != 0) table.usable[i] = QCells::converged(table.log_cost[i], 1.0) ? 1 : 0;
    }
  });
  return tables;
}

double GaussianPublishedTable::cost(const AtOrder& table, const QCells::Position& position,
                                    const GaussianPublishedBound& bound) {
  if (!bound.applies(table.order)) return bound.cost(table.order, table.data_independent);
  if (position.cell == QCells::kNoCell || table.usable[position.cell] == 0) {
    return bound.cost(table.order, table.data_independent);
  }
  const double log_cost =
      position.log_q + QCells::interpolate(position, table.log_cost[position.cell]);
  return std::min(std::exp(log_cost), table.data_independent);
}

}  // namespace pate
