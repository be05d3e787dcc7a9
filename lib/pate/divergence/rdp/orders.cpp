#include "pate/divergence/rdp/orders.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

std::vector<double> make_default_orders() {
  std::vector<double> orders{1.01, 1.02, 1.035, 1.05, 1.07, 1.1, 1.15, 1.2,
                             1.3,  1.4,  1.5,   1.6,  1.7,  1.8, 1.9};
  for (int i = 8; i < 48; ++i) orders.push_back(i * 0.25);  // 2 to 12
  for (int i = 24; i < 40; ++i) orders.push_back(i * 0.5);  // 12 to 20
  for (int i = 20; i < 64; ++i) orders.push_back(i);
  for (const double decade : {1.0, 10.0, 100.0}) {
    for (const double step : {64., 70., 76., 82., 90., 100., 115., 130., 150., 175., 200., 240.,
                              280., 330., 400., 500.}) {
      const double order = decade * step;
      if (order > orders.back() && order < 10000.0) orders.push_back(order);
    }
  }
  orders.push_back(10000.0);
  return orders;
}

constexpr int kBits = 20;
constexpr std::uintmax_t kEvaluations = 60;

using Seen = std::map<double, std::vector<double>>;  // epsilons by order

constexpr int kRounds = 60;
// Ratio of order - 1 between the first orders that are tried.
constexpr double kStride = 1.6;
// Neighbours as close as this, in log(order - 1), are close enough for a parabola.
constexpr double kClose = 0.25;
constexpr double kMinEpsilonGain = 1e-11;
constexpr double kMinStep = 1e-5;
// Where the curvatures of neighbouring parabolas differ by more than this ratio there may be a wall
// and a parabola says nothing, unless they bend by less than kNoise of the value: that is rounding.
constexpr double kUneven = 4.0;
constexpr double kNoise = 1e-9;

double position(double order) {
  return std::log(order - 1.0);
}

double order_at(double position) {
  return 1.0 + std::exp(position);
}

void evaluate_into(Seen& seen, const std::vector<double>& orders,
                   const EpsilonsAtOrders& evaluate) {
  const auto epsilons = evaluate(orders);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    std::vector<double>& values = seen[orders[i]];
    values = epsilons[i];
    // What could not be computed promises nothing.
    for (double& value : values) {
      if (std::isnan(value)) value = kInfinity;
    }
  }
}

Seen::const_iterator best_of(const Seen& seen, std::size_t function) {
  return std::min_element(seen.begin(), seen.end(), [function](const auto& a, const auto& b) {
    return a.second[function] < b.second[function];
  });
}

// The parabola through three neighbouring values, in the position relative to the middle one.
struct Parabola {
  Parabola(Seen::const_iterator middle, std::size_t function) {
    const auto before = std::prev(middle);
    const auto after = std::next(middle);
    const double here = position(middle->first);
    left = position(before->first) - here;
    right = position(after->first) - here;
    const double value = middle->second[function];
    const double slope_left = (before->second[function] - value) / left;
    const double slope_right = (after->second[function] - value) / right;
    curvature = (slope_right - slope_left) / (right - left);
    slope = slope_left - curvature * left;
  }

  double left, right, curvature, slope;
};

// Whether the parabola around the best order fits with those beside it: no wall in between.
bool is_even(const Seen& seen, Seen::const_iterator best, std::size_t function) {
  const Parabola here(best, function);
  const double curvature = here.curvature;
  const double width = here.right - here.left;
  const auto fits = [&](Seen::const_iterator middle) {
    if (middle == seen.begin() || std::next(middle) == seen.end()) return true;
    const double other = Parabola(middle, function).curvature;
    const double larger = std::max(std::abs(curvature), std::abs(other));
    if (0.25 * larger * width * width < kNoise * std::abs(best->second[function])) return true;
    return other < kUneven * curvature && curvature < kUneven * other;
  };
  return std::isfinite(curvature) && fits(std::prev(best)) && fits(std::next(best));
}

// Adds the order at which the parabola through three points is smallest, if that promises anything,
// and the middle of the wider side where the parabola is not to be trusted.
void add_vertex(const Seen& seen, Seen::const_iterator best, std::size_t function,
                std::vector<double>& next) {
  const Parabola parabola(best, function);
  const double here = position(best->first);
  if (!is_even(seen, best, function)) {
    const double wider =
        parabola.right > -parabola.left ? 0.5 * parabola.right : 0.5 * parabola.left;
    if (std::abs(wider) > kMinStep) next.push_back(order_at(here + wider));
  }
  if (!(parabola.curvature > 0.0) || !std::isfinite(parabola.curvature)) return;
  const double step = std::clamp(-0.5 * parabola.slope / parabola.curvature, 0.8 * parabola.left,
                                 0.8 * parabola.right);
  const double gain = -step * (parabola.slope + parabola.curvature * step);
  if (gain <= kMinEpsilonGain * std::abs(best->second[function]) || std::abs(step) < kMinStep)
    return;
  next.push_back(order_at(here + step));
}

