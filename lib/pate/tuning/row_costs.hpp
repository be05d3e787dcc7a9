#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "pate/tuning/answer_lines.hpp"
#include "pate/tuning/tuning_orders.hpp"
#include "pate/tuning/vote_sums.hpp"

namespace pate {

/// The costs of grid points that share sigma1: for some thresholds, the threshold check's part,
/// made for an order when it is first needed; put together with the sums of the votes for any noise
/// of the maximum. For one thread.
class RowCosts {
 public:
  /// thresholds: increasing. statistics: all values of v that will be asked for. `orders` must
  /// outlive this.
  RowCosts(double sigma1, std::span<const double> thresholds,
           std::span<const CostInputs::Statistic> statistics, CostKind kind,
           const TuningOrders& orders);

  /// Expected number of answers, sum of queries * Pr[answered | v].
  [[nodiscard]] double answered(const VoteSums& sums, std::size_t threshold) const;
  /// Expected number of right answers (`VoteSums::right`).
  [[nodiscard]] double right(const VoteSums& sums, std::size_t threshold) const;

  /// RDP of the run at an order: at least that of `run_costs`, by less than 2e-3.
  ///
  /// Reading joint: queries with equal v and equal worst neighbour are one term,
  /// sum of log(A + B x_i) <= count log(A + B mean x) (Jensen). Where several neighbours are the
  /// worst, or where the x are far apart, they are taken in groups. O(distinct v).
  /// Reading expected: sum over v of the checks and of Pr[answered | v] times the noisy maxima.
  [[nodiscard]] double rdp(const VoteSums& sums, std::size_t threshold, std::size_t order);

 private:
  struct Chain {
    AnswerLeads leads;
    std::map<std::size_t, std::unique_ptr<LeadCosts>> by_order;
  };
  struct Place {
    std::size_t chain = 0;
    std::int64_t first = 0;  // the statistic at the first of its leads

    [[nodiscard]] std::size_t lead(std::int64_t v) const {
      return static_cast<std::size_t>(v - first);
    }
  };
  // Pr[answered | v].
  [[nodiscard]] double answered(const Place& place, std::int64_t v) const {
    return chains_[place.chain].leads.answered(place.lead(v));
  }
  [[nodiscard]] const LeadCosts& costs(const Place& place, std::size_t order);
  [[nodiscard]] double joint(const VoteSums& sums, const Place& place, std::size_t order);
  [[nodiscard]] double expected(const VoteSums& sums, const Place& place, std::size_t order);

  double sigma1_;
  CostKind kind_;
  const TuningOrders& orders_;
  std::vector<Chain> chains_;
  std::vector<Place> places_;
};

}  // namespace pate
