#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/curve/curve_telling.hpp"
#include "pate/release/curve/public_curve.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

struct ComplexCosts;
struct ComplexOrders;
struct ComplexParameters;

/// What a release through a curve is made of before it sees votes. All of it is public.
struct CurveSettings {
  CostSpec question;  ///< its order is that of the parameters
  CurveParameters parameters;
  double delta = 0.0;
  std::int64_t queries = 0;
  std::int64_t answered = 0;  ///< released with the answers; counts for `realized` only
  /// Anything else told about the same votes: its data-independent RDP at the order. An earlier
  /// index costs `cost_of_index`.
  double added_rdp = 0.0;
  unsigned threads = 0;  ///< changes no bit
};

/// A bound on what telling an index with noise costs, RDP at the order: order / (2 s^2).
[[nodiscard]] double cost_of_index(const CurveParameters& parameters);

/// Where a run lies on the curve. Private, all of it.
struct CurvePlace {
  std::vector<CostUnits> ub;  ///< UB(d), d = 0..M, with what is added
  std::int64_t index = 0;     ///< g
  PublicCurve::Moments published;

  [[nodiscard]] double cost() const { return cost_of_units(ub.front()); }
};

/// An epsilon that may be published; README.md of this folder has the statement and its proof.
class CurveMechanism {
 public:
  /// Computes the tables and the curve. Throws `parameter_error` for settings out of range and
  /// `validity_error` where costs are beyond what can be counted: from public inputs alone.
  explicit CurveMechanism(const CurveSettings& settings, const ProgressCallback& progress = {});
  /// The same with tables that are at hand, of the question at the order of the parameters.
  CurveMechanism(const CurveSettings& settings, std::shared_ptr<const CostsWithinDistance> costs);

  [[nodiscard]] const CurveSettings& settings() const { return settings_; }
  [[nodiscard]] const PublicCurve& curve() const { return *curve_; }
  [[nodiscard]] const CostsWithinDistance& costs() const { return *costs_; }

  /// Throws `parameter_error` for votes of other teachers, classes or queries than the settings.
  [[nodiscard]] CurvePlace place(const VoteProfile& votes) const;

  /// Draws the index with its noise. The one thing here that costs privacy.
  [[nodiscard]] CurveDraw draw(const CurvePlace& place, BitSource& source) const;

 private:
  CurveSettings settings_;
  CostUnits added_ = 0;
  std::shared_ptr<const CostsWithinDistance> costs_;
  std::optional<PublicCurve> curve_;
};

/// Parameters, and the tables of their order, which the search made on its way.
struct CurveRecipe {
  CurveParameters parameters;
  std::shared_ptr<const CostsWithinDistance> costs;
};

/// Order, s and beta from public inputs alone: those that lose least, as the root mean square over
/// three ensembles nobody asked, of how much the mean published epsilon exceeds the smallest one
/// there. An ensemble has `queries` histograms with top shares evenly spread from 0.35, 0.5 or 0.65
/// to 1, every further class with half of what is left. Nothing rests on how good they are;
/// README.md says what they lose. Tried are orders from 1 to 3.2 times the one that suits the run
/// whatever the votes, s from 2 to 30 and beta from 0.2 to 1.2 over the noise of an answer. The
/// order is found with rough costs and fewer s and beta, which are then found with those of the
/// order. Throws `validity_error` where a run may cost more than 1000 (RDP at order 1.25) whatever
/// the votes.
[[nodiscard]] CurveRecipe default_parameters(const CostSpec& question, std::int64_t queries,
                                             double delta, unsigned threads = 0,
                                             const ProgressCallback& progress = {});

/// What a release of the joint cost with default parameters would publish, roughly and quickly:
/// costs by two keys on a coarse grid of counts, few candidates. Within a few per cent of what it
/// does publish on average, mostly above. Private. For aggregators whose threshold is compared with
/// the top count.
struct CurveEstimate {
  CurveParameters parameters;
  PublicCurve::Moments published;
};
[[nodiscard]] CurveEstimate estimated_release(const CostSpec& question, const VoteProfile& votes,
                                              double delta, unsigned threads = 0);

/// Where the tables of a release and its default parameters come from: here they are computed.
/// Nothing in them is of the votes, so they may be kept (`reports::CurveTables`).
class CurveTableSource {
 public:
  CurveTableSource() = default;
  CurveTableSource(const CurveTableSource&) = default;
  CurveTableSource& operator=(const CurveTableSource&) = default;
  virtual ~CurveTableSource() = default;

  [[nodiscard]] virtual std::shared_ptr<const CostsWithinDistance> costs(
      const CostSpec& question, unsigned threads, const ProgressCallback& progress) const;
  /// Those of the question at each of the orders: the same bits, and quicker together.
  [[nodiscard]] virtual std::vector<std::shared_ptr<const CostsWithinDistance>> costs_at(
      const CostSpec& question, std::span<const double> orders, unsigned threads,
      const ProgressCallback& progress) const;
  /// `pate::default_parameters`.
  [[nodiscard]] virtual CurveRecipe recipe(const CostSpec& question, std::int64_t queries,
                                           double delta, unsigned threads,
                                           const ProgressCallback& progress) const;
  /// `pate::default_complex_parameters`.
  [[nodiscard]] virtual ComplexParameters complex_recipe(const CostSpec& question,
                                                         std::int64_t queries, double delta,
                                                         unsigned threads,
                                                         const ProgressCallback& progress) const;
  /// `pate::complex_costs` of some runs of the question, whatever its order and cost, within so
  /// many distances, or all. What they look at depends on the question, the orders and that number
  /// alone.
  [[nodiscard]] virtual std::vector<ComplexCosts> complex_costs(
      const CostSpec& question, const ComplexOrders& orders, std::span<const VoteProfile> runs,
      unsigned threads, const ProgressCallback& progress,
      std::size_t distances = CostsWithinDistance::kAllDistances) const;
};

/// s and beta for `question.order`, which must have been fixed before the labels, when `answered`
/// of the queries were: top counts between a and 1, such that so many answers were to be expected.
/// Part of what is released is that number, so the guarantee holds. Throws `parameter_error`
/// without a selection.
[[nodiscard]] CurveParameters parameters_from_labels(const CostSpec& question, std::int64_t queries,
                                                     std::int64_t answered, double delta,
                                                     unsigned threads = 0);

}  // namespace pate
