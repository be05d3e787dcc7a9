#pragma once

#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

/// log |m(a + i k w)|, the largest over several neighbours of a query, where
///
///     m(z) = E_P e^{z L} = sum over the outcomes of P^{1+z} Q^{-z},    L = log(P/Q).
///
/// An upper bound: whatever errors of the probabilities, of 4e-12 relative, and rounding can make
/// of a modulus is added to it. Each k has a neighbour of its own that is the largest there; moduli
/// are not monotone in anything (README). The other direction is that of reversed pairs.
class LargestModuli {
 public:
  /// Throws `parameter_error` as `validate(orders)` does.
  explicit LargestModuli(const ComplexOrders& orders);

  /// Forgets all neighbours: m = 1, as of a query that nothing can change.
  void clear();
  /// One more neighbour. An outcome that P alone has, or a moment beyond doubles, makes moduli
  /// infinite. `rest`, by real part: an upper bound on the moment of outcomes that are not in the
  /// table; empty: there are none.
  void add(const DistributionPair& table, std::span<const double> rest = {});

  /// The logarithms by real part, then k. `cap`: a bound on the Renyi divergence of order a + 1 by
  /// real part, which bounds the moduli at every k by e^{a cap}; it is taken where it is less, and
  /// where a modulus is not a number.
  void logs(std::span<const double> cap, std::span<double> to) const;

 private:
  void add_outcome(const OutcomeMass& outcome);

  ComplexOrders orders_;
  std::vector<double> largest_;  // |m|, by real part, then k
  // Of the neighbour that is being added.
  std::vector<double> cosines_, sines_;   // of k w l, by k
  std::vector<double> real_, imaginary_;  // of m, by real part, then k
  std::vector<double> sum_, loss_sum_;    // of p e^{a l}, and the same times max(1, |l|)
  std::vector<double> unknown_;           // what cannot be told, or has no phase
};

}  // namespace pate
