#include "pate/divergence/exact/threshold_rule.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// The trapezoidal rule of step h errs by less than 2 e^-this, relative to the integral.
constexpr double kExponent = 24.0;
// Nodes reach this many standard deviations below and above where integrands are largest.
constexpr double kReachBelow = 22.0;
constexpr double kReachAbove = 12.0;
// A finer trapezoidal rule is not made.
constexpr double kMaxTrapezoidal = 5'000.0;

// Of Laplace noise, in scales of a query's: below all kinks integrands fall at least like e^(2 z),
// above the last like e^-z.
constexpr double kReachBelowKinks = 16.0;
constexpr double kReachAboveKinks = 30.0;
// The logarithm of what a panel may be wrong by, relative to the integral: 1e-11.
constexpr double kLogError = -25.3;
// That of a share that does not matter, whatever a panel makes of it.
constexpr double kLogNothing = -45.0;
// More nodes are not made.
constexpr double kMaxPanelNodes = 16'000.0;
// Panels are no longer than this many scales of a query's noise.
constexpr double kLongest = 1.0;

ThresholdRule trapezoidal_rule(const StabilityTest& test, double low, double step, double count) {
  ThresholdRule rule;
  const double sigma = test.threshold_scale();
  for (std::size_t j = 0; static_cast<double>(j) < count; ++j) {
    rule.at.push_back(low + static_cast<double>(j) * step);
    rule.log_step.push_back(std::log(step));
    rule.log_density.push_back(log_normal_density(rule.at.back() / sigma) - std::log(sigma));
  }
  return rule;
}

std::optional<ThresholdRule> gaussian_rule(const StabilityTest& test,
                                           std::span<const std::int64_t> stabilities) {
  const double sigma = test.threshold_scale();
  const double share = sigma * sigma / (sigma * sigma + test.scale() * test.scale());
  const std::int64_t clearest = *std::ranges::max_element(stabilities) + 1;
  const double peak = (static_cast<double>(clearest) - test.threshold()) * share;
  const double low = -kReachBelow * sigma;
  const double high = std::max(peak, 0.0) + kReachAbove * sigma;
  const double ratio = sigma / test.scale();
  const double factors = static_cast<double>(stabilities.size()) + 1.0;
  const double width = sigma / std::sqrt(1.0 + factors * ratio * ratio);
  const double step = width * std::numbers::pi * std::sqrt(2.0 / kExponent);
  const double count = std::ceil((high - low) / step) + 1.0;
  if (!(count <= kMaxTrapezoidal)) return std::nullopt;
  return trapezoidal_rule(test, low, step, count);
}

// The logarithm of what a Gauss-Legendre rule of so many points is wrong by at most, relative to
// the integral, on a panel of this length in scales. `reach`: of all nodes together.
double log_panel_error(double points, double length, double reach) {
  double best = kInfinity;
  for (double rho = 1.2; rho < 20.0; rho *= 1.1) {
    const double beyond = 0.25 * length * (rho + 1.0 / rho - 2.0);
    const double height = 0.25 * length * (rho - 1.0 / rho);
    const double largest = 0.5 * std::exp(beyond);
    if (!(largest < 0.9)) break;
    const double gap = 1.0 - largest;
    const double each = 2.0 * beyond + largest * height * height / (gap * gap);
    if (!(each < 0.9)) break;
    const double least = (-ThresholdRule::kLeastLog + reach - kLogNothing) / (1.0 - each);
    const double slope = 3.0 + 2.0 * least * std::exp(2.0 * length);
    const double log_error = std::log(4.0 * (1.0 + slope * length) / (rho - 1.0)) + least * each +
                             2.0 * beyond + each + (1.0 - 2.0 * points) * std::log(rho);
    best = std::min(best, log_error);
  }
  return best;
}

// What a rule of Gauss and Legendre has on [low, high].
using AddPanel = void (*)(double low, double high, ThresholdRule& rule);

