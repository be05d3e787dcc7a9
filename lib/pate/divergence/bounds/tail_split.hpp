#pragma once

#include <limits>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

// log of Phi(b) - Phi(a), a <= b, also where that is small.
double log_mid_mass(double a, double b);

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

  // Logs of what the lower tail, the upper tail and the middle add to W.
  struct Parts {
    double lower, upper, middle;
  };
  Parts parts() const;
  // log of the excess moment W of this split.
  double log_excess() const;

  // log of the ratio N / B at the lower and the upper end; -inf and inf where there is no such
  // tail.
  double log_ratio_lower() const { return log_ratio(a_); }
  double log_ratio_upper() const { return log_ratio(b_); }
  // Both ends as standard normal quantiles of the distribution that is not constrained.
  double free_lower() const { return a_ - free_mean(); }
  double free_upper() const { return b_ - free_mean(); }

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

  double alpha() const { return alpha_; }
  double log_lower() const { return log_lower_; }
  // a - alpha: the mean of the constrained distribution.
  double shift() const { return shift_; }

 private:
  void place(double alpha, double log_lower, double beta);
  double free_mean() const { return forward_ ? 0.0 : mu_; }
  double log_ratio(double x) const { return mu_ * (x - 0.5 * mu_); }
  double shift_difference(double x) const;
  double log_gain(double log_ratio_at_end) const;
  double excess_slope(double x) const;
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

}  // namespace pate
