#include "pate/divergence/bounds/step_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/divergence/bounds/sparse_round.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/extended.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr double kLogTinyMass = -650.0;

// log( (1-q) A^k + q B^k ) / k for k = order - 1, A >= 1, B >= 1, both given as logarithms;
// rest = 1 - q.
double two_point_cost(double log_q, double rest, double log_a, double log_b, double k) {
  const double log_moment_b = log_q + k * log_b;
  if (log_moment_b > 600.0) return log_add(std::log(rest) + k * log_a, log_moment_b) / k;
  // Sum of what exceeds one; both terms are positive.
  const double excess_a = rest * std::expm1(k * log_a);
  const double excess_b = std::exp(log_moment_b) * -std::expm1(-k * log_b);
  return std::log1p(excess_a + excess_b) / k;
}

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

// Of two Laplace mechanisms, each shifted by so many scales.
double two_laplace_cost(double shift, double order) {
  const double up = (order - 1.0) * shift;
  const double down = -order * shift;
  const double share = 1.0 / (2.0 * order - 1.0);
  if (up > 700.0) return with_margin(2.0 * (shift + std::log(order * share) / (order - 1.0)));
  // The terms of first order in the shift cancel.
  const double excess = share * (order * expm1_minus_x(up) + (order - 1.0) * expm1_minus_x(down));
  return with_margin(2.0 * std::log1p(excess) / (order - 1.0));
}

// Of one Laplace noise with this epsilon, where one vote moves.
double one_laplace_cost(double eps, double order) {
  const double half = 0.5 * eps;
  // log P/Q of the rarer answer and of the other: of a tie and the votes next to it, and of a
  // majority of one that is turned.
  const double likelier = std::log1p(-std::expm1(-eps));
  const double turned =
      half < 700.0 ? std::log1p(2.0 * std::expm1(half)) : half + std::numbers::ln2;
  const auto sum = [order](double log_weight, double at, double log_rest, double other) {
    return log_add(log_weight + log_power_excess(at, order),
                   log_rest + log_power_excess(other, order));
  };
  const double log_r = -eps - std::numbers::ln2;
  const double log_s = -half - std::numbers::ln2;
  const double to_tie = sum(-std::numbers::ln2, -eps, -std::numbers::ln2, likelier);
  const double from_tie = sum(log_r, eps, log1mexp(log_r), -likelier);
  const double across = sum(log_s, turned, log1mexp(log_s), -turned);
  const double largest = max_or_nan(max_or_nan(to_tie, from_tie), across);
  return cost_of_log_excess(largest, order, with_margin(eps));
}

}  // namespace

double data_independent_cost(const NoisyStep& step, double order) {
  if (step.is_gaussian()) {
    const double sigma = step.gaussian_per_move().sigma;
    return with_margin(order / sigma / sigma);
  }
  const Neighbours& neighbours = step.neighbours();
  const bool is_one_noise = step.noisy_max().is_of_two_classes();
  const double eps = *step.pure_epsilon();
  if (is_one_noise && neighbours.teachers == 1) return one_laplace_cost(eps, order);
  // LNMax: the shifts of all counts add up to 2 S, or to S, and none is above S. The cost of one
  // Laplace mechanism is convex in its shift and 0 at 0: two of S, or one, cost most. One noise: a
  // post-processing of n_1 - n_0 + Lap(2b), which S votes move by 2 S.
  return is_one_noise || neighbours.adds_or_removes() ? 0.5 * two_laplace_cost(eps, order)
                                                      : two_laplace_cost(0.5 * eps, order);
}

double threshold_data_independent(double sigma1, double order) {
  return with_margin(0.5 * order / sigma1 / sigma1);
}

double laplace_check_cost(double scale, double order) {
  return 0.5 * data_independent_cost(LaplaceNoisyMax{scale}, order);
}

double threshold_data_independent(const StabilityTest& test, double order) {
  switch (test.noise()) {
    case TestNoise::laplace:
      return laplace_check_cost(test.scale(), order);
    case TestNoise::gaussian:
      return threshold_data_independent(test.scale(), order);
    case TestNoise::sparse_gaussian:
      return sparse_round_cost({test.scale(), test.max_queries()}, order);
    case TestNoise::sparse:
      break;
  }
  return pure_dp_cost(round_epsilon(test.scale()), order);
}

double threshold_data_independent(const AnswerRule& rule, const Neighbours& neighbours,
                                  double order) {
  const auto* const check = std::get_if<ThresholdCheck>(&rule);
  return check != nullptr ? threshold_data_independent(neighbours.per_move(check->sigma1), order)
                          : threshold_data_independent(std::get<StabilityTest>(rule), order);
}

double pure_dp_cost(double epsilon, double order) {
  const double log_excess = log_expm1((order - 1.0) * epsilon) +
                            std::log(-std::expm1(-order * epsilon)) -
                            std::log1p(std::exp(-epsilon));
  return cost_of_log_excess(log_excess, order, with_margin(epsilon));
}