template <unsigned Points>
void add_gauss_panel(double low, double high, ThresholdRule& rule) {
  using Gauss = boost::math::quadrature::gauss<double, Points>;
  const double centre = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  const auto& places = Gauss::abscissa();
  const auto& weights = Gauss::weights();
  for (std::size_t i = places.size(); i-- > 0;) {
    rule.at.push_back(centre - half * places[i]);
    rule.log_step.push_back(std::log(half * weights[i]));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    rule.at.push_back(centre + half * places[i]);
    rule.log_step.push_back(std::log(half * weights[i]));
  }
}

// Gauss-Legendre rules of an even number of points, and the longest panel of each.
class PanelRules {
 public:
  // scale: of a query's noise; reach: of all nodes together, in scales.
  PanelRules(double scale, double reach) : scale_(scale) {
    for (Kind& kind : kinds_) {
      double longest = kLongest;
      while (!(log_panel_error(kind.points, longest, reach) <= kLogError)) longest *= 0.8;
      kind.longest = longest;
    }
  }

  // False, and none added, where there would be too many nodes.
  [[nodiscard]] bool add(double low, double high, ThresholdRule& rule) const {
    const double length = (high - low) / scale_;
    const Kind* best = nullptr;
    double fewest = kInfinity;
    for (const Kind& kind : kinds_) {
      const double nodes = std::ceil(length / kind.longest) * kind.points;
      if (!(nodes < fewest)) continue;
      fewest = nodes;
      best = &kind;
    }
    if (best == nullptr || !(static_cast<double>(rule.size()) + fewest <= kMaxPanelNodes)) {
      return false;
    }
    const double pieces = fewest / best->points;
    const double piece = (high - low) / pieces;
    for (double k = 0.0; k < pieces; ++k) {
      best->add(low + k * piece, k + 1.0 < pieces ? low + (k + 1.0) * piece : high, rule);
    }
    return true;
  }

 private:
  struct Kind {
    double points;
    AddPanel add;
    double longest = 0.0;
  };
  double scale_;
  std::array<Kind, 4> kinds_{{{16.0, &add_gauss_panel<16>},
                              {32.0, &add_gauss_panel<32>},
                              {64.0, &add_gauss_panel<64>},
                              {96.0, &add_gauss_panel<96>}}};
};

std::optional<ThresholdRule> laplace_rule(const StabilityTest& test,
                                          std::span<const std::int64_t> stabilities) {
  const double scale = test.scale();
  std::vector<double> ends{0.0};  // kinks, of all neighbours
  for (const std::int64_t stability : stabilities) {
    for (std::int64_t q = std::max<std::int64_t>(stability - 1, 0); q <= stability + 1; ++q) {
      ends.push_back(static_cast<double>(q) - test.threshold());
    }
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const double low = ends.front() - kReachBelowKinks * scale;
  const double high = kReachAboveKinks * scale;
  std::erase_if(ends, [&](double end) { return !(end < high); });
  ends.insert(ends.begin(), low);
  ends.push_back(high);
  const PanelRules panels(scale, (high - low) / scale);
  ThresholdRule rule;
  rule.inner = 8;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    if (!panels.add(ends[i], ends[i + 1], rule)) return std::nullopt;
  }
  const double threshold_scale = test.threshold_scale();
  for (const double z : rule.at) {
    rule.log_density.push_back(-std::abs(z) / threshold_scale - std::log(2.0 * threshold_scale));
  }
  return rule;
}

}  // namespace

// A log-concave function falls beyond an end at least as fast as it does from inside to there.
double ThresholdRule::log_tail(std::size_t end, std::size_t inside, double log_end,
                               double log_inside) const {
  const double log_value = log_end - log_step[end];
  const double fall = log_inside - log_step[inside] - log_value;
  if (!(fall > 0.0)) return kInfinity;
  return log_value + std::log(std::abs(at[end] - at[inside])) - std::log(fall);
}

std::optional<ThresholdRule> threshold_rule(const StabilityTest& test,
                                            std::span<const std::int64_t> stabilities) {
  return test.has_gaussian_noise() ? gaussian_rule(test, stabilities)
                                   : laplace_rule(test, stabilities);
}

double log_noise_cdf(const StabilityTest& test, double x) {
  if (test.has_gaussian_noise()) return log_normal_cdf(x);
  return x < 0.0 ? x - std::numbers::ln2 : std::log1p(-0.5 * std::exp(-x));
}

}  // namespace pate
