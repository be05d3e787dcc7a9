// The curvature of the maximum of W while q grows: `TailSplit::most_curvature`.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pate/divergence/bounds/tail_split.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Room for rounding in the conditions of concavity, and logarithms whose exponentials have some.
constexpr double kSure = 1.0 - 1e-6;
constexpr double kMaxRatio = 300.0;

}  // namespace

// An end of the middle while its tail grows: the densities of the constrained distribution there,
// and the point it may reach.
struct TailSplit::End {
  double least_density = 0.0, density = 0.0, reached = 0.0;
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
  if (!(rest > 0.0)) return {0.0, kInfinity, 0.0};
  const double reached = quantile - 2.0 * grown / (hazard + std::sqrt(rest));
  const double nearest = reached > 0.0 ? reached : std::min(quantile, 0.0);
  const double farthest = std::max(std::abs(quantile), std::abs(reached));
  return {std::exp(log_normal_density(farthest)), std::exp(log_normal_density(nearest)),
          outwards * reached + shift_};
}

// Where the split may get to while q grows. Logarithms of the ratio N/B at the ends over that of
// the middle: a of the lower, b of the upper one.
struct TailSplit::Reach {
  bool is_sure = false;
  double a_low = 0.0, a_high = 0.0, b_low = 0.0, b_high = 0.0;
  double unit_low = 0.0, unit_high = 0.0;  // of log_gain_unit, less what it is now
  double mid_low = 0.0, mid_high = 0.0;    // the middle's constrained mass
  End lower = {}, upper = {};
};

// lower_share, upper_share: the most of what q grows by that may go to either tail.
TailSplit::Reach TailSplit::reach(double growth, double lower_share, double upper_share) const {
  Reach to;
  const double added = std::exp(log_q_) * growth;
  const double log_upper = log_q_ + log1mexp(std::min(log_lower_ - log_q_, 0.0));
  const bool has_lower = log_lower_ != -kInfinity;
  to.lower = has_lower ? end_after(-alpha_, log_lower_, growth * lower_share, -1.0)
                       : End{0.0, 0.0, -kInfinity};
  to.upper = end_after(beta_, log_upper, growth * upper_share, 1.0);
  to.mid_high = std::exp(log_base_mid_ + (forward_ ? log_ratio_mid_ : 0.0));
  const double share = added / to.mid_high;
  const double z_lower = has_lower ? std::exp(log_ratio(a_) - log_ratio_mid_) : 1.0;
  const double z_upper = std::exp(log_ratio(b_) - log_ratio_mid_);
  if (!(std::max(share, forward_ ? share / z_lower : share * z_upper) < 0.5)) return to;
  to.mid_low = to.mid_high * (1.0 - share);
  // What leaves the middle has a ratio between those of an end and of the middle, which bounds that
  // of the rest.
  const auto log_ratio_without = [&](double z, double from_end) {
    const double other = share * (from_end * (forward_ ? 1.0 / z : z) + 1.0 - from_end);
    return (std::log1p(-share) - std::log1p(-other)) * (forward_ ? 1.0 : -1.0);
  };
  const double change_low = log_ratio_without(z_upper, upper_share);
  const double change_high = log_ratio_without(z_lower, lower_share);
  const double power = forward_ ? order_ - 1.0 : order_;
  to.unit_low = power * change_low;
  to.unit_high = power * change_high;
  to.a_low = log_ratio(a_) - log_ratio_mid_ - change_high;
  to.a_high = log_ratio(to.lower.reached) - log_ratio_mid_ - change_low;
  to.b_low = log_ratio(to.upper.reached) - log_ratio_mid_ - change_high;
  to.b_high = log_ratio(b_) - log_ratio_mid_ - change_low;
  // On their sides of the middle, also of the middle as it is now.
  to.is_sure = to.a_high < std::min(0.0, -change_low) && to.b_low > std::max(0.0, -change_high) &&
               std::max(order_ * to.b_high, has_lower ? -to.a_low : 0.0) < kMaxRatio;
  return to;
}

// Per unit of the constrained mass, a mass that moves to the upper tail lowers its merit by A at a
// fixed middle, and the middle's own change raises it by u^2 if the mass comes from the middle, by
// u (u + v) if from the lower tail; likewise B, v^2 and v (u + v) of the lower. With z the log
// ratio at an end over that of the middle, phi the density of the constrained distribution there,
// and in units of e^log_gain_unit: forward
//
//     A = (order - 1) mu (e^((order-1) z_b) - e^-z_b) / phi(b)
//     B = (order - 1) mu (e^-z_a - e^((order-1) z_a)) / phi(a)
//     u = c (1 - e^-z_b),  v = c (e^-z_a - 1),  c^2 = order (order - 1) / N(mid)
//
// and in reverse
//
//     A = order mu (e^(order z_b) - e^z_b) / phi(b)
//     B = order mu (e^z_a - e^(order z_a)) / phi(a)
//     u = c (e^z_b - 1),  v = c (1 - e^z_a),  c^2 = order (order - 1) / B(mid).
//
// These are bounds of them on a reach, from those of what they depend on.
struct TailSplit::Curvatures {
  double upper_least, upper_most, lower_least, lower_most;  // A, B
  double u_least, u_most, v_least, v_most;
};

