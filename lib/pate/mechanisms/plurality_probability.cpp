#include "pate/mechanisms/plurality_probability.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

// Whether so many classes, so many votes behind, change nothing, all of them together.
bool matters_not(std::int32_t lead, double sigma, std::size_t classes) {
  return static_cast<double>(lead) / sigma > kFarBehind + std::log10(static_cast<double>(classes));
}

// With few classes every second node is enough.
std::size_t step_of(std::size_t classes) {
  return classes > 200 ? 1 : 2;
}

std::size_t nodes_of(std::size_t classes) {
  return (kRuleNodes + step_of(classes) - 1) / step_of(classes);
}

// At each node, the distribution function of a class that is `distance` behind, in units of the
// noise.
void fill_row(double distance, std::size_t step, std::span<double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = normal_cdf(rule()[i * step].z + distance);
}

// Multiplies by the classes-th powers of a row, by repeated squaring.
void multiply(std::span<double> product, std::span<const double> row, std::size_t classes) {
  if (classes == 1) {
    for (std::size_t i = 0; i < product.size(); ++i) product[i] *= row[i];
    return;
  }
  for (std::size_t i = 0; i < product.size(); ++i) {
    double square = row[i];
    for (std::size_t left = classes; left > 0; left /= 2) {
      if (left % 2 == 1) product[i] *= square;
      square *= square;
    }
  }
}

// `row_of(lead)` is the row of classes that are so many votes behind.
template <class RowOf>
double gaussian_plurality(double sigma, std::span<const std::int32_t> counts, std::size_t zeros,
                          const RowOf& row_of) {
  const std::size_t classes = counts.size() + zeros;
  const std::size_t step = step_of(classes);
  std::array<double, kRuleNodes> memory{};
  const std::span<double> product(memory.data(), nodes_of(classes));
  for (std::size_t i = 0; i < product.size(); ++i) product[i] = rule()[i * step].weight;
  bool alone = true;
  const auto add = [&](std::int32_t count, std::size_t equal) {
    const std::int32_t lead = counts.front() - count;
    if (matters_not(lead, sigma, equal)) return;
    multiply(product, row_of(lead), equal);
    alone = false;
  };
  for (std::size_t i = 1; i < counts.size();) {
    std::size_t end = i + 1;
    while (end < counts.size() && counts[end] == counts[i]) ++end;
    add(counts[i], end - i);
    i = end;
  }
  if (zeros > 0) add(0, zeros);
  if (alone) return 1.0;
  double sum = 0.0;
  for (const double value : product) sum += value;
  return std::clamp(sum * static_cast<double>(step), 0.0, 1.0);
}

}  // namespace

double plurality_probability(const NoisyMax& noisy_max, std::span<const std::int32_t> counts,
                             std::size_t zeros) {
  if (noisy_max.is_gaussian()) {
    validate(noisy_max.gaussian());
    if (counts.empty()) return zeros > 0 ? 1.0 / static_cast<double>(zeros) : 0.0;
    const double sigma = noisy_max.gaussian().sigma;
    const std::size_t classes = counts.size() + zeros;
    std::array<double, kRuleNodes> memory{};
    const std::span<double> row(memory.data(), nodes_of(classes));
    return gaussian_plurality(sigma, counts, zeros, [&](std::int32_t lead) {
      fill_row(static_cast<double>(lead) / sigma, step_of(classes), row);
      return std::span<const double>(row);
    });
  }
  static constexpr std::array<std::int32_t, 1> kNoVote{0};
  if (counts.empty() && zeros == 0) return 0.0;
  return counts.empty() ? outcome_probability(noisy_max, kNoVote, 0, zeros - 1)
                        : outcome_probability(noisy_max, counts, 0, zeros);
}

PluralityTable::PluralityTable(const NoisyMax& noisy_max, std::size_t classes, std::int32_t lead)
    : noisy_max_(noisy_max), classes_(classes) {
  if (!noisy_max.is_gaussian()) return;
  validate(noisy_max.gaussian());
  nodes_ = nodes_of(classes);
  const double sigma = noisy_max.gaussian().sigma;
  for (std::int32_t its = 0; its <= lead && !matters_not(its, sigma, classes); ++its) {
    rows_.resize(rows_.size() + nodes_);
    fill_row(static_cast<double>(its) / sigma, step_of(classes), std::span(rows_).last(nodes_));
  }
}

double PluralityTable::of(std::span<const std::int32_t> counts) const {
  const std::size_t zeros = classes_ - counts.size();
  if (rows_.empty() || counts.empty()) return plurality_probability(noisy_max_, counts, zeros);
  const double sigma = noisy_max_.gaussian().sigma;
  std::array<double, kRuleNodes> memory{};
  const std::span<double> row(memory.data(), nodes_);
  return gaussian_plurality(sigma, counts, zeros, [&](std::int32_t lead) {
    const std::size_t begin = static_cast<std::size_t>(lead) * nodes_;
    if (begin < rows_.size()) return std::span(rows_).subspan(begin, nodes_);
    fill_row(static_cast<double>(lead) / sigma, step_of(classes_), row);
    return std::span<const double>(row);
  });
}

}  // namespace pate
