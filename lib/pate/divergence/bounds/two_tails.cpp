#include "pate/divergence/bounds/two_tails.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numbers>

#include "pate/divergence/bounds/gaussian_tail.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// A lower tail that adds less than e^-36 of the total is left out.
constexpr double kNegligible = 36.0;
// The search ends when less than e^-30 of the gain can be missing.
constexpr double kConverged = 30.0;
// Beyond this difference of the means (sigma < 0.7) the maximum is found by a scan.
constexpr double kLargeShift = 2.0;
// Excesses below e^-720 are zero for every purpose.
constexpr double kUnderflow = -720.0;

// Room for rounding in the conditions of concavity, and logarithms whose exponentials have some.
constexpr double kSure = 1.0 - 1e-6;
constexpr double kMaxRatio = 300.0;

// An excess this close (log) to that of the finest partition has nowhere to go.
constexpr double kSaturated = 1e-13;

// log of Phi(b) - Phi(a), also where that is small.
double log_mid_mass(double a, double b) {
  if (a > 0.0) return log_normal_cdf(-a) + log1mexp(log_normal_cdf_ratio(-a, a - b));
  if (b < 0.0) return log_normal_cdf(b) + log1mexp(log_normal_cdf_ratio(b, a - b));
  return std::log(normal_interval(a, b));
}

// One split of q between the two tails of the extremal problem, with what the
// search and the value of it need. N is N(mu,1), B is N(0,1); the constrained distribution, N
// forward and B in reverse, has mass q in the tails {x <= a} and {x >= b}. Domain: log_q < 0
// finite, mu > 0, order > 1.
class TailSplit {
 public:
  TailSplit(Direction direction, double log_q, double mu, double order);

  // Puts the mass below the constrained distribution's standard normal quantile `alpha` into the
  // lower tail; -inf for none. The mass must be below q.
  void set(double alpha);
  // The same where the log of that mass is known.
  void set(double alpha, double log_lower);
  // Puts the mass above the upper quantile `beta` into the upper tail. It must be below q.
  void set_upper(double beta);

  // log of the excess moment W of this split.
  double log_excess() const;

  // log of the gain of showing a point per constrained mass, at the lower and the upper end, up to
  // the factor e^log_gain_unit.
  double log_gain_lower() const { return log_gain(log_ratio(a_)); }
  double log_gain_upper() const { return log_gain(log_ratio(b_)); }
  double log_gain_unit() const;
  // d/d alpha of log_gain_lower - log_gain_upper.
  double gain_slope() const;

  // log of an upper bound of what the whole lower tail {x <= a} can add to W.
  double log_lower_benefit(double a) const;
  // The point a below the middle whose gain is that of b for the present middle; -inf if none.
  double matching_lower_end() const;

  // Whether max W is concave in q while q grows by the share `growth` of itself (two_tails.hpp).
  bool is_concave(double growth) const;

  double alpha() const { return alpha_; }
  double log_lower() const { return log_lower_; }
  // a - alpha: the mean of the constrained distribution.
  double shift() const { return shift_; }

 private:
  void place(double alpha, double log_lower, double beta);
  double log_ratio(double x) const { return mu_ * (x - 0.5 * mu_); }
  double shift_difference(double x) const;
  double log_gain(double log_ratio_at_end) const;
  double excess_slope(double x) const;
  struct End;
  End end_after(double quantile, double log_mass, double growth, double outwards) const;
  double relative_slope(double log_ratio_at_end) const {
    return excess_slope(log_ratio_at_end - log_ratio_mid_);
  }

  bool forward_;
  double log_q_, mu_, order_, shift_;
  double alpha_ = 0.0, log_lower_ = 0.0;
  double beta_ = std::numeric_limits<double>::quiet_NaN();  // upper quantile of the upper mass
  double a_ = 0.0, b_ = 0.0;
  double log_base_mid_ = 0.0;   // log B(mid)
  double log_ratio_mid_ = 0.0;  // log N(mid) / B(mid)
};

TailSplit::TailSplit(Direction direction, double log_q, double mu, double order)
    : forward_(direction == Direction::forward),
      log_q_(log_q),
      mu_(mu),
      order_(order),
      shift_(forward_ ? mu : 0.0) {}

