#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/report.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// The tilted bound of the queries of a run at one order: D_order(M(n) || M(n')), forward only,
/// reading `joint`, at most the data-independent cost. GNMax and Confident as `TiltedCost`. Of the
/// Interactive aggregator the noisy maximum is bounded by it, and the student's statistic may
/// change by a vote either way, whatever happens to the counts:
///
///     max over w in {v-1, v, v+1} of
///         1/(order-1) log( (1-p_v)^order (1-p_w)^(1-order) + p_v^order p_w^(1-order) G )
///
/// No cost is above the trade-off bound of that direction, which is evaluated besides: it takes the
/// place of the tilted one where doubles do not hold that (sigma far below one vote).
class TiltedRun {
 public:
  /// Throws `parameter_error` as `require` and `TiltedMoment` do.
  TiltedRun(const Aggregator& aggregator, const Neighbours& neighbours, std::int64_t teachers,
            std::int64_t classes, double order);

  /// Of a query with these votes, in any order of the classes; `statistic` is that of the
  /// selection. Never below the exact cost, never above the trade-off bound; rounded outwards by
  /// 1e-9.
  [[nodiscard]] double cost(std::span<const std::int32_t> counts, std::int64_t statistic) const;

 private:
  Aggregator aggregator_;
  Neighbours neighbours_;
  double order_;
  double cap_ = 0.0;                // of the noisy maximum
  std::optional<TiltedCost> cost_;  // none where a vote can go nowhere
  std::optional<JointCost> joint_;  // with a selection
};

/// Adds the tilted costs of a run, whose aggregator has Gaussian noise, to its account: entries
/// `tilted`, reading `joint`, improved and classic, minimised over the continuum of orders, or over
/// the account's with `search.grid_only`; with a notice. They cover one direction and are no
/// headline.
void add_tilted_costs(std::span<const ExactQuery> queries, const OrderSearch& search,
                      unsigned threads, Account& account);

}  // namespace pate
