#include "pate/release/as_published/sensitivity_curve.hpp"

#include <algorithm>
#include <cmath>

#include "pate/base/require.hpp"
#include "pate/release/as_published/local_sensitivity.hpp"

namespace pate {

namespace {

constexpr int kCurveCells = 200;

// Between q1 and q0 the change upwards falls to 0 and that downwards grows, so that the larger of
// both is least where they meet.
double largest_loss(const PublishedCostCurve& curve) {
  double low = curve.log_q1();
  double high = curve.log_q0();
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2.0;
    const QuerySensitivity here = query_sensitivity(curve, middle);
    (here.up > here.down ? low : high) = middle;
  }
  return query_sensitivity(curve, high).loss;
}

}  // namespace

QuerySensitivity query_sensitivity(const PublishedCostCurve& curve, double log_q) {
  QuerySensitivity result;
  const double here = curve.cost(log_q);
  result.up = curve.cost(curve.log_q_upper(log_q)) - here;
  result.down = here - curve.cost(curve.log_q_lower(log_q));
  result.bound = curve.local_sensitivity(log_q);
  const double larger = std::max(result.up, result.down);
  if (larger > 0.0) result.loss = std::max(result.bound / larger - 1.0, 0.0);
  return result;
}

SensitivityCurve sensitivity_curve(const PublishedCostCurve& curve, double lowest) {
  SensitivityCurve result;
  const double highest = std::log1p(-1.0 / static_cast<double>(curve.classes()));
  for (int i = 0; i <= kCurveCells; ++i) {
    result.log_q.push_back(lowest + (highest - lowest) * i / kCurveCells);
  }
  for (const double q : {curve.log_q1(), curve.log_q0()}) {
    if (q > lowest && q < highest) result.log_q.push_back(q);
  }
  std::sort(result.log_q.begin(), result.log_q.end());
  for (const double q : result.log_q) {
    const QuerySensitivity here = query_sensitivity(curve, q);
    result.up.push_back(here.up);
    result.down.push_back(here.down);
    result.bound.push_back(here.bound);
  }
  result.loss = largest_loss(curve);
  return result;
}

SensitivityCurve sensitivity_curve(double sigma, double order, std::int64_t classes,
                                   std::int64_t teachers) {
  require(teachers >= 1, "teachers must be >= 1, got {}", teachers);
  const PublishedCostCurve curve(sigma, order, classes);
  const double lowest = unanimous_log_q(sigma, classes, teachers);
  require(check_conditions(curve, lowest), curve);
  return sensitivity_curve(curve, lowest);
}

}  // namespace pate
