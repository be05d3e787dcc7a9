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
/// maximum between votes n and n' (one vote moved), close to the exact one. With q(c) = Pr[the
/// class i does not win at real counts c] and any class i,
///
///     sum_j P(j)^order P'(j)^(1-order)
///         <= G = (1-q(n))^order (1-q(n'))^(1-order)
///                + e^(order (order-1)/sigma^2) q(order n + (1-order) n').
///
/// Every outcome j but i is bounded by Hoelder's inequality over the noise that leads to it: the
/// product of the two densities to these powers is a Gaussian density at the tilted counts, times
/// the moment of the whole noise, |n - n'|^2 = 2. Never above the trade-off bound at the true q,
/// never below the exact moment. G does not fall when the count of any class but i rises, and among
/// classes whose counts n and n' share it is the larger the more uneven they are.
///
/// q is a sum over nodes of a trapezoidal rule, of the density times 1 - prod Phi(z + gap/sigma):
/// relative accuracy 1e-12. Tables of log Phi by node and gap are made once.
class TiltedMoment {
 public:
  /// Classes of the same count, not taking part in the move: how far behind class i, how many.
  struct Group {
    std::int64_t gap = 0;
    std::int64_t classes = 1;
  };
  /// Where the vote goes. The class i is the top one.
  enum class Move {
    to_top,    ///< from class a to the top
    from_top,  ///< from the top to class a
    aside,     ///< from class a to class b
  };

  /// Throws `parameter_error` for noise out of its domain, for an order that is not > 1 and for
  /// fewer than two classes. `threads` (0: all processors) changes no bit.
  TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
               double order, unsigned threads = 1);

  /// Whether e^(order (order-1)/sigma^2) is beyond doubles: only the data-independent cost is left.
  [[nodiscard]] bool is_hopeless() const { return hopeless_; }
  [[nodiscard]] double sigma() const { return sigma_; }

  /// Pr[the top class does not win], and the logarithm of Pr[it does].
  struct WinProbability {
    double q = 0.0;
    double log_wins = 0.0;
  };
  /// At these counts: all classes but the top one.
  [[nodiscard]] WinProbability q(std::span<const Group> groups) const;

  /// G - 1, with the rounding of its cancellation added; infinite where Pr[i wins] on n' is below
  /// 1e-6. `gap_a` and `gap_b` are those of the
  /// classes that take part (b for `aside` only), `others` all further classes but the top one, and
  /// `before` the q of all of them.
  [[nodiscard]] double excess(Move move, const WinProbability& before,
                              std::span<const Group> others, std::int64_t gap_a,
                              std::int64_t gap_b) const;

  /// A bound on the excess of every move where all classes are at least `gap` behind, from the
  /// union bound: far from tight, but quick.
  [[nodiscard]] double excess_far_behind(std::int64_t gap) const;

 private:
  static constexpr std::int64_t kRoom = 3;  // gaps below 0 and above the last

  [[nodiscard]] WeightedRow term(int tilt, std::int64_t gap, std::int64_t shift,
                                 std::int64_t classes) const;
  [[nodiscard]] double weighted_sum(std::span<const WeightedRow> terms, double least_gap) const;

  double sigma_;
  double order_;
  double classes_;
  bool hopeless_;
  double growth_;  // e^(order (order-1)/sigma^2)
  std::int64_t last_gap_;
  double step_;
  double negligible_;  // the integrand's largest logarithm less this ends a sum
  double first_node_;
  std::size_t nodes_;
  std::vector<double> weights_;
  std::array<std::vector<double>, 5>
      rows_;  // log Phi(z + (gap + tilt (order-1))/sigma), tilt -2..2
};

/// The tilted bound of one query: J(n), the largest over all neighbours n' of
///
///     GNMax      log G / (order-1)
///     Confident  1/(order-1) log( (1-p_v)^order (1-p_w)^(1-order) + p_v^order p_w^(1-order) G )
///
/// with v the top count of n, w that of n' (v-1 wherever the top class loses the vote, which can
/// only add). Forward, D_order(M(n) || M(n')); rounded outwards; at most the data-independent cost.
/// Between the exact cost and the joint trade-off bound. `counts` holds the votes of each class in
/// any order. Throws `parameter_error` unless they sum to the number of teachers.
class TiltedCost {
 public:
  TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
             std::int64_t teachers, std::int64_t classes, double order, unsigned threads = 1);

  [[nodiscard]] double cost(std::span<const std::int32_t> counts) const;

  /// The cost of an excess of the noisy maximum for a move at top count v; for `largest_of`.
  [[nodiscard]] double joint_excess(std::int64_t v, TiltedMoment::Move move, double excess) const;
  [[nodiscard]] double cost_of(double joint_excess, double margin = kCostMargin) const;
  [[nodiscard]] double cap() const { return cap_; }
  [[nodiscard]] const TiltedMoment& moment() const { return moment_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }

 private:
  struct Line {
    double selection = 0.0;
    double answered = 1.0;
  };

  std::int64_t teachers_;
  std::int64_t classes_;
  double order_;
  double cap_;
  TiltedMoment moment_;
  std::vector<std::array<Line, 3>> lines_;  // by v, then by move; empty without a check
};

}  // namespace pate
