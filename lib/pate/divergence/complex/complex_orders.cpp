#include "pate/divergence/complex/complex_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

std::vector<double> ComplexOrders::renyi() const {
  std::vector<double> result;
  for (const double a : reals) result.push_back(a + 1.0);
  return result;
}

void validate(const ComplexOrders& orders) {
  const auto is_number = [](double x, double least) { return x >= least && std::isfinite(x); };
  for (std::size_t i = 0; i < orders.reals.size(); ++i) {
    const double a = orders.reals[i];
    if (is_number(a, 0.0) && a > (i == 0 ? 0.0 : orders.reals[i - 1])) continue;
    throw parameter_error(
        fmt::format("real parts of complex orders must be > 0, finite and increasing, got {}", a));
  }
  if (orders.reals.empty() || !is_number(orders.step, 0.0) || orders.step == 0.0 ||
      orders.terms < 1 || !is_number(orders.smoothing, 0.0)) {
    throw parameter_error(
        fmt::format("complex orders need a real part, a step > 0, a term and a smoothing >= 0, got "
                    "{}, {}, {} and {}",
                    orders.reals.size(), orders.step, orders.terms, orders.smoothing));
  }
}

ComplexOrders complex_orders(double epsilon, double delta) {
  require(epsilon > 0.0 && std::isfinite(epsilon) && delta > 0.0 && delta < 1.0,
          "complex orders are chosen for an epsilon > 0 and a delta in (0, 1), got {} "
          "and {}",
          epsilon, delta);
  constexpr double kLeastReal = 0.5;
  const double middle = 13.0 * std::pow(epsilon, -0.75) * std::log(delta) / std::log(1e-5);
  ComplexOrders result;
  for (const double share : {0.3, 0.5, 0.75, 1.0, 1.25}) {
    const double a = std::max(std::floor(2.0 * share * middle + 0.5) / 2.0, kLeastReal);
    if (result.reals.empty() || a > result.reals.back()) result.reals.push_back(a);
  }
  if (epsilon < 1.0) {
    result.step = 4.0 / std::sqrt(epsilon);
    result.smoothing = 0.02 * std::pow(epsilon, 0.75);
    result.terms = static_cast<int>(std::ceil(3.5 / (result.step * result.smoothing)));
    return result;
  }
  result.step = 4.0 / epsilon;
  result.smoothing = 0.02 * std::sqrt(epsilon);
  result.terms = static_cast<int>(std::ceil(120.0 / (std::sqrt(epsilon) * result.step)));
  return result;
}

}  // namespace pate
