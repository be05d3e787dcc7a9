#include "pate/divergence/bounds/q_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr std::size_t kNodes = QCells::kNodes;
using Nodes = QCells::Nodes;

// Width of a wide cell in log(-log q).
constexpr double kCellWidth = 0.25;
// Of a narrow one in log q, where q is small; from there on in log(-log q), so that they fit.
constexpr double kNarrow = 0.25;
constexpr double kNarrowFrom = 4.0;

// Costs below this underflow or are at their floor, where they are no smooth function.
constexpr double kMinSmooth = 1e-290;

}  // namespace

double QCells::coordinate(double log_q) const {
  if (width_ == Width::wide) return std::log(-log_q) / kCellWidth;
  if (-log_q > kNarrowFrom) return (-log_q - kNarrowFrom) / kNarrow;
  return std::log(-log_q / kNarrowFrom) * (kNarrowFrom / kNarrow);
}

QCells::QCells(std::span<const double> log_q, Width width) : width_(width) {
  struct Cell {
    std::size_t values = 0;
    Nodes first{};
  };
  std::map<long, Cell> found;
  auto last = found.end();  // neighbours mostly share their cell
  for (const double value : log_q) {
    const long cell = std::lround(std::floor(coordinate(value)));
    if (last == found.end() || last->first != cell) last = found.try_emplace(cell).first;
    Cell& its = last->second;
    if (its.values < kNodes) its.first[its.values] = value;
    ++its.values;
  }
  for (const auto& [cell, its] : found) {
    if (its.values > kNodes) {
      cells_.push_back(cell);
    } else if (width == Width::wide) {
      alone_.insert(alone_.end(), its.first.begin(),
                    its.first.begin() + static_cast<std::ptrdiff_t>(its.values));
    }
  }
  std::ranges::sort(alone_);
  alone_.erase(std::unique(alone_.begin(), alone_.end()), alone_.end());
}

Nodes QCells::nodes(std::size_t cell) const {
  Nodes result{};
  for (std::size_t k = 0; k < kNodes; ++k) result[k] = log_q({cell, chebyshev::points()[k]});
  return result;
}

double QCells::log_q(const Place& at) const {
  const double u = static_cast<double>(cells_[at.cell]) + 0.5 * (at.s + 1.0);
  if (width_ == Width::wide) return -std::exp(kCellWidth * u);
  return -(u > 0.0 ? kNarrowFrom + kNarrow * u
                   : kNarrowFrom * std::exp(u * (kNarrow / kNarrowFrom)));
}

QCells::Place QCells::place(double log_q) const {
  const double u = coordinate(log_q);
  const double below = std::floor(u);
  const auto cell = static_cast<long>(below);
  const auto found = std::ranges::lower_bound(cells_, cell);
  if (found == cells_.end() || *found != cell) return {};
  return {static_cast<std::size_t>(found - cells_.begin()), 2.0 * (u - below) - 1.0};
}

QCells::Position QCells::locate(double log_q) const {
  const auto [cell, s] = place(log_q);
  if (cell != kNoCell) return {log_q, cell, chebyshev::weights_at(s)};
  const auto found = std::ranges::lower_bound(alone_, log_q);
  if (found == alone_.end() || *found != log_q) return {log_q, cell, {}};
  return {log_q, cell, {}, static_cast<std::size_t>(found - alone_.begin())};
}

