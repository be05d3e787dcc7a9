#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/tuning/agreement.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// What the queries of a run with a selection cost, added up by selection statistic v, for one
/// noise of the maximum: all that a grid point needs of the votes (math: the selection depends on
/// the votes through v alone). Sums at an order are made when they are first asked for.
class VoteSums {
 public:
  /// query_counts: of a run with a selection, whose parameters do not matter. `orders` must outlive
  /// this.
  VoteSums(const NoisyStep& step, QueryCounts query_counts, CostKind kind,
           const TuningOrders& orders);
  VoteSums(const VoteSums&) = delete;
  VoteSums& operator=(const VoteSums&) = delete;
  ~VoteSums() = default;

  /// The values of v that occur, increasing, and how many queries have them.
  [[nodiscard]] std::span<const CostInputs::Statistic> statistics() const {
    return inputs_.statistics();
  }
  /// By statistic: the expected number of right labels if all queries were answered. Empty without
  /// true labels.
  [[nodiscard]] std::span<const double> right() const { return right_; }
  void set_right(std::vector<double> right) { right_ = std::move(right); }
  /// By statistic: the expected number of labels that are the plurality if all were answered.
  [[nodiscard]] std::span<const double> agreeing() const { return agreeing_; }
  void set_agreeing(std::vector<double> agreeing) { agreeing_ = std::move(agreeing); }
  [[nodiscard]] std::int64_t teachers() const { return query_counts_.teachers; }
  [[nodiscard]] const QueryCounts& query_counts() const { return query_counts_; }

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

 private:
  // Orders that are computed together: first, first + step and so on. Each is in one batch.
  struct Batch {
    std::size_t first, step, size;
  };
  [[nodiscard]] Batch batch_of(std::size_t order) const;
  void fill_between(std::size_t order, const AtOrder& below, const AtOrder& above) const;
  void fill_joint(std::span<const double> orders, std::span<AtOrder* const> sums) const;
  void fill_expected(std::span<const double> orders, std::span<AtOrder* const> sums) const;

  CostKind kind_;
  const TuningOrders& orders_;
  QueryCounts query_counts_;
  CostInputs inputs_;
  std::vector<double> right_, agreeing_;
  mutable std::vector<std::once_flag> filled_;
  mutable std::vector<AtOrder> at_;
};

/// The numbers of queries that a grid point may ask: all of them, or with a limit on answers the
/// ends of 64 equal pieces.
[[nodiscard]] std::vector<std::int64_t> asked_queries(std::int64_t queries, bool limited);

/// The sums of the votes for one noise of the maximum, for each number of queries that may be
/// asked; made when first asked for.
class NoiseSums {
 public:
  /// aggregator: with a selection, of which only the kind matters. `votes` and `orders` must
  /// outlive this. Reads the votes once, and again for every smaller number of queries.
  NoiseSums(const TuningVotes& votes, const Aggregator& aggregator, const Neighbours& neighbours,
            std::vector<std::int64_t> asked, CostKind kind, const TuningOrders& orders,
            unsigned threads);

  [[nodiscard]] std::span<const std::int64_t> asked() const { return asked_; }
  /// The sums of the first asked()[i] queries. Thread safe.
  [[nodiscard]] const VoteSums& at(std::size_t i) const;
  [[nodiscard]] const VoteSums& all() const { return at(asked_.size() - 1); }

 private:
  void make(std::size_t i, QueryCounts query_counts) const;

  const TuningVotes& votes_;
  Aggregator aggregator_;
  Neighbours neighbours_;
  std::vector<std::int64_t> asked_;
  CostKind kind_;
  const TuningOrders& orders_;
  std::vector<LabelledQuery> labelled_;
  std::vector<AgreeingQueries> agreement_;  // by query where there are several numbers of them
  mutable std::vector<std::once_flag> made_;
  mutable std::vector<std::unique_ptr<VoteSums>> sums_;
};

/// The sums of several grids on the same votes, by the noise of the maximum.
struct KeptSums {
  explicit KeptSums(const EpsilonKind& kind) : orders(kind, TuningOrders::kSearchStride) {}

  TuningOrders orders;
  std::map<double, std::shared_ptr<NoiseSums>> by_noise;
};

}  // namespace pate
