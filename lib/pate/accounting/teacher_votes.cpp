#include "pate/accounting/teacher_votes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pate/accounting/run_curve.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr std::int64_t kVotesPerBlock = 1 << 21;
constexpr std::size_t kTeachersPerTask = 64;
// How many orders of the grid are evaluated at once: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The smallest epsilons at the orders that were taken.
class Minima {
 public:
  Minima(const TeacherSums& sums, std::size_t teachers, std::span<const double> grid, double delta)
      : sums_(sums), grid_(grid), delta_(delta), best_(kOfRun + 2 * teachers) {}

  // Takes the grid orders begin .. end - 1.
  void take(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += kOrdersAtOnce) {
      const auto at = sums_(grid_.subspan(k, std::min(kOrdersAtOnce, end - k)));
      for (std::size_t i = 0; i < at.size(); ++i) take(k + i, at[i]);
    }
  }

  // Whether some minimum is at grid order k, an end of those that were taken.
  [[nodiscard]] bool is_best(std::size_t k) const {
    return std::ranges::count(best_, k, &Best::order) > 0;
  }

  [[nodiscard]] TeacherOptima optima() const {
    TeacherOptima result;
    for (const Best& best : std::span(best_).first(kOfRun)) {
      result.run.push_back(
          {grid_[best.order], best.epsilon, best.order == 0, best.order + 1 == grid_.size()});
    }
    for (std::size_t i = kOfRun; i < best_.size(); i += 2) {
      const double larger = max_or_nan(best_[i].epsilon, best_[i + 1].epsilon);
      result.epsilon.push_back(spent_ ? std::max(larger, 0.0) : 0.0);
    }
    result.spent = spent_;
    return result;
  }

 private:
  struct Best {
    double epsilon = kInfinity;
    std::size_t order = 0;
  };
  // Those of the whole run, by conversion and direction.
  static constexpr std::size_t kOfRun = 6;

  static void improve(Best& best, std::size_t k, double epsilon) {
    // Of equal values the one at the smallest order, whatever was taken first.
    if (epsilon < best.epsilon || (epsilon == best.epsilon && k < best.order)) {
      best = {epsilon, k};
    }
  }

  void take(std::size_t k, const std::vector<TeacherSum>& sums) {
    BothDirections most;
    for (std::size_t t = 0; t < sums.size(); ++t) {
      const BothDirections rdp = sums[t].rdp();
      most = larger_of(most, rdp);
      const auto epsilon = [&](double value) {
        return epsilon_from_rdp(Conversion::optimal, value, grid_[k], delta_);
      };
      improve(best_[kOfRun + 2 * t], k, epsilon(rdp.forward));
      improve(best_[kOfRun + 2 * t + 1], k, epsilon(rdp.reverse));
    }
    const auto epsilons = directed_epsilons(most, grid_[k], delta_);
    for (std::size_t f = 0; f < kOfRun; ++f) improve(best_[f], k, epsilons[f]);
    spent_ = spent_ || !(most.larger() <= 0.0);
  }

  const TeacherSums& sums_;
  std::span<const double> grid_;
  double delta_;
  std::vector<Best> best_;  // of the run, then by teacher and direction: optimal
  bool spent_ = false;
};

// The classes that have votes, and one beside them that has none, if any has none.
struct VotedClasses {
  std::vector<std::int32_t> ids;  // increasing
  std::vector<std::int32_t> counts;

  void read(std::span<const std::int32_t> votes, std::span<const std::int64_t> weights,
            std::size_t classes) {
    std::vector<std::int32_t> sorted(votes.begin(), votes.end());
    std::ranges::sort(sorted);
    ids.clear();
    counts.clear();
    for (const std::int32_t id : sorted) {
      if (ids.empty() || ids.back() != id) {
        ids.push_back(id);
        counts.push_back(0);
      }
      ++counts.back();
    }
    if (!weights.empty()) {
      std::ranges::fill(counts, 0);
      for (std::size_t t = 0; t < votes.size(); ++t) {
        counts[place(votes[t])] += static_cast<std::int32_t>(weights[t]);
      }
    }
    if (ids.size() < classes) counts.push_back(0);
  }
  [[nodiscard]] std::size_t place(std::int32_t id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin());
  }
};

}  // namespace

TeacherVotes::TeacherVotes(const Run& run, const PredictionVotes& predictions,
                           const ExactMechanism& mechanism, std::int64_t most)
    : run_(run),
      mechanism_(mechanism),
      teachers_(static_cast<std::size_t>(predictions.teachers())),
      again_(run, &predictions) {
  const std::int64_t queries = run.shard.end(run.rows.size()) - run.shard.begin(run.rows.size());
  kept_ = queries <= most / std::max<std::int64_t>(1, predictions.teachers());
  if (kept_) groups_.resize(static_cast<std::size_t>(queries) * teachers_);
}

void TeacherVotes::keep(const QueryReader& reader, std::int64_t first) {
  if (!kept_) return;
  write_groups(reader, std::span(groups_).subspan(static_cast<std::size_t>(first) * teachers_));
}

