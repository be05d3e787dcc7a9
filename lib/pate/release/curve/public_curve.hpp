#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/sampling/discrete_gaussian.hpp"
#include "pate/release/curve/published_moments.hpp"
#include "pate/release/curve/top_count_costs.hpp"

namespace pate {

/// What a release through a curve fixes before the votes are seen.
struct CurveParameters {
  double order = 0.0;
  double s = 0.0;     ///< noise on the index
  double beta = 0.0;  ///< growth of the curve with the index
};

/// Throws `parameter_error` unless 1 < order <= 1000, s in the domain of DiscreteGaussian, beta in
/// (1e-6, 10], all finite.
void validate(const CurveParameters& parameters);

/// Where an epsilon may be published from: a non-decreasing table R over the integers, constant
/// beyond its ends. The index of a run, an integer of sensitivity one, gets noise Z; R of the sum
/// is published. What cost R covers where the index is t is, with r_z = R(t + z) - log(p_z /
/// p_(z-k)),
///
///     phi_t(x) = max over k = -1, 0, 1 of sum_z p_z (1 - e^(r_z - x))+
///     U(t)     = inf over x of x + (log delta - log phi_t(x)) / (order - 1)
///              = min over k, tau of log b - order/(order-1) log a - c,
///     a = sum of p_z, b = sum of p_z e^(r_z) over S = {z : r_z <= tau},
///
/// c the improved conversion term. Nothing here depends on votes. U is stored in cost units,
/// rounded down, 1e-10 below what was computed, and non-decreasing: comparisons with costs are
/// those of integers.
class PublicCurve {
 public:
  /// R(y) = max(0, rho0 + ub_max min(e^(beta y), 2)), rounded up to 2^-30; t_min = floor(log(1e-4)
  /// / beta). rho0 is what a constant curve exceeds its U by: what it costs to tell the index.
  /// Throws `parameter_error` for parameters or a delta out of range, and `validity_error` where
  /// the curve ends below the largest possible cost.
  PublicCurve(const CurveParameters& parameters, double delta, CostUnits ub_max,
              unsigned threads = 0);

  /// Any curve: R(first + i) = values[i], indices from t_min. Throws `parameter_error` for a curve
  /// that falls or is negative, besides.
  PublicCurve(double order, const DiscreteGaussian& noise, double delta, std::int64_t first,
              std::vector<double> values, std::int64_t t_min, CostUnits ub_max,
              unsigned threads = 0);

  [[nodiscard]] double delta() const { return delta_; }
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] const DiscreteGaussian& noise() const { return noise_; }
  [[nodiscard]] double rho0() const { return rho0_; }
  [[nodiscard]] CostUnits ub_max() const { return ub_max_; }
  [[nodiscard]] std::int64_t t_min() const { return t_min_; }
  [[nodiscard]] std::int64_t t_max() const;  ///< U is constant from there on
  [[nodiscard]] double floor() const { return values_.front(); }
  [[nodiscard]] double ceiling() const { return values_.back(); }

  /// R(y).
  [[nodiscard]] double epsilon(std::int64_t y) const;
  /// U(t), rounded down to units; t >= t_min. A curve of more than 32,768 indices has U at about so
  /// many, evenly spread, and between two of them what it is at the first.
  [[nodiscard]] CostUnits covered(std::int64_t t) const;
  /// phi_t(x).
  [[nodiscard]] double excess(std::int64_t t, double x) const;

  /// The index of a run whose cost within d changed teachers is at most ub[d], non-decreasing and
  /// at most ub_max: the smallest t >= t_min with ub[d] <= U(t + d) for all d. Throws
  /// `validity_error` for ub above ub_max.
  [[nodiscard]] std::int64_t index(std::span<const CostUnits> ub) const;

  using Moments = PublishedMoments;
  /// Of what is published at index g.
  [[nodiscard]] Moments published(std::int64_t g) const;

 private:
  void tabulate(unsigned threads);

  double order_;
  double delta_;
  DiscreteGaussian noise_;
  double rho0_;
  CostUnits ub_max_;
  std::int64_t first_ = 0;
  std::vector<double> values_;
  std::int64_t t_min_ = 0;
  std::vector<CostUnits> covered_;  // from t_min on
};

/// The half-width of the noise beyond which nothing adds to U, for curves that rise by `span`.
[[nodiscard]] std::int64_t noise_half_width(double order, double s, double span);

/// U without its rounding down, at one place of a curve given as a function; for searches over
/// parameters. `values` are R(t - K) .. R(t + K), an odd number of them.
class CoveredCost {
 public:
  CoveredCost(double order, double delta, const DiscreteGaussian& noise, std::int64_t half_width);
  [[nodiscard]] double at(std::span<const double> values) const;
  /// The same within 1e-6 and several times as fast, for estimates: `scaled` are e^(R - reference),
  /// the reference within some 50 of R(t + K).
  [[nodiscard]] double estimate(std::span<const double> values, std::span<const double> scaled,
                                double reference) const;
  /// rho0: minus U of a curve that is 0 everywhere.
  [[nodiscard]] double index_release_cost() const;
  [[nodiscard]] std::int64_t half_width() const { return half_width_; }

 private:
  double order_;
  double conversion_;
  std::int64_t half_width_;
  std::vector<double> log_p_;
  std::vector<double> log_cumulative_;  // of log_p_
  std::vector<double> step_;            // log(p_z / p_(z-1))
  // For estimates: p_z, their sums, p_(z-1), and e^-step of the next z.
  std::vector<double> p_, cumulative_, p_before_, ratio_after_;
};

}  // namespace pate
