#include "pate/tuning/threshold_panel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace pate;

namespace {

std::vector<double> every(double first, double step, std::size_t size) {
  std::vector<double> result;
  for (std::size_t i = 0; i < size; ++i) result.push_back(first + step * static_cast<double>(i));
  return result;
}

template <class Function>
ThresholdPanel::Values at_nodes(const ThresholdPanel& panel, const std::vector<double>& thresholds,
                                const Function& function) {
  ThresholdPanel::Values values{};
  for (std::size_t k = 0; k < ThresholdPanel::kNodes; ++k) {
    values[k] = function(thresholds[panel.node(k)]);
  }
  return values;
}

}  // namespace

TEST_CASE("threshold panel: a smooth function from its values at the nodes, raised above it") {
  // Fractions of votes, few votes, and so many that nodes are whole votes apart.
  for (const double step : {0.01, 0.25, 1.0, 3.0}) {
    std::vector<double> thresholds = every(120.0, step, 200);
    const ThresholdPanel panel(20, 180, thresholds);
    REQUIRE(thresholds.size() == 200 + ThresholdPanel::kNodes);
    CHECK(panel.begin() == 20);
    CHECK(panel.end() == 180);
    const double width = 160.0 * step;
    const auto function = [&](double t) { return 2.0 + std::exp(-2.0 * (t - 120.0) / width); };
    const ThresholdPanel::Values values = at_nodes(panel, thresholds, function);
    const double raising = panel.raising(values);
    CAPTURE(step);
    CHECK(raising >= 1.0);
    CHECK(raising < 1.0 + 1e-7);
    for (std::size_t i = panel.begin(); i < panel.end(); ++i) {
      const double exact = function(thresholds[i]);
      const double found = panel.at(i, values) * raising;
      CHECK(found >= exact * (1.0 - 1e-14));
      CHECK(found <= exact * (1.0 + 1e-7));
    }
  }
}

TEST_CASE("threshold panel: with thresholds whole votes apart nodes are whole votes") {
  std::vector<double> thresholds = every(60.25, 1.0, 150);
  const ThresholdPanel panel(0, 150, thresholds);
  for (std::size_t k = 0; k < ThresholdPanel::kNodes; ++k) {
    const double from_first = thresholds[panel.node(k)] - 60.25;
    CHECK(from_first == std::round(from_first));
  }
}

TEST_CASE("threshold panel: a function with a jump is not interpolated") {
  std::vector<double> thresholds = every(0.0, 1.0, 100);
  const ThresholdPanel panel(0, 100, thresholds);
  const auto jump = [](double t) { return t < 40.0 ? 1.0 : 2.0; };
  CHECK(panel.raising(at_nodes(panel, thresholds, jump)) == 0.0);
}
