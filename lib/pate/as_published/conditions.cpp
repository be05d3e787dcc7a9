#include "pate/as_published/conditions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr int kCells = 128;           // to begin with, evenly in log(-log q)
constexpr double kResolution = 1e-6;  // of -log q
constexpr double kRounding = 1e-12;   // of the cost
constexpr double kZero = 1e-299;      // costs are at least 1e-300 where they are not zero

// A value of the function and the cost it was computed from, whose rounding it has.
struct Sample {
  double log_q;
  double value;
  double cost;
};

using Function = std::function<Sample(double log_q)>;

bool falls(const Sample& a, const Sample& b) {
  return !(b.value >= a.value - kRounding * (a.cost + b.cost));
}

bool rises_evenly(const Sample& a, const Sample& middle, const Sample& b) {
  if (b.value <= kZero) return true;
  if (a.value <= kZero) return false;
  const double rise = std::log(b.value / a.value);
  const double half = std::log(middle.value / a.value);
  return half >= 0.4 * rise && half <= 0.6 * rise;
}

// The first descent between `a` and `b`. Cells are looked at from the left; what is still to come
// are their right ends, the nearest last.
std::optional<Descent> descent_within(const Function& function, Sample a, const Sample& b) {
  std::vector<Sample> right_ends{b};
  while (!right_ends.empty()) {
    const Sample right = right_ends.back();
    if (falls(a, right)) return Descent{a.log_q, right.log_q};
    if (right.log_q - a.log_q > kResolution * -right.log_q) {
      const Sample middle = function(0.5 * (a.log_q + right.log_q));
      if (falls(a, middle)) return Descent{a.log_q, middle.log_q};
      if (falls(middle, right)) return Descent{middle.log_q, right.log_q};
      if (!rises_evenly(a, middle, right)) {
        right_ends.push_back(middle);
        continue;
      }
    }
    a = right;
    right_ends.pop_back();
  }
  return std::nullopt;
}

std::optional<Descent> first_descent(const Function& function, double low, double high) {
  const double ratio = std::log(low / high) / kCells;
  Sample left = function(low);
  for (int i = 1; i <= kCells; ++i) {
    const Sample right = function(i == kCells ? high : low * std::exp(-ratio * i));
    if (const auto descent = descent_within(function, left, right)) return descent;
    left = right;
  }
  return std::nullopt;
}

std::string describe(const char* condition, const char* function, const Descent& descent,
                     const PublishedCostCurve& curve) {
  return fmt::format(
      "condition {} of the published smooth sensitivity does not hold for sigma2 = {}, order = {}, "
      "{} classes: {} falls between log q = {:.6g} and {:.6g}; another order or sigma2 may do",
      condition, curve.sigma(), curve.order(), curve.classes(), function, descent.log_q_from,
      descent.log_q_to);
}

}  // namespace

CurveConditions check_conditions(const PublishedCostCurve& curve, double lowest_log_q) {
  CurveConditions conditions;
  if (!(lowest_log_q < curve.log_q1())) return conditions;
  conditions.c5_fails = first_descent(
      [&curve](double log_q) {
        const double cost = curve.cost(log_q);
        return Sample{log_q, cost, cost};
      },
      lowest_log_q, curve.log_q0());
  conditions.c6_fails = first_descent(
      [&curve](double log_q) {
        // B_U(q1) is q0.
        const double upper = log_q < curve.log_q1() ? curve.log_q_upper(log_q) : curve.log_q0();
        const double cost = curve.cost(upper);
        return Sample{log_q, cost - curve.cost(log_q), cost};
      },
      lowest_log_q, curve.log_q1());
  return conditions;
}

void require(const CurveConditions& conditions, const PublishedCostCurve& curve) {
  if (conditions.c5_fails) {
    throw validity_error(describe("C5", "the cost", *conditions.c5_fails, curve));
  }
  if (conditions.c6_fails) {
    throw validity_error(
        describe("C6", "what one vote may add to the cost", *conditions.c6_fails, curve));
  }
}

}  // namespace pate
