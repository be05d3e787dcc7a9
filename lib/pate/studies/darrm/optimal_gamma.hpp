#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/studies/darrm/worst_case.hpp"

namespace pate {

/// The noise function that is worth most under given weights, among all that are private.
struct OptimalGamma {
  CertifiedGamma released;
  double objective = 0.0;   ///< sum w gamma of what is released
  double upper = 0.0;       ///< no private noise function has more, to rounding
  std::int64_t rounds = 0;  ///< of cutting planes
  std::int64_t rows = 0;    ///< multisets that took part in the linear program
};

/// Maximises sum w(l) gamma(l) over the noise functions that pass the test of `WorstCase`, and are
/// nondecreasing where `monotone` asks for it: cutting planes on a linear program in the values of
/// gamma, which has a row for each multiset of corners and is given those that are violated. What
/// comes out is certified; its distance from the optimum is at most upper - objective, mostly below
/// 1e-8 of it. Of several optima, to 1e-9, the one with the largest sum of gamma is taken: what
/// weighs next to nothing is not left to the coin.
///
/// Where the corners of delta = 0 decide (`CornerSet::lifted`) it is the better of two: the optimum
/// of those that pass there, and the nondecreasing one, which is tested at its own corners. Throws
/// `parameter_error` for weights that are negative or whose sum is not finite, all zero, or not
/// majority_sizes(K) of them, as `WorstCase` does, and what `LinearProgram` throws.
///
/// Source: the linear program is that of Jiang et al., Section 5; the separation is ours.
[[nodiscard]] OptimalGamma optimal_gamma(const PrivateTeachers& teachers,
                                         const AnswerTarget& target,
                                         std::span<const double> weights, bool monotone);

}  // namespace pate
