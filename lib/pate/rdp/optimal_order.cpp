#include "pate/rdp/optimal_order.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pate {

namespace {

constexpr int kBits = 17;
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
  std::uintmax_t evaluations = kEvaluations;
  const auto [u, epsilon] = boost::math::tools::brent_find_minima(
      [&](double log_distance) { return epsilon_at(1.0 + std::exp(log_distance)); },
      std::log(low - 1.0), std::log(high - 1.0), kBits, evaluations);
  if (epsilon < result.epsilon) result = {1.0 + std::exp(u), epsilon, false, false};
  return result;
}

}  // namespace pate
