#include "pate/mechanisms/plurality_probability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pate/mechanisms/outcomes.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Nodes z of the rule: below the first, and beyond the last, the density is below 1e-11 and 1e-16.
constexpr double kNodeStep = 0.125;
constexpr double kFirstNode = -6.75;
constexpr std::size_t kRuleNodes = 121;

// The distribution functions of a class that is further behind than this are 1 at every node, but
// for 1e-13.
constexpr double kFarBehind = 10.4;

struct Node {
  double z, weight;
};

const std::array<Node, kRuleNodes>& rule() {
  static const std::array<Node, kRuleNodes> nodes = [] {
    std::array<Node, kRuleNodes> result{};
    for (std::size_t i = 0; i < kRuleNodes; ++i) {
      const double z = kFirstNode + kNodeStep * static_cast<double>(i);
      result[i] = {z, kNodeStep * std::exp(log_normal_density(z))};
    }
    return result;
  }();
  return nodes;
}

// Classes that are equally far behind the first, in units of the noise.
struct Behind {
  double distance, classes;
};

double gaussian_plurality(double sigma, std::span<const std::int32_t> counts, std::size_t zeros) {
  std::vector<Behind> others;
  const auto add = [&](std::int32_t count, double classes) {
    const double distance = (static_cast<double>(counts.front()) - count) / sigma;
    // Together they must not matter either.
    if (distance > kFarBehind + std::log10(classes)) return;
    if (!others.empty() && others.back().distance == distance) {
      others.back().classes += classes;
    } else {
      others.push_back({distance, classes});
    }
  };
  for (const std::int32_t count : counts.subspan(1)) add(count, 1.0);
  if (zeros > 0) add(0, static_cast<double>(zeros));
  if (others.empty()) return 1.0;
  // With few classes every second node is enough.
  const std::size_t step = counts.size() + zeros > 200 ? 1 : 2;
  double sum = 0.0;
  for (std::size_t i = 0; i < kRuleNodes; i += step) {
    const Node& node = rule()[i];
    double product = node.weight;
    for (const Behind& other : others) {
      const double below = normal_cdf(node.z + other.distance);
      product *= other.classes == 1.0 ? below : std::pow(below, other.classes);
    }
    sum += product;
  }
  return std::clamp(sum * static_cast<double>(step), 0.0, 1.0);
}

}  // namespace

double plurality_probability(const NoisyMax& noisy_max, std::span<const std::int32_t> counts,
                             std::size_t zeros) {
  if (noisy_max.is_gaussian()) {
    validate(noisy_max.gaussian());
    if (counts.empty()) return zeros > 0 ? 1.0 / static_cast<double>(zeros) : 0.0;
    return gaussian_plurality(noisy_max.gaussian().sigma, counts, zeros);
  }
  static constexpr std::array<std::int32_t, 1> kNoVote{0};
  if (counts.empty() && zeros == 0) return 0.0;
  return counts.empty() ? outcome_probability(noisy_max, kNoVote, 0, zeros - 1)
                        : outcome_probability(noisy_max, counts, 0, zeros);
}

}  // namespace pate
