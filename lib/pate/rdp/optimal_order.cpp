#include "pate/rdp/optimal_order.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pate {

namespace {

constexpr int kBits = 20;
constexpr std::uintmax_t kEvaluations = 60;

}  // namespace

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
  const auto order_at = [centre](double step) { return 1.0 + centre * std::exp(step); };
  std::uintmax_t evaluations = kEvaluations;
  const auto [step, epsilon] = boost::math::tools::brent_find_minima(
      [&](double u) { return epsilon_at(order_at(u)); }, std::log((low - 1.0) / centre),
      std::log((high - 1.0) / centre), kBits, evaluations);
  if (epsilon < result.epsilon) result = {order_at(step), epsilon, false, false};
  return result;
}

}  // namespace pate
