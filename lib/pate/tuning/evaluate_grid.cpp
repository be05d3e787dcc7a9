#include "pate/tuning/evaluate_grid.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "pate/accounting/account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/tuning/account_epsilon.hpp"
#include "pate/tuning/agreement.hpp"
#include "pate/tuning/public_epsilons.hpp"
#include "pate/tuning/row_costs.hpp"

namespace pate {

namespace {

// Values of sigma2 whose sums are kept at the same time, so that what depends on sigma1 is made
// once for all of them: more where sums are small. They have a few groups of queries for every
// statistic.
constexpr std::size_t kMinTile = 16;
constexpr std::size_t kMaxTile = 64;
constexpr std::int64_t kGroupsInTile = 120'000;
constexpr std::int64_t kGroupsOfStatistic = 12;
// From the sums at which one task begins to those of the next.
constexpr std::size_t kTaskStride = 7;
// Thresholds that one task covers, and so shares what depends on sigma1.
constexpr std::size_t kTaskThresholds = 8 * kBlockThresholds;

// Everything the tasks share.
struct Work : TuningTask {
  const TuningOrders& orders;
  std::size_t first;
  std::span<TuningPoint> points;
  ProgressCounter counter;

  [[nodiscard]] bool contains(std::size_t point) const {
    return point >= first && point < first + points.size();
  }
};

// Tiles of about one size.
std::size_t tile_of(const TuningVotes& votes, std::size_t values) {
  const std::int64_t statistics = votes.votes.teachers() + 1;
  const std::int64_t groups =
      std::clamp(votes.rows.size(), std::int64_t{1}, kGroupsOfStatistic * statistics);
  const std::size_t most =
      std::clamp(static_cast<std::size_t>(kGroupsInTile / groups), kMinTile, kMaxTile);
  const std::size_t tiles = (values + most - 1) / most;
  return (values + tiles - 1) / tiles;
}

// The number of queries asked: the fewest that are expected to give enough answers.
std::size_t asked_by(const RowCosts& row, const NoiseSums& sums, std::size_t threshold,
                     const std::optional<double>& max_answers) {
  const std::int64_t all = std::ssize(sums.asked()) - 1;
  if (!max_answers) return static_cast<std::size_t>(all);
  return static_cast<std::size_t>(bisect(all, std::int64_t{-1}, [&](std::int64_t asked) {
    return row.answered(sums.at(static_cast<std::size_t>(asked)), threshold) >= *max_answers;
  }));
}

// Where epsilon rises by more than this from one order that was looked at to the next, those in
// between are looked at too.
constexpr double kSteep = 0.01;

// The best order of a point; `start` is where to begin, with steps of so many strides.
template <class Epsilon>
std::size_t best_order(const TuningOrders& orders, Bound bound, std::size_t start,
                       std::size_t first_step, const Epsilon& value_at) {
  const std::size_t stride = orders.stride();
  if (orders.restricted() || bound == Bound::published) {
    // Theorem 6 holds up to an order that depends on q: no single valley is to be expected.
    // From above: at low orders the conversion alone is more than the whole elsewhere.
    start = orders.size() - 1 - (orders.size() - 1) % orders.scan();
    for (std::size_t i = start; i >= orders.scan();) {
      i -= orders.scan();
      if (orders.epsilon(i, 0.0) > value_at(start)) continue;
      if (value_at(i) <= value_at(start)) start = i;
    }
    first_step = 1;
  }
  std::size_t best =
      descend_to_minimum(orders.size(), start, first_step * stride, stride, value_at);
  for (std::size_t step = stride / 2; step > 0; step /= 2) {
    double highest = value_at(best);
    if (best >= 2 * step) highest = std::max(highest, value_at(best - 2 * step));
    if (best + 2 * step < orders.size()) highest = std::max(highest, value_at(best + 2 * step));
    if (!(highest > value_at(best) * (1.0 + kSteep))) break;
    best = descend_to_minimum(orders.size(), best, step, step, value_at);
  }
  return best;
}

void evaluate_block(Work& work, RowCosts& row, std::size_t row_first, const NoiseSums& sums,
                    std::size_t begin, std::size_t end) {
  std::size_t order = work.orders.start();
  std::size_t first_step = 16;
  const Bound bound = work.settings.kind.cost.bound;
  const std::optional<double>& most = work.settings.max_answers;
  if (const std::size_t threshold = work.grid.threshold_of(begin) - row_first;
      row.is_interpolated(threshold)) {
    order = best_order(work.orders, bound, order, first_step, [&](std::size_t i) {
      return work.orders.quick_epsilon(i, row.rdp_nearby(sums.all(), threshold, i));
    });
    first_step = 1;
  }
  for (std::size_t point = begin; point < end; ++point) {
    const std::size_t threshold = work.grid.threshold_of(point) - row_first;
    const std::size_t slice = asked_by(row, sums, threshold, most);
    const VoteSums& votes = sums.at(slice);
    TuningPoint result;
    result.queries = sums.asked()[slice];
    result.answered = row.answered(votes, threshold);
    if (work.votes.labels) result.right = row.right(votes, threshold);
    result.agreeing = std::min(row.agreeing(votes, threshold), result.answered);
    if (most && result.answered > *most) {
      result.right *= *most / result.answered;
      result.agreeing *= *most / result.answered;
      result.answered = *most;
    }
    double rdp_seen = 0.0;
    struct AtOrder {
      double rdp = 0.0;
      double quick = 0.0;
      std::optional<double> epsilon;
    };
    std::map<std::size_t, AtOrder> looked;  // orders that were looked at
    const auto at_order = [&](std::size_t i) -> AtOrder& {
      const auto [found, is_new] = looked.try_emplace(i);
      if (is_new) {
        const double rdp = row.rdp(votes, threshold, i);
        rdp_seen = std::max(rdp_seen, rdp);
        found->second = {rdp, work.orders.quick_epsilon(i, rdp), {}};
      }
      return found->second;
    };
    const auto quick_at = [&](std::size_t i) { return at_order(i).quick; };
    const auto epsilon_at = [&](std::size_t i) {
      AtOrder& at = at_order(i);
      if (!at.epsilon) at.epsilon = work.orders.epsilon(i, at.rdp);
      return *at.epsilon;
    };
    order -= order % work.orders.stride();
    order = best_order(work.orders, bound, order, first_step, quick_at);
    first_step = 1;
    const std::size_t best =
        work.orders.is_optimal()
            ? best_order(work.orders, bound, order - order % work.orders.stride(), 1, epsilon_at)
            : order;
    if (rdp_seen > 0.0) {
      result.epsilon = epsilon_at(best);
      result.order = work.orders[best];
    } else {
      result.epsilon = 0.0;
    }
    work.points[point - work.first] = result;
  }
}

// All points with some sigma1 and a range of thresholds, for all sums of a tile, of which those at
// `start` come first.
void evaluate_task(Work& work, const std::vector<std::shared_ptr<NoiseSums>>& sums,
                   std::size_t first_noise, std::size_t i_sigma1, std::size_t first_threshold,
                   std::size_t start) {
  const TuningGrid& grid = work.grid;
  const std::size_t last_threshold = std::min(first_threshold + kTaskThresholds, grid.thresholds());
  std::optional<RowCosts> row;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t k = (start + i) % sums.size();
    if (!sums[k]) continue;
    for (std::size_t t = first_threshold; t < last_threshold; t += kBlockThresholds) {
      const std::size_t begin = grid.index(first_noise + k, i_sigma1, t);
      const std::size_t end = begin + std::min(kBlockThresholds, last_threshold - t);
      if (!work.contains(begin)) continue;
      // Of a report that does not list all points a part of a block may be known.
      const auto block = work.points.subspan(begin - work.first, end - begin);
      const auto missing = std::ranges::count(block, false, &TuningPoint::evaluated);
      if (missing == 0) continue;
      if (work.watcher.wants_stop()) return;
      if (!row) {
        row.emplace(
            *grid.aggregator(begin).selection, grid.neighbours,
            std::span(grid.threshold).subspan(first_threshold, last_threshold - first_threshold),
            sums[k]->all().statistics(), work.settings.kind.cost, work.orders,
            // Thresholds at which other queries are asked have nothing in common.
            sums[k]->asked().size() == 1);
      }
      evaluate_block(work, *row, first_threshold, *sums[k], begin, end);
      work.counter.add(missing);
    }
  }
}

bool has_work(const Work& work, std::size_t noise) {
  const std::size_t begin = std::max(work.grid.index(noise, 0, 0), work.first);
  const std::size_t end =
      std::min(work.grid.index(noise + 1, 0, 0), work.first + work.points.size());
  for (std::size_t point = begin; point < end; ++point) {
    if (!work.points[point - work.first].evaluated()) return true;
  }
  return false;
}

void evaluate_with_selection(Work& work) {
  const TuningGrid& grid = work.grid;
  const auto asked = asked_queries(work.votes.rows.size(), work.settings.max_answers.has_value());
  const std::size_t tile = tile_of(work.votes, grid.noise.size());
  for (std::size_t first = 0; first < grid.noise.size(); first += tile) {
    std::vector<std::shared_ptr<NoiseSums>> sums(std::min(tile, grid.noise.size() - first));
    for (std::size_t k = 0; k < sums.size(); ++k) {
      if (!has_work(work, first + k)) continue;
      if (work.watcher.wants_stop()) return;
      std::shared_ptr<NoiseSums> made;
      std::shared_ptr<NoiseSums>& its =
          work.kept != nullptr ? work.kept->by_noise[grid.noise[first + k]] : made;
      if (!its) {
        its = std::make_shared<NoiseSums>(work.votes, grid.aggregator(grid.index(first + k, 0, 0)),
                                          grid.neighbours, asked, work.settings.kind.cost,
                                          work.orders, work.settings.threads);
      }
      sums[k] = its;
    }
    const std::size_t chunks = (grid.thresholds() + kTaskThresholds - 1) / kTaskThresholds;
    parallel_for(grid.sigma1.size() * chunks, work.settings.threads, [&](std::size_t task) {
      // What sums tabulate when they are first asked others wait for: tasks begin apart.
      evaluate_task(work, sums, first, task / chunks, task % chunks * kTaskThresholds,
                    task * kTaskStride % sums.size());
    });
  }
}

void evaluate_without_selection(Work& work) {
  const std::int64_t all = work.votes.rows.size();
  std::int64_t queries = all;
  // Every query is answered.
  if (work.settings.max_answers && *work.settings.max_answers < static_cast<double>(all)) {
    queries = static_cast<std::int64_t>(std::ceil(*work.settings.max_answers));
  }
  parallel_for(work.points.size(), work.settings.threads, [&](std::size_t i) {
    if (work.points[i].evaluated() || work.watcher.wants_stop()) return;
    const Aggregator aggregator = work.grid.aggregator(work.first + i);
    Run run = run_of(work.votes, aggregator, work.grid.neighbours, queries);
    run.labels = work.votes.labels;
    std::vector<QueryKey> keys{cost_key(run), sorted_histogram()};
    if (run.labels) keys.push_back(label_key(run));
    std::vector<DistinctQueries> counted = count_distinct(run, keys, {.threads = 1});
    const AccountEpsilon found =
        account_epsilon(query_counts_of(run, std::move(counted.front())), aggregator,
                        run.neighbours, work.settings.kind, 0.0, 1);
    TuningPoint point{found.epsilon, found.order, static_cast<double>(queries), 0.0, queries};
    point.agreeing = expected_agreeing(
        aggregator, agreement_of(aggregator.noisy_max, run.votes.classes(), counted[1], 1));
    if (run.labels && queries > 0) {
      point.right =
          utility(count_utility(aggregator, counted.back(), 1), aggregator).expected_accuracy *
          point.answered;
    }
    work.points[i] = point;
    work.counter.add(1);
  });
}

// The votes are read once: what PTR's costs and answers depend on is the same for all its points.
void evaluate_tested(Work& work) {
  const EpsilonKind& kind = work.settings.kind;
  const TuningGrid& grid = work.grid;
  if (std::ranges::all_of(work.points, &TuningPoint::evaluated)) return;
  Run run = run_of(work.votes, grid.mechanism(work.first), grid.neighbours, work.votes.rows.size());
  run.labels = work.votes.labels;
  const Partials counted = count_run(run, {.threads = work.settings.threads}).partials;
  AccountSettings settings;
  settings.delta = kind.delta;
  settings.models = {Bound::tradeoff};
  settings.orders = kind.orders;
  if (!kind.as_headline || kind.chosen_conversion) {
    settings.conversion =
        kind.conversion == Conversion::classic ? EpsilonMethod::classic : EpsilonMethod::improved;
  }
  if (!kind.as_headline) settings.reading = GuaranteeKind::joint;
  settings.threads = 1;
  parallel_for(work.points.size(), work.settings.threads, [&](std::size_t i) {
    TuningPoint& point = work.points[i];
    if (point.evaluated() || work.watcher.wants_stop()) return;
    const Mechanism aggregator = grid.mechanism(work.first + i);
    const std::int64_t queries = counted.query_counts.queries;
    TuningPoint found{kInfinity, 0.0, 0.0, 0.0, queries};
    AnswerProbabilities probabilities(aggregator);
    for (const DistinctQuery& query : counted.query_counts.distinct) {
      found.answered +=
          static_cast<double>(query.count) * probabilities.of(query.statistic).answered;
    }
    found.agreeing = found.answered;  // PTR tells the plurality or nothing
    if (counted.utility && found.answered > 0.0) {
      found.right = utility(*counted.utility, aggregator).expected_accuracy * found.answered;
    }
    // Where the deltas of the queries leave nothing there is no epsilon at this delta.
    if (steps_of(aggregator, grid.neighbours, queries, queries).delta() < kind.delta) {
      const Account its = account(counted, aggregator, grid.neighbours, settings);
      found.epsilon = its.costs[its.headline].epsilon;
      found.order = its.costs[its.headline].order.value_or(0.0);
    }
    point = found;
    work.counter.add(1);
  });
}

}  // namespace

