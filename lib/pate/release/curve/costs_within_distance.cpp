#include "pate/release/curve/costs_within_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/release/sensitivity/two_class_cost.hpp"

namespace pate {

namespace {

// Cells of q and of costs are this much wide, relative.
constexpr double kQCell = 1.0 / 64.0;
constexpr double kCostCell = 1.0 / 256.0;

// The ends of cells from the largest value down to 0.
std::vector<std::int64_t> cells_below(std::int64_t largest, double width) {
  std::vector<std::int64_t> cells{largest};
  const double factor = std::exp(-width);
  while (cells.back() > 0) {
    cells.push_back(static_cast<std::int64_t>(static_cast<double>(cells.back()) * factor));
  }
  return cells;
}

std::optional<JointCost> joint_cost(const CostSpec& question) {
  if (!question.aggregator.selection) return std::nullopt;
  const AnswerTable ladder(*question.aggregator.selection, question.neighbours, 0,
                           question.teachers, question.teachers);
  return JointCost(
      ladder, question.order,
      data_independent_cost(question.aggregator.step(question.neighbours), question.order));
}

// What entries of tables are computed from.
class EntryCosts {
 public:
  explicit EntryCosts(const CostSpec& question)
      : question_(question),
        joint_(joint_cost(question)),
        checked_(joint_ && question.reading != ReleasedCost::realized),
        // What the walk is over beside the check.
        aggregator_(checked_ ? question.aggregator : Aggregator{{}, question.aggregator.noisy_max}),
        cap_(data_independent_cost(aggregator_, question.neighbours, question.order).total()) {}

  [[nodiscard]] TiltedCost tilted(unsigned threads) const {
    const auto check = aggregator_.interactive ? std::nullopt : aggregator_.selection;
    return {aggregator_.noisy_max.gaussian(),
            check,
            question_.teachers,
            question_.classes,
            question_.order,
            threads,
            KeyCosts::has_cells(question_.teachers) ? TiltedMoment::kMostCells : 0,
            question_.neighbours.teachers};
  }

  // Of the selection alone.
  [[nodiscard]] WalkTable::Question checks() const {
    return {0, question_.teachers, {0}, [this](std::int64_t) {
              return [this](std::int64_t v) {
                return units_of(joint_->costs(v, {-kInfinity, -kInfinity}).forward, 0.0);
              };
            }};
  }

  // Of an interactive run, whose noisy maximum costs at most so much.
  [[nodiscard]] WalkTable::Question interactive(CostUnits largest_key) const {
    return {0, question_.teachers, cells_below(largest_key, kCostCell), [this](std::int64_t units) {
              const double log_excess =
                  log_expm1((question_.order - 1.0) * cost_of_units(std::max<CostUnits>(units, 1)));
              return [this, log_excess](std::int64_t u) {
                return units_of(joint_->costs(u, {log_excess, log_excess}).forward, 0.0);
              };
            }};
  }

  [[nodiscard]] WalkTable::Question exact() const {
    const std::int64_t teachers = question_.teachers;
    return {(teachers + 1) / 2, teachers, {0}, [this, teachers](std::int64_t) {
              return [this, teachers](std::int64_t v) {
                const std::int64_t moved = question_.neighbours.teachers;
                double largest = -kInfinity;
                for (std::int64_t w = std::max<std::int64_t>(v - moved, 0);
                     w <= std::min(v + moved, teachers); ++w) {
                  if (w == v) continue;
                  largest = max_or_nan(
                      largest, two_class_log_excess(aggregator_, teachers, v, w,
                                                    std::max(w, teachers - w), question_.order));
                }
                return units_of(cost_of_log_excess(largest, question_.order, cap_), 0.0);
              };
            }};
  }

  [[nodiscard]] WalkTable::Question tradeoff(std::int64_t largest_q) const {
    return {0, checked_ ? question_.teachers : 0, cells_below(largest_q, kQCell),
            [this](std::int64_t q) {
              const double log_excess = tradeoff_log_excess(aggregator_.step(question_.neighbours),
                                                            IntegerQ::log_q(q), question_.order)
                                            .forward;
              return [this, log_excess](std::int64_t v) {
                return units_of(checked_ ? joint_->costs(v, {log_excess, log_excess}).forward
                                         : cost_of_log_excess(log_excess, question_.order, cap_),
                                0.0);
              };
            }};
  }

