#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/tuning/lead_costs.hpp"
#include "pate/tuning/threshold_panel.hpp"
#include "pate/tuning/tuning_settings.hpp"
#include "pate/tuning/vote_sums.hpp"

namespace pate {

/// The costs of grid points that share sigma1: for some thresholds, the threshold check's part,
/// made for an order when it is first needed; put together with the sums of the votes for any noise
/// of the maximum. For one thread.
class RowCosts {
 public:
  /// check: its threshold does not matter. thresholds: increasing.
  /// statistics: all values of v that will be asked for. interpolate: whether costs at many
  /// thresholds may come from those at a few. `orders` must outlive this.
  RowCosts(const ThresholdCheck& check, const Neighbours& neighbours,
           std::span<const double> thresholds, std::span<const CostInputs::Statistic> statistics,
           CostKind kind, const TuningOrders& orders, bool interpolate);

  /// Expected number of answers, sum of queries * Pr[answered | v].
  [[nodiscard]] double answered(const VoteSums& sums, std::size_t threshold) const;
  /// Expected number of right answers (`VoteSums::right`), and of those that are the plurality.
  [[nodiscard]] double right(const VoteSums& sums, std::size_t threshold) const {
    return answered_of(sums.right(), sums, threshold);
  }
  [[nodiscard]] double agreeing(const VoteSums& sums, std::size_t threshold) const {
    return answered_of(sums.agreeing(), sums, threshold);
  }

  /// RDP of the run at an order: at least that of `run_costs`, by less than 3e-3.
  ///
  /// Reading joint: queries with equal v and equal worst neighbour are one term,
  /// sum of log(A + B x_i) <= count log(A + B mean x) (Jensen). Where several neighbours are the
  /// worst, or where the x are far apart, they are taken in groups. O(distinct v).
  /// Reading expected: sum over v of the checks and of Pr[answered | v] times the noisy maxima.
  ///
  /// Thresholds within two sigma1, if they are more than the nodes of an interpolation over them,
  /// have its value, raised by ten times the last two coefficients; where these are not small the
  /// sum itself.
  [[nodiscard]] double rdp(const VoteSums& sums, std::size_t threshold, std::size_t order);
  /// Whether the costs at a threshold are interpolated.
  [[nodiscard]] bool is_interpolated(std::size_t threshold) const {
    return panel_of(threshold) < panels_.size();
  }
  /// Where they are: the RDP at a threshold nearby, which takes a fraction of the time.
  [[nodiscard]] double rdp_nearby(const VoteSums& sums, std::size_t threshold, std::size_t order);

 private:
  // Of so many queries with each statistic those that are answered.
  [[nodiscard]] double answered_of(std::span<const double> queries, const VoteSums& sums,
                                   std::size_t threshold) const;
  // Thresholds whole votes apart see the same leads.
  struct Chain {
    ThresholdCheck check;  // with what is left of the threshold
    std::vector<std::int64_t> values;
    bool is_gapless;               // else of one threshold, a lead for each statistic
    std::vector<double> answered;  // Pr[answered], by lead
    std::optional<Leads> leads;    // when a cost is needed
    std::map<std::size_t, std::unique_ptr<LeadCosts>> by_order;
  };
  struct Place {
    std::size_t chain = 0;
    std::int64_t whole = 0;  // the whole votes of the threshold: the lead is v less these
  };
  // Thresholds over which costs are interpolated, from those at its nodes.
  struct Panel {
    struct Costs {
      std::optional<double> nearby;  // at the node in the middle
      ThresholdPanel::Values at_nodes{};
      std::optional<double> raised;  // by this factor; 0 where the interpolant has not converged
    };
    ThresholdPanel thresholds;
    std::map<std::pair<const VoteSums*, std::size_t>, Costs> by_order;
  };
  // Its number, or that of panels_ for none.
  [[nodiscard]] std::size_t panel_of(std::size_t threshold) const;
  void add_panels(std::vector<double>& thresholds);
  void add_chains(std::span<const double> thresholds,
                  std::span<const CostInputs::Statistic> statistics);
  // Which lead of the chain v has.
  [[nodiscard]] std::size_t lead(const Place& place, std::int64_t v) const;
  // Pr[answered | v].
  [[nodiscard]] double answered(const Place& place, std::int64_t v) const {
    return chains_[place.chain].answered[lead(place, v)];
  }
  [[nodiscard]] const LeadCosts& costs(const Place& place, std::size_t order);
  [[nodiscard]] double rdp(const VoteSums& sums, const Place& place, std::size_t order);
  [[nodiscard]] const Panel::Costs& costs(Panel& panel, const VoteSums& sums, std::size_t order);
  [[nodiscard]] double joint(const VoteSums& sums, const Place& place, std::size_t order);
  [[nodiscard]] double expected(const VoteSums& sums, const Place& place, std::size_t order);

  ThresholdCheck check_;  // whose threshold is not looked at
  Neighbours neighbours_;
  CostKind kind_;
  const TuningOrders& orders_;
  std::size_t kept_ = 0;  // leads of costs in chains
  std::vector<Chain> chains_;
  std::vector<Place> places_;  // of the thresholds, then of the panels' nodes
  std::vector<Panel> panels_;  // by their thresholds
};

}  // namespace pate