void TailSplit::set(double alpha) {
  set(alpha, alpha == -kInfinity ? -kInfinity : log_normal_cdf(alpha));
}

void TailSplit::set(double alpha, double log_lower) {
  const double log_upper = log_q_ + log1mexp(std::min(log_lower - log_q_, 0.0));
  // Successive splits have nearly the same upper tail.
  place(alpha, log_lower,
        std::isfinite(beta_) ? normal_upper_quantile(log_upper, beta_)
                             : normal_upper_quantile(log_upper));
}

void TailSplit::set_upper(double beta) {
  const double log_lower = log_q_ + log1mexp(std::min(log_normal_cdf(-beta) - log_q_, 0.0));
  place(-normal_upper_quantile(log_lower), log_lower, beta);
}

void TailSplit::place(double alpha, double log_lower, double beta) {
  alpha_ = alpha;
  log_lower_ = log_lower;
  beta_ = beta;
  a_ = alpha_ + shift_;
  b_ = beta_ + shift_;
  // Mass of the tails under B less that under N: N(mid) = B(mid) + difference.
  const double difference = shift_difference(a_) - shift_difference(b_);
  const double log_rest = log1mexp(log_q_);
  const double relative = difference / std::exp(log_rest);
  if (forward_) {
    log_ratio_mid_ = relative < 0.5 ? -std::log1p(-relative) : log_rest - log_mid_mass(a_, b_);
    log_base_mid_ = log_rest - log_ratio_mid_;
  } else {
    log_ratio_mid_ =
        relative > -0.5 ? std::log1p(relative) : log_mid_mass(a_ - mu_, b_ - mu_) - log_rest;
    log_base_mid_ = log_rest;
  }
}

double TailSplit::log_excess() const {
  double total = b_ == kInfinity ? -kInfinity : log_gaussian_tail_excess(b_, mu_, order_);
  if (log_lower_ != -kInfinity) {
    total = log_add(total, log_gaussian_tail_excess(-a_, -mu_, order_));
  }
  return log_add(total, log_base_mid_ + log_power_excess(log_ratio_mid_, order_));
}

double TailSplit::log_gain_unit() const {
  return forward_ ? (order_ - 1.0) * log_ratio_mid_ : order_ * log_ratio_mid_;
}

double TailSplit::gain_slope() const {
  const double beta_slope = std::exp(log_normal_density(alpha_) - log_normal_density(beta_));
  const double lower = log_ratio(a_);
  const double upper = log_ratio(b_);
  double mid_slope = 0.0;  // of log_ratio_mid_
  if (forward_) {
    mid_slope = (std::exp(-lower) - std::exp(-upper)) *
                std::exp(log_normal_density(alpha_) - log_base_mid_);
  } else {
    mid_slope = (std::exp(upper) - std::exp(lower)) *
                std::exp(log_normal_density(alpha_) - log_base_mid_ - log_ratio_mid_);
  }
  return relative_slope(lower) * (mu_ - mid_slope) -
         relative_slope(upper) * (mu_ * beta_slope - mid_slope) -
         (forward_ ? mu_ * (1.0 - beta_slope) : 0.0);
}

double TailSplit::log_lower_benefit(double a) const {
  return std::log(order_ - 1.0) + std::max(order_ * log_ratio_mid_, 0.0) + log_normal_cdf(a);
}

double TailSplit::matching_lower_end() const {
  const double target = log_gain_upper();
  double x = 0.0;  // log ratio at a, less that of the middle
  const double log_small = std::log(0.5 * order_ * (order_ - 1.0));
  if (forward_) {
    // k falls from (order-1) e^-x far left through order (order-1) x^2 / 2 near the middle.
    x = -std::max(std::exp(0.5 * (target - log_small)), 0.0);
    x = std::max(x, -std::max(1.0 / order_, target - std::log(order_ - 1.0) + 1.0));
  } else {
    if (target >= std::log(order_ - 1.0)) return -kInfinity;
    x = -std::max(std::exp(0.5 * (target - log_small)), 0.0);
  }
  for (int i = 0; i < 100; ++i) {
    const double value = log_power_excess(x, order_) - (forward_ ? x : 0.0) - target;
    const double slope = excess_slope(x) - (forward_ ? 1.0 : 0.0);
    double step = -value / slope;
    step = std::clamp(step, -2.0 * std::abs(x) - 1.0, 0.5 * std::abs(x));
    x += step;
    if (std::abs(step) < 1e-3 * std::abs(x)) break;
  }
  return (x + log_ratio_mid_) / mu_ + 0.5 * mu_;
}

