#include "pate/tuning/table_between_orders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "pate/numerics/chebyshev.hpp"

namespace pate {

namespace {

constexpr std::array kTableDirections{&GaussianTradeoffTable::AtOrder::forward,
                                      &GaussianTradeoffTable::AtOrder::reverse};

// Width in log(order - 1) of what shares its nodes.
constexpr double kOrderWidth = 0.5;

}  // namespace

bool TableBetweenOrders::interpolates(const Piece& piece, std::size_t cell) const {
  const QCells::Nodes log_q = cells_.nodes(cell);
  for (const auto direction : kTableDirections) {
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      QCells::Nodes values;
      for (std::size_t j = 0; j < QCells::kNodes; ++j) {
        values[j] = (piece.nodes[QCells::kNodes - 1 - j].*direction)[cell][k];
      }
      const double smallest = *std::ranges::min_element(values) + log_q[k];
      if (!chebyshev::converged(values, std::max(1.0, smallest))) return false;
    }
  }
  return std::ranges::all_of(piece.nodes, [&](const auto& at) { return at.converged[cell] != 0; });
}

void TableBetweenOrders::fill(long number, Piece& piece) const {
  std::vector<double> orders;
  for (std::size_t k = QCells::kNodes; k-- > 0;) {  // the nodes fall
    const double s = chebyshev::points()[k];
    orders.push_back(1.0 + std::exp(kOrderWidth * (static_cast<double>(number) + 0.5 * (s + 1.0))));
  }
  piece.nodes = GaussianTradeoffTable(cells_, mu_).cells_at_orders(orders, 1);
  std::vector<double> enough;  // for the cells to be in use
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    if (interpolates(piece, cell)) continue;
    piece.other_cells.push_back(cell);
    enough.insert(enough.end(), QCells::kNodes + 1, cells_.nodes(cell)[QCells::kNodes / 2]);
  }
  piece.other.emplace(enough);
}

GaussianTradeoffTable::AtOrder TableBetweenOrders::at(double order) const {
  const double u = std::log(order - 1.0) / kOrderWidth;
  const double below = std::floor(u);
  const auto number = static_cast<long>(below);
  Piece* piece = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = pieces_[number];
    if (!slot) slot = std::make_unique<Piece>();
    piece = slot.get();
  }
  std::call_once(piece->made, [&] { fill(number, *piece); });
  QCells::Nodes weights{};
  chebyshev::add(1.0, chebyshev::polynomials(2.0 * (u - below) - 1.0), weights);
  weights = chebyshev::weights(weights);
  const auto computed =
      GaussianTradeoffTable(*piece->other, mu_).cells_at_orders(std::span(&order, 1), 1).front();
  GaussianTradeoffTable::AtOrder result{order, computed.log_cap, computed.cap, {}, {}, {}, {}};
  result.converged.assign(cells_.size(), 1);
  for (const auto direction : kTableDirections) {
    std::vector<QCells::Nodes>& to = result.*direction;
    to.assign(cells_.size(), {});
    for (std::size_t j = 0; j < QCells::kNodes; ++j) {
      const std::vector<QCells::Nodes>& from = piece->nodes[QCells::kNodes - 1 - j].*direction;
      for (std::size_t cell = 0; cell < to.size(); ++cell) {
        for (std::size_t k = 0; k < QCells::kNodes; ++k) to[cell][k] += weights[j] * from[cell][k];
      }
    }
    for (std::size_t i = 0; i < piece->other_cells.size(); ++i) {
      to[piece->other_cells[i]] = (computed.*direction)[i];
      result.converged[piece->other_cells[i]] = computed.converged[i];
    }
  }
  return result;
}

}  // namespace pate
