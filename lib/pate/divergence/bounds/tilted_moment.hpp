#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pate/divergence/bounds/tilted_rows.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// The tilted bound of GNMax at one order, forward only: an upper bound on a moment of the noisy
/// maximum between votes n and n' (S votes moved from one class to another, S = 1 unless said),
/// close to the exact one. The top class and up to
/// two classes behind it are *cells*, told apart as they are; with P and P' the probabilities that
/// they win,
///
///     sum_j P(j)^order P'(j)^(1-order)
///         <= G = sum over cells i of P(i)^order P'(i)^(1-order)
///                + e^(order (order-1) S^2/sigma^2) Pr[no cell wins at order n + (1-order) n'].
///
/// Every outcome j that is no cell is bounded by Hoelder's inequality over the noise that leads to
/// it: the product of the two densities to these powers is a Gaussian density at the tilted counts,
/// times the moment of the whole noise, |n - n'|^2 = 2 S^2. The more cells, the smaller is G: with
/// all classes it is the exact moment, never below which it is, with the top one alone never above
/// the trade-off bound at the true q. G does not fall when the count of a class that is no cell
/// rises, whether it takes part in the move or not, and among those whose counts n and n' share it
/// is the larger the more uneven they are: given the noise of the others, the probability w that no
/// cell wins rises with both, and who is told an outcome by w + u < 1, u uniform, is told more.
/// Nothing of that is said of the count of a cell.
///
/// Probabilities are sums over nodes of a trapezoidal rule: of the density of the top count times 1
/// - prod Phi(z + gap/sigma), or of the density of a cell at the same noisy count times the others'
/// Phi. Relative accuracy 1e-12. Tables of log Phi and of the densities by node and gap are made
/// once (`TiltedRows`).
class TiltedMoment {
 public:
  /// Classes of the same count: how far behind the top one, how many, and by how many times S that
  /// changes when votes move, from -2 to 2.
  struct Group {
    std::int64_t gap = 0;
    std::int64_t classes = 1;
    int change = 0;
  };
  /// All classes but the top one. Cells are single classes.
  struct Behind {
    std::span<const Group> cells;
    std::span<const Group> others;
  };
  static constexpr std::size_t kMostCells = 2;

  /// Throws `parameter_error` for noise out of its domain, for an order that is not > 1 and for
  /// fewer than two classes. `threads` (0: all processors) changes no bit. Without `may_have_cells`
  /// no class can be a cell, and there are no tables for it. `moved`: S, how many votes move.
  TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
               double order, unsigned threads = 1, bool may_have_cells = true,
               std::int64_t moved = 1);

  /// Whether e^(order (order-1) S^2/sigma^2) is beyond doubles: only the data-independent cost is
  /// left.
  [[nodiscard]] bool is_hopeless() const { return hopeless_; }
  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] double growth() const { return growth_; }
  /// Whether a class so far behind can be a cell: others are so rare that they make no difference,
  /// or the noise is below half a vote.
  [[nodiscard]] bool can_be_cell(std::int64_t gap) const { return gap <= last_cell_gap_; }

  /// Who wins at these counts: Pr[the top class does not], the logarithm of Pr[it does], and the
  /// probability of every cell.
  struct Wins {
    double q = 0.0;
    double log_top = 0.0;
    std::array<double, kMostCells> cells{};
  };
  [[nodiscard]] Wins wins(const Behind& behind) const;
  /// The same after the move. Neither depends on the order, but for the last bits.
  [[nodiscard]] Wins wins_after(const Behind& behind) const;

  /// G - 1, with the rounding of its cancellation added; infinite where Pr[the top class wins] on
  /// n' is below 1e-6, or that of a cell is nothing. `before` is what `wins` says of the same, and
  /// `after` what `wins_after` does; they may be those of a moment at another order.
  [[nodiscard]] double excess(const Wins& before, const Behind& behind) const {
    return excess(before, wins_after(behind), behind);
  }
  [[nodiscard]] double excess(const Wins& before, const Wins& after, const Behind& behind) const;

  /// A bound on the excess of every move where all classes are at least `gap` behind, from the
  /// union bound: far from tight, but quick.
  [[nodiscard]] double excess_far_behind(std::int64_t gap) const;

 private:
  class Terms;
  struct Nodes {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  [[nodiscard]] Wins wins(const Terms& terms) const;
  [[nodiscard]] double no_cell_wins(const Terms& terms) const;
  [[nodiscard]] Nodes nodes_between(double from, double to) const;
  [[nodiscard]] Nodes nodes_for(double least_gap) const;
  [[nodiscard]] Nodes nodes_for(const Terms& terms) const;
  [[nodiscard]] Nodes nodes_behind_cells(const Terms& terms) const;

  double sigma_;
  double order_;
  double classes_;
  std::int64_t moved_;
  bool hopeless_;
  double growth_;  // e^(order (order-1) S^2/sigma^2)
  std::int64_t last_cell_gap_ = -1;
  double negligible_;  // the integrand's largest logarithm less this ends a sum
  TiltedRows rows_;
};

}  // namespace pate
