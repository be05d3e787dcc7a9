#pragma once

#include <cstdint>

#include "pate/aggregators/aggregator.hpp"

namespace pate {

/// Between which values q can lie on a neighbour of votes on which it is q; as logarithms.
struct NeighbourQ {
  double log_lower = 0.0;  ///< B_L(q)
  double log_upper = 0.0;  ///< B_U(q)
};

/// The tight neighbour bounds of GNMax for m = `classes` >= 2 classes. One vote that moves changes
/// the gap of one class by two votes and those of the m - 2 others by one:
///
///     B_U(q) = max over u + (m-2) w = 2q, 0 <= u, w <= 1, of
///              1/2 erfc(erfcinv(u) - 1/sigma) + (m-2)/2 erfc(erfcinv(w) - 1/(2 sigma)),
///
/// at most 1 - 1/m, and B_L(q) the minimum of the same with plus signs. The terms of B_U are
/// concave, those of B_L convex, so that equal shares w are the worst and the stationary point is
/// the optimum. Both are non-decreasing in q. Rounded outwards, by less than 1e-12 relative.
/// Domain: sigma > 0, log_q in (-inf, log(1 - 1/m)]; down to q = e^-1e8.
/// Source: S18, Propositions 10-12, where all gaps move by two.
[[nodiscard]] NeighbourQ gaussian_neighbour_q(double log_q, double sigma, std::int64_t classes);

/// The neighbour bounds of LNMax: B_U(q) = e^(2 gamma) q, at most 1 - 1/m, and B_L(q) = e^(-2
/// gamma) q. Source: every term (2 + g) / (4 e^g) of q changes by at most a factor e^|change of g|.
[[nodiscard]] NeighbourQ laplace_neighbour_q(double log_q, double gamma, std::int64_t classes);

/// The bounds of the aggregator's noisy maximum.
[[nodiscard]] NeighbourQ neighbour_q(const Aggregator& aggregator, double log_q,
                                     std::int64_t classes);

}  // namespace pate