void TeacherVotes::write_groups(const QueryReader& reader, std::span<std::uint16_t> groups) const {
  auto next = groups.begin();
  const auto classes = static_cast<std::size_t>(run_.votes.classes());
  VotedClasses voted;
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    // Of more classes than teachers most have no vote; they are one group, whatever their number.
    const bool is_sparse = reader.is_sparse() || (reader.scores(i).empty() && classes > teachers_);
    if (is_sparse) voted.read(reader.ids(i), reader.weights(), classes);
    const auto histogram =
        is_sparse ? std::span<const std::int32_t>(voted.counts) : reader.counts(i);
    const GroupedVotes votes = mechanism_.group(histogram, reader.scores(i));
    if (votes.groups.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw std::length_error("more groups of classes than an ensemble of this size can have");
    }
    const auto of_class =
        groups_of_classes(votes, histogram, reader.scores(i), mechanism_.teachers());
    for (const std::int32_t id : reader.ids(i)) {
      const std::size_t place = is_sparse ? voted.place(id) : static_cast<std::size_t>(id);
      *next++ = static_cast<std::uint16_t>(of_class[place]);
    }
  }
}

std::span<const std::uint16_t> TeacherVotes::groups(std::int64_t first, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * teachers_;
  if (kept_) return std::span(groups_).subspan(static_cast<std::size_t>(first) * teachers_, size);
  groups_.resize(size);
  again_.read(run_.shard.begin(run_.rows.size()) + first, count);
  write_groups(again_, groups_);
  return groups_;
}

std::optional<VoteRows> TeacherVotes::rows() const {
  const auto teachers = std::max<std::int64_t>(1, static_cast<std::int64_t>(teachers_));
  const auto queries = static_cast<std::int64_t>(run_.rows.size());
  if (!kept_ || queries > kMaxRows / teachers) return std::nullopt;
  if (!chosen_) return VoteRows{distinct_of_query_, groups_};
  VoteRows rows{distinct_of_query_, {}};
  rows.groups.reserve(distinct_of_query_.size() * size());
  for (std::size_t i = 0; i < distinct_of_query_.size(); ++i) {
    for (const std::uint32_t t : *chosen_) rows.groups.push_back(groups_[i * teachers_ + t]);
  }
  return rows;
}

std::vector<std::vector<TeacherSum>> TeacherVotes::sums(ExactRun& costs,
                                                        std::span<const double> orders,
                                                        unsigned threads) {
  std::vector<std::vector<TeacherSum>> terms(costs.size());
  {
    const auto by_group = costs.by_group(orders);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const BothDirections& cost : by_group[i]) {
        terms[i].push_back({UpwardSum(cost.forward), UpwardSum(cost.reverse)});
      }
    }
  }
  std::vector<std::vector<TeacherSum>> sums(orders.size(), std::vector<TeacherSum>(size()));
  const std::int64_t block = std::max<std::int64_t>(
      1, kVotesPerBlock / std::max<std::int64_t>(1, static_cast<std::int64_t>(teachers_)));
  const auto queries = static_cast<std::int64_t>(distinct_of_query_.size());
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t count = std::min(block, queries - first);
    const auto all_votes = groups(first, count);
    parallel_for((size() + kTeachersPerTask - 1) / kTeachersPerTask, threads, [&](std::size_t c) {
      const std::size_t begin = c * kTeachersPerTask;
      const std::size_t end = std::min(begin + kTeachersPerTask, size());
      for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t distinct = distinct_of_query_[static_cast<std::size_t>(first + i)];
        const std::size_t groups = costs.votes(distinct).groups.size();
        const auto votes = all_votes.subspan(static_cast<std::size_t>(i) * teachers_);
        for (std::size_t k = 0; k < orders.size(); ++k) {
          const TeacherSum* const cost = terms[distinct].data() + k * groups;
          for (std::size_t t = begin; t < end; ++t) sums[k][t].add(cost[votes[teacher(t)]]);
        }
      }
    });
  }
  return sums;
}

void TeacherOptima::cap(std::span<const OptimalOrder> exact) {
  for (std::size_t f = 0; f < run.size(); ++f) {
    if (exact[f].epsilon < run[f].epsilon) run[f] = exact[f];
  }
  const double most = std::max(max_or_nan(exact[0].epsilon, exact[1].epsilon), 0.0);
  for (double& its : epsilon) its = std::min(its, most);
}

TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                              std::span<const double> grid, std::optional<double> hint,
                              double delta) {
  Minima minima(sums, teachers, grid, delta);
  if (!hint) {
    minima.take(0, grid.size());
    return minima.optima();
  }
  const auto near = static_cast<std::size_t>(
      std::lower_bound(grid.begin(), grid.end(), 1.0 + (*hint - 1.0) / 1.2) - grid.begin());
  std::size_t begin = std::min(near, grid.size() - 1);
  std::size_t end = std::min(begin + kOrdersAtOnce, grid.size());
  minima.take(begin, end);
  while (begin > 0 && minima.is_best(begin)) {
    const std::size_t further = begin - std::min(begin, kOrdersAtOnce);
    minima.take(further, begin);
    begin = further;
  }
  while (end < grid.size() && minima.is_best(end - 1)) {
    const std::size_t further = std::min(end + kOrdersAtOnce, grid.size());
    minima.take(end, further);
    end = further;
  }
  return minima.optima();
}

void fill_teacher_sums(TeacherVotes& votes, const ExactMechanism& mechanism,
                       std::span<const double> orders, unsigned threads, ExactPartials& exact) {
  ExactRun costs(mechanism, exact.distinct, threads);
  exact.orders.assign(orders.begin(), orders.end());
  for (std::size_t k = 0; k < orders.size(); k += kOrdersAtOnce) {
    auto sums =
        votes.sums(costs, orders.subspan(k, std::min(kOrdersAtOnce, orders.size() - k)), threads);
    std::move(sums.begin(), sums.end(), std::back_inserter(exact.teachers));
  }
}

}  // namespace pate
