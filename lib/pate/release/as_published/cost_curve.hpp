#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pate {

/// The published cost of GNMax at one order as a function of q alone, and by how much one vote can
/// change it: what S18 (arXiv 1802.08908), Appendix B, calls beta(q), q0, q1, B_U and B_L. All q
/// are given and returned as logarithms, down to log q = -1e6 and below.
///
/// It is here to reproduce printed numbers. Costs carry the outward margin of all costs
/// (margin.hpp), so that differences of costs are right to 1e-9 relative.
class PublishedCostCurve {
 public:
  /// Domain: sigma > 0, order > 1, classes >= 2, all finite; `parameter_error` otherwise.
  PublishedCostCurve(double sigma, double order, std::int64_t classes);

  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }

  /// order / sigma^2, the cost for every q >= q0.
  [[nodiscard]] double data_independent() const { return data_independent_; }
  /// q0: where the data-dependent bound meets the data-independent one, or, where it is smaller
  /// already there, the largest q with  log q <= min( -(1 + 1/sigma)^2, -((order - .99)/sigma)^2 ),
  /// below which all conditions of Theorem 6 hold.
  [[nodiscard]] double log_q0() const { return log_q0_; }
  /// q1 = B_L(q0).
  [[nodiscard]] double log_q1() const { return log_q1_; }

  /// beta(q): the data-independent cost from q0 on, Theorem 6 below.
  [[nodiscard]] double cost(double log_q) const;

  /// log B_U(q), log B_L(q): what q may become when one vote moves, by Propositions 10 to 12:
  ///
  ///     B(q) = (m-1)/2 erfc( erfcinv(2q/(m-1)) -+ 1/sigma ),    B_U at most 1.
  [[nodiscard]] double log_q_upper(double log_q) const;
  [[nodiscard]] double log_q_lower(double log_q) const;

  /// Algorithm 3: a bound on the change of the cost when one vote moves,
  ///
  ///     max( beta(B_U(q)) - beta(q), beta(q) - beta(B_L(q)) ),    taken at q1 for q1 <= q <= q0.
  ///
  /// It is one only where the conditions C5 and C6 hold (`CurveConditions`).
  [[nodiscard]] double local_sensitivity(double log_q) const;
  /// Its value from q1 to q0: the largest there is, if C5 and C6 hold.
  [[nodiscard]] double largest_local_sensitivity() const { return largest_; }

 private:
  [[nodiscard]] double log_q_shifted(double log_q, double shift) const;
  [[nodiscard]] double theorem(double log_q) const;
  [[nodiscard]] double find_log_q0() const;

  double sigma_;
  double order_;
  std::int64_t classes_;
  double log_others_ = 0.0;  // log(m - 1)
  double data_independent_ = 0.0;
  double log_q0_ = 0.0;
  double log_q1_ = 0.0;
  double largest_ = 0.0;
};

/// `PublishedCostCurve::local_sensitivity` below q1 for very many values of q, by polynomials in
/// cells of sqrt(-log q); the table depends on the curve and the lowest q alone, never on votes.
/// Within 1e-10 relative. Where a cell's polynomial has not converged, and where the values are too
/// small for it, the function itself is evaluated.
class LocalSensitivityTable {
 public:
  /// For log q from `lowest_log_q` to curve.log_q1(). The curve must outlive the table.
  LocalSensitivityTable(const PublishedCostCurve& curve, double lowest_log_q);

  /// Domain: log_q < curve.log_q1().
  [[nodiscard]] double operator()(double log_q) const;

 private:
  static constexpr std::size_t kTerms = 12;
  using Cell = std::array<double, kTerms>;  // coefficients of powers; the first is NaN if unusable

  [[nodiscard]] Cell make_cell(std::size_t number) const;

  const PublishedCostCurve& curve_;
  double first_;  // left end of the first cell, in sqrt(-log q)
  std::vector<Cell> cells_;
};

/// Where a function of q that should not fall does fall.
struct Descent {
  double log_q_from = 0.0;  ///< its value here ...
  double log_q_to = 0.0;    ///< ... is larger than here
};

/// The two conditions under which the local sensitivities of S18, Appendix B, are ones:
///
///     C5   beta(q) is non-decreasing on [0, q0],
///     C6   beta(B_U(q)) - beta(q) is non-decreasing on [0, q1].
///
/// They depend on sigma, order and the number of classes, and do not always hold.
struct CurveConditions {
  std::optional<Descent> c5_fails;  ///< the first place found; none: C5 holds
  std::optional<Descent> c6_fails;

  [[nodiscard]] bool c5() const { return !c5_fails; }
  [[nodiscard]] bool c6() const { return !c6_fails; }
};

/// Checks both conditions for q down to `lowest_log_q` (what an ensemble can reach: its unanimous
/// histogram) on an adaptive grid. A cell of the grid is halved until the logarithm of the function
/// rises evenly over it, or until it is narrower than 1e-6 of -log q. So a descent is missed only
/// if it lies within such a cell, or within one over which the logarithm rises evenly; and descents
/// by less than 1e-12 of the cost are taken for rounding. Costs below 1e-299 are taken as equal.
[[nodiscard]] CurveConditions check_conditions(const PublishedCostCurve& curve,
                                               double lowest_log_q);

/// Throws `validity_error` naming which condition fails, and where, unless both hold.
void require(const CurveConditions& conditions, const PublishedCostCurve& curve);

}  // namespace pate
