#include "verify/reference.hpp"

namespace verify {

namespace {

// log Pr[N > x] in long doubles, for searches.
long double rough_log_above(long double x) {
  if (x < 100) return std::log(std::erfc(x * std::sqrt(0.5L)) / 2);
  const long double x2 = x * x;
  return -x2 / 2 - std::log(x) - 0.91893853320467274178L + std::log1p(-1 / x2 + 3 / x2 / x2);
}

long double rough_log_rest(long double x) {
  return x < -1 ? std::log1p(-std::exp(x)) : std::log(-std::expm1(x));
}

// Every split of q puts r in the lower tail, below s, and q - r in the upper, above t.
class Split {
 public:
  Split(const Real& log_q, const Real& mu, const Real& order, bool reverse)
      : log_q_(log_q),
        mu_(mu),
        order_(order),
        growth_(exp(order * (order - 1) * mu * mu / 2)),
        z_(rough_quantile_above(static_cast<long double>(log_q))),
        reverse_(reverse) {}

  Real largest() const {
    // Tails without the other one; then wherever moving mass between them gains nothing.
    Real result = excess(-1e18, quantile_above(log_q_));
    const Real lower_only = excess(-quantile_above(log_q_), 1e18);
    if (lower_only > result) result = lower_only;
    for (const bool by_lower : {true, false}) {
      constexpr int kPoints = 48;
      long double before = 0;
      for (int i = 0; i <= kPoints; ++i) {
        const double u = -16.0 + 36.0 * i / kPoints;
        const long double gain = rough_gain(u, by_lower);
        // The lower tail shrinks with u by the lower end, and grows by the upper.
        if (i > 0 && (by_lower ? before < 0 && gain > 0 : before > 0 && gain < 0)) {
          double a = u - 36.0 / kPoints;
          double b = u;
          for (int k = 0; k < 40; ++k) {
            const double middle = 0.5 * (a + b);
            ((rough_gain(middle, by_lower) > 0) == (before > 0) ? a : b) = middle;
          }
          const Real found = at(0.5 * (a + b), by_lower);
          if (found > result) result = found;
        }
        before = gain;
      }
    }
    return result;
  }

  /// By the distance e^u of an end from where it is when its tail holds all of q.
  Real at(double u, bool by_lower) const {
    const Real far = exp(Real(u)) + z_;
    const Real part = above(far) / exp(log_q_);
    const Real other = part < 1 ? quantile_above<Real>(log_q_ + log1p(-part)) : Real(1e18);
    return by_lower ? excess(-far, other) : excess(-other, far);
  }

 private:
  Real excess(const Real& s, const Real& t) const {
    const Real high = above<Real>(t + mu_);
    const Real low = below<Real>(s + mu_);
    const Real tails = high + low;
    const Real log_mid =
        tails < Real(0.5) ? Real(log1p(-tails)) : Real(log(above<Real>(s + mu_) - high));
    const Real log_not_q = log_rest(log_q_);
    if (!reverse_) {
      const Real shift = (order_ - 1) * mu_;
      const Real merged = expm1(order_ * log_not_q + (1 - order_) * log_mid);
      return merged + growth_ * (above<Real>(t - shift) + below<Real>(s - shift));
    }
    const Real shift = order_ * mu_;
    const Real merged = expm1(order_ * log_mid + (1 - order_) * log_not_q);
    return merged + growth_ * (below<Real>(s + shift) + above<Real>(t + shift));
  }

