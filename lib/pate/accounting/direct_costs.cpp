#include "pate/accounting/direct_costs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/bound_at_orders.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Queries that are added up by one thread, in order.
constexpr std::size_t kDirectPiece = 512;
// Of these, as many share a bound on the direction that costs less.
constexpr std::size_t kBlock = 64;

constexpr std::array kSums{&RunCost::noisy_max_expected, &RunCost::noisy_max_realized,
                           &RunCost::joint, &RunCost::spent_variance};

// Computes log excesses of the trade-off bound in one direction, for blocks of q that lie close.
class NearbyExcesses {
 public:
  NearbyExcesses(Direction direction, double mu, double order)
      : direction_(direction), mu_(mu), order_(order) {}

  // Begins a block with its largest q. Splits at the others lie near a line through its split and
  // the last block's.
  void begin(double log_q) {
    const TwoTailMaximum most = at(log_q);
    split_.found(log_q, most.alpha);
    most_ = most.log_excess;
  }
  // Of the largest q, and so no less than that of any.
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] double of(double log_q) const { return at(log_q).log_excess; }

 private:
  [[nodiscard]] TwoTailMaximum at(double log_q) const {
    return maximize_two_tails(direction_, log_q, mu_, order_, split_.at(log_q));
  }

  Direction direction_;
  double mu_, order_;
  NearbySplit split_;
  double most_ = -kInfinity;
};

}  // namespace

RunCost direct_cost(const CostInputs& inputs, Bound bound, double order, unsigned threads) {
  if (!inputs.aggregator().is_gaussian()) {
    return run_costs(inputs, bound, std::span(&order, 1), threads).front();
  }
  require(bound == Bound::published || bound == Bound::tradeoff,
          "only the published and the trade-off bound depend on queries through q");
  const GaussianNoisyMax noise = inputs.step().gaussian_per_move();
  const double cap = data_independent_cost(noise, order);
  std::optional<JointCost> joint;
  if (bound == Bound::tradeoff && inputs.ladder()) {
    joint.emplace(*inputs.ladder(), order, cap, &*inputs.places());
  }
  const std::vector<DistinctQuery>& distinct = inputs.query_counts().distinct;
  std::vector<RunCost> pieces((distinct.size() + kDirectPiece - 1) / kDirectPiece);
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    RunCost& sum = pieces[k];
    NearbyExcesses forward(Direction::forward, noise.mu(), order);
    NearbyExcesses reverse(Direction::reverse, noise.mu(), order);
    const std::size_t end = std::min((k + 1) * kDirectPiece, distinct.size());
    for (std::size_t i = k * kDirectPiece; i < end; ++i) {
      const DistinctQuery& query = distinct[i];
      if (i % kBlock == 0 && bound == Bound::tradeoff) {
        const auto block = std::span(distinct).subspan(i, std::min(kBlock, end - i));
        const double log_q = std::ranges::max(block, {}, &DistinctQuery::log_q).log_q;
        if (log_q != -kInfinity) {
          forward.begin(log_q);
          reverse.begin(log_q);
        }
      }
      BothDirections log_excess{-kInfinity, -kInfinity};
      double noisy_max = 0.0;
      double one_mechanism = 0.0;
      if (query.log_q == -kInfinity) {
        if (joint) one_mechanism = joint->cost(query.statistic, log_excess);
      } else if (bound == Bound::published) {
        noisy_max = GaussianPublishedBound(query.log_q, noise.sigma).cost(order, cap);
      } else {
        // The direction that cannot be the larger need not be known.
        const bool is_forward = forward.most() >= reverse.most();
        const NearbyExcesses& smaller = is_forward ? reverse : forward;
        double& larger = is_forward ? log_excess.forward : log_excess.reverse;
        double& other = is_forward ? log_excess.reverse : log_excess.forward;
        larger = (is_forward ? forward : reverse).of(query.log_q);
        if (joint) one_mechanism = joint->cost(query.statistic, log_excess);
        other = smaller.most();
        if (!(other <= larger) ||
            (joint && joint->cost(query.statistic, log_excess) != one_mechanism)) {
          other = smaller.of(query.log_q);
          if (joint) one_mechanism = joint->cost(query.statistic, log_excess);
        }
        noisy_max = cost_of_log_excess(log_excess.larger(), order, cap);
      }
      const auto count = static_cast<double>(query.count);
      const double p = inputs.answered(i);
      sum.noisy_max_expected += count * p * noisy_max;
      sum.noisy_max_realized += static_cast<double>(query.answered) * noisy_max;
      sum.spent_variance += count * p * (1.0 - p) * noisy_max * noisy_max;
      sum.joint += count * one_mechanism;
    }
  });

  RunCost result{order};
  for (const auto part : kSums) {
    CompensatedSum sum;
    for (const RunCost& piece : pieces) sum.add(piece.*part);
    result.*part = sum.value();
  }
  if (!inputs.ladder()) {
    // Without a selection a query is its noisy maximum.
    if (bound == Bound::tradeoff) result.joint = result.noisy_max_expected;
    return result;
  }
  CompensatedSum checks;
  for (const CostInputs::Statistic& statistic : inputs.statistics()) {
    checks.add(statistic.queries *
               (joint ? joint->selection_cost(statistic.value)
                      : published_selection_cost(*inputs.ladder(), statistic.value, order)));
  }
  result.selection = checks.value();
  return result;
}

}  // namespace pate
