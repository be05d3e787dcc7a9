#include "pate/release/sensitivity/local_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"
#include "pate/release/sensitivity/neighbour_q.hpp"
#include "pate/release/sensitivity/sensitivity_table.hpp"

namespace pate {

namespace {

// Tasks of a fixed number, so that sums do not depend on the number of threads.
constexpr std::size_t kTasks = 256;

// The cells between the ends of q at growing distance from one query's histogram.
class CellRange {
 public:
  CellRange(const QGrid& grid, const UnionBoundTable& table, std::span<const std::int32_t> counts)
      : grid_(&grid),
        walk_(table, counts),
        low_(find(walk_.log_q_low(), grid.size() / 2)),
        high_(find(walk_.log_q_high(), low_)) {}
  void step() {
    if (low_ > 0 && !walk_.low_ended()) {
      walk_.step_low();
      low_ = std::min(low_, find(walk_.log_q_low(), low_));
    }
    if (high_ + 1 < grid_->size()) {
      walk_.step_high();
      high_ = std::max(high_, find(walk_.log_q_high(), high_));
    }
  }
  [[nodiscard]] std::size_t low() const { return low_; }
  [[nodiscard]] std::size_t high() const { return high_; }

 private:
  [[nodiscard]] std::size_t find(double log_q, std::size_t near) const {
    return grid_->find(log_q, near);
  }

  const QGrid* grid_;
  QBoundsByDistance walk_;
  std::size_t low_, high_;
};

// The queries of one selection statistic: profile.distinct[begin .. end - 1].
struct Group {
  std::size_t begin, end;
};

std::vector<Group> groups_of(const VoteProfile& votes) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    if (groups.empty() ||
        votes.distinct[groups.back().begin].statistic != votes.distinct[i].statistic) {
      groups.push_back({i, i});
    }
    groups.back().end = i + 1;
  }
  return groups;
}

struct Walker {
  CellRange range;
  float largest;
  double count;

  [[nodiscard]] double part() const { return count * static_cast<double>(largest); }
};

// to[k] becomes the largest of itself, a[k] and b[k].
void raise(float* __restrict to, const float* a, const float* b, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    const float larger = a[k] > b[k] ? a[k] : b[k];
    to[k] = to[k] > larger ? to[k] : larger;
  }
}

// The maxima of growing rectangles around the queries of one group, added to sums[d].
void add_group(const VoteProfile& votes, const Group& group, const UnionBoundTable& terms,
               const QGrid& grid, const SensitivityTable& table, std::vector<double>& sums) {
  const std::int64_t v = votes.distinct[group.begin].statistic;
  const auto start = table.row(table.row_of(v));
  std::vector<float> profile(start.begin(), start.end());  // maxima over the rows so far, by cell
  const auto profile_largest = [&profile](std::size_t low, std::size_t high) {
    return largest_of(std::span<const float>(profile).subspan(low, high + 1 - low));
  };
  std::int64_t in_first = table.row_of(v);
  std::int64_t in_last = in_first;
  std::vector<Walker> walkers;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const auto count = static_cast<double>(votes.distinct[i].count);
    const CellRange range(grid, terms, votes.histogram(i));
    walkers.push_back({range, profile_largest(range.low(), range.high()), count});
    sums[0] += walkers.back().part();
  }
  for (std::size_t d = 1; d < sums.size(); ++d) {
    const auto distance = static_cast<std::int64_t>(d);
    std::vector<std::int64_t> added;  // rows that hold v - d or v + d and were not in before
    for (const std::int64_t w : {v - distance, v + distance}) {
      if (w < 0 || w > votes.teachers) continue;
      const std::int64_t row = table.row_of(w);
      if (row < table.first() || row > table.last()) continue;
      if (row < in_first || row > in_last) added.push_back(row);
      in_first = std::min(in_first, row);
      in_last = std::max(in_last, row);
    }
    // Between these all walkers have looked already.
    std::size_t end_low = 0;
    std::size_t first_high = profile.size();
    for (const Walker& walker : walkers) {
      end_low = std::max(end_low, walker.range.low());
      first_high = std::min(first_high, walker.range.high() + 1);
    }
    end_low = std::min(end_low, first_high);
    if (!added.empty()) {
      const auto a = table.row(added.front());
      const auto b = table.row(added.back());
      raise(profile.data(), a.data(), b.data(), end_low);
      raise(profile.data() + first_high, a.data() + first_high, b.data() + first_high,
            profile.size() - first_high);
    }
    for (Walker& walker : walkers) {
      const std::size_t low = walker.range.low();
      const std::size_t high = walker.range.high();
      for (const std::int64_t r : added) {
        if (table.largest_of_row(r) <= walker.largest) continue;
        walker.largest = std::max(walker.largest, table.largest(r, low, high));
      }
      walker.range.step();
      if (walker.range.low() < low) {
        walker.largest = std::max(walker.largest, profile_largest(walker.range.low(), low - 1));
      }
      if (walker.range.high() > high) {
        walker.largest = std::max(walker.largest, profile_largest(high + 1, walker.range.high()));
      }
      sums[d] += walker.part();
    }
    // A rectangle that holds the largest entry of all keeps it.
    std::erase_if(walkers, [&](const Walker& walker) {
      if (walker.largest < table.largest()) return false;
      for (std::size_t later = d + 1; later < sums.size(); ++later) {
        sums[later] += walker.part();
      }
      return true;
    });
    if (walkers.empty()) break;
  }
}

