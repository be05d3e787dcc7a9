#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/count_distinct.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// Histograms with weights, each sorted in non-increasing order: row after row in `counts`.
struct WeightedHistograms {
  std::size_t classes = 0;
  std::vector<std::int32_t> counts;
  std::vector<double> weights;      ///< of each time a row occurs
  std::vector<std::int64_t> times;  ///< how often each row occurs

  /// The sum of all weights, in a canonical order.
  [[nodiscard]] double total_weight() const;
};

/// The histograms of a run, as counted under `sorted_histogram()`, each weighted as the reading
/// weighs the cost of its noisy maximum: `expected` with Pr[answered], `realized` with 1 for the
/// times it was answered; and without a selection with 1. Throws `parameter_error` for other
/// readings and for `realized` without decisions.
[[nodiscard]] WeightedHistograms weighted_histograms(const Run& run, GuaranteeKind reading,
                                                     const DistinctQueries& counted);

/// Histograms ordered by the paths on which votes move from the largest count to the second: a
/// chain holds those that agree in all other counts, so that each lies on the path of the one
/// before it. Equal histograms are one, with the sum of their weights.
class VoteChains {
 public:
  /// Rows of weight zero are left out. The result does not depend on the order of the rows.
  /// Domain: at least two classes.
  explicit VoteChains(const WeightedHistograms& histograms);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }

  /// One histogram of a chain; in a chain the largest counts decrease.
  struct Link {
    std::span<const std::int32_t> counts;
    double weight;
  };
  /// Links of chain i are numbers begin(i) up to, not including, begin(i + 1).
  [[nodiscard]] std::size_t begin(std::size_t chain) const { return first_[chain]; }
  [[nodiscard]] Link link(std::size_t number) const {
    return {std::span(counts_).subspan(number * classes_, classes_), weights_[number]};
  }

 private:
  std::size_t classes_;
  std::vector<std::int32_t> counts_;
  std::vector<double> weights_;
  std::vector<std::size_t> first_;
};

/// Some classes that are equally many votes behind the plurality.
struct Gap {
  std::int64_t votes = 0;
  double classes = 0.0;
};

/// The union bound of GNMax from gaps that are given in order, for the many histograms on a path of
/// moving votes: no sorting, and classes too far behind to change a digit are not looked at.
class GapTerms {
 public:
  /// For gaps 0..teachers. Memory: 16 bytes each.
  GapTerms(const GaussianNoisyMax& mechanism, std::int64_t teachers);

  /// log of sum over gaps of classes * Pr[a class `votes + shift` behind beats the plurality], at
  /// most log(1 - 1/m) for m classes in all, the plurality among them. Gaps increase; at least one.
  /// Relative accuracy 1e-14. `classes_behind` is the sum of the classes.
  [[nodiscard]] double log_q(std::span<const Gap> gaps, double classes_behind,
                             std::int64_t shift) const;

 private:
  std::vector<double> log_terms_;
  std::vector<double> terms_;
};

}  // namespace pate
