#include "pate/tuning/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/tuning/account_epsilon.hpp"
#include "pate/tuning/row_costs.hpp"

namespace pate {

namespace {

// Points of one round's front at an order that are put together with those of the other.
constexpr std::size_t kMaxFront = 400;
constexpr std::size_t kOrdersAtOnce = 16;
// Pairs that may or may not keep the limit and are looked at exactly.
constexpr std::size_t kMaxStraddling = 64;

// What a goal looks at.
TuningPoint as_point(const RoundsPoint& p) {
  TuningPoint point;
  point.epsilon = p.epsilon;
  point.answered = p.answered;
  point.right = p.right;
  point.agreeing = p.agreeing;
  return point;
}

// All points of one round at all orders that are looked at.
struct RoundCurves {
  std::vector<double> answered, right, agreeing;  // by point
  std::vector<double> rdp;                        // by order, then point
};

std::vector<std::size_t> order_numbers(const TuningOrders& orders) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < orders.size(); i += orders.stride()) result.push_back(i);
  return result;
}

RoundCurves round_curves(const Round& round, const EpsilonKind& kind, const TuningOrders& orders,
                         unsigned threads, ProgressCounter& progress) {
  const TuningGrid& grid = round.grid;
  const std::vector<std::size_t> numbers = order_numbers(orders);
  RoundCurves result;
  result.answered.resize(grid.size());
  result.right.resize(grid.size());
  result.agreeing.resize(grid.size());
  result.rdp.resize(numbers.size() * grid.size());
  for (std::size_t noise = 0; noise < grid.noise.size(); ++noise) {
    const NoiseSums all(round.votes, grid.aggregator(grid.index(noise, 0, 0)), grid.neighbours,
                        asked_queries(round.votes.rows.size(), false), kind.cost, orders, threads);
    const VoteSums& sums = all.all();
    // What a check costs is kept by order for all thresholds; not for too many orders at a time.
    const std::size_t batches = (numbers.size() + kOrdersAtOnce - 1) / kOrdersAtOnce;
    parallel_for(grid.sigma1.size() * batches, threads, [&](std::size_t task) {
      const std::size_t begin = task % batches * kOrdersAtOnce;
      const std::size_t end = std::min(begin + kOrdersAtOnce, numbers.size());
      const Aggregator any = grid.aggregator(grid.index(noise, task / batches, 0));
      RowCosts row(*any.selection, grid.neighbours, grid.threshold, sums.statistics(), kind.cost,
                   orders, true);
      for (std::size_t t = 0; t < grid.thresholds(); ++t) {
        const std::size_t point = grid.index(noise, task / batches, t);
        for (std::size_t k = begin; k < end; ++k) {
          result.rdp[k * grid.size() + point] = row.rdp(sums, t, numbers[k]);
        }
        if (begin > 0) continue;
        result.answered[point] = row.answered(sums, t);
        result.agreeing[point] = std::min(row.agreeing(sums, t), result.answered[point]);
        if (round.votes.labels) result.right[point] = row.right(sums, t);
        progress.add(1);
      }
    });
  }
  return result;
}

// Keeps of items, by cost and value, those that no other one dominates, the cheapest first.
template <class Item, class Cost, class Value, class Tie>
void keep_front(std::vector<Item>& items, const Cost& cost, const Value& value, const Tie& tie) {
  std::ranges::sort(
      items, {}, [&](const Item& item) { return std::tuple(cost(item), -value(item), tie(item)); });
  std::vector<Item> front;
  for (const Item& item : items) {
    if (std::isfinite(cost(item)) && (front.empty() || value(item) > value(front.back()))) {
      front.push_back(item);
    }
  }
  items = std::move(front);
}

template <class Item>
void thin(std::vector<Item>& items, std::size_t most) {
  if (items.size() <= most) return;
  std::vector<Item> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(items[k * (items.size() - 1) / (most - 1)]);
  items = std::move(some);
}

// The joint front of both rounds, over all orders.
class JointFront {
 public:
  JointFront(const std::array<RoundCurves, 2>& curves, const TuningOrders& orders,
             const TuningGoal& goal)
      : curves_(curves), orders_(orders), goal_(goal) {}

  [[nodiscard]] std::vector<RoundsPoint> find(unsigned threads) const {
    const std::vector<std::size_t> numbers = order_numbers(orders_);
    std::vector<std::vector<RoundsPoint>> fronts(numbers.size());
    parallel_for(numbers.size(), threads,
                 [&](std::size_t k) { fronts[k] = at_order(k, numbers[k]); });
    std::vector<RoundsPoint> all;
    for (const auto& front : fronts) all.insert(all.end(), front.begin(), front.end());
    reduce(all);
    return all;
  }

  [[nodiscard]] double value(const RoundsPoint& p) const { return goal_.value(as_point(p)); }

 private:
  void reduce(std::vector<RoundsPoint>& points) const {
    keep_front(
        points, [](const RoundsPoint& p) { return p.epsilon; },
        [&](const RoundsPoint& p) { return value(p); },
        [](const RoundsPoint& p) { return p.index; });
  }

