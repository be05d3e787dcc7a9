#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// The noise around one count, seen from the nodes of a quadrature rule: arrays, one number a node.
/// F is the noise's distribution function, f its density, n the count; "fallen" and "risen" are the
/// same with n - 1 and n + 1, or n - w and n + w where w votes move together.
struct NoiseRow {
  const double* log_cdf;             ///< log F(x - n)
  const double* log_density;         ///< log f(x - n), plus the log of the node's weight
  const double* cdf_rise_on_loss;    ///< F(x - n + 1) / F(x - n) - 1 >= 0
  const double* cdf_drop_on_gain;    ///< 1 - F(x - n - 1) / F(x - n), in 0..1
  const double* log_fallen_cdf;      ///< log( F(x - n + 1) / F(x - n) )
  const double* log_risen_cdf;       ///< log( F(x - n - 1) / F(x - n) )
  const double* fallen_density;      ///< f(x - n + 1) / f(x - n) - 1
  const double* risen_density;       ///< f(x - n - 1) / f(x - n) - 1
  const double* log_fallen_density;  ///< log( f(x - n + 1) / f(x - n) )
  const double* log_risen_density;   ///< log( f(x - n - 1) / f(x - n) )
};

/// How many numbers a node has in a row.
inline constexpr std::size_t kNoiseArrays = 10;

/// The noise around every count of a query, seen from the nodes of a rule that is fine enough for
/// the query and all its neighbours.
struct NoiseAtNodes {
  std::size_t nodes = 0;
  std::vector<NoiseRow> rows;  ///< one per group of the query
  /// Nodes whose logarithm of the integrand is below that of the largest by more than this are
  /// left out, for the query and, by what a moved vote can change, for its neighbours.
  double depth = 0.0;
  std::size_t widening = 0;     ///< nodes to keep on either side beyond those
  std::vector<double> storage;  ///< of rows that are in no table
};

/// A row whose arrays lie in a block of kNoiseArrays * stride numbers one after the other, in the
/// order of `NoiseRow`.
[[nodiscard]] inline NoiseRow noise_row(const double* block, std::size_t stride) {
  return {block,
          block + stride,
          block + 2 * stride,
          block + 3 * stride,
          block + 4 * stride,
          block + 5 * stride,
          block + 6 * stride,
          block + 7 * stride,
          block + 8 * stride,
          block + 9 * stride};
}

/// The nodes at which a noise is looked at. Thread safe once made.
class NoiseRule {
 public:
  NoiseRule() = default;
  NoiseRule(const NoiseRule&) = delete;
  NoiseRule& operator=(const NoiseRule&) = delete;
  virtual ~NoiseRule() = default;

  /// The noise around the counts of a query. Rows point into this, or into `result.storage`. No
  /// rows where counts are so far apart, in units of the noise, that they would take too much
  /// memory.
  virtual void at(const GroupedVotes& votes, NoiseAtNodes& result) const = 0;
};

/// One Laplace noise on one of two counts: its outcomes have a closed form, which takes the place
/// of a quadrature. There is one node, at which every distribution function is 1 and the density of
/// a class is its probability, so that what a vote changes of that is what a vote changes of the
/// density. Relative accuracy 1e-15.
class OneLaplaceOutcomes final : public NoiseRule {
 public:
  /// scale >= 1/20, in votes.
  explicit OneLaplaceOutcomes(double scale) : scale_(scale) {}

  /// Throws `parameter_error` for votes over other than two classes.
  void at(const GroupedVotes& votes, NoiseAtNodes& result) const override;

 private:
  double scale_;
};

/// The rule for a noise, counts in 0..teachers, and neighbours in which `moved` votes move
/// together. None for noise far below these votes (a standard deviation below 1/4 of them, a scale
/// below 1/20), where neighbours may have nothing in common that a double holds. Throws
/// `parameter_error` for one Laplace noise and more votes than one.
[[nodiscard]] std::unique_ptr<NoiseRule> noise_rule(const NoisyMax& noisy_max,
                                                    std::int64_t teachers, std::int64_t moved = 1);

/// Nodes of a trapezoidal rule for Gaussian noise on a lattice that contains the integers: counts
/// are integers, so all that is needed of the normal distribution at the nodes is a table, made
/// once for all queries of a run.
///
/// The step is at most sigma/8. For analytic integrands as narrow as these the rule's error falls
/// faster than exponentially with the step; here it is below 1e-14 (tests compare with half the
/// step).
class GaussianLattice final : public NoiseRule {
 public:
  /// sigma >= moved / 4, in votes; counts of the queries will be in 0..teachers.
  GaussianLattice(double sigma, std::int64_t teachers, int steps_per_sigma = 8,
                  std::int64_t moved = 1);

  void at(const GroupedVotes& votes, NoiseAtNodes& result) const override;

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
  double moved_;
  std::int64_t per_vote_ = 1;  // steps per vote where sigma is small, else 1
  double votes_per_step_;      // an integer where sigma is large, else 1 / per_vote_
  double lowest_;              // the node the lattice begins with, in votes
  std::int64_t nodes_;         // of the lattice
  std::int64_t most_steps_;    // of any count
  std::vector<double> table_;  // by residue; empty where it would be too large
};

/// Nodes of a piecewise Gauss-Legendre rule for Laplace noise. Integrands have kinks at the counts
/// of the query and of its neighbours; between kinks they are smooth, and panels are as short as
/// the steepest of them needs. Relative accuracy of the integrals 1e-13.
class LaplacePanels final : public NoiseRule {
 public:
  /// scale >= moved / 20, in votes. `panels_per_scale` > 1 makes panels shorter (tests).
  explicit LaplacePanels(double scale, double panels_per_scale = 1.0, std::int64_t moved = 1);

  void at(const GroupedVotes& votes, NoiseAtNodes& result) const override;

 private:
  double scale_;
  double panels_per_scale_;
  double moved_;
};

}  // namespace pate
