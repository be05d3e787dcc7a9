#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

struct WeightedRow;

/// The tilted bound of GNMax at one order, forward only: an upper bound on a moment of the noisy
/// maximum between votes n and n' (one vote moved), close to the exact one. The top class and up to
/// two classes behind it are *cells*, told apart as they are; with P and P' the probabilities that
/// they win,
///
///     sum_j P(j)^order P'(j)^(1-order)
///         <= G = sum over cells i of P(i)^order P'(i)^(1-order)
///                + e^(order (order-1)/sigma^2) Pr[no cell wins at order n + (1-order) n'].
///
/// Every outcome j that is no cell is bounded by Hoelder's inequality over the noise that leads to
/// it: the product of the two densities to these powers is a Gaussian density at the tilted counts,
/// times the moment of the whole noise, |n - n'|^2 = 2. The more cells, the smaller is G: with all
/// classes it is the exact moment, never below which it is, with the top one alone never above the
/// trade-off bound at the true q. G does not fall when the count of a class that is no cell rises,
/// whether it takes part in the move or not, and among those whose counts n and n' share it is the
/// larger the more uneven they are: given the noise of the others, the probability w that no cell
/// wins rises with both, and who is told an outcome by w + u < 1, u uniform, is told more. Nothing
/// of that is said of the count of a cell.
///
/// Probabilities are sums over nodes of a trapezoidal rule: of the density of the top count times 1
/// - prod Phi(z + gap/sigma), or of the density of a cell at the same noisy count times the others'
/// Phi. Relative accuracy 1e-12. Tables of log Phi and of the densities by node and gap are made
/// once. With many teachers nodes are whole votes apart, or a whole number of them is one vote, so
/// that log Phi at one gap is that at another by other nodes: one row serves for many gaps, and all
/// of them stay near the processor.
class TiltedMoment {
 public:
  /// Classes of the same count: how far behind the top one, how many, and by how much that changes
  /// when the vote moves, from -2 to 2.
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
  /// no class can be a cell, and there are no tables for it.
  TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
               double order, unsigned threads = 1, bool may_have_cells = true);

  /// Whether e^(order (order-1)/sigma^2) is beyond doubles: only the data-independent cost is left.
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
  static constexpr std::int64_t kRoom = 3;  // gaps below 0 and above the last
  class Terms;
  struct Nodes {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  [[nodiscard]] std::size_t gap_row(std::int64_t gap, std::int64_t shift) const;
  [[nodiscard]] WeightedRow term(int tilt, std::int64_t gap, std::int64_t shift,
                                 std::int64_t classes) const;
  [[nodiscard]] const double* density(int tilt, std::int64_t gap, std::int64_t shift) const;
  [[nodiscard]] Wins wins(const Terms& terms) const;
  [[nodiscard]] double no_cell_wins(const Terms& terms) const;
  [[nodiscard]] Nodes nodes_between(double from, double to) const;
  [[nodiscard]] Nodes nodes_for(double least_gap) const;
  [[nodiscard]] Nodes nodes_for(const Terms& terms) const;
  [[nodiscard]] Nodes nodes_behind_cells(const Terms& terms) const;

  double sigma_;
  double order_;
  double classes_;
  bool hopeless_;
  double growth_;  // e^(order (order-1)/sigma^2)
  std::int64_t last_gap_;
  std::int64_t last_cell_gap_;
  double step_;
  double negligible_;  // the integrand's largest logarithm less this ends a sum
  double first_node_;
  std::size_t nodes_;
  std::vector<double> weights_;
  std::array<std::vector<double>, 5>
      rows_;                         // log Phi(z + (gap + tilt (order-1))/sigma), tilt -2..2
  std::vector<std::size_t> places_;  // of the rows of gaps
  std::array<std::vector<double>, 5> densities_;  // step Phi(z) phi/Phi at the same, of cells
};

/// The tilted bound of one query: J(n), the largest over all neighbours n' of
///
///     GNMax      log G / (order-1)
///     Confident  1/(order-1) log( (1-p_v)^order (1-p_w)^(1-order) + p_v^order p_w^(1-order) G )
///
/// with v the top count of n, w that of n', and the second and third class as cells: exact with up
/// to three classes. Forward, D_order(M(n) || M(n')); rounded outwards; at most the
/// data-independent cost. Between the exact cost and the joint trade-off bound. `counts` holds the
/// votes of each class in any order. Throws `parameter_error` unless they sum to the number of
/// teachers.
class TiltedCost {
 public:
  /// `cells`: how many classes behind the top one are cells, at most `TiltedMoment::kMostCells`.
  TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
             std::int64_t teachers, std::int64_t classes, double order, unsigned threads = 1,
             std::size_t cells = TiltedMoment::kMostCells);

  [[nodiscard]] double cost(std::span<const std::int32_t> counts) const;

  /// Of an excess of the noisy maximum for a move from top count v to v + rise, -1 <= rise <= 1.
  /// Where w is not known but is at most v, a smaller w than the true one can only add.
  [[nodiscard]] double joint_excess(std::int64_t v, int rise, double excess) const;
  [[nodiscard]] double cost_of(double joint_excess, double margin = kCostMargin) const;
  /// The same as a line: selection + answered * excess.
  struct Line {
    double selection = 0.0;
    double answered = 1.0;
  };
  [[nodiscard]] Line line(std::int64_t v, int rise) const;
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] double cap() const { return cap_; }
  [[nodiscard]] const TiltedMoment& moment() const { return moment_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  [[nodiscard]] std::size_t cells() const { return cells_; }

 private:
  std::int64_t teachers_;
  std::int64_t classes_;
  double order_;
  std::size_t cells_;
  double cap_;
  TiltedMoment moment_;
  std::vector<std::array<Line, 3>> lines_;  // by v, then by rise; empty without a check
};

}  // namespace pate