  // Whether a unit of mass gains (> 0) where it moves from the upper tail to the lower. With y the
  // log likelihood ratio at an end less that of the merged middle, and expm1_minus_x(z) = e^z - 1 -
  // z, a point of the constrained distribution is worth, but for constants that do not depend on y,
  //     forward   expm1_minus_x((order-1) y) + (order-1) expm1_minus_x(-y)
  //     reverse   e^-y ( expm1_minus_x(-(order-1) y) + (order-1) expm1_minus_x(y) ).
  long double rough_gain(double u, bool by_lower) const {
    const auto log_q = static_cast<long double>(log_q_);
    const auto mu = static_cast<long double>(mu_);
    const long double far = z_ + std::exp(static_cast<long double>(u));
    const long double part = rough_log_above(far) - log_q;
    const long double other =
        part < 0 ? rough_quantile_above(log_q + std::min(rough_log_rest(part), 0.0L)) : 1e9L;
    const long double s = by_lower ? -far : -other;
    const long double t = by_lower ? other : far;
    const long double tails =
        std::exp(rough_log_above(t + mu)) + std::exp(rough_log_above(-s - mu));
    const long double log_s = rough_log_above(s + mu);
    const long double log_mid =
        tails < 0.5L ? std::log1p(-tails)
                     : log_s + rough_log_rest(std::min(rough_log_above(t + mu) - log_s, -1e-300L));
    const long double ratio = log_mid - rough_log_rest(log_q);
    return worth(mu * s + mu * mu / 2 + ratio) - worth(mu * t + mu * mu / 2 + ratio);
  }

  static long double log_expm1_minus_x(long double z) {
    if (z > 1000) return z;
    if (std::abs(z) > 0.01L) return std::log(std::expm1(z) - z);
    return 2 * std::log(std::abs(z)) +
           std::log(0.5L + z / 6 + z * z / 24 + z * z * z / 120 + z * z * z * z / 720);
  }

  long double worth(long double y) const {
    const auto less = static_cast<long double>(order_ - 1);
    const long double sign = reverse_ ? -1 : 1;
    const long double a = log_expm1_minus_x(sign * less * y);
    const long double b = std::log(less) + log_expm1_minus_x(-sign * y);
    const long double larger = std::max(a, b);
    const long double sum = larger + std::log1p(std::exp(std::min(a, b) - larger));
    return reverse_ ? sum - y : sum;
  }

