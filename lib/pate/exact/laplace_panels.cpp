#include "pate/exact/laplace_panels.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <vector>

namespace pate {

namespace {

using Gauss = boost::math::quadrature::gauss<double, 10>;

// Terms below e^-45 of the largest are left out, and a moved vote changes the logarithm of an
// integrand by at most two votes' worth.
constexpr double kDepth = 45.0;
// On one panel the logarithm of an integrand changes by at most about this much.
constexpr double kRise = 6.0;

struct Node {
  double x;
  double weight;
};

// Adds nodes for [low, high], cut into panels of at most `length`.
void add_panels(double low, double high, double length, std::vector<Node>& nodes) {
  const double panels = std::max(1.0, std::ceil((high - low) / length));
  const double half = 0.5 * (high - low) / panels;
  for (double k = 0.0; k < panels; ++k) {
    const double centre = low + (2.0 * k + 1.0) * half;
    for (std::size_t i = 0; i < Gauss::abscissa().size(); ++i) {
      const double offset = half * Gauss::abscissa()[i];
      nodes.push_back({centre - offset, half * Gauss::weights()[i]});
      nodes.push_back({centre + offset, half * Gauss::weights()[i]});
    }
  }
}

double cdf(double u) {
  return u < 0.0 ? 0.5 * std::exp(u) : 1.0 - 0.5 * std::exp(-u);
}

// log(F(u + h) / F(u)) for h of either sign, without cancellation.
double log_cdf_ratio(double u, double h) {
  if (u <= 0.0 && u + h <= 0.0) return h;
  // The sum of what lies on either side of zero, or the difference of two tails.
  const double low = std::min(u, u + h);
  const double high = std::max(u, u + h);
  const double step = low >= 0.0 ? -0.5 * std::exp(-low) * std::expm1(low - high)
                                 : -0.5 * (std::expm1(-high) + std::expm1(low));
  return h > 0.0 ? std::log1p(step / cdf(u)) : -std::log1p(step / cdf(u + h));
}

}  // namespace

LaplacePanels::LaplacePanels(double scale, double panels_per_scale)
    : scale_(scale), panels_per_scale_(panels_per_scale) {}

void LaplacePanels::at(const GroupedVotes& votes, NoiseAtNodes& result) const {
  std::vector<double> kinks;
  double classes = 0.0;
  for (const VoteGroup& group : votes.groups) {
    for (const int move : {-1, 0, 1}) kinks.push_back(static_cast<double>(group.count) + move);
    classes += group.classes;
  }
  std::sort(kinks.begin(), kinks.end());
  kinks.erase(std::unique(kinks.begin(), kinks.end()), kinks.end());
  const double depth = kDepth + 4.0 / scale_;

  std::vector<Node> nodes;
  const double longest = scale_ / panels_per_scale_;
  // Below all kinks every class's factor falls.
  const double steepest = kRise / (classes + 1.0);
  add_panels(kinks.front() - depth * scale_ / classes, kinks.front(),
             longest * std::min(1.0, steepest), nodes);
  double above = classes;  // classes whose count is not below the panel
  auto next = votes.groups.rbegin();
  for (std::size_t k = 0; k + 1 < kinks.size(); ++k) {
    while (next != votes.groups.rend() && next->count + 1 <= kinks[k]) {
      above -= next->classes;
      ++next;
    }
    add_panels(kinks[k], kinks[k + 1], longest * std::min(1.0, kRise / (above + 1.0)), nodes);
  }
  add_panels(kinks.back(), kinks.back() + depth * scale_, 0.5 * longest, nodes);

  result.nodes = nodes.size();
  result.depth = depth;
  result.widening = 0;
  result.rows.clear();
  result.storage.resize(votes.groups.size() * nodes.size() * kNoiseArrays);
  const double vote = 1.0 / scale_;
  const double log_height = -std::log(2.0 * scale_);
  for (std::size_t g = 0; g < votes.groups.size(); ++g) {
    const std::size_t stride = nodes.size();
    double* const block = result.storage.data() + g * stride * kNoiseArrays;
    for (std::size_t i = 0; i < stride; ++i) {
      const double u = (nodes[i].x - votes.groups[g].count) * vote;
      write_node(block, stride, i,
                 u < 0.0 ? u - std::numbers::ln2 : std::log1p(-0.5 * std::exp(-u)),
                 log_height - std::abs(u) + std::log(nodes[i].weight), log_cdf_ratio(u, vote),
                 log_cdf_ratio(u, -vote), std::abs(u) - std::abs(u + vote),
                 std::abs(u) - std::abs(u - vote));
    }
    result.rows.push_back(noise_row(block, stride));
  }
}

}  // namespace pate