// An end of the middle while its tail grows: the largest density of the constrained distribution
// there, and the point it may reach.
struct TailSplit::End {
  double density, reached;
};

// quantile: how far out the end is, in the direction of its tail (-alpha or beta); log_mass: of the
// tail, which grows by at most q `growth`. outwards: -1 for the lower tail.
TailSplit::End TailSplit::end_after(double quantile, double log_mass, double growth,
                                    double outwards) const {
  // The hazard rate h of the tail rises outwards, with a slope below 1. So a step inwards by s
  // multiplies the mass by e^(s (h - s)) at least.
  const double hazard = std::exp(log_normal_density(quantile) - log_mass);
  const double grown = std::log1p(std::exp(log_q_ - log_mass) * growth);
  const double rest = hazard * hazard - 4.0 * grown;
  if (!(rest > 0.0)) return {kInfinity, 0.0};
  const double reached = quantile - 2.0 * grown / (hazard + std::sqrt(rest));
  return {std::exp(log_normal_density(std::max(reached, 0.0))), outwards * reached + shift_};
}

// Per unit of the constrained mass, with z the ratio N/B at an end over that of the middle, a mass
// that moves to the upper tail lowers its merit by A at a fixed middle, and the middle's own change
// raises it by u^2 if the mass comes from the middle, by u (u + v) if from the lower tail; likewise
// B, v^2 and v (u + v) of the lower. Where A >= u (u + v) and B >= v (u + v), both tails grow with
// q and the merit falls: the maximum is concave. Divided by what the sides share, forward
//
//     order (1/z_a - 1/z_b) phi(b) <= mu N(mid) (z_b^order - 1) / (z_b - 1)
//     order (1/z_a - 1/z_b) phi(a) <= mu N(mid) (y - y^(1-order)) / (y - 1),    y = 1/z_a,
//
// and in reverse
//
//     (order - 1) (z_b - z_a) phi(b) <= mu B(mid) (z_b^order - z_b) / (z_b - 1)
//     (order - 1) (z_b - z_a) phi(a) <= mu B(mid) (z_a - z_a^order) / (1 - z_a),
//
// phi the density of the constrained distribution. Each side is a monotone function of z_a, z_b and
// of the masses, and each of those is known between bounds while q grows.
bool TailSplit::is_concave(double growth) const {
  const double added = std::exp(log_q_) * growth;
  const double log_upper = log_q_ + log1mexp(std::min(log_lower_ - log_q_, 0.0));
  const End lower = end_after(-alpha_, log_lower_, growth, -1.0);
  const End upper = end_after(beta_, log_upper, growth, 1.0);
  // What leaves the middle has a ratio between those of the ends, which bounds that of the rest.
  const double constrained_mid = std::exp(log_base_mid_ + (forward_ ? log_ratio_mid_ : 0.0));
  const double share = added / constrained_mid;
  const double z_lower = std::exp(log_ratio(a_) - log_ratio_mid_);
  const double z_upper = std::exp(log_ratio(b_) - log_ratio_mid_);
  if (!(std::max(share, forward_ ? share / z_lower : share * z_upper) < 0.5)) return false;
  const auto ratio_without = [&](double z) {
    return forward_ ? log_ratio_mid_ + std::log1p(-share) - std::log1p(-share / z)
                    : log_ratio_mid_ + std::log1p(-share * z) - std::log1p(-share);
  };
  const double ratio_low = ratio_without(z_upper);
  const double ratio_high = ratio_without(z_lower);
  const double a_low = log_ratio(a_) - ratio_high;
  const double a_high = log_ratio(lower.reached) - ratio_low;
  const double b_low = log_ratio(upper.reached) - ratio_high;
  const double b_high = log_ratio(b_) - ratio_low;
  if (!(a_high < 0.0 && b_low > 0.0)) return false;
  if (!(std::max(order_ * b_high, -a_low) < kMaxRatio)) return false;
  const double room = kSure * mu_ * constrained_mid * (1.0 - share);
  if (forward_) {
    const double reach = order_ * (std::exp(-a_low) - std::exp(-b_high));
    return reach * upper.density <= room * std::expm1(order_ * b_low) / std::expm1(b_low) &&
           reach * lower.density <=
               room * std::exp(-a_low) * -std::expm1(order_ * a_low) / std::expm1(-a_low);
  }
  const double reach = (order_ - 1.0) * (std::exp(b_high) - std::exp(a_low));
  return reach * upper.density <=
             room * std::exp(b_low) * std::expm1((order_ - 1.0) * b_low) / std::expm1(b_low) &&
         reach * lower.density <=
             room * std::exp(a_low) * std::expm1((order_ - 1.0) * a_low) / std::expm1(a_low);
}