 private:
  const CostSpec& question_;
  std::optional<JointCost> joint_;
  bool checked_;
  Aggregator aggregator_;
  double cap_;
};

std::optional<KeyCosts> key_costs(const CostSpec& question, unsigned threads,
                                  const ProgressCallback& progress) {
  validate(question);
  if (question.cost != CurveCost::tilted) return std::nullopt;
  return KeyCosts(EntryCosts(question).tilted(threads), KeyCosts::Keys::automatic, threads,
                  progress);
}

}  // namespace

CostsWithinDistance::CostsWithinDistance(const CostSpec& question, unsigned threads,
                                         const ProgressCallback& progress)
    : CostsWithinDistance(question, key_costs(question, threads, progress), threads) {}

CostsWithinDistance::CostsWithinDistance(const CostSpec& question, std::optional<KeyCosts> keys,
                                         unsigned threads)
    : question_(question), keys_(std::move(keys)) {
  validate(question);
  const EntryCosts entries(question);
  if (question.reading == ReleasedCost::realized) checks_.emplace(entries.checks(), threads);
  if (question.cost == CurveCost::tilted) {
    if (question.aggregator.interactive && !checks_) {
      walk_.emplace(entries.interactive(keys_->largest()), threads);
    }
  } else if (question.cost == CurveCost::exact) {
    walk_.emplace(entries.exact(), threads);
  } else {
    q_.emplace(question.aggregator.noisy_max, question.teachers, question.classes);
    walk_.emplace(entries.tradeoff(q_->cap()), threads);
  }
}

std::vector<std::shared_ptr<const CostsWithinDistance>> CostsWithinDistance::at_orders(
    const CostSpec& question, std::span<const double> orders, unsigned threads,
    const ProgressCallback& progress) {
  std::vector<CostSpec> questions;
  for (const double order : orders) {
    questions.push_back(question);
    questions.back().order = order;
    validate(questions.back());
  }
  std::vector<KeyCosts> keys;
  if (question.cost == CurveCost::tilted) {
    std::vector<TiltedCost> costs;
    for (const CostSpec& its : questions) costs.push_back(EntryCosts(its).tilted(threads));
    keys = KeyCosts::at_orders(costs, threads, progress);
  }
  std::vector<std::shared_ptr<const CostsWithinDistance>> result;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::optional<KeyCosts> its;
    if (i < keys.size()) its.emplace(std::move(keys[i]));
    result.push_back(std::shared_ptr<const CostsWithinDistance>(
        new CostsWithinDistance(questions[i], std::move(its), threads)));
  }
  return result;
}

CostsWithinDistance::CostsWithinDistance(const CostSpec& question,
                                         std::span<const CostUnits> numbers, std::uint64_t seed)
    : question_(question) {
  validate(question);
  StoredUnits from(numbers);
  const bool tilted = question.cost == CurveCost::tilted;
  const bool realized = question.reading == ReleasedCost::realized;
  if (realized) checks_.emplace(from);
  if (tilted) keys_.emplace(question.teachers, question.classes, from);
  if (!tilted || (question.aggregator.interactive && !realized)) walk_.emplace(from);
  if (question.cost == CurveCost::tradeoff) {
    q_.emplace(question.aggregator.noisy_max, question.teachers, question.classes);
  }
  if (!from.done()) throw parameter_error("there are more stored numbers than the costs have");
  const EntryCosts entries(question);
  std::mt19937_64 random(seed);
  if (checks_) checks_->check(entries.checks(), random, kCheckedEntries);
  if (keys_) keys_->check(entries.tilted(1), random, kCheckedEntries);
  if (!walk_) return;
  walk_->check(tilted                              ? entries.interactive(keys_->largest())
               : question.cost == CurveCost::exact ? entries.exact()
                                                   : entries.tradeoff(q_->cap()),
               random, kCheckedEntries);
}

std::vector<CostUnits> CostsWithinDistance::numbers() const {
  std::vector<CostUnits> result;
  if (checks_) checks_->store(result);
  if (keys_) keys_->store(result);
  if (walk_) walk_->store(result);
  return result;
}

