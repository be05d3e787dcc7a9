#include "pate/divergence/rdp/optimal_conversion.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

// Where y and the search for it begin: log y = -e^-370 is y = 1 for every double.
constexpr double kNearOne = -370.0;
// Below e^-745 a power of y is zero.
constexpr double kVanishes = 745.0;
constexpr std::uintmax_t kSteps = 60;
constexpr double kPrecise = 1e-9;
// Secants end where less than this is left of a step: epsilon is smallest there, so that what is
// lost is of the size of the square.
constexpr int kSecants = 8;
constexpr double kNearEnough = 1e-6;

// log psi(e^h).
double log_psi(double h, double order) {
  const double slope = order - 1.0;
  if (h < -1.0) {
    return std::log(-std::expm1(slope * h) + slope * std::exp(slope * h) * std::expm1(h));
  }
  return order * h + log_power_excess(-h, order);
}

// One RDP at one order, to be converted at one delta.
struct Converted {
  double order, delta;
  double slope;       // order - 1
  double log_excess;  // log m

  // The two outcomes: y is given, x follows.
  struct Pair {
    double log_y, log_x;
    double log_sum;  // log(m + psi(y))
  };

  [[nodiscard]] Pair pair(double log_y) const {
    const double log_sum = log_add(log_excess, log_psi(log_y, order));
    const double log_ratio = log_sum - std::log(order) - std::log(delta);
    // x^b - 1, where it matters as the difference that it is.
    const double log_power =
        log_ratio < 600.0 ? std::log1p(std::exp(log_ratio) + std::expm1(slope * log_y)) : log_ratio;
    return {log_y, log_power / slope, log_sum};
  }

  // log t, rounded upwards; at most 0 says that epsilon = 0 holds.
  [[nodiscard]] double epsilon(const Pair& at) const {
    const double x = at.log_x;
    if (x <= 0.0) return 0.0;
    if (x < 30.0 && slope * x < 50.0) {
      // t - 1 = delta (psi(x) - psi(y)) / (m + psi(y)).
      const double above = std::exp(log_psi(x, order) - at.log_sum);
      const double below = std::exp(log_psi(at.log_y, order) - at.log_sum);
      return std::log1p(delta *
                        (above * (1.0 + kOptimalRounding) - below * (1.0 - kOptimalRounding)));
    }
    const double share = std::log1p(-1.0 / order);
    const double more = log1mexp(order * (at.log_y - x));
    const double less = log1mexp(slope * (at.log_y - x));
    return share + x + more - less + kOptimalRounding * (-share + x - more - less);
  }

  // Positive where y is too small: log of E_Q[L^a - 1 - a (L - 1)] / m of the outcomes x and y with
  // E_Q[L] = 1.
  [[nodiscard]] double log_too_much(const Pair& at) const {
    const double to_y = std::log(-std::expm1(at.log_y));
    const double to_x = log_expm1(at.log_x);
    return log_add(to_y + log_power_excess(at.log_x, order),
                   to_x + log_power_excess(at.log_y, order)) -
           log_add(to_x, to_y) - log_excess;
  }
};

// How y is looked for.
enum class SearchFor { bracketed, secants };

double optimal(double rdp, double order, double delta, SearchFor search) {
  const double improved = epsilon_from_rdp(Conversion::improved, rdp, order, delta);
  if (!(improved > 0.0)) return std::isnan(improved) ? improved : 0.0;
  if (!(rdp > 0.0) || std::isinf(rdp)) return rdp > 0.0 ? improved : 0.0;
  double best = improved;
  if (order * delta >= 1.0) {
    const double rest = std::log1p(-delta);
    best = std::min(best, rdp + rest + kConversionRounding * (rdp - rest));
    return std::max(best, 0.0);
  }
  const double slope = order - 1.0;
  const double log_excess =
      slope * rdp > 1e-290 ? log_expm1(slope * rdp) : std::log(slope) + std::log(rdp);
  const Converted converted{order, delta, slope, log_excess};
  const auto look = [&](double position) {
    const auto at = converted.pair(-std::exp(position));
    const double epsilon = converted.epsilon(at);
    if (!std::isnan(epsilon)) best = std::min(best, epsilon);
    return at.log_x > 0.0 ? converted.log_too_much(at) : 0.0;
  };
  const double highest = std::log(kVanishes / slope);
  const double low = look(kNearOne);
  if (search == SearchFor::secants) {
    if (!(best > 0.0 && low < 0.0)) return std::max(best, 0.0);
    // Near y = 1 log 1/y is in proportion to what is too much: a slope of 1 from there.
    double before = kNearOne;
    double at_before = low;
    double next = kNearOne - low;
    for (int k = 0; k < kSecants && next > kNearOne && next < highest; ++k) {
      const double at_next = look(next);
      const double step = -at_next * (next - before) / (at_next - at_before);
      if (!(best > 0.0) || std::abs(step) < kNearEnough) return std::max(best, 0.0);
      before = next;
      at_before = at_next;
      next += step;
    }
  }
  const double high = look(highest);
  if (best > 0.0 && low < 0.0 && high > 0.0) {
    std::uintmax_t steps = kSteps;
    boost::math::tools::toms748_solve(
        look, kNearOne, highest, low, high,
        [](double a, double b) { return std::abs(b - a) < kPrecise; }, steps);
  }
  return std::max(best, 0.0);
}

}  // namespace

double optimal_epsilon(double rdp, double order, double delta) {
  return optimal(rdp, order, delta, SearchFor::bracketed);
}

double quick_optimal_epsilon(double rdp, double order, double delta) {
  return optimal(rdp, order, delta, SearchFor::secants);
}

}  // namespace pate
