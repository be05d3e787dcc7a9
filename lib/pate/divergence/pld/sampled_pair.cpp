#include "pate/divergence/pld/sampled_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// As profiles have it: larger losses are infinite.
constexpr double kLargestLoss = 40.0;
// Rounding of a probability, relative to the tail that it is a difference of.
constexpr double kRounding = 4e-15;

// The pair on the line: N(0, 1) without the teacher, the mixture with it.
class Line {
 public:
  explicit Line(const SampledGaussian& sampled) : rate_(sampled.rate), mu_(sampled.mu()) {}

  // log of the mixture's density over the other one's, which rises from log(1 - rate).
  [[nodiscard]] double loss(double x) const {
    return log_add(std::log1p(-rate_), std::log(rate_) + mu_ * (x - 0.5 * mu_));
  }
  [[nodiscard]] double least_loss() const { return std::log1p(-rate_); }
  // Where it is that.
  [[nodiscard]] double at(double loss) const {
    const double grown = std::expm1(loss) / rate_;  // e^(mu x - mu^2/2) - 1
    return grown > -1.0 ? std::log1p(grown) / mu_ + 0.5 * mu_ : -kInfinity;
  }
  [[nodiscard]] static double without(double a, double b) { return normal_interval(a, b); }
  [[nodiscard]] double with(double a, double b) const {
    return (1.0 - rate_) * normal_interval(a, b) + rate_ * normal_interval(a - mu_, b - mu_);
  }
  // Beyond this either has a probability of at most that.
  [[nodiscard]] double furthest(double beyond) const {
    return mu_ + normal_upper_quantile(std::log(beyond));
  }
  // At least what the probabilities of a cell that ends there are differences of.
  [[nodiscard]] double tail(double a, double b) const {
    return a > 0.0 ? with(a, kInfinity) : b < 0.0 ? without(-kInfinity, b) : 1.0;
  }

 private:
  double rate_, mu_;
};

// The masses at the grid, by loss.
class Nodes {
 public:
  Nodes(std::int64_t first, std::size_t size, double step)
      : first_(first), step_(step), masses_(size, 0.0) {}

  void add(std::int64_t node, double mass) {
    masses_[static_cast<std::size_t>(node - first_)] += mass;
  }
  // A cell from a node to the next one, with p of the first and q of the second distribution.
  void add_cell(std::int64_t node, double p, double q, double tail) {
    if (p <= 0.0) return;
    const double least = static_cast<double>(node) * step_;
    const double width = -std::expm1(-step_);
    const double upper = p - q * std::exp(least) + kRounding * tail;
    const double share = std::clamp(upper / width, 0.0, p);
    add(node + 1, share);
    add(node, p - share);
  }
  [[nodiscard]] DistributionPair pair(double at_infinity) const {
    DistributionPair result;
    for (std::size_t k = 0; k < masses_.size(); ++k) {
      if (masses_[k] <= 0.0) continue;
      const double loss = static_cast<double>(first_ + static_cast<std::int64_t>(k)) * step_;
      result.push_back({masses_[k], masses_[k] * std::exp(-loss), loss});
    }
    if (at_infinity > 0.0) result.push_back({at_infinity, 0.0, kInfinity});
    return result;
  }

 private:
  std::int64_t first_;
  double step_;
  std::vector<double> masses_;
};

}  // namespace

DistributionPair sampled_pair(const SampledGaussian& sampled, Direction direction, double step,
                              double beyond) {
  validate(sampled);
  const Line line(sampled);
  // Nodes of the teacher's loss, which is the loss forward, and less it in reverse.
  const auto first = static_cast<std::int64_t>(std::floor(line.least_loss() / step));
  const double most = std::min(line.loss(line.furthest(beyond)), kLargestLoss);
  const auto last = static_cast<std::int64_t>(std::ceil(most / step));
  const auto size = static_cast<std::size_t>(last - first + 1);
  const bool forward = direction == Direction::forward;
  Nodes nodes(forward ? first : -last, size, step);
  double begin = -kInfinity;
  for (std::int64_t k = first; k < last; ++k) {
    const double end = line.at(static_cast<double>(k + 1) * step);
    const double with = line.with(begin, end);
    const double without = Line::without(begin, end);
    const double tail = line.tail(begin, end);
    if (forward) {
      nodes.add_cell(k, with, without, tail);
    } else {
      nodes.add_cell(-k - 1, without, with, tail);
    }
    begin = end;
  }
  if (forward) return nodes.pair(line.with(begin, kInfinity));
  nodes.add(-last, Line::without(begin, kInfinity));
  return nodes.pair(0.0);
}

}  // namespace pate
