#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/divergence/pld/pessimistic_profile.hpp"

namespace pate {

/// A privacy loss distribution on a grid, in one direction: the probability of the loss
/// (first + i) step is masses[i], that of an infinite loss infinity_mass. As other accountants have
/// it (dp_accounting `PLDPmf`).
struct LossDistribution {
  double step = 0.0;
  std::int64_t first = 0;
  std::vector<double> masses;
  double infinity_mass = 0.0;

  /// The hockey-stick divergence at e^epsilon: sum of masses (1 - e^(epsilon - loss)) over the
  /// losses above epsilon, and the infinity mass.
  [[nodiscard]] double delta(double epsilon) const;
};

/// Masses that a distribution has at most: of a finer profile nodes are left out.
inline constexpr std::size_t kMostMasses = std::size_t{1} << 16;

/// The distribution whose hockey-stick divergence is the profile's at every node that is kept and,
/// by chords, above it between: a pessimistic estimate, at every epsilon of either sign, by 1e-10
/// of itself and what the chords add. So it stays one when it is composed with others' (Zhu, Dong,
/// Wang 2022, Theorem 10). `apart` is a delta that is added at every epsilon, as infinity mass.
///
/// The divergence is convex in e^epsilon and linear between the nodes, so that masses are its
/// second differences ("connect the dots", Doroshenko et al. 2022). They are found from the largest
/// loss down, each so that the divergence at the next node below is not less than the profile's:
/// what rounding takes from one, the next one adds. All mass below the least node is put there. The
/// sum of all is 1, or above it by rounding. Domain: apart in [0, 1).
[[nodiscard]] LossDistribution loss_distribution(const PessimisticProfile& profile, double apart);

}  // namespace pate
