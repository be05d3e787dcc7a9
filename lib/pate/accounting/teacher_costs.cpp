#include "pate/accounting/teacher_costs.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "pate/accounting/cost_entries.hpp"
#include "pate/math/log_space.hpp"
#include "pate/parallel/parallel_for.hpp"

namespace pate {

namespace {

constexpr std::int64_t kVotesPerBlock = 1 << 20;
constexpr std::size_t kTeachersPerTask = 64;
// How many orders of the grid are evaluated at once: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The smallest epsilons at the orders that were taken.
class Minima {
 public:
  Minima(const TeacherSums& sums, std::size_t teachers, std::span<const double> grid, double delta)
      : sums_(sums), grid_(grid), delta_(delta), run_(2 * exact_conversions().size(), none()) {
    teachers_.assign(2 * teachers, none());
  }

  // Takes the grid orders begin .. end - 1.
  void take(std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += kOrdersAtOnce) {
      const auto at = sums_(grid_.subspan(k, std::min(kOrdersAtOnce, end - k)));
      for (std::size_t i = 0; i < at.size(); ++i) take(k + i, at[i]);
    }
  }

  // Whether some minimum is at grid order k, an end of those that were taken.
  [[nodiscard]] bool is_best(std::size_t k) const {
    const auto here = [k](const Best& best) { return best.order == k; };
    return std::any_of(run_.begin(), run_.end(), here) ||
           std::any_of(teachers_.begin(), teachers_.end(), here);
  }

  [[nodiscard]] TeacherOptima optima() const {
    TeacherOptima result;
    for (const Best& best : run_) {
      result.run.push_back(
          {grid_[best.order], best.epsilon, best.order == 0, best.order + 1 == grid_.size()});
    }
    for (std::size_t t = 0; t < teachers_.size(); t += 2) {
      const double larger = std::max(teachers_[t].epsilon, teachers_[t + 1].epsilon);
      result.epsilon.push_back(spent_ ? std::max(larger, 0.0) : 0.0);
    }
    result.spent = spent_;
    return result;
  }

 private:
  struct Best {
    double epsilon;
    std::size_t order;
  };
  static Best none() { return {kInfinity, 0}; }
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
      most = {std::max(most.forward, rdp.forward), std::max(most.reverse, rdp.reverse)};
      // The first conversion is the improved one.
      const auto epsilons = exact_epsilons(rdp, grid_[k], delta_);
      improve(teachers_[2 * t], k, epsilons[0]);
      improve(teachers_[2 * t + 1], k, epsilons[1]);
    }
    const auto epsilons = exact_epsilons(most, grid_[k], delta_);
    for (std::size_t f = 0; f < run_.size(); ++f) improve(run_[f], k, epsilons[f]);
    spent_ = spent_ || most.larger() > 0.0;
  }

  const TeacherSums& sums_;
  std::span<const double> grid_;
  double delta_;
  std::vector<Best> run_;       // by conversion and direction
  std::vector<Best> teachers_;  // by teacher and direction; improved
  bool spent_ = false;
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
  for (std::int64_t i = 0; i < reader.size(); ++i) {
    write_groups(
        reader, i,
        std::span(groups_).subspan(static_cast<std::size_t>(first + i) * teachers_, teachers_));
  }
}

void TeacherVotes::write_groups(const QueryReader& reader, std::int64_t i,
                                std::span<std::uint16_t> groups) const {
  const auto histogram = reader.histogram(i);
  const GroupedVotes votes = mechanism_.group(histogram, reader.scores(i));
  if (votes.groups.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw std::length_error("more groups of classes than an ensemble of this size can have");
  }
  const auto of_class =
      groups_of_classes(votes, histogram, reader.scores(i), mechanism_.teachers());
  const auto ids = reader.ids(i);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    groups[t] = static_cast<std::uint16_t>(of_class[static_cast<std::size_t>(ids[t])]);
  }
}

std::span<const std::uint16_t> TeacherVotes::groups(std::int64_t first, std::int64_t count) {
  const std::size_t size = static_cast<std::size_t>(count) * teachers_;
  if (kept_) return std::span(groups_).subspan(static_cast<std::size_t>(first) * teachers_, size);
  groups_.resize(size);
  again_.read(run_.shard.begin(run_.rows.size()) + first, count);
  for (std::int64_t i = 0; i < count; ++i) {
    write_groups(again_, i,
                 std::span(groups_).subspan(static_cast<std::size_t>(i) * teachers_, teachers_));
  }
  return groups_;
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
  std::vector<std::vector<TeacherSum>> sums(orders.size(), std::vector<TeacherSum>(teachers_));
  const std::int64_t block = std::max<std::int64_t>(
      1, kVotesPerBlock / std::max<std::int64_t>(1, static_cast<std::int64_t>(teachers_)));
  const auto queries = static_cast<std::int64_t>(distinct_of_query_.size());
  for (std::int64_t first = 0; first < queries; first += block) {
    const std::int64_t count = std::min(block, queries - first);
    const auto all_votes = groups(first, count);
    parallel_for(
        (teachers_ + kTeachersPerTask - 1) / kTeachersPerTask, threads, [&](std::size_t c) {
          const std::size_t begin = c * kTeachersPerTask;
          const std::size_t end = std::min(begin + kTeachersPerTask, teachers_);
          for (std::int64_t i = 0; i < count; ++i) {
            const std::size_t distinct = distinct_of_query_[static_cast<std::size_t>(first + i)];
            const std::size_t groups = costs.votes(distinct).groups.size();
            const auto votes = all_votes.subspan(static_cast<std::size_t>(i) * teachers_);
            for (std::size_t k = 0; k < orders.size(); ++k) {
              const TeacherSum* const cost = terms[distinct].data() + k * groups;
              for (std::size_t t = begin; t < end; ++t) sums[k][t].add(cost[votes[t]]);
            }
          }
        });
  }
  return sums;
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

}  // namespace pate
