#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// The formulas of the library once more, at 100 digits, as the papers and the READMEs print them:
// with so many digits nothing need be arranged against cancellation. Nothing of the library is
// used. What is searched for is found in doubles and evaluated at 100 digits.

namespace verify {

namespace mp = boost::multiprecision;
template <unsigned digits>
using Digits =
    mp::number<mp::cpp_bin_float<digits, mp::digit_base_10, void, std::int64_t>, mp::et_off>;
using Real = Digits<100>;

template <class R>
R pi() {
  static const R value = 4 * atan(R(1));
  return value;
}

template <class R>
R square(const R& x) {
  return x * x;
}

/// The density of the standard normal distribution.
template <class R>
R density(const R& x) {
  static const R scale = 1 / sqrt(2 * pi<R>());
  return scale * exp(-x * x / 2);
}

/// Pr[N(0,1) > x]: the series of odd powers below 9, the continued fraction above.
template <class R>
R above(const R& x) {
  if (x < 0) return 1 - above<R>(R(-x));
  if (x < 9) {
    static const std::vector<R> shares = [] {
      std::vector<R> of;
      for (int k = 1; k < 2000; k += 2) of.push_back(R(1) / k);
      return of;
    }();
    const R x2 = x * x;
    R term = x;
    R sum = x;
    const R least = std::numeric_limits<R>::epsilon();
    for (std::size_t k = 1; term > least * sum; ++k) {
      term *= x2 * shares[k];
      sum += term;
    }
    return R(0.5) - density(x) * sum;
  }
  // Convergents of 1/(x + 1/(x + 2/(x + 3/(x + ...)))).
  const double root =
      2.31 * std::numeric_limits<R>::digits10 / (2.83 * std::min(static_cast<double>(x), 1e6));
  const int terms = 12 + static_cast<int>(root * root);
  R p0 = 0, p1 = 1, q0 = 1, q1 = x;
  for (int k = 1; k <= terms; ++k) {
    const R p2 = x * p1 + k * p0;
    const R q2 = x * q1 + k * q0;
    p0 = p1;
    p1 = p2;
    q0 = q1;
    q1 = q2;
  }
  return density(x) * p1 / q1;
}

template <class R>
R below(const R& x) {
  return above<R>(R(-x));
}

/// log Pr[N(0,1) > x].
template <class R>
R log_above(const R& x) {
  return x < 0 ? R(log1p(-above<R>(R(-x)))) : R(log(above(x)));
}

/// log(1 - e^x) for x < 0.
template <class R>
R log_rest(const R& x) {
  return x < -1 ? R(log1p(-exp(x))) : R(log(-expm1(x)));
}

/// The x with Pr[N > x] = e^log_p; in long doubles, and polished.
long double rough_quantile_above(long double log_p);
template <class R>
R quantile_above(const R& log_p) {
  if (log_p > -0.6931471805599453) return -quantile_above<R>(log_rest(log_p));
  R x = rough_quantile_above(static_cast<long double>(log_p));
  for (int i = 0; i < 8; ++i) {
    const R p = above(x);
    const R step = (log(p) - log_p) * p / density(x);
    x += step;
    // Every step doubles the digits.
    if (abs(step) < R(1e-40) * (1 + abs(x))) break;
  }
  return x;
}

/// Renyi costs of one excess moment.
template <class R>
R cost_of(const R& excess, const R& order) {
  return log1p(excess) / (order - 1);
}

struct Both {
  Real forward = 0;
  Real reverse = 0;
  Real larger() const { return forward > reverse ? forward : reverse; }
};

/// a^order b^(1-order) summed over two outcomes p, 1 - p against p', 1 - p', minus 1; from
/// logarithms of all four.
inline Real bernoulli_excess(const Real& log_p, const Real& log_not, const Real& log_p2,
                             const Real& log_not2, const Real& order) {
  const Real a = order * log_p + (1 - order) * log_p2;
  const Real b = order * log_not + (1 - order) * log_not2;
  // The likelier outcome's term, less one, and the other's.
  return log_p > log_not ? Real(expm1(a) + exp(b)) : Real(expm1(b) + exp(a));
}

/// The excesses of the trade-off theorem for a Gaussian pair with difference mu: the largest over
/// all splits of q between two tails.
Both gaussian_tradeoff(const Real& log_q, const Real& mu, const Real& order);

/// The most that one Laplace noise of scale b on one of two counts costs: the Renyi divergence of
/// its answers between leads 0 and 2, in both directions, and between -1 and 1.
Real one_laplace_cost(const Real& b, const Real& order);

/// The same for Laplace noise, over randomised response with eps = 2 gamma.
Both laplace_tradeoff(const Real& log_q, const Real& gamma, const Real& order);

/// Data-independent costs.
Real gaussian_cost(const Real& sigma, const Real& order);
Real laplace_cost(const Real& gamma, const Real& order);

/// S18's Theorem 6 with Proposition 10, and S17's Theorem 3, with the data-independent cost.
Real published_gaussian(const Real& log_q, const Real& sigma, const Real& order);
Real published_laplace(const Real& log_q, const Real& gamma, const Real& order);

/// The smallest epsilon that an RDP at one order promises at delta, at least 0: the tangents of
/// `optimal_epsilon`, with the best y by golden section. What attains it is in
/// tests/oracles/optimal_conversion.py.
Real optimal_epsilon(const Real& rdp, const Real& order, const Real& delta);

}  // namespace verify
