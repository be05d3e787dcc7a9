#include "pate/numerics/chebyshev.hpp"

#include <cmath>
#include <numbers>

namespace pate::chebyshev {

namespace {

constexpr double kTolerance = 2e-11;

double angle(std::size_t k) {
  return std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(kNodes);
}

// Chebyshev points of the first kind on (-1, 1), their barycentric weights, and the matrix rows
// that give the last two Chebyshev coefficients.
struct Rule {
  Nodes points{}, barycentric{}, last{}, last_but_one{};
  std::array<Nodes, kNodes> polynomials{};  // T_j at node k: [k][j]
  Rule() {
    for (std::size_t k = 0; k < kNodes; ++k) {
      for (std::size_t j = 0; j < kNodes; ++j) {
        polynomials[k][j] = std::cos(static_cast<double>(j) * angle(k));
      }
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

}  // namespace

const Nodes& points() {
  return rule().points;
}

Nodes weights_at(double s) {
  Nodes weights{};
  double sum = 0.0;
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double distance = s - rule().points[k];
    if (distance == 0.0) {
      weights = {};
      weights[k] = 1.0;
      return weights;
    }
    weights[k] = rule().barycentric[k] / distance;
    sum += weights[k];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

bool converged(const Nodes& values, double scale) {
  return tail(values) < kTolerance * scale;
}

Nodes weights(const Nodes& moments) {
  Nodes result;
  for (std::size_t k = 0; k < kNodes; ++k) {
    // (2 / n) sum of T_j(s) T_j(node), the first term halved.
    double sum = 0.5 * moments[0];
    for (std::size_t j = 1; j < kNodes; ++j) {
      sum += moments[j] * rule().polynomials[k][j];
    }
    result[k] = 2.0 / kNodes * sum;
  }
  return result;
}

double dot(const Nodes& a, const Nodes& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < kNodes; ++k) sum += a[k] * b[k];
  return sum;
}

double tail(const Nodes& values) {
  return std::abs(dot(values, rule().last)) + std::abs(dot(values, rule().last_but_one));
}

}  // namespace pate::chebyshev