// The orders to look at next for one function; none when its minimum is found.
void add_next(const Seen& seen, std::size_t function, std::vector<double>& next) {
  const double lowest = kLowestSearchedOrder;
  const double highest = default_orders().back();
  const auto best = best_of(seen, function);
  const bool first = best == seen.begin();
  const bool last = std::next(best) == seen.end();
  if (best->second[function] == kInfinity) {  // all are: the finite ones may be on either side
    next.push_back(std::max(1.0 + (best->first - 1.0) / kStride, lowest));
    next.push_back(std::min(1.0 + (seen.rbegin()->first - 1.0) * kStride, highest));
    return;
  }
  if (best->second[function] == 0.0) return;
  if (first && best->first > lowest) {
    next.push_back(std::max(1.0 + (best->first - 1.0) / kStride, lowest));
    next.push_back(std::max(1.0 + (best->first - 1.0) / (kStride * kStride), lowest));
  }
  if (last && best->first < highest) {
    next.push_back(std::min(1.0 + (best->first - 1.0) * kStride, highest));
    next.push_back(std::min(1.0 + (best->first - 1.0) * kStride * kStride, highest));
  }
  const double here = position(best->first);
  const auto add_between = [&](Seen::const_iterator other) {
    const double there = position(other->first);
    if (std::abs(there - here) <= kClose) return false;
    next.push_back(order_at(0.5 * (here + there)));
    return true;
  };
  const bool left = !first && add_between(std::prev(best));
  const bool right = !last && add_between(std::next(best));
  if (!first && !last && !left && !right) add_vertex(seen, best, function, next);
}

std::vector<OptimalOrder> best_orders(const Seen& seen, std::size_t functions) {
  std::vector<OptimalOrder> result;
  for (std::size_t f = 0; f < functions; ++f) {
    const auto best = best_of(seen, f);
    result.push_back(
        {best->first, best->second[f], best == seen.begin(), std::next(best) == seen.end()});
  }
  return result;
}

}  // namespace

std::span<const double> default_orders() {
  static const std::vector<double> orders = make_default_orders();
  return orders;
}

std::span<const double> moment_orders() {
  static constexpr std::array<double, 8> kOrders{2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0};
  return kOrders;
}

std::vector<double> validated_orders(std::vector<double> orders) {
  if (orders.empty()) throw parameter_error("orders must name at least one order, got none");
  for (const double order : orders) {
    require(order >= kLowestOrder && order <= kHighestOrder,
            "orders must be from 1 + 1e-9 to 1e9, got {}", order);
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

OptimalOrder optimal_order(std::span<const double> orders, std::span<const double> epsilons,
                           const std::function<double(double)>& epsilon_at, bool grid_only) {
  const auto best = static_cast<std::size_t>(std::min_element(epsilons.begin(), epsilons.end()) -
                                             epsilons.begin());
  OptimalOrder result{orders[best], epsilons[best], best == 0, best + 1 == orders.size()};
  if (grid_only || orders.size() == 1 || !std::isfinite(result.epsilon)) return result;
  const double low = orders[best == 0 ? 0 : best - 1];
  const double high = orders[best + 1 == orders.size() ? best : best + 1];
  // The step from the best grid order, not the order itself: Brent's tolerance is relative to it.
  const double centre = orders[best] - 1.0;
  const auto at_step = [centre](double step) { return 1.0 + centre * std::exp(step); };
  std::uintmax_t evaluations = kEvaluations;
  const auto [step, epsilon] = boost::math::tools::brent_find_minima(
      [&](double u) { return epsilon_at(at_step(u)); }, std::log((low - 1.0) / centre),
      std::log((high - 1.0) / centre), kBits, evaluations);
  if (epsilon < result.epsilon) result = {at_step(step), epsilon, false, false};
  return result;
}

std::vector<OptimalOrder> optimal_orders_in_batches(std::span<const double> hints,
                                                    std::size_t functions,
                                                    const EpsilonsAtOrders& evaluate) {
  const double lowest = kLowestSearchedOrder;
  const double highest = default_orders().back();
  std::vector<double> next;
  for (const double hint : hints) next.push_back(std::clamp(hint, lowest, highest));
  for (const int power : {-2, -1, 1, 2}) {
    next.push_back(
        std::clamp(1.0 + (hints.front() - 1.0) * std::pow(kStride, power), lowest, highest));
  }
  Seen seen;
  for (int round = 0; round < kRounds && !next.empty(); ++round) {
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    std::erase_if(next, [&](double order) { return seen.contains(order); });
    evaluate_into(seen, next, evaluate);
    next.clear();
    for (std::size_t f = 0; f < functions; ++f) add_next(seen, f, next);
  }
  return best_orders(seen, functions);
}

std::vector<OptimalOrder> optimal_orders_among(std::span<const double> orders,
                                               std::size_t functions,
                                               const EpsilonsAtOrders& evaluate) {
  Seen seen;
  evaluate_into(seen, {orders.begin(), orders.end()}, evaluate);
  return best_orders(seen, functions);
}

}  // namespace pate
