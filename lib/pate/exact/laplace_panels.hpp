#pragma once

#include "pate/exact/noise_at_nodes.hpp"
#include "pate/exact/vote_groups.hpp"

namespace pate {

/// Nodes of a piecewise Gauss-Legendre rule for Laplace noise. Integrands have kinks at the counts
/// of the query and of its neighbours; between kinks they are smooth, and panels are as short as
/// the steepest of them needs. Relative accuracy of the integrals 1e-13.
class LaplacePanels {
 public:
  /// scale >= 1/20, in votes. `panels_per_scale` > 1 makes panels shorter (tests).
  explicit LaplacePanels(double scale, double panels_per_scale = 1.0);

  /// The noise around the counts of a query; rows point into `result.storage`.
  void at(const GroupedVotes& votes, NoiseAtNodes& result) const;

 private:
  double scale_;
  double panels_per_scale_;
};

}  // namespace pate