CostUnits CostsWithinDistance::largest(std::int64_t queries, std::int64_t answered) const {
  const CostUnits each = walk_ ? walk_->largest() : keys_->largest();
  const CostUnits check = checks_ ? checks_->largest() : 0;
  const std::int64_t times = checks_ ? answered : queries;
  const double total = static_cast<double>(each) * static_cast<double>(times) +
                       static_cast<double>(check) * static_cast<double>(queries);
  if (!(total < 0x1p61)) throw validity_error("the run may cost more than a release can count");
  return each * times + check * queries;
}

void CostsWithinDistance::add(std::span<const std::int32_t> counts, std::int64_t statistic,
                              std::int64_t count, std::int64_t answered,
                              std::span<CostUnits> to) const {
  // Of d persons, at most so many times as many votes of a query move, and at most all of them.
  const auto moved = static_cast<std::size_t>(question_.neighbours.teachers);
  const auto all = static_cast<std::size_t>(question_.teachers);
  const std::size_t distances = to.empty() ? 0 : std::min(moved * (to.size() - 1), all) + 1;
  const auto add_times = [&](const std::vector<CostUnits>& costs, std::int64_t times) {
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += costs[std::min(moved * d, all)] * times;
  };
  const std::int64_t times = checks_ ? answered : count;
  if (checks_) add_times(checks_->within(statistic, distances, {}), count);
  if (times == 0) return;
  std::vector<std::int64_t> values;
  if (keys_) values = keys_->within(counts, distances);
  if (q_) values = q_->within(counts);
  if (!walk_) return add_times(values, times);
  const bool by_statistic = question_.aggregator.selection && !checks_;
  const std::int64_t centre = question_.cost == CurveCost::exact ? counts[0]
                              : by_statistic                     ? statistic
                                                                 : 0;
  add_times(walk_->within(centre, distances, values), times);
}

std::vector<CostUnits> CostsWithinDistance::upper(const VoteProfile& votes, unsigned threads,
                                                  std::size_t distances) const {
  const auto size =
      std::clamp<std::size_t>(distances, 1, static_cast<std::size_t>(question_.teachers) + 1);
  require(votes.teachers == question_.teachers && votes.classes == question_.classes,
          "the votes are not of the teachers and classes the costs are for");
  // By key all that counts are the three largest counts and the statistic: many histograms may have
  // the same.
  struct Some {
    std::size_t query;  // one of them
    std::int64_t count, answered;
  };
  std::vector<Some> queries;
  std::map<std::array<std::int64_t, 4>, std::size_t> known;
  const auto counts_of = [&](std::size_t i) {
    if (!keys_) return votes.histogram(i);
    const auto voted = votes.voted(i);
    std::vector<std::int32_t> counts(
        static_cast<std::size_t>(std::min<std::int64_t>(votes.classes, 3)), 0);
    std::copy_n(voted.begin(), std::min(voted.size(), counts.size()), counts.begin());
    return counts;
  };
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    const VoteProfile::Query& query = votes.distinct[i];
    if (keys_) {
      const std::vector<std::int32_t> its = counts_of(i);
      const std::int64_t third = its.size() > 2 ? its[2] : 0;
      const auto [at, is_new] =
          known.try_emplace({its[0], its[1], third, query.statistic}, queries.size());
      if (!is_new) {
        queries[at->second].count += query.count;
        queries[at->second].answered += query.answered;
        continue;
      }
    }
    queries.push_back({i, query.count, query.answered});
  }
  constexpr std::size_t kChunk = 16;
  std::vector<CostUnits> result(size, 0);
  std::mutex mutex;
  const CostUnits most = largest(votes.queries, votes.answered);
  parallel_for((queries.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    std::vector<CostUnits> sums(size, 0);
    for (std::size_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, queries.size()); ++i) {
      const Some& its = queries[i];
      add(counts_of(its.query), votes.distinct[its.query].statistic, its.count, its.answered, sums);
    }
    const std::scoped_lock lock(mutex);  // integers: in whatever order
    for (std::size_t d = 0; d < size; ++d) result[d] += sums[d];
  });
  result.back() = most;
  return result;
}

}  // namespace pate