// Phi(x) - Phi(x - mu)
double TailSplit::shift_difference(double x) const {
  if (std::isinf(x)) return 0.0;
  if (mu_ < 1e-3) return -normal_step(x, -mu_);
  return x > 0.5 * mu_ ? normal_cdf(mu_ - x) - normal_cdf(-x) : normal_cdf(x) - normal_cdf(x - mu_);
}

double TailSplit::log_gain(double log_ratio_at_end) const {
  return log_power_excess(log_ratio_at_end - log_ratio_mid_, order_) -
         (forward_ ? log_ratio_at_end - log_ratio_mid_ : 0.0);
}

// d log power_excess(x) / dx
double TailSplit::excess_slope(double x) const {
  if (order_ * x > 300.0) return order_;
  return order_ * (std::expm1(order_ * x) - std::expm1(x)) / power_excess(x, order_);
}

// log W of the finest partition, in which everything is shown.
double finest_excess(double mu, double order) {
  return log_expm1(0.5 * order * (order - 1.0) * mu * mu);
}

// For N and B nearly disjoint the middle changes by orders of magnitude along the splits and the
// merits say little: scan, then refine around the best.
TwoTailMaximum maximum_by_scan(Direction direction, double log_q, double mu, double order) {
  TailSplit split(direction, log_q, mu, order);
  const double high = -normal_upper_quantile(log_q);
  split.set(-kInfinity);
  const TwoTailMaximum upper_only{split.log_excess(), -kInfinity, -kInfinity};
  split.set(high, log_q);
  const double lower_only = split.log_excess();
  // Each part of W is largest at one of the two ends: W(0) <= max W <= 2 (W(0) + W(q)).
  const double highest = std::numbers::ln2 + log_add(upper_only.log_excess, lower_only);
  if (highest < kUnderflow || upper_only.log_excess > finest_excess(mu, order) - kSaturated) {
    return upper_only;
  }
  TwoTailMaximum best = upper_only;
  if (lower_only > best.log_excess) best = {lower_only, log_q, high};
  // No part is larger than at the end where it is largest: max W <= W(0) + W(q). Mostly one of
  // these is nothing beside the other.
  if (std::abs(lower_only - upper_only.log_excess) > kNegligible) {
    best.log_excess = log_add(lower_only, upper_only.log_excess);
    return best;
  }
  // Either tail may be minute beside the other: each is scanned by the distance of its end from
  // where it would hold all of q.
  constexpr double kNearest = -30.0;
  constexpr double kStep = 0.25;
  const double farthest = std::log(40.0 + order * mu + std::abs(high));
  const int steps = static_cast<int>((farthest - kNearest) / kStep);
  for (const bool by_lower : {true, false}) {
    const auto negative_excess = [&](double log_distance) {
      const double distance = std::exp(log_distance);
      if (by_lower) {
        split.set(high - distance);
        return split.log_lower() < log_q ? -split.log_excess() : kInfinity;
      }
      split.set_upper(distance - high);
      return split.log_lower() > -kInfinity ? -split.log_excess() : kInfinity;
    };
    double nearest = kNearest;
    double least = kInfinity;
    for (int i = 0; i <= steps; ++i) {
      const double u = kNearest + kStep * i;
      const double value = negative_excess(u);
      if (value < least) {
        nearest = u;
        least = value;
      }
    }
    const auto [u, value] = boost::math::tools::brent_find_minima(negative_excess, nearest - kStep,
                                                                  nearest + kStep, 40);
    if (!(-value > best.log_excess)) continue;
    negative_excess(u);
    best = {-value, split.log_lower(), split.alpha()};
  }
  return best;
}

}  // namespace