// Sums for d = 0..most_votes, upwards by more than their rounding: of what add(i, sums) adds for
// every i below `items`, in tasks that do not depend on the number of threads.
template <class Add>
LocalSensitivity add_up(const VoteProfile& votes, double order, std::int64_t most_votes,
                        unsigned threads, std::size_t items, const Add& add) {
  const auto size = static_cast<std::size_t>(most_votes) + 1;
  std::vector<std::vector<double>> tasks(kTasks);
  parallel_for(kTasks, threads, [&](std::size_t task) {
    for (std::size_t i = task; i < items; i += kTasks) {
      tasks[task].resize(size, 0.0);
      add(i, tasks[task]);
    }
  });
  LocalSensitivity result;
  for (std::size_t d = 0; d < size; ++d) {
    CompensatedSum sum;
    for (const auto& task : tasks) {
      if (!task.empty()) sum.add(task[d]);
    }
    const double at_d = sum.value() * (1.0 + kSensitivitySumMargin);
    result.at.push_back(d > 0 ? max_or_nan(at_d, result.at.back()) : at_d);
  }
  // No two costs of a query differ by more than the largest there is.
  result.beyond = static_cast<double>(votes.queries) *
                  data_independent_cost(votes.aggregator, votes.neighbours, order).total();
  result.complete = most_votes == votes.teachers;
  return result;
}

LocalSensitivity joint(const VoteProfile& votes, const ExcessCurve& curve, const QGrid& grid,
                       const UnionBoundTable& terms, std::int64_t most_votes, unsigned threads) {
  std::optional<AnswerTable> ladder;
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (votes.aggregator.selection && !votes.distinct.empty()) {
    ladder.emplace(*votes.aggregator.selection, votes.neighbours, 0, votes.teachers,
                   votes.teachers);
    first = std::max<std::int64_t>(votes.distinct.front().statistic - most_votes, 0);
    last = std::min(votes.distinct.back().statistic + most_votes, votes.teachers);
  }
  const SensitivityTable table(grid, ladder, curve.order(), curve.log_cap(), first, last, threads);
  const std::vector<Group> groups = groups_of(votes);
  return add_up(votes, curve.order(), most_votes, threads, groups.size(),
                [&](std::size_t g, std::vector<double>& sums) {
                  add_group(votes, groups[g], terms, grid, table, sums);
                });
}

// Maxima over growing ranges of cells of a row of the noisy maximum alone.
void add_noisy_max(const VoteProfile& votes, std::size_t query, const UnionBoundTable& terms,
                   const QGrid& grid, const NoisyMaxSensitivity& entries,
                   std::vector<CheckStep>& steps) {
  CellRange range(grid, terms, votes.histogram(query));
  CheckStep largest;
  const auto include = [&](std::size_t low, std::size_t high) {
    for (std::size_t k = low; k <= high; ++k) {
      largest.up = max_or_nan(largest.up, entries.up[k]);
      largest.down = max_or_nan(largest.down, entries.down[k]);
    }
  };
  include(range.low(), range.high());
  for (std::size_t d = 0;; ++d) {
    steps[d].up += largest.up;
    steps[d].down += largest.down;
    if (d + 1 == steps.size()) return;
    const std::size_t low = range.low();
    const std::size_t high = range.high();
    range.step();
    if (range.low() < low) include(range.low(), low - 1);
    if (range.high() > high) include(high + 1, range.high());
  }
}

LocalSensitivity realized(const VoteProfile& votes, const ExcessCurve& curve, const QGrid& grid,
                          const UnionBoundTable& terms, std::int64_t most_votes, unsigned threads) {
  const CheckSensitivity checks(*votes.aggregator.selection, votes.teachers, curve.order());
  const NoisyMaxSensitivity noisy_max(grid, curve.order(), curve.log_cap());
  return add_up(votes, curve.order(), most_votes, threads, votes.distinct.size(),
                [&](std::size_t i, std::vector<double>& sums) {
                  const VoteProfile::Query& query = votes.distinct[i];
                  std::vector<CheckStep> check(sums.size());
                  checks.around(query.statistic, check);
                  const auto answered = static_cast<double>(query.answered);
                  const auto refused = static_cast<double>(query.count - query.answered);
                  std::vector<CheckStep> both = check;
                  if (query.answered > 0) add_noisy_max(votes, i, terms, grid, noisy_max, both);
                  for (std::size_t d = 0; d < sums.size(); ++d) {
                    sums[d] += refused * check[d].larger() +
                               (query.answered > 0 ? answered * both[d].larger() : 0.0);
                  }
                });
}

}  // namespace

LocalSensitivity tradeoff_local_sensitivity(const VoteProfile& votes, const ExcessCurve& curve,
                                            ReleasedCost cost, const GridResolution& resolution,
                                            std::int64_t most_votes, unsigned threads) {
  if (votes.distinct.empty()) return {{0.0}, 0.0, true};
  const QGrid grid(curve, votes.aggregator.noisy_max, votes.classes, resolution, threads);
  const UnionBoundTable terms(pair_term(votes.aggregator.noisy_max), votes.teachers);
  const std::int64_t most = std::min(most_votes, votes.teachers);
  if (cost == ReleasedCost::realized) {
    return realized(votes, curve, grid, terms, most, threads);
  }
  return joint(votes, curve, grid, terms, most, threads);
}

SmoothSensitivity smooth_sensitivity(const LocalSensitivity& local, double beta) {
  SmoothSensitivity result;
  const auto include = [&](std::size_t distance, double value, bool at_end) {
    const double smoothed = std::exp(-beta * static_cast<double>(distance)) * value;
    if (smoothed > result.value || std::isnan(smoothed)) result = {smoothed, at_end};
  };
  for (std::size_t d = 0; d < local.at.size(); ++d) include(d, local.at[d], false);
  if (!local.complete) include(local.at.size(), local.beyond, true);
  return result;
}

}  // namespace pate
