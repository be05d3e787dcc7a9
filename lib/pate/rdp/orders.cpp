#include "pate/rdp/orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"

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

}  // namespace

std::span<const double> default_orders() {
  static const std::vector<double> orders = make_default_orders();
  return orders;
}

std::vector<double> validated_orders(std::vector<double> orders) {
  if (orders.empty()) throw parameter_error("orders must name at least one order, got none");
  for (const double order : orders) {
    if (!(order > 1.0) || !std::isfinite(order)) {
      throw parameter_error(fmt::format("orders must be > 1 and finite, got {}", order));
    }
  }
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

}  // namespace pate
