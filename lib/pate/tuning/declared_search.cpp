#include "pate/tuning/declared_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/declared/smallest_budget.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/tuning/evaluate_grid.hpp"

namespace pate {

namespace {

// The first private budget, as a share of the declared one: about what a test leaves to the run.
constexpr double kFirstShare = 0.75;
constexpr int kMostTests = 8;
// Steps of the scan for the epsilon that parameters need, and how far beyond the declared one it
// goes.
constexpr double kScanStep = 1e-3;
constexpr double kScanTo = 4.0;
// A budget of which less than this is used is none.
constexpr double kUnused = 0.5;
// Of the interval between noise that fails and noise that passes, in the logarithm.
constexpr int kNoiseHalvings = 4;

// What the test says of a run.
struct Tested {
  Certificate certificate;
  double pass_probability;
  std::optional<double> needed;  // the epsilon at which it passes as it has to, by the same orders
};

Tested test_of(const TuningVotes& votes, const Aggregator& aggregator, const DeclaredGoal& goal,
               const CurveTableSource& tables, unsigned threads) {
  DeclaredSettings settings;
  settings.question = {aggregator,
                       votes.votes.teachers(),
                       votes.votes.classes(),
                       0.0,
                       default_cost(aggregator, votes.votes.teachers(), votes.votes.classes()),
                       ReleasedCost::joint};
  settings.budget = goal.budget;
  settings.queries = votes.rows.size();
  settings.certificate = goal.certificate;
  settings.threads = threads;
  const DeclaredMechanism mechanism(settings);
  const BudgetTest& test = mechanism.test();
  const RunCosts costs =
      mechanism.costs(collect_votes(run_of(votes, aggregator, votes.rows.size()), threads), tables);
  const double largest = std::min(kScanTo * goal.budget.epsilon, kLargestDeclaredEpsilon);
  return {test.certificate(), test.ladder().pass(test.level(costs)),
          smallest_declared_at(goal.budget, std::array{goal.least_pass}, costs, test.orders(),
                               kScanStep, largest)
              .front()};
}

// A candidate, and whether it passes as it has to.
struct Candidate {
  OffGridPoint found;
  Tested tested;
  bool passes = false;
};

class DeclaredSearch {
 public:
  DeclaredSearch(const TuningVotes& votes, const TuneSettings& settings,
                 const CurveTableSource& tables, const Watcher& watcher, DeclaredOutcome& outcome)
      : votes_(votes), settings_(settings), tables_(tables), watcher_(watcher), outcome_(outcome) {
    goal_.max_epsilon.reset();
  }

  // Tests parameters, and keeps them where they pass and are better than those that are kept.
  Candidate judge(const OffGridPoint& found) {
    Candidate result{found, tested(found.aggregator)};
    ++outcome_.tested;
    result.passes = result.tested.pass_probability >= outcome_.goal.least_pass &&
                    goal_.keeps_answers(found.point);
    if (result.passes && (!best_ || is_better(goal_, found.point, best_->point))) {
      best_ = found;
      outcome_.pass_probability = result.tested.pass_probability;
      outcome_.certificate = result.tested.certificate;
    }
    return result;
  }

  // Where teachers agree so much that next to no noise costs these votes nothing, it costs much of
  // votes a few teachers away, at which the test looks too: more noise of both steps passes. The
  // threshold keeps its distance from the largest statistic in sigma1, so that the clearest queries
  // are answered as often.
  void add_noise(const OffGridPoint& found, double largest_statistic) {
    const double sigma2 = found.aggregator.noisy_max.parameter();
    double fails = 1.0;  // factors of the noise
    double passes = 0.0;
    for (double factor = 2.0; passes == 0.0; factor *= 2.0) {
      if (factor * sigma2 > static_cast<double>(votes_.votes.teachers())) return;
      const OffGridPoint more = with_noise(found, largest_statistic, factor);
      if (watcher_.wants_stop() || !goal_.keeps_answers(more.point)) return;
      (judge(more).passes ? passes : fails) = factor;
    }
    for (int k = 0; k < kNoiseHalvings && !watcher_.wants_stop(); ++k) {
      const double factor = std::sqrt(fails * passes);
      (judge(with_noise(found, largest_statistic, factor)).passes ? passes : fails) = factor;
    }
  }

  [[nodiscard]] const std::optional<OffGridPoint>& best() const { return best_; }

 private:
  // What a test would find; of a run that may cost more than can be counted it cannot pass.
  [[nodiscard]] Tested tested(const Aggregator& aggregator) const {
    try {
      return test_of(votes_, aggregator, outcome_.goal, tables_, settings_.grid.threads);
    } catch (const validity_error&) {
      return {Certificate::renyi, 0.0, {}};
    }
  }