  // Of one round: the points worth looking at.
  [[nodiscard]] std::vector<std::size_t> front_of(std::size_t round, std::size_t k) const {
    const RoundCurves& curves = curves_[round];
    const std::size_t size = curves.answered.size();
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      TuningPoint p;
      p.answered = curves.answered[i];
      p.right = curves.right[i];
      p.agreeing = curves.agreeing[i];
      values[i] = goal_.value(p);
    }
    std::vector<std::size_t> points(size);
    for (std::size_t i = 0; i < size; ++i) points[i] = i;
    keep_front(
        points, [&](std::size_t i) { return curves.rdp[k * size + i]; },
        [&](std::size_t i) { return values[i]; }, [](std::size_t i) { return i; });
    thin(points, kMaxFront);
    return points;
  }

  [[nodiscard]] std::vector<RoundsPoint> at_order(std::size_t k, std::size_t number) const {
    const std::array fronts{front_of(0, k), front_of(1, k)};
    const auto rdp = [&](std::size_t round, std::size_t i) {
      return curves_[round].rdp[k * curves_[round].answered.size() + i];
    };
    std::vector<RoundsPoint> result;
    for (const std::size_t a : fronts[0]) {
      for (const std::size_t b : fronts[1]) {
        RoundsPoint p;
        p.index = {a, b};
        p.epsilon = orders_.epsilon(number, rdp(0, a) + rdp(1, b));
        p.order = orders_[number];
        p.answered = curves_[0].answered[a] + curves_[1].answered[b];
        p.right = curves_[0].right[a] + curves_[1].right[b];
        p.agreeing = curves_[0].agreeing[a] + curves_[1].agreeing[b];
        result.push_back(p);
      }
    }
    reduce(result);
    return result;
  }

  const std::array<RoundCurves, 2>& curves_;
  const TuningOrders& orders_;
  const TuningGoal& goal_;
};

// The query counts of the rounds of a pair, for exact epsilons.
class ExactPair {
 public:
  ExactPair(const std::array<Round, 2>& rounds, const RoundsPoint& p)
      : neighbours_(rounds[0].grid.neighbours) {
    for (std::size_t r = 0; r < 2; ++r) {
      const TuningVotes& votes = rounds[r].votes;
      aggregators_[r] = rounds[r].grid.aggregator(p.index[r]);
      query_counts_[r] =
          count_queries(run_of(votes, aggregators_[r], neighbours_, votes.rows.size()), 0);
    }
  }
  [[nodiscard]] AccountEpsilon together(const EpsilonKind& kind, double hint) const {
    return account_epsilon(query_counts_, aggregators_, neighbours_, kind, hint, 0);
  }
  [[nodiscard]] AccountEpsilon alone(std::size_t r, const EpsilonKind& kind, double hint) const {
    return account_epsilon(query_counts_[r], aggregators_[r], neighbours_, kind, hint, 0);
  }

 private:
  Neighbours neighbours_;
  std::array<QueryCounts, 2> query_counts_;
  std::array<Mechanism, 2> aggregators_;
};

void validate_rounds(const std::array<Round, 2>& rounds, const EpsilonKind& kind,
                     const TuningGoal& goal) {
  validate_delta(kind.delta);
  if (rounds[0].grid.neighbours != rounds[1].grid.neighbours) {
    throw parameter_error("the rounds of a tuning are for the same neighbours");
  }
  for (const Round& round : rounds) {
    require(Asked::tuning, circumstances_of(round.votes.votes));
    validate(round.grid);
    if (!round.grid.has_selection()) throw parameter_error("a round needs a threshold and sigma1");
    require(round.grid.size() <= kMaxRoundPoints, "a round may have at most {} points, got {}",
            kMaxRoundPoints, round.grid.size());
    validate(goal, kind.cost, round.votes.labels.has_value());
  }
}

}  // namespace

RoundsTuning tune_rounds(const std::array<Round, 2>& rounds, const EpsilonKind& kind,
                         const TuningGoal& goal, unsigned threads, const Watcher& watcher) {
  validate_rounds(rounds, kind, goal);
  const TuningOrders orders(kind);
  ProgressCounter progress(
      watcher.progress, static_cast<std::int64_t>(rounds[0].grid.size() + rounds[1].grid.size()));
  const std::array curves{round_curves(rounds[0], kind, orders, threads, progress),
                          round_curves(rounds[1], kind, orders, threads, progress)};
  const JointFront joint(curves, orders, goal);
  RoundsTuning result;
  result.front = joint.find(threads);

  const auto keeps_answers = [&](const RoundsPoint& p) { return goal.keeps_answers(as_point(p)); };
  // The most costly first, which gives most; epsilon is refined where the limit is near.
  std::size_t straddling = 0;
  const auto keeps_epsilon = [&](RoundsPoint& p) {
    if (goal.keeps_epsilon(p.epsilon)) return true;
    if (!goal.keeps_epsilon(p.epsilon * (1.0 - kGridAccuracy))) return false;
    if (++straddling > kMaxStraddling) return false;
    const AccountEpsilon exact = ExactPair(rounds, p).together(kind, p.order);
    if (exact.epsilon < p.epsilon)
      std::tie(p.epsilon, p.order) = std::tie(exact.epsilon, exact.order);
    return goal.keeps_epsilon(p.epsilon);
  };
  if (goal.objective == Objective::epsilon) {
    const auto found = std::ranges::find_if(result.front, keeps_answers);
    if (found != result.front.end() && keeps_epsilon(*found)) result.best = *found;
  } else {
    for (auto p = result.front.rbegin(); p != result.front.rend() && !result.best; ++p) {
      if (keeps_answers(*p) && keeps_epsilon(*p)) result.best = *p;
    }
  }
  if (!result.best) return result;
  const ExactPair pair(rounds, *result.best);
  const AccountEpsilon exact = pair.together(kind, result.best->order);
  if (exact.epsilon < result.best->epsilon) {
    result.best->epsilon = exact.epsilon;
    result.best->order = exact.order;
  }
  for (std::size_t r = 0; r < 2; ++r) {
    const std::size_t i = result.best->index[r];
    result.alone[r] = {pair.alone(r, kind, result.best->order).epsilon, curves[r].answered[i],
                       curves[r].right[i], curves[r].agreeing[i]};
  }
  return result;
}

}  // namespace pate