TailSplit::Curvatures TailSplit::curvatures(const Reach& to) const {
  const double low = std::exp(to.unit_low);
  const double high = std::exp(to.unit_high);
  const double times = (forward_ ? order_ - 1.0 : order_) * mu_;
  // Of the merit's slope by z, without the factors above.
  const auto upper = [&](double b) {
    return forward_ ? std::exp(-b) * std::expm1(order_ * b)
                    : std::exp(b) * std::expm1((order_ - 1.0) * b);
  };
  const auto lower = [&](double a) {
    return forward_ ? std::exp(-a) * -std::expm1(order_ * a)
                    : std::exp(a) * -std::expm1((order_ - 1.0) * a);
  };
  const std::array lower_at{lower(to.a_low), lower(to.a_high)};
  // In reverse it rises and falls: z - z^order is concave, with its maximum where order z^(order-1)
  // is 1.
  const double peak = -std::log(order_) / (order_ - 1.0);
  const double top = !forward_ && to.a_low < peak && peak < to.a_high
                         ? lower(peak)
                         : std::max(lower_at[0], lower_at[1]);
  const double scale = order_ * (order_ - 1.0);
  const double root_low = std::sqrt(scale * low / to.mid_high);
  const double root_high = std::sqrt(scale * high / to.mid_low);
  const auto u = [&](double b) { return forward_ ? -std::expm1(-b) : std::expm1(b); };
  const auto v = [&](double a) { return forward_ ? std::expm1(-a) : -std::expm1(a); };
  return {times * low * upper(to.b_low) / to.upper.density,
          times * high * upper(to.b_high) / to.upper.least_density,
          times * low * std::min(lower_at[0], lower_at[1]) / to.lower.density,
          times * high * top / to.lower.least_density,
          root_low * u(to.b_low),
          root_high * u(to.b_high),
          root_low * v(to.a_high),
          root_high * v(to.a_low)};
}

// Of what q grows by, the lower tail gets P / (P + R) and the upper one R / (P + R).
struct TailSplit::Shares {
  double p_least, p_most;  // P = A - u (u + v)
  double r_least, r_most;  // R = B - v (u + v)

  explicit Shares(const Curvatures& of)
      : p_least(kSure * of.upper_least - of.u_most * (of.u_most + of.v_most)),
        p_most(of.upper_most - of.u_least * (of.u_least + of.v_least)),
        r_least(kSure * of.lower_least - of.v_most * (of.u_most + of.v_most)),
        r_most(of.lower_most - of.v_least * (of.u_least + of.v_least)) {}

  // Both tails grow, and the merit falls.
  bool are_positive() const { return p_least > 0.0 && r_least > 0.0; }
  double lower_most() const { return p_most / (p_most + r_least); }
  double upper_most() const { return r_most / (r_most + p_least); }
};

double TailSplit::most_curvature(double growth) const {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (log_lower_ == -kInfinity) {
    // The upper tail gets all of it, and what counts is u^2 - A.
    const Reach to = reach(growth, 0.0, 1.0);
    if (!to.is_sure) return kNone;
    const Curvatures its = curvatures(to);
    const double curvature = its.u_most * its.u_most - kSure * its.upper_least;
    return curvature <= 0.0 ? curvature : kNone;
  }
  const Reach here = reach(0.0, 1.0, 1.0);
  if (!here.is_sure) return kNone;
  const Shares now(curvatures(here));
  if (!now.are_positive()) return kNone;
  if (growth == 0.0) return 0.0;
  // Suppose shares of some more than what they are now: if none is larger wherever the split then
  // can get to, none is, as the split moves steadily.
  constexpr double kMore = 1.5;
  const double lower_share = std::min(1.0, kMore * now.lower_most());
  const double upper_share = std::min(1.0, kMore * now.upper_most());
  const Reach to = reach(growth, lower_share, upper_share);
  if (!to.is_sure) return kNone;
  const Curvatures its = curvatures(to);
  const Shares then(its);
  if (!(then.are_positive() && kSure * lower_share >= std::min(then.lower_most(), kSure) &&
        kSure * upper_share >= std::min(then.upper_most(), kSure))) {
    return kNone;
  }
  // The largest of s^2 x + (1-s)^2 y + 2 s (1-s) w over the share s that the upper tail gets, with
  // x, y and w the second derivatives of W.
  const double x = its.u_most * its.u_most - kSure * its.upper_least;
  const double y = its.v_most * its.v_most - kSure * its.lower_least;
  const double w = -kSure * its.u_least * its.v_least;
  if (!(x < w && y < w)) return 0.0;  // concave all the same
  return std::min(0.0, (x * y - w * w) / (x + y - 2.0 * w));
}

}  // namespace pate