double log_two_tail_excess(Direction direction, double log_q, double mu, double order,
                           double log_lower) {
  TailSplit split(direction, log_q, mu, order);
  const double alpha = log_lower == -kInfinity ? -kInfinity : -normal_upper_quantile(log_lower);
  split.set(alpha, log_lower);
  return split.log_excess();
}

TwoTailTangent two_tail_tangent(Direction direction, double log_q, double mu, double order,
                                double start, double width) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const TwoTailMaximum most = maximize_two_tails(direction, log_q, mu, order, start);
  // Without a lower tail the maximum is at an end of the splits, which these conditions do not see.
  if (mu > kLargeShift || !std::isfinite(most.alpha) || !(most.log_lower < log_q)) {
    return {most, kNone, kNone, false};
  }
  TailSplit split(direction, log_q, mu, order);
  split.set(most.alpha, most.log_lower);
  if (!split.is_concave(std::expm1(width))) return {most, kNone, kNone, false};
  // Between the merits of both ends is that of the best split.
  const double lower = split.log_gain_lower();
  const double upper = split.log_gain_upper();
  const double unit = split.log_gain_unit();
  return {most, std::min(lower, upper) + unit, std::max(lower, upper) + unit, true};
}

TwoTailMaximum maximize_two_tails(Direction direction, double log_q, double mu, double order,
                                  double start) {
  if (mu > kLargeShift) return maximum_by_scan(direction, log_q, mu, order);
  TailSplit split(direction, log_q, mu, order);
  double high = -normal_upper_quantile(log_q);
  double low = -kInfinity;
  double alpha = start;
  if (!(std::isfinite(alpha) && alpha < high)) {
    split.set(-kInfinity);
    const double upper_only = split.log_excess();
    if (upper_only > finest_excess(mu, order) - kSaturated) {
      return {upper_only, -kInfinity, -kInfinity};
    }
    const double a = split.matching_lower_end();
    if (a == -kInfinity || split.log_lower_benefit(a) < upper_only - kNegligible) {
      return {upper_only, -kInfinity, -kInfinity};
    }
    alpha = std::min(a - split.shift(), -normal_upper_quantile(log_q - 0.7));
  }
  double log_missed = -kInfinity;
  for (int i = 0; i < 200; ++i) {
    split.set(alpha);
    const double lower = split.log_gain_lower();
    const double upper = split.log_gain_upper();
    const double imbalance = lower - upper;
    (imbalance > 0.0 ? low : high) = alpha;
    double next = alpha - imbalance / split.gain_slope();
    if (!(next > low && next < high)) {
      next = low == -kInfinity ? alpha - 1.0 - 0.5 * std::abs(alpha) : 0.5 * (low + high);
    }
    // What the step could still gain is at most its mass times the present slope.
    const double step = std::abs(next - alpha);
    const double gain = std::max(lower, upper) + split.log_gain_unit();
    log_missed = gain + std::log(-std::expm1(-std::abs(imbalance))) + std::log(step) +
                 log_normal_density(std::min(std::max(alpha, next), 0.0));
    // If the maximum is further out, no more than the whole lower tail can be gained.
    if (imbalance <= 0.0) log_missed = std::min(log_missed, gain + split.log_lower());
    // Far out a step inwards weighs nothing and says nothing: it must be short, too.
    const bool trusted = imbalance <= 0.0 || step < 1e-2 * std::max(std::abs(alpha), 1.0);
    if (trusted && log_missed < gain + log_q - kConverged) break;
    if (step < 1e-14 * std::abs(alpha)) break;
    alpha = next;
  }
  const double log_excess = log_add(split.log_excess(), log_missed);
  // Where everything is shown already, so it is at larger orders: no start to go on from.
  const bool saturated = log_excess > finest_excess(mu, order) - kSaturated;
  return {log_excess, split.log_lower(), saturated ? -kInfinity : split.alpha()};
}

}  // namespace pate