  // The point with so many times the noise, with the epsilon of an account.
  [[nodiscard]] OffGridPoint with_noise(const OffGridPoint& found, double largest_statistic,
                                        double factor) const {
    const ThresholdCheck& check = *found.aggregator.selection;
    TuningGrid one;
    one.interactive = votes_.student != nullptr;
    one.neighbours = found.aggregator.neighbours();
    one.noise = {to_digits(factor * found.aggregator.noisy_max.parameter(), kFoundDigits)};
    one.sigma1 = {to_digits(factor * check.sigma1, kFoundDigits)};
    one.threshold = {to_digits(largest_statistic + factor * (check.threshold - largest_statistic),
                               kFoundDigits)};
    const Watcher nobody;
    const TuningTask task{votes_, one, settings_.grid, nobody};
    TuningPoint point;
    evaluate_grid(task, 0, std::span(&point, 1));
    const PointToRefine wanted{0, point.queries, point.order};
    if (const auto refined = refine_points(task, std::span(&wanted, 1)).front();
        refined && refined->epsilon <= point.epsilon) {
      point.epsilon = refined->epsilon;
      point.order = refined->order;
    }
    return {one.aggregator(0), point};
  }

  const TuningVotes& votes_;
  const TuneSettings& settings_;
  const CurveTableSource& tables_;
  const Watcher& watcher_;
  DeclaredOutcome& outcome_;
  TuningGoal goal_ = settings_.goal;
  std::optional<OffGridPoint> best_;
};

}  // namespace

Tuning search_declared(const TuningVotes& votes, const TuningGrid& grid, TuneSettings settings,
                       const CurveTableSource& tables, const Watcher& watcher,
                       DeclaredOutcome& outcome) {
  if (grid.neighbours.adds_or_removes()) {
    throw parameter_error(
        "the search for a declared budget is not for teachers that are added or removed: its test "
        "needs a number of teachers that stays");
  }
  const double epsilon = outcome.goal.budget.epsilon;
  settings.search = true;
  settings.top.reset();  // all points of the coarse grid are kept, and known from then on
  DeclaredSearch search(votes, settings, tables, watcher, outcome);
  Tuning tuning;
  KnownPoints known;
  std::optional<OffGridPoint> last;
  double passes = 0.0;  // the largest private budget whose best passes
  double fails = kLargestDeclaredEpsilon;
  double budget = kFirstShare * epsilon;
  for (int k = 0; k < kMostTests; ++k) {
    settings.goal.max_epsilon = budget;
    tuning = tune(votes, grid, settings, known, watcher);
    if (!tuning.complete) break;
    known = tuning.points;
    if (!tuning.has_best()) break;  // with less there is nothing that keeps the other limits
    const Candidate candidate = search.judge(
        tuning.continuum ? *tuning.continuum
                         : OffGridPoint{tuning.grid.aggregator(known[*tuning.choice.best].index),
                                        known[*tuning.choice.best].point});
    last = candidate.found;
    if (candidate.passes) {
      passes = std::max(passes, budget);
    } else {
      fails = std::min(fails, budget);
    }
    // Parameters of a larger cost need an epsilon that is larger by about the same factor.
    const double cost = candidate.passes ? budget : last->point.epsilon;
    double next =
        cost * (candidate.tested.needed ? epsilon / *candidate.tested.needed : 1.0 / kScanTo);
    // From above it would come near what passes again and again, and not reach it.
    const bool from_above = !candidate.passes && passes > 0.0;
    if (from_above || !(next > passes && next < fails)) next = 0.5 * (passes + fails);
    const bool settled = passes > 0.0 && (next < passes * (1.0 + kDeclaredStep) ||
                                          fails < passes * (1.0 + kDeclaredStep));
    // A budget that the best do not use up cannot be what they fail by.
    if (settled || (passes == 0.0 && cost < kUnused * budget)) break;
    budget = next;
    if (watcher.wants_stop()) break;
  }
  // The thresholds of the grid end one number of teachers above the largest statistic.
  const double largest = grid.threshold.back() - static_cast<double>(votes.votes.teachers());
  if (tuning.complete && last && !search.best()) search.add_noise(*last, largest);
  if (watcher.wants_stop()) tuning.complete = false;
  std::erase_if(tuning.points, [](const TunedPoint& point) { return !point.pareto; });
  tuning.choice = {};
  tuning.continuum = tuning.complete ? search.best() : std::nullopt;
  return tuning;
}

}  // namespace pate