  Real log_q_, mu_, order_, growth_;
  long double z_;
  bool reverse_;
};

}  // namespace

long double rough_quantile_above(long double log_p) {
  if (log_p > -0.69314718055994530942L) {
    return log_p < 0 ? -rough_quantile_above(rough_log_rest(log_p)) : -100.0L;
  }
  long double x = log_p > -2 ? 0.0L : std::sqrt(-2 * log_p) - 0.5L;
  for (int i = 0; i < 60; ++i) {
    const long double log_above = rough_log_above(x);
    const long double step =
        (log_above - log_p) * std::exp(log_above + x * x / 2 + 0.91893853320467274178L);
    x += step;
    if (!(std::abs(step) > 1e-18L * std::abs(x))) break;
  }
  return x;
}

Both gaussian_tradeoff(const Real& log_q, const Real& mu, const Real& order) {
  return {Split(log_q, mu, order, false).largest(), Split(log_q, mu, order, true).largest()};
}

Both laplace_tradeoff(const Real& log_q, const Real& gamma, const Real& order) {
  const Real eps = 2 * gamma;
  const Real a = 1 / (1 + exp(-eps));
  const Real b = exp(-eps) * a;
  const Real q = exp(log_q);
  Both result{-1, -1};
  const Real low = q > a ? Real((q - a) / b) : Real(0);
  const Real high = q < b ? Real(q / b) : Real(1);
  for (const Real& w1 : {low, high}) {
    const Real w0 = (q - w1 * b) / a;
    const Real other = w0 * b + w1 * a;
    // 1 - w0 b - w1 a, which may be tiny: (1 - w0) b + (1 - w1) a.
    const Real mid = (1 - w0) * b + (1 - w1) * a;
    const Real log_mid = other < Real(0.5) ? Real(log1p(-other)) : Real(log(mid));
    const Real forward = expm1(order * log_rest(log_q) + (1 - order) * log_mid) +
                         w0 * a * exp((order - 1) * eps) + w1 * b * exp((1 - order) * eps);
    const Real reverse = expm1(order * log_mid + (1 - order) * log_rest(log_q)) +
                         w0 * b * exp((1 - order) * eps) + w1 * a * exp((order - 1) * eps);
    if (forward > result.forward) result.forward = forward;
    if (reverse > result.reverse) result.reverse = reverse;
  }
  return result;
}

Real gaussian_cost(const Real& sigma, const Real& order) {
  return order / (sigma * sigma);
}

Real laplace_cost(const Real& gamma, const Real& order) {
  const Real up = order / (2 * order - 1) * expm1((order - 1) * gamma);
  const Real down = (order - 1) / (2 * order - 1) * expm1(-order * gamma);
  return 2 * log1p(up + down) / (order - 1);
}

Real published_gaussian(const Real& log_q, const Real& sigma, const Real& order) {
  const Real independent = gaussian_cost(sigma, order);
  const Real mu2 = sigma * sqrt(-log_q);
  const Real mu1 = mu2 + 1;
  const Real eps1 = mu1 / (sigma * sigma);
  const Real eps2 = mu2 / (sigma * sigma);
  if (!(order <= mu1 && mu2 > 1 && -log_q > eps2)) return independent;
  if (!(log_q <= (mu2 - 1) * eps2 - mu2 * (log(mu1 / (mu1 - 1)) + log(mu2 / (mu2 - 1))))) {
    return independent;
  }
  const Real log_a = log_rest(log_q) - log_rest(Real((log_q + eps2) * (mu2 - 1) / mu2));
  const Real log_b = eps1 - log_q / (mu1 - 1);
  const Real excess =
      expm1(log_rest(log_q) + (order - 1) * log_a) + exp(log_q + (order - 1) * log_b);
  const Real cost = cost_of(excess, order);
  return cost < independent ? cost : independent;
}

Real one_laplace_cost(const Real& b, const Real& order) {
  // Each with what is left of 1, which 100 digits do not tell from 1 where p is next to nothing.
  struct Chance {
    Real p, rest;
  };
  const auto divergence = [&](const Chance& one, const Chance& other) {
    const Real moment = pow(one.p, order) * pow(other.p, 1 - order) +
                        pow(one.rest, order) * pow(other.rest, 1 - order);
    return Real(log(moment) / (order - 1));
  };
  const Chance tie{Real(1) / 2, Real(1) / 2};
  const Real less = exp(-1 / b) / 2;
  const Chance behind{less, 1 - less};
  const Real by_one = exp(-1 / (2 * b)) / 2;
  return std::max({divergence(tie, behind), divergence(behind, tie),
                   divergence({by_one, 1 - by_one}, {1 - by_one, by_one})});
}

Real published_laplace(const Real& log_q, const Real& gamma, const Real& order) {
  const Real eps = 2 * gamma;
  Real independent = eps * eps * order / 2;
  if (eps < independent) independent = eps;
  if (!(log_q <= -log1p(exp(eps)))) return independent;
  const Real log_a = log_rest(log_q) - log_rest(Real(eps + log_q));
  const Real excess = expm1(log_rest(log_q) + (order - 1) * log_a) + exp(log_q + eps * (order - 1));
  const Real cost = cost_of(excess, order);
  return cost < independent ? cost : independent;
}

Real optimal_epsilon(const Real& rdp, const Real& order, const Real& delta) {
  if (rdp == 0) return 0;
  if (order * delta >= 1) return std::max(Real(0), Real(rdp + log1p(-delta)));
  const Real slope = order - 1;
  const Real excess = expm1(slope * rdp);
  const auto log_t = [&](const Real& position) {
    const Real y = exp(-exp(position));
    const Real y_b = exp(-slope * exp(position));
    // Where the digits do not suffice, the first term of its series does.
    const Real psi = position < -50 ? Real(order * slope / 2 * exp(2 * position))
                                    : Real(1 - y_b * (order - slope * y));
    const Real x_b = y_b + (excess + psi) / (order * delta);
    const Real x = exp(log(x_b) / slope);
    return Real(log(slope / order * (x_b * x - y_b * y) / (x_b - y_b)));
  };
  Real low = std::min(Real(-45), std::max(Real(-200), Real(log(rdp) / 2 - 20)));
  Real high = log(Real(745) / slope);
  const Real golden = (sqrt(Real(5)) - 1) / 2;
  Real left = high - golden * (high - low);
  Real right = low + golden * (high - low);
  Real at_left = log_t(left);
  Real at_right = log_t(right);
  for (int i = 0; i < 70; ++i) {
    if (at_left > at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = log_t(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = log_t(left);
    }
  }
  return std::max(Real(0), std::min(at_left, at_right));
}

}  // namespace verify
