#include "pate/bounds/tradeoff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/margin.hpp"
#include "pate/bounds/two_tails.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

constexpr double kLogTinyMass = -650.0;

// Randomised response with ratio e^eps: masses of the outcomes that are not the plurality on the
// likelier point (m0) and on the other (m1), and of the plurality (mid0, mid1), under the votes.
struct PointMasses {
  double m0, m1, mid0, mid1;
};

// The two ends of the interval of possible splits of q; rest = 1 - q.
PointMasses lower_end(double q, double rest, double a, double b) {
  return q <= a ? PointMasses{q, 0.0, std::max(rest - b, 0.0), b}
                : PointMasses{a, q - a, 0.0, rest};
}
PointMasses upper_end(double q, double rest, double a, double b) {
  return q <= b ? PointMasses{0.0, q, a, b - q} : PointMasses{q - b, b, rest, 0.0};
}

double log_or_zero(double x) {
  return x > 0.0 ? std::log(x) : -kInfinity;
}

BothDirections log_excess_of(const PointMasses& p, double eps, double order) {
  const double mid = p.mid0 + p.mid1;
  const double mid_neighbour = p.mid0 * std::exp(-eps) + p.mid1 * std::exp(eps);
  // The neighbour's mass of the plurality less the votes': by whichever side is the smaller.
  const double m = p.m0 + p.m1;
  const double gained = m < mid ? -(p.m0 * std::expm1(-eps) + p.m1 * std::expm1(eps))
                                : p.mid0 * std::expm1(-eps) + p.mid1 * std::expm1(eps);
  const double change = gained / mid;
  const double log_ratio =
      std::abs(change) < 0.5 ? -std::log1p(change) : std::log(mid / mid_neighbour);
  const double log_m0 = log_or_zero(p.m0);
  const double log_m1 = log_or_zero(p.m1);
  BothDirections result;
  result.forward = log_add(log_add(log_m0 - eps + log_power_excess(eps, order),
                                   log_m1 + eps + log_power_excess(-eps, order)),
                           log_or_zero(mid_neighbour) + log_power_excess(log_ratio, order));
  result.reverse = log_add(
      log_add(log_m0 + log_power_excess(-eps, order), log_m1 + log_power_excess(eps, order)),
      log_or_zero(mid) + log_power_excess(-log_ratio, order));
  return result;
}

BothDirections costs(const BothDirections& log_excess, double order, double cap) {
  return {cost_of_log_excess(log_excess.forward, order, cap),
          cost_of_log_excess(log_excess.reverse, order, cap)};
}

}  // namespace

double cost_of_log_excess(double log_excess, double order, double cap) {
  return std::min(with_margin(log1pexp(log_excess) / (order - 1.0)), cap);
}

BothDirections gaussian_tradeoff_log_excess(double log_q, double mu, double order) {
  const double cold = std::numeric_limits<double>::quiet_NaN();
  return {maximize_two_tails(Direction::forward, log_q, mu, order, cold).log_excess,
          maximize_two_tails(Direction::reverse, log_q, mu, order, cold).log_excess};
}

BothDirections gaussian_noisy_max_tradeoff(double log_q, double sigma, double order) {
  if (log_q == -kInfinity) return {0.0, 0.0};
  return costs(gaussian_tradeoff_log_excess(log_q, std::numbers::sqrt2 / sigma, order), order,
               gaussian_noisy_max_data_independent(sigma, order));
}

BothDirections laplace_tradeoff_log_excess(double log_q, double gamma, double order) {
  const double eps = 2.0 * gamma;
  if (log_q < kLogTinyMass && log_q < -eps - 40.0) {
    // Far below both points' masses: the two single-point splits, in log space.
    const double likelier = log_power_excess(eps, order);
    const double other = log_power_excess(-eps, order);
    return {log_q + std::max(likelier - eps, other + eps), log_q + std::max(likelier, other)};
  }
  // No double holds these masses: leave it to the data-independent cost.
  if (log_q < kLogTinyMass || eps > -kLogTinyMass) return {kInfinity, kInfinity};
  const double b = 1.0 / (1.0 + std::exp(eps));
  const double a = 1.0 / (1.0 + std::exp(-eps));
  const double q = std::exp(log_q);
  const double rest = -std::expm1(log_q);
  const BothDirections low = log_excess_of(lower_end(q, rest, a, b), eps, order);
  const BothDirections high = log_excess_of(upper_end(q, rest, a, b), eps, order);
  return {std::max(low.forward, high.forward), std::max(low.reverse, high.reverse)};
}

BothDirections laplace_noisy_max_tradeoff(double log_q, double gamma, double order) {
  if (log_q == -kInfinity) return {0.0, 0.0};
  return costs(laplace_tradeoff_log_excess(log_q, gamma, order), order,
               laplace_noisy_max_data_independent(gamma, order));
}

}  // namespace pate
