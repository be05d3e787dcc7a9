#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

/// The votes that parameters are tuned on.
struct TuningVotes {
  const VoteSource& votes;
  RowSelection rows;
  const StudentScores* student = nullptr;
  std::optional<std::vector<std::int32_t>> labels;
};

/// The run with the parameters of a point on the first `queries` of the votes' queries, without
/// labels. Domain: 0 <= queries <= votes.rows.size().
[[nodiscard]] Run run_of(const TuningVotes& votes, const Mechanism& aggregator,
                         const Neighbours& neighbours, std::int64_t queries);

/// Which cost of a run: the reading joint or expected of a bound.
struct CostKind {
  Bound bound = Bound::tradeoff;
  GuaranteeKind reading = GuaranteeKind::joint;
};

/// Which epsilon of a run is meant.
struct EpsilonKind {
  CostKind cost;
  Conversion conversion = Conversion::improved;
  double delta = 0.0;
  std::optional<std::vector<double>> orders;  ///< restricts orders to these
  /// Points are judged as the headline of an account is: by what any votes cost too, where that is
  /// smaller (`headline_epsilon`); of a conversion that was chosen, by that conversion.
  bool as_headline = false;
  bool chosen_conversion = false;
};

/// Which epsilon the points have and how many answers are wanted.
struct GridSettings {
  EpsilonKind kind;
  /// Of every point only so many queries are asked, the first ones, as are expected to give this
  /// many answers (a multiple of a 64th of all queries); further answers do not count.
  std::optional<double> max_answers;
  bool any_votes = false;  ///< epsilon is that for any votes
  unsigned threads = 0;    ///< 0: all processors; changes no bit
};

/// How a long computation talks to the one who waits; both may be empty. Called from any thread.
struct Watcher {
  ProgressCallback progress;   ///< told of points
  std::function<bool()> stop;  ///< whether to stop as soon as possible
  std::function<ProgressCallback()> when_testing =
      {};  ///< called as a declared budget's test begins

  [[nodiscard]] bool wants_stop() const { return stop && stop(); }
};

/// The orders at which grid points are evaluated, with the term that the conversion to epsilon adds
/// at each. The minimum over any orders is an upper bound of the minimum over all of them.
class TuningOrders {
 public:
  /// How far apart in all are the orders that grids look at first, and searches, which need fewer.
  static constexpr std::size_t kStride = 64, kSearchStride = 2 * kStride;

  /// The orders of `kind`; without any those from 1.01 to 10,000, evenly spaced in log(order - 1)
  /// by 1/1280. Every `stride`-th of them, kStride or kSearchStride, is close enough to the next,
  /// but for costs that rise very steeply with the order.
  explicit TuningOrders(const EpsilonKind& kind, std::size_t stride = kStride);

  [[nodiscard]] std::size_t size() const { return orders_.size(); }
  [[nodiscard]] double operator[](std::size_t i) const { return orders_[i]; }
  /// Whether these are all that is allowed: then every one of them is tried.
  [[nodiscard]] bool restricted() const { return restricted_; }
  /// How far the orders are apart that are looked at first.
  [[nodiscard]] std::size_t stride() const { return restricted_ ? 1 : stride_; }
  /// How far they are apart where costs have more than one valley: all of these are looked at.
  [[nodiscard]] std::size_t scan() const { return restricted_ ? 1 : 4 * kStride; }
  /// Where a search begins: near order 10, a multiple of the stride.
  [[nodiscard]] std::size_t start() const { return start_; }

  /// epsilon at an order, rounded outwards by 1e-9 relative (5e-5 between the strides), at least 0.
  [[nodiscard]] double epsilon(std::size_t i, double rdp) const;
  /// The same by the improved conversion where the kind's is the optimal one, which takes long: at
  /// least as large, and smallest at an order nearby.
  [[nodiscard]] double quick_epsilon(std::size_t i, double rdp) const;
  [[nodiscard]] bool is_optimal() const { return conversion_ == Conversion::optimal; }

 private:
  std::size_t stride_;
  std::vector<double> orders_;
  std::vector<double> terms_;
  Conversion conversion_;
  double delta_;
  bool restricted_;
  std::size_t start_ = 0;
};

/// Looks for the smallest of `size` numbers that fall and then rise, evaluating few of them: from
/// `start` downhill with steps of `first_step`, a quarter of it and so on to `last_step`. Where the
/// numbers rise and fall several times the result is a local minimum, an evaluated number all the
/// same. Returns its position; then also its neighbours at a distance of `last_step` have been
/// evaluated. Domain: start < size, last_step > 0.
template <class Evaluate>
[[nodiscard]] std::size_t descend_to_minimum(std::size_t size, std::size_t start,
                                             std::size_t first_step, std::size_t last_step,
                                             Evaluate&& value_at) {
  std::size_t best = start;
  double value = value_at(best);
  for (std::size_t step = first_step; step >= last_step; step /= 4) {
    bool moved = true;
    bool down = true;  // worth looking towards smaller positions
    bool up = true;
    while (moved) {
      moved = false;
      if (up && best + step < size) {
        const double there = value_at(best + step);
        if (there < value) {
          best += step;
          value = there;
          moved = true;
          down = false;
          continue;
        }
      }
      up = false;
      if (down && best >= step) {
        const double there = value_at(best - step);
        if (there < value) {
          best -= step;
          value = there;
          moved = true;
        }
      }
    }
  }
  return best;
}

}  // namespace pate
