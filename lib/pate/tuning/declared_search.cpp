#include "pate/tuning/declared_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "pate/mechanisms/supports.hpp"
#include "pate/release/declared/smallest_budget.hpp"
#include "pate/release/smooth/release_cost.hpp"

namespace pate {

namespace {

// The first private budget, as a share of the declared one: about where the test is just passed.
constexpr double kFirstShare = 1.1;
constexpr int kMostTests = 12;
// Points of a grid that are tested: each that fails takes the costlier ones with it.
constexpr int kMostOnGrid = 24;
// A share of the declared epsilon: steps of the scan for the epsilon that parameters need, which
// guides the search alone; how far beyond the declared one it goes; from where costs are computed.
constexpr double kScanStep = 2e-3;
constexpr double kScanTo = 4.0;
constexpr double kScanFrom = 0.9;
// A budget of which less than this is used is none.
constexpr double kUnused = 0.5;
// Costs for any votes of which one passes and one fails, so near that the search ends.
constexpr double kAnyStep = 1.1;

// What the test says of a run.
struct Tested {
  Certificate certificate = Certificate::renyi;
  double pass_probability = 0.0;
  std::optional<double> needed =
      {};  // the epsilon at which it passes as it has to, by these orders
};

Tested test_of(const TuningTask& task, const Aggregator& aggregator, const DeclaredGoal& goal,
               const CurveTableSource& tables) {
  const TuningVotes& votes = task.votes;
  const Neighbours& neighbours = task.grid.neighbours;
  const unsigned threads = task.settings.threads;
  const auto& when_testing = task.watcher.when_testing;
  DeclaredSettings settings;
  settings.question =
      joint_question(aggregator, neighbours, votes.votes.teachers(), votes.votes.classes());
  settings.budget = goal.budget;
  settings.queries = votes.rows.size();
  settings.certificate = goal.certificate;
  settings.threads = threads;
  const DeclaredMechanism mechanism(settings);
  const BudgetTest& test = mechanism.test();
  DeclaredBudget least = goal.budget;
  least.epsilon = std::max(kScanFrom * goal.budget.epsilon, kLeastDeclaredEpsilon);
  const RunCosts costs = mechanism.costs(
      collect_votes(run_of(votes, aggregator, neighbours, votes.rows.size()), threads),
      test.orders(), tables, enough_distances(least),
      when_testing ? when_testing() : ProgressCallback());
  const double largest = std::min(kScanTo * goal.budget.epsilon, kLargestDeclaredEpsilon);
  return {test.certificate(), test.ladder().pass(test.level(costs)),
          smallest_declared_at(goal.budget, std::array{goal.least_pass}, costs, test.orders(),
                               kScanStep * goal.budget.epsilon, least.epsilon, largest)
              .front()};
}

class DeclaredSearch {
 public:
  DeclaredSearch(const TuningTask& task, const TuningGoal& goal, const CurveTableSource& tables,
                 DeclaredOutcome& outcome)
      : task_(task), goal_(goal), tables_(tables), outcome_(outcome) {
    goal_.max_epsilon.reset();
  }

  // Of all parameters: the best of a private budget at which the test is just passed.
  std::optional<OffGridPoint> anywhere(std::span<const TunedPoint> points, SearchTrace& trace) {
    const double epsilon = outcome_.goal.budget.epsilon;
    TuningGoal goal = goal_;
    double passes = 0.0;  // the largest private budget whose best passes
    double fails = kLargestDeclaredEpsilon;
    double any_passes = 0.0;  // the same of the cost for any votes, where it is what has to fall
    double any_fails = kMostForAnyVotes;
    goal.max_epsilon = kFirstShare * epsilon;
    for (int k = 0; k < kMostTests && !task_.watcher.wants_stop(); ++k) {
      const double budget = *goal.max_epsilon;
      const auto found = search_parameters(task_, goal, points, std::nullopt, trace);
      if (!found) break;  // with less there is nothing that keeps the other limits
      const Tested its = judge(*found);
      const bool keeps = its.pass_probability >= outcome_.goal.least_pass;
      // Where teachers agree so much that next to no noise costs these votes nothing, it costs much
      // of votes a few teachers away, at which the test looks too.
      if (any_fails < kMostForAnyVotes || (!keeps && found->point.epsilon < kUnused * budget)) {
        (keeps ? any_passes : any_fails) = keeps ? goal.most_any_votes : found->point.any_votes;
        if (any_fails < any_passes * kAnyStep) break;
        goal.most_any_votes =
            any_passes > 0.0 ? std::sqrt(any_passes * any_fails) : 0.5 * any_fails;
        continue;
      }
      (keeps ? passes : fails) = keeps ? std::max(passes, budget) : std::min(fails, budget);
      // Parameters of a larger cost need an epsilon that is larger by about the same factor.
      const double cost = keeps ? budget : found->point.epsilon;
      const double aim = keeps ? epsilon : (1.0 - kScanStep) * epsilon;
      double next = cost * (its.needed ? aim / *its.needed : 1.0 / kScanTo);
      if (keeps && its.needed && next < passes * (1.0 + kDeclaredStep)) break;
      // From above it would come near what passes again and again, and not reach it.
      if ((!keeps && passes > 0.0) || !(next > passes && next < fails)) {
        next = 0.5 * (passes + fails);
      }
      if (passes > 0.0 && std::min(next, fails) < passes * (1.0 + kDeclaredStep)) break;
      goal.max_epsilon = next;
    }
    return best_;
  }

