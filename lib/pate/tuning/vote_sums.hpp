#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/query_costs.hpp"
#include "pate/accounting/run.hpp"
#include "pate/accounting/tally.hpp"
#include "pate/tuning/tuning_orders.hpp"

namespace pate {

/// What the queries of a run with a selection cost, added up by selection statistic v, for one
/// noise of the maximum: all that a grid point needs of the votes (math: the selection depends on
/// the votes through v alone). Sums at an order are made when they are first asked for.
class VoteSums {
 public:
  /// What to add up: the reading joint or expected of `bound`.
  struct Kind {
    Bound bound = Bound::tradeoff;
    Reading reading = Reading::joint;
  };

  /// Reads the votes once. run: any aggregator with a selection; threshold and sigma1 do not
  /// matter. `orders` must outlive this.
  VoteSums(const Run& run, Kind kind, const TuningOrders& orders, unsigned threads);

  struct Statistic {
    std::int64_t v = 0;
    double queries = 0.0;
    double right = 0.0;  ///< expected right labels if all were answered; needs true labels
  };
  /// The values of v that occur, increasing.
  [[nodiscard]] std::span<const Statistic> statistics() const { return statistics_; }
  [[nodiscard]] std::int64_t teachers() const { return tally_.teachers; }
  [[nodiscard]] const Tally& tally() const { return tally_; }

  /// Some queries with equal v and similar x = e^((order-1) cost) - 1, the excess of the noisy
  /// maximum's moment in the direction where it is larger.
  struct Group {
    double queries = 0.0;
    double lowest = 0.0, mean = 0.0, highest = 0.0;  ///< of x; +inf where no double holds it
    double log_highest = 0.0;
    double forward = 1.0,
           reverse = 1.0;  ///< no query's excess in a direction is above this times x
  };
  /// The sums of the queries with one v at one order.
  struct Cost {
    Group all;                          ///< reading joint
    std::uint32_t first = 0, last = 0;  ///< reading joint: the same in groups first .. last - 1
    double noisy_max = 0.0;             ///< reading expected: sum of the costs
  };
  struct AtOrder {
    double noisy_max_cap = 0.0;  ///< data-independent cost of one noisy maximum
    std::vector<Cost> costs;     ///< by statistic
    std::vector<Group> groups;   ///< a few for each statistic, however many queries it has
  };
  /// Between orders a stride apart sums are interpolated, from above: the logarithm of a moment is
  /// a convex function of the order. Thread safe. Which thread asks first, and for what else,
  /// changes no bit.
  [[nodiscard]] const AtOrder& at(std::size_t order) const;

  /// Writes the expected numbers of right labels; see `right_by_statistic` of utility.hpp.
  void set_right(std::span<const double> right);

 private:
  void fill(std::span<const std::size_t> batch) const;
  void fill_between(std::size_t order, const AtOrder& below, const AtOrder& above) const;
  void fill_joint(std::span<const double> orders, std::span<const std::size_t> batch) const;
  void fill_expected(std::span<const double> orders, std::span<const std::size_t> batch) const;

  Kind kind_;
  const TuningOrders& orders_;
  Aggregator noisy_max_;
  Tally tally_;
  std::unique_ptr<CostInputs> inputs_;
  std::vector<Statistic> statistics_;
  std::vector<std::size_t>
      first_query_;  // of each statistic among the distinct; one more at the end
  std::unique_ptr<std::once_flag[]> filled_;  // NOLINT(*-avoid-c-arrays): flags do not move
  mutable std::vector<AtOrder> at_;
};

}  // namespace pate