std::vector<GaussianPublishedTable::AtOrder> GaussianPublishedTable::at_orders(
    std::span<const double> orders, unsigned threads) const {
  std::vector<AtOrder> tables(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    tables[j].order = orders[j];
    tables[j].data_independent = data_independent_cost(GaussianNoisyMax{sigma_}, orders[j]);
    tables[j].log_cost.resize(cells_->size());
    tables[j].usable.assign(cells_->size(), 1);
  }
  parallel_for(cells_->size(), threads, [&](std::size_t i) {
    const QCells::Nodes log_q = cells_->nodes(i);
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      const GaussianPublishedBound bound(log_q[k], sigma_);
      for (AtOrder& table : tables) {
        if (table.usable[i] == 0) continue;
        const double cost = bound.cost(table.order, std::numeric_limits<double>::infinity());
        table.log_cost[i][k] = std::log(cost) - log_q[k];
        table.usable[i] = std::isfinite(cost) && cost > kMinSmooth ? 1 : 0;
      }
    }
    for (AtOrder& table : tables) {
      if (table.usable[i] != 0)
        table.usable[i] = chebyshev::converged(table.log_cost[i], 1.0) ? 1 : 0;
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
      position.log_q + chebyshev::interpolate(position.weights, table.log_cost[position.cell]);
  return std::min(std::exp(log_cost), table.data_independent);
}

std::vector<GaussianTradeoffTable::AtOrder> GaussianTradeoffTable::at_orders(
    std::span<const double> orders, unsigned threads) const {
  return fill(orders, cells_->isolated(), threads);
}

std::vector<GaussianTradeoffTable::AtOrder> GaussianTradeoffTable::cells_at_orders(
    std::span<const double> orders, unsigned threads) const {
  return fill(orders, {}, threads);
}

std::vector<GaussianTradeoffTable::AtOrder> GaussianTradeoffTable::fill(
    std::span<const double> orders, std::span<const double> isolated, unsigned threads) const {
  std::vector<AtOrder> tables(orders.size());
  for (std::size_t j = 0; j < orders.size(); ++j) {
    tables[j].order = orders[j];
    tables[j].log_cap = log_expm1(0.5 * orders[j] * (orders[j] - 1.0) * mu_ * mu_);
    tables[j].cap = with_margin(0.5 * orders[j] * mu_ * mu_);
    tables[j].forward.resize(cells_->size());
    tables[j].reverse.resize(cells_->size());
    tables[j].converged.resize(cells_->size());
    tables[j].isolated.resize(isolated.size());
  }
  const std::size_t cells = cells_->size();
  parallel_for(cells + isolated.size(), threads, [&](std::size_t i) {
    if (i >= cells) {
      const double log_q = isolated[i - cells];
      for (AtOrder& table : tables) {
        table.isolated[i - cells] = gaussian_tradeoff_log_excess(log_q, mu_, table.order);
      }
      return;
    }
    const QCells::Nodes log_q = cells_->nodes(i);
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      NearbySplit forward_start;
      NearbySplit reverse_start;
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
      const bool converged = chebyshev::converged(table.forward[i], scale) &&
                             chebyshev::converged(table.reverse[i], scale);
      table.converged[i] = converged ? 1 : 0;
    }
  });
  return tables;
}

std::array<BothDirections, kNodes> GaussianTradeoffTable::at_nodes(const AtOrder& table,
                                                                   std::size_t cell) const {
  const QCells::Nodes log_q = cells_->nodes(cell);
  std::array<BothDirections, kNodes> result;
  for (std::size_t k = 0; k < kNodes; ++k) {
    result[k] = {std::min(log_q[k] + table.forward[cell][k], table.log_cap),
                 std::min(log_q[k] + table.reverse[cell][k], table.log_cap)};
  }
  return result;
}

BothDirections GaussianTradeoffTable::log_excess(const AtOrder& table,
                                                 const QCells::Position& position) const {
  BothDirections result;
  if (position.isolated != QCells::kNoCell && !table.isolated.empty()) {
    result = table.isolated[position.isolated];
  } else if (position.cell == QCells::kNoCell || table.converged[position.cell] == 0) {
    result = gaussian_tradeoff_log_excess(position.log_q, mu_, table.order);
  } else {
    result.forward =
        position.log_q + chebyshev::interpolate(position.weights, table.forward[position.cell]);
    result.reverse =
        position.log_q + chebyshev::interpolate(position.weights, table.reverse[position.cell]);
  }
  return {std::min(result.forward, table.log_cap), std::min(result.reverse, table.log_cap)};
}

std::optional<GaussianPublishedTable> published_table(const QCells& cells, const NoisyStep& step) {
  if (!step.is_gaussian()) return std::nullopt;
  return GaussianPublishedTable(cells, step.gaussian_per_move().sigma);
}

std::optional<GaussianTradeoffTable> tradeoff_table(const QCells& cells, const NoisyStep& step) {
  if (!step.is_gaussian()) return std::nullopt;
  return GaussianTradeoffTable(cells, step.gaussian_per_move().mu());
}

}  // namespace pate