  // Of the points of a grid: the best that passes, its position.
  std::optional<std::size_t> on_grid(const std::vector<TunedPoint>& points) {
    std::vector<std::size_t> left = ranked_points(points, goal_);
    const double epsilon = outcome_.goal.budget.epsilon;
    for (int k = 0; k < kMostOnGrid && !left.empty() && !task_.watcher.wants_stop(); ++k) {
      const std::size_t first = left.front();
      const TuningPoint& p = points[first].point;
      const Tested its = judge({task_.grid.aggregator(points[first].index), p});
      if (best_) return first;
      // Cheaper in one of its two costs is what may pass, by about as much as it failed.
      const double factor = std::sqrt(its.needed ? std::min(epsilon / *its.needed, 1.0) : 0.5);
      std::erase_if(left, [&](std::size_t i) {
        const TuningPoint& other = points[i].point;
        return i == first ||
               (other.any_votes > factor * p.any_votes && !(other.epsilon < factor * p.epsilon));
      });
    }
    return std::nullopt;
  }

 private:
  // Tests parameters, and keeps them where they pass and are better than those that are kept.
  Tested judge(const OffGridPoint& found) {
    const Tested its = tested(found.aggregator);
    ++outcome_.tested;
    const bool passes = its.pass_probability >= outcome_.goal.least_pass &&
                        goal_.allows(found.point) && goal_.keeps_answers(found.point);
    if (passes && (!best_ || is_better(goal_, found.point, best_->point))) {
      best_ = found;
      outcome_.pass_probability = its.pass_probability;
      outcome_.certificate = its.certificate;
    }
    return its;
  }

  // What a test would find; of a run that may cost more than can be counted it cannot pass.
  [[nodiscard]] Tested tested(const Aggregator& aggregator) const {
    try {
      return test_of(task_, aggregator, outcome_.goal, tables_);
    } catch (const validity_error&) {
      return {};
    }
  }

  const TuningTask& task_;
  TuningGoal goal_;
  const CurveTableSource& tables_;
  DeclaredOutcome& outcome_;
  std::optional<OffGridPoint> best_;
};

}  // namespace

Tuning search_declared(const TuningVotes& votes, const TuningGrid& grid, TuneSettings settings,
                       const KnownPoints& known, const CurveTableSource& tables,
                       const Watcher& watcher, DeclaredOutcome& outcome) {
  require(Asked::release, Circumstances(grid.neighbours).with(Given::ptr, grid.ptr.has_value()));
  settings.goal.max_epsilon.reset();
  Tuning tuning =
      tune(votes, grid, settings, known, watcher,
           [&](const TuningTask& task, const std::vector<TunedPoint>& points, TuningChoice& choice,
               SearchTrace& trace) -> std::optional<OffGridPoint> {
             DeclaredSearch search(task, settings.goal, tables, outcome);
             choice = {};
             if (settings.search) return search.anywhere(points, trace);
             choice.best = search.on_grid(points);
             return std::nullopt;
           });
  if (!tuning.complete) tuning.choice = {};  // nothing that was tested
  return tuning;
}

}  // namespace pate
