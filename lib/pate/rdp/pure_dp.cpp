#include "pate/rdp/pure_dp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"

namespace pate {

namespace {

constexpr double kMargin = 2e-10;

// Masses of the binomial number of steps whose outcome speaks against the votes, and the sums over
// its lower tail that the composition needs.
class LossTail {
 public:
  LossTail(double s, std::int64_t k)
      : s_(s),
        k_(k),
        log_against_(-static_cast<long double>(s) -
                     std::log1p(std::exp(-static_cast<long double>(s)))),
        log_for_(-std::log1p(std::exp(-static_cast<long double>(s)))) {}

  // A = sum_{i <= last} mass_i and B = sum_{i <= last} mass_i e^(-2 (last - i) s), in units of
  // e^log_unit.
  struct Sums {
    double log_unit, a, b;
  };
  [[nodiscard]] Sums up_to(std::int64_t last) const {
    // Masses rise to the mode; B's terms rise at least as long.
    const auto mode = static_cast<std::int64_t>(static_cast<double>(k_) / (1.0 + std::exp(s_)));
    const std::int64_t peak = std::min(last, mode);
    const long double log_unit = log_mass(peak);
    const double odds = std::exp(-s_);  // of "against"
    double a = 0.0;
    double b = 0.0;
    const auto add = [&](std::int64_t i, double mass) {
      a += mass;
      b += mass * std::exp(-2.0 * static_cast<double>(last - i) * s_);
    };
    double mass = 1.0;
    for (std::int64_t i = peak; i >= 0 && mass > 1e-22; --i) {
      add(i, mass);
      mass *= static_cast<double>(i) / (static_cast<double>(k_ - i + 1) * odds);
    }
    mass = 1.0;
    for (std::int64_t i = peak + 1; i <= last && mass > 1e-22; ++i) {
      mass *= static_cast<double>(k_ - i + 1) * odds / static_cast<double>(i);
      add(i, mass);
    }
    return {static_cast<double>(log_unit), a, b};
  }

  // delta at epsilon = (k - 2 i) s, the loss of i outcomes against the votes.
  [[nodiscard]] double delta_at_loss(std::int64_t i) const {
    const Sums sums = up_to(i - 1);
    return std::exp(sums.log_unit) * (sums.a - std::exp(-2.0 * s_) * sums.b);
  }

 private:
  [[nodiscard]] long double log_mass(std::int64_t i) const {
    const auto k = static_cast<long double>(k_);
    const auto j = static_cast<long double>(i);
    return std::lgamma(k + 1) - std::lgamma(j + 1) - std::lgamma(k - j + 1) + j * log_against_ +
           (k - j) * log_for_;
  }

  double s_;
  std::int64_t k_;
  long double log_against_, log_for_;
};

}  // namespace

double composed_pure_dp_epsilon(double step_epsilon, std::int64_t steps, double delta) {
  if (!(step_epsilon >= 0.0) || !std::isfinite(step_epsilon)) {
    throw parameter_error(
        fmt::format("step epsilon must be >= 0 and finite, got {}", step_epsilon));
  }
  if (steps < 0) throw parameter_error(fmt::format("steps must be >= 0, got {}", steps));
  if (!(delta >= 0.0 && delta < 1.0)) {
    throw parameter_error(fmt::format("delta must be >= 0 and < 1, got {}", delta));
  }
  const double simple = static_cast<double>(steps) * step_epsilon;
  if (simple == 0.0 || delta == 0.0) return simple;
  const LossTail tail(step_epsilon, steps);
  // The losses (k - 2 i) s fall with i; find the first interval between losses that reaches delta.
  std::int64_t low = 0;                 // delta at this loss <= delta
  std::int64_t high = (steps + 1) / 2;  // losses from here on are <= 0
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (tail.delta_at_loss(middle) <= delta ? low : high) = middle;
  }
  // Between the losses of low + 1 and low: delta(epsilon) = A - e^(epsilon - loss of low) B.
  const LossTail::Sums sums = tail.up_to(low);
  const double rest = sums.a - std::exp(std::log(delta) - sums.log_unit);
  if (!(rest > 0.0)) return 0.0;
  const double epsilon =
      std::log(rest / sums.b) + static_cast<double>(steps - 2 * low) * step_epsilon;
  return std::clamp(epsilon * (1.0 + kMargin), 0.0, simple);
}

}  // namespace pate
