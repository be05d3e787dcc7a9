#pragma once

#include <cstdint>
#include <vector>

#include "pate/exact/noise_at_nodes.hpp"
#include "pate/exact/vote_groups.hpp"

namespace pate {

/// Nodes of a trapezoidal rule for Gaussian noise on a lattice that contains the integers: counts
/// are integers, so all that is needed of the normal distribution at the nodes is a table, made
/// once for all queries of a run.
///
/// The step is at most sigma/8. For analytic integrands as narrow as these the rule's error falls
/// faster than exponentially with the step; here it is below 1e-14 (tests compare with half the
/// step). Thread safe once made.
class GaussianLattice {
 public:
  /// sigma >= 1/4, in votes; counts of the queries will be in 0..teachers.
  GaussianLattice(double sigma, std::int64_t teachers, int steps_per_sigma = 8);

  /// The noise around the counts of a query. Rows point into this, or into `result.storage`.
  void at(const GroupedVotes& votes, NoiseAtNodes& result) const;

 private:
  // Count n lies `rows` of residue votes and `steps` steps from zero.
  struct Position {
    std::int64_t residue;
    std::int64_t steps;
  };
  [[nodiscard]] Position position(std::int64_t count) const;
  // Writes the row of a residue for `size` nodes from `first` steps after the lowest node.
  void fill(double* block, std::int64_t residue, std::int64_t first, std::int64_t size) const;

  double sigma_;
  std::int64_t per_vote_ = 1;  // steps per vote where sigma is small, else 1
  double votes_per_step_;      // an integer where sigma is large, else 1 / per_vote_
  double lowest_;              // the node the lattice begins with, in votes
  std::int64_t nodes_;         // of the lattice
  std::int64_t most_steps_;    // of any count
  std::vector<double> table_;  // by residue; empty where it would be too large
};

}  // namespace pate
