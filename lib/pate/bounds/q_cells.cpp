#include "pate/bounds/q_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pate {

namespace {

constexpr std::size_t kNodes = QCells::kNodes;
using Nodes = QCells::Nodes;

// Width of a cell in log(-log q).
constexpr double kCellWidth = 0.25;
constexpr double kTolerance = 2e-11;

double angle(std::size_t k) {
  return std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(kNodes);
}

// Chebyshev points of the first kind on (-1, 1), their barycentric weights, and the matrix rows
// that give the last two Chebyshev coefficients.
struct Rule {
  Nodes points{}, barycentric{}, last{}, last_but_one{};
  Rule() {
    for (std::size_t k = 0; k < kNodes; ++k) {
      points[k] = std::cos(angle(k));
      barycentric[k] = (k % 2 == 0 ? 1.0 : -1.0) * std::sin(angle(k));
      last[k] = 2.0 / kNodes * std::cos(static_cast<double>(kNodes - 1) * angle(k));
      last_but_one[k] = 2.0 / kNodes * std::cos(static_cast<double>(kNodes - 2) * angle(k));
    }
  }
};

const Rule& rule() {
  static const Rule instance;
  return instance;
}

double coordinate(double log_q) {
  return std::log(-log_q) / kCellWidth;
}

double dot(const Nodes& a, const Nodes& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < kNodes; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

QCells::QCells(std::span<const double> log_q) {
  std::vector<long> cells;
  cells.reserve(log_q.size());
  for (const double value : log_q) cells.push_back(std::lround(std::floor(coordinate(value))));
  std::sort(cells.begin(), cells.end());
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i;
    while (end < cells.size() && cells[end] == cells[i]) ++end;
    if (end - i > kNodes) cells_.push_back(cells[i]);
    i = end;
  }
}

Nodes QCells::nodes(std::size_t cell) const {
  Nodes result{};
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double u = static_cast<double>(cells_[cell]) + 0.5 * (rule().points[k] + 1.0);
    result[k] = -std::exp(kCellWidth * u);
  }
  return result;
}

QCells::Position QCells::locate(double log_q) const {
  Position position{log_q, kNoCell, {}};
  const double u = coordinate(log_q);
  const long cell = std::lround(std::floor(u));
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell);
  if (found == cells_.end() || *found != cell) return position;
  position.cell = static_cast<std::size_t>(found - cells_.begin());
  const double s = 2.0 * (u - static_cast<double>(cell)) - 1.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double distance = s - rule().points[k];
    if (distance == 0.0) {
      position.weights = {};
      position.weights[k] = 1.0;
      return position;
    }
    position.weights[k] = rule().barycentric[k] / distance;
    sum += position.weights[k];
  }
  for (double& weight : position.weights) weight /= sum;
  return position;
}

bool QCells::converged(const Nodes& values, double scale) {
  return tail(values) < kTolerance * scale;
}

double QCells::tail(const Nodes& values) {
  return std::abs(dot(values, rule().last)) + std::abs(dot(values, rule().last_but_one));
}

}  // namespace pate
