#include "pate/accounting/pld_grids.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "pate/divergence/rdp/step_composition.hpp"

namespace pate {

namespace {

// How much of epsilon the chords between the nodes may add.
constexpr double kAccuracy = 1e-4;
constexpr double kFinest = 0x1p-20;
constexpr double kMaxNodes = 0x1p22;

std::function<double(double)> gaussian_start(double mu) {
  return [mu](double s) {
    // delta(-s), and beyond the mirror of it: Phi(a) - e^-s Phi(a - mu) = 1 - e^-s + e^-s delta(s).
    if (s <= 0.0) return std::exp(log_gaussian_dp_delta(mu, -s));
    return -std::expm1(-s) + std::exp(-s + log_gaussian_dp_delta(mu, s));
  };
}

}  // namespace

double least_delta(const ProfileSettings& settings) {
  double result = settings.delta;
  for (const double delta : settings.deltas) result = std::min(result, delta);
  return result;
}

Grids grids_of(const ProfileHints& hints, const ProfileSettings& settings, double queries) {
  const auto slope = [](const OptimalOrder& at) { return std::max(1.0, at.order - 1.0); };
  Grids result;
  result.slope_forward = slope(hints.forward);
  result.slope_reverse = slope(hints.reverse);
  result.epsilon = std::max(hints.larger().epsilon, 1e-3);
  result.least_delta = least_delta(settings);
  result.told_apart = settings.told_apart;
  if (settings.step) {
    result.step = *settings.step;
    return result;
  }
  // An order that suits the epsilon is within some times log(1/delta) / epsilon: one that was named
  // and is far beyond asks for no finer grid.
  constexpr double kBeyond = 1000.0;
  const double steepest = std::max(1.0, kBeyond * std::log(1.0 / settings.delta) / result.epsilon);
  const double wanted =
      std::sqrt(12.0 * kAccuracy * result.epsilon /
                (std::max(queries, 1.0) * std::min(slope(hints.larger()), steepest)));
  result.step = std::clamp(std::exp2(std::floor(std::log2(wanted))), kFinest, kCoarsest);
  while (result.nodes(result.step) > kMaxNodes) result.step *= 2.0;
  return result;
}

PessimisticProfile upper_of(const PessimisticProfile::Grid& grid, double gaussian_mu) {
  if (!(gaussian_mu > 0.0)) return PessimisticProfile(grid);
  return {grid, gaussian_start(gaussian_mu)};
}

}  // namespace pate