void evaluate_grid(const TuningTask& task, std::size_t first, std::span<TuningPoint> points) {
  validate(task.grid);
  const std::optional<TuningOrders> own =
      task.kept == nullptr ? std::optional<TuningOrders>(task.settings.kind) : std::nullopt;
  const TuningOrders& orders = own ? *own : task.kept->orders;
  const auto size = static_cast<std::int64_t>(points.size());
  const auto before = std::ranges::count(points, true, &TuningPoint::evaluated);
  Work work{task, orders, first, points, ProgressCounter(task.watcher.progress, size)};
  if (before > 0) work.counter.add(before);
  if (task.grid.ptr) {
    evaluate_tested(work);
  } else if (task.grid.has_selection()) {
    evaluate_with_selection(work);
  } else {
    evaluate_without_selection(work);
  }
  PublicEpsilons any_votes(task.settings.kind, task.grid.neighbours);
  for (std::size_t i = 0; i < points.size(); ++i) {
    TuningPoint& point = points[i];
    if (!point.evaluated()) continue;
    point.any_votes = any_votes.of(task.grid.mechanism(first + i), point.queries);
    const bool judges = task.settings.any_votes ||
                        (task.settings.kind.as_headline && point.any_votes < point.epsilon);
    if (task.grid.ptr || !judges) continue;
    point.epsilon = point.any_votes;
    point.order = 0.0;  // one that no order has
  }
}

}  // namespace pate