GaussianPublishedBound::GaussianPublishedBound(double log_q, double sigma) : log_q_(log_q) {
  // In more digits: far out log q and what is added to it nearly cancel.
  using std::abs, std::isfinite, std::log1p, std::sqrt;
  const auto log_q_long = static_cast<Extended>(log_q);
  const auto sigma_long = static_cast<Extended>(sigma);
  const Extended variance = sigma_long * sigma_long;
  const Extended mu2 = sigma_long * sqrt(-log_q_long);
  if (!(mu2 > 1) || !isfinite(mu2)) return;
  const Extended eps2 = mu2 / variance;
  if (!(-log_q_long > eps2)) return;
  // log(1 + x) <= x says it for nearly all.
  const Extended surely = (mu2 - 1) * eps2 - 1 - mu2 / (mu2 - 1);
  if (!(log_q_long <= surely - Extended(1e-12) * (1 + abs(surely))) &&
      !(log_q_long <=
        (mu2 - 1) * eps2 - mu2 * (log1p(Extended(1 / mu2)) + log1p(Extended(1 / (mu2 - 1)))))) {
    return;
  }
  // (q e^eps2)^(1 - 1/mu2) = q e^shift, because -log q = mu2 eps2.
  const Extended shift = (2 * mu2 - 1) / variance;
  const auto log_grown = static_cast<double>(log_q_long + shift);
  if (!(log_grown < 0.0)) return;
  largest_order_ = static_cast<double>(mu2 + 1);
  rest_ = -std::expm1(log_q);
  log_a_ = std::log1p(std::exp(log_grown) * -std::expm1(static_cast<double>(-shift)) /
                      -std::expm1(log_grown));
  log_b_ = static_cast<double>((2 * mu2 + 1) / variance);
}

double GaussianPublishedBound::cost(double order, double data_independent) const {
  if (log_q_ == -kInfinity) return 0.0;
  if (!applies(order)) return data_independent;
  return std::min(with_margin(two_point_cost(log_q_, rest_, log_a_, log_b_, order - 1.0)),
                  data_independent);
}

namespace {

// S17's Theorem 3 of what is (eps, 0)-DP.
double pure_published_cost(double eps, double log_q, double order) {
  if (log_q == -kInfinity) return 0.0;
  const double independent = with_margin(std::min(0.5 * eps * eps * order, eps));
  if (!(log_q <= -eps - std::log1p(std::exp(-eps)))) return independent;
  // (1-q)/(1 - e^eps q), less one.
  const double log_a =
      std::log1p(std::exp(eps + log_q) * -std::expm1(-eps) / -std::expm1(eps + log_q));
  const double rest = -std::expm1(log_q);
  return std::min(with_margin(two_point_cost(log_q, rest, log_a, eps, order - 1.0)), independent);
}

}  // namespace

double published_cost(const NoisyStep& step, double log_q, double order) {
  if (!step.is_gaussian()) return pure_published_cost(*step.pure_epsilon(), log_q, order);
  return GaussianPublishedBound(log_q, step.gaussian_per_move().sigma)
      .cost(order, data_independent_cost(step, order));
}

GaussianNoisyMax threshold_as_noisy_max(double sigma1) {
  return {std::numbers::sqrt2 * sigma1};
}

double threshold_published(double log_q, double sigma1, double order) {
  return published_cost(threshold_as_noisy_max(sigma1), log_q, order);
}

BothDirections gaussian_tradeoff_log_excess(double log_q, double mu, double order) {
  const double cold = std::numeric_limits<double>::quiet_NaN();
  return {maximize_two_tails(Direction::forward, log_q, mu, order, cold).log_excess,
          maximize_two_tails(Direction::reverse, log_q, mu, order, cold).log_excess};
}

namespace {

// The trade-off bound of what is (eps, 0)-DP.
BothDirections pure_tradeoff_log_excess(double eps, double log_q, double order) {
  if (log_q < kLogTinyMass && log_q < -eps - 40.0) {
    // Far below both points' masses: the two single-point splits, in log space.
    const double likelier = log_power_excess(eps, order);
    const double other = log_power_excess(-eps, order);
    return {log_q + max_or_nan(likelier - eps, other + eps), log_q + max_or_nan(likelier, other)};
  }
  // No double holds these masses: leave it to the data-independent cost.
  if (log_q < kLogTinyMass || eps > -kLogTinyMass) return {kInfinity, kInfinity};
  const double b = 1.0 / (1.0 + std::exp(eps));
  const double a = 1.0 / (1.0 + std::exp(-eps));
  const double q = std::exp(log_q);
  const double rest = -std::expm1(log_q);
  return larger_of(log_excess_of(lower_end(q, rest, a, b), eps, order),
                   log_excess_of(upper_end(q, rest, a, b), eps, order));
}

}  // namespace

BothDirections tradeoff_log_excess(const NoisyStep& step, double log_q, double order) {
  if (!step.is_gaussian()) return pure_tradeoff_log_excess(*step.pure_epsilon(), log_q, order);
  return gaussian_tradeoff_log_excess(log_q, step.gaussian_per_move().mu(), order);
}

BothDirections tradeoff_cost(const NoisyStep& step, double log_q, double order) {
  if (log_q == -kInfinity) return {0.0, 0.0};
  const BothDirections log_excess = tradeoff_log_excess(step, log_q, order);
  const double cap = data_independent_cost(step, order);
  return {cost_of_log_excess(log_excess.forward, order, cap),
          cost_of_log_excess(log_excess.reverse, order, cap)};
}

double log_excess_cap(const NoisyStep& step, double order) {
  if (!step.is_gaussian()) return log_expm1((order - 1.0) * data_independent_cost(step, order));
  const double mu = step.gaussian_per_move().mu();
  return log_expm1(0.5 * order * (order - 1.0) * mu * mu);
}

}  // namespace pate
