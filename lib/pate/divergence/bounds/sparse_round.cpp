#include "pate/divergence/bounds/sparse_round.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// From so many queries on one maximum counts for a share of them, which rounds V outwards.
constexpr std::int64_t kSingleQueries = 32;

// What one query adds to V: the maximum over x = Phi^-1(g) of h - g V. With k = order - 1,
// s = 2/sigma and the inverse Mills ratio l = phi/Phi,
//
//     d/dx (h - Phi V) = phi ( R (1 - k m) - V ),   R = (Phi(x)/Phi(x - s))^k,  m = l(x - s)/l(x) -
//     1
//
// R falls and m rises with x (l is log-concave): there is one maximum, where R (1 - k m) = V, and h
// - g V is Phi R k m there. As V grows it moves down.
class QueryGain {
 public:
  QueryGain(double sigma, double order) : k_(order - 1.0), shift_(2.0 / sigma) {}

  // log max(h - g V), for V that does not decrease from call to call.
  double log_of(double log_v) {
    root_ = root(log_v);
    const Slope at = slope(root_, log_v);
    return log_normal_cdf(root_) + at.log_r + std::log(at.less);
  }

 private:
  struct Slope {
    double log_r;  // log R
    double less;   // k m
    double value;  // log R + log(1 - k m) - log V, of the sign of the derivative; falls with x
    double change;
  };
  [[nodiscard]] Slope slope(double x, double log_v) const {
    const double log_growth = log_normal_cdf_ratio(x - shift_, shift_);  // of Phi
    const double l = 1.0 / mills_ratio(-x);
    // Near shifts cancel in the ratio, far ones in its logarithm.
    const double m = shift_ < kNearShift
                         ? std::expm1(x * shift_ - 0.5 * shift_ * shift_ + log_growth)
                         : 1.0 / (l * mills_ratio(shift_ - x)) - 1.0;
    Slope result{k_ * log_growth, k_ * m, -kInfinity, 0.0};
    if (!(result.less < 1.0)) return result;
    result.value = result.log_r + std::log1p(-result.less) - log_v;
    result.change = -k_ * m * l - k_ * (1.0 + m) * (shift_ - m * l) / (1.0 - result.less);
    return result;
  }

  // By Newton's method between two points of either sign, halving where that leads nowhere.
  [[nodiscard]] double root(double log_v) const {
    double high = root_;
    double low = high;
    double step = 0.25;
    while (!(slope(low, log_v).value > 0.0)) {
      if (!(step < kFar)) return std::numeric_limits<double>::quiet_NaN();
      high = low;
      low -= step;
      step *= 2.0;
    }
    double x = low;
    for (int i = 0; i < kIterations; ++i) {
      const Slope at = slope(x, log_v);
      (at.value > 0.0 ? low : high) = x;
      double next = x - at.value / at.change;
      if (!(next > low && next < high)) next = low + 0.5 * (high - low);
      const bool is_near = !(std::abs(next - x) > kTolerance * (1.0 + std::abs(x)));
      x = next;
      if (is_near) break;
    }
    return x;
  }

  static constexpr double kNearShift = 0.25;
  static constexpr double kFar = 1e145;
  static constexpr double kTolerance = 1e-11;
  static constexpr int kIterations = 200;
  double k_, shift_;
  double root_ = 30.0;  // above those that are still to come
};

}  // namespace

double log_sparse_moment(const SparseRound& round, double order) {
  if (!(round.sigma > 0.0) || round.queries < 0 || !(order > 1.0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  QueryGain gain(round.sigma, order);
  double log_excess = -kInfinity;  // of V above 1
  for (std::int64_t k = 0; k < round.queries;) {
    // V only rises, and what a query adds falls with V: what the first of some adds bounds all.
    const std::int64_t some =
        std::min(std::max<std::int64_t>(1, k / kSingleQueries), round.queries - k);
    const double log_v = log1pexp(log_excess);
    log_excess = log_add(log_excess, std::log(static_cast<double>(some)) + gain.log_of(log_v));
    k += some;
  }
  return with_margin(log1pexp(log_excess));
}

double sparse_round_cost(const SparseRound& round, double order) {
  const double threshold = 0.5 * order / round.threshold_sigma() / round.threshold_sigma();
  const double log_moment = log_sparse_moment(round, order);
  const bool is_valid = round.sigma > 0.0 && round.queries >= 0 && order > 1.0;
  // What no double holds costs no less.
  if (is_valid && std::isnan(log_moment)) return kInfinity;
  return with_margin(threshold + log_moment / (order - 1.0));
}

}  // namespace pate
