#include "pate/divergence/bounds/two_tails.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numbers>

#include "pate/divergence/bounds/split_ceiling.hpp"
#include "pate/divergence/bounds/tail_split.hpp"
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
// That the maximum is the only one is proved at orders of 2 and more, and up to this difference
// below (README of this folder, "One maximum").
constexpr double kLargestLowOrderShift = std::numbers::sqrt2;
// Excesses below e^-720 are zero for every purpose.
constexpr double kUnderflow = -720.0;

// An excess this close (log) to that of the finest partition has nowhere to go.
constexpr double kSaturated = 1e-13;

bool is_only_maximum(double mu, double order) {
  return order >= 2.0 || mu <= kLargestLowOrderShift;
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
  if (!is_only_maximum(mu, order)) {
    best.log_excess = max_or_nan(best.log_excess,
                                 log_split_ceiling(direction, log_q, mu, order, best.log_excess));
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

TwoTailMaximum maximize_two_tails(Direction direction, double log_q, double mu, double order,
                                  double start) {
  if (mu > kLargeShift || !is_only_maximum(mu, order)) {
    return maximum_by_scan(direction, log_q, mu, order);
  }
  TailSplit split(direction, log_q, mu, order);
  double high = kInfinity;  // or where the lower tail has all of q, which is seldom asked for
  double low = -kInfinity;
  double alpha = start;
  if (!(std::isfinite(alpha) && log_normal_cdf(alpha) < log_q)) {
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
    if (!(next > low && next < high && (next <= alpha || log_normal_cdf(next) < log_q))) {
      if (high == kInfinity) high = -normal_upper_quantile(log_q);
      next = low == -kInfinity ? alpha - 1.0 - 0.5 * std::abs(alpha) : 0.5 * (low + high);
    }
    // What the step could still gain is at most its mass times the present slope.
    const double step = std::abs(next - alpha);
    const double gain = std::max(lower, upper) + split.log_gain_unit();
    log_missed = gain + std::log(-std::expm1(-std::abs(imbalance)) * step) +
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
