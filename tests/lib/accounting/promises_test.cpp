#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/weighted_run.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/labeling/label_account.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"

// Every epsilon that is promised, beside the distributions of small ensembles: fixed ones by the
// hockey stick of every neighbour in both directions, those of the outcome by their integral, with
// the number that each outcome would print.

using namespace pate;
using namespace pate_test;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::lnmax;
using pate::test::run_of;
using pate::test::votes_of;

namespace {

// What quadratures and sums of it lose.
constexpr long double kRoom = 1e-13L;

using Votes = std::vector<Counts>;  // by query

// A small ensemble and its mechanism.
struct Ensemble {
  Votes votes;
  Aggregator aggregator;
  double delta;

  explicit Ensemble(Random& random, bool checked) {
    const std::int64_t classes = random.integer(2, 3);
    const std::int64_t teachers = random.integer(2, 6);
    votes.resize(static_cast<std::size_t>(random.integer(1, 2)));
    for (Counts& counts : votes) counts = random_histogram(random, teachers, classes);
    const double noise = random.log_uniform(0.5, 8.0);
    if (checked) {
      aggregator = confident(random.uniform(-1.0, static_cast<double>(teachers) + 2.0),
                             random.log_uniform(0.5, 30.0), noise);
    } else {
      aggregator = random.uniform(0.0, 1.0) < 0.5 ? gnmax(noise) : lnmax(noise);
    }
    delta = random.log_uniform(1e-6, 0.3);
  }

  [[nodiscard]] std::unique_ptr<VoteSource> source() const {
    std::vector<std::int64_t> all;
    for (const Counts& counts : votes) all.insert(all.end(), counts.begin(), counts.end());
    return votes_of(std::ssize(votes), std::ssize(votes.front()), all);
  }
  [[nodiscard]] std::string text() const {
    std::string text(aggregator.name());
    text += " " + show({{"noise", aggregator.noisy_max.parameter()}, {"delta", delta}});
    if (aggregator.selection) {
      text += show({{"threshold", aggregator.selection->threshold},
                    {"sigma1", aggregator.selection->sigma1}});
    }
    for (const Counts& counts : votes) {
      for (const std::int32_t count : counts) text += std::to_string(count) + ",";
      text += ";";
    }
    return text;
  }
};

// One query's outcomes: the classes, and where there is a check the refusal behind them.
Probabilities outcomes_of(const Aggregator& aggregator, const Counts& counts) {
  const double noise = aggregator.noisy_max.parameter();
  Probabilities result =
      aggregator.is_gaussian() ? gaussian_outcomes(counts, noise) : laplace_outcomes(counts, noise);
  if (!aggregator.selection) return result;
  const auto [threshold, sigma1] =
      std::pair(aggregator.selection->threshold, aggregator.selection->sigma1);
  const long double z = (*std::ranges::max_element(counts) - threshold) / sigma1;
  const long double refused = 0.5L * std::erfc(z / std::numbers::sqrt2_v<long double>);
  const long double answered = 0.5L * std::erfc(-z / std::numbers::sqrt2_v<long double>);
  for (long double& p : result) p *= answered;
  result.push_back(refused);
  return result;
}

// An outcome of a run: of every query that was asked a class, or the number of classes: refused.
using Outcome = std::vector<std::size_t>;
using Distribution = std::map<Outcome, long double>;
// Whether the run ends after what came out so far.
using Ends = std::function<bool(const Outcome&)>;

void add_outcomes(const std::vector<Probabilities>& queries, const Ends& ends, Outcome& so_far,
                  long double probability, Distribution& result) {
  if (so_far.size() == queries.size() || ends(so_far)) {
    result[so_far] += probability;
    return;
  }
  const Probabilities& next = queries[so_far.size()];
  for (std::size_t k = 0; k < next.size(); ++k) {
    so_far.push_back(k);
    add_outcomes(queries, ends, so_far, probability * next[k], result);
    so_far.pop_back();
  }
}

Distribution distribution(const Aggregator& aggregator, const Votes& votes, const Ends& ends) {
  std::vector<Probabilities> queries;
  for (const Counts& counts : votes) queries.push_back(outcomes_of(aggregator, counts));
  Distribution result;
  Outcome none;
  add_outcomes(queries, ends, none, 1.0L, result);
  return result;
}

bool never(const Outcome&) {
  return false;
}

// All votes that differ in what one teacher votes, on any of the queries.
void add_neighbours(const Votes& votes, Votes& so_far, std::vector<Votes>& result) {
  if (so_far.size() == votes.size()) {
    if (so_far != votes) result.push_back(so_far);
    return;
  }
  const Counts& here = votes[so_far.size()];
  const auto take = [&](const Counts& counts) {
    so_far.push_back(counts);
    add_neighbours(votes, so_far, result);
    so_far.pop_back();
  };
  take(here);
  for_each_neighbour(here, take);
}

std::vector<Distribution> neighbours(const Aggregator& aggregator, const Votes& votes,
                                     const Ends& ends) {
  std::vector<Votes> others;
  Votes none;
  add_neighbours(votes, none, others);
  std::vector<Distribution> result;
  for (const Votes& other : others) result.push_back(distribution(aggregator, other, ends));
  return result;
}

// The largest probability, over all neighbours and both directions, by which epsilon fails.
long double true_delta(const Distribution& here, const std::vector<Distribution>& others,
                       const std::function<long double(const Outcome&)>& epsilon) {
  long double largest = 0.0L;
  for (const Distribution& other : others) {
    long double forward = 0.0L;
    long double reverse = 0.0L;
    for (const auto& [outcome, p] : here) {
      const long double q = other.at(outcome);
      const long double factor = std::exp(epsilon(outcome));
      forward += std::max(p - factor * q, 0.0L);
      reverse += std::max(q - factor * p, 0.0L);
    }
    largest = std::max({largest, forward, reverse});
  }
  return largest;
}

long double true_delta(const Distribution& here, const std::vector<Distribution>& others,
                       double epsilon) {
  return true_delta(here, others, [&](const Outcome&) { return epsilon; });
}

// Every fixed promise holds; returns how many there were that say more than nothing.
int check_fixed(std::span<const CostEntry> costs, const Ensemble& ensemble,
                const Distribution& here, const std::vector<Distribution>& others) {
  int checked = 0;
  for (const CostEntry& cost : costs) {
    if (cost.promise != Promise::fixed || !std::isfinite(cost.epsilon)) continue;
    CHECK_MESSAGE(true_delta(here, others, cost.epsilon) <= cost.delta * (1.0L + 1e-9L) + kRoom,
                  label(cost) << " " << cost.epsilon << " " << ensemble.text());
    ++checked;
  }
  return checked;
}

// The first query decides by its answer which of the other two comes next.
Distribution adaptive(const Aggregator& aggregator, const Votes& votes) {
  const Probabilities first = outcomes_of(aggregator, votes[0]);
  Distribution result;
  for (std::size_t a = 0; a < first.size(); ++a) {
    const Probabilities next = outcomes_of(aggregator, votes[a == 0 ? 1 : 2]);
    for (std::size_t b = 0; b < next.size(); ++b) result[{a, b}] = first[a] * next[b];
  }
  return result;
}

AccountSettings settings_of(const Ensemble& ensemble) {
  AccountSettings settings;
  settings.delta = ensemble.delta;
  settings.threads = 1;
  return settings;
}

// What was answered of an outcome, by query.
std::vector<std::uint8_t> answered_of(const Outcome& outcome, std::size_t classes) {
  std::vector<std::uint8_t> result;
  for (const std::size_t k : outcome) result.push_back(k < classes ? 1 : 0);
  return result;
}

LabelledQueries labelled_as(const Outcome& outcome, std::size_t queries, std::size_t classes) {
  LabelledQueries result;
  result.labels.assign(queries, -1);
  result.sources.assign(queries, LabelSource::refused);
  result.asked = std::ssize(outcome);
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    if (outcome[i] == classes) continue;
    result.labels[i] = static_cast<std::int32_t>(outcome[i]);
    result.sources[i] = LabelSource::teacher;
    ++result.answered;
  }
  if (outcome.size() < queries) result.stopped = StopReason::max_answers;
  return result;
}

PrivacyFilter filter_after(const Outcome& outcome, const Ensemble& ensemble,
                           const RunLimits& limits, double order) {
  PrivacyFilter filter(ensemble.aggregator, {}, limits, ensemble.delta, order);
  for (const std::size_t k : outcome) filter.count(k < ensemble.votes.front().size());
  return filter;
}

// The numbers of an entry by outcome.
using Numbers = std::map<std::string, std::map<Outcome, double>>;

void check_numbers(const Numbers& numbers, const Ensemble& ensemble, const Distribution& here,
                   const std::vector<Distribution>& others) {
  for (const auto& [entry, by_outcome] : numbers) {
    REQUIRE(by_outcome.size() == here.size());
    const auto& epsilons = by_outcome;
    CHECK_MESSAGE(
        true_delta(here, others, [&](const Outcome& outcome) { return epsilons.at(outcome); }) <=
            ensemble.delta * (1.0 + 1e-9) + kRoom,
        entry << " " << ensemble.text());
  }
}

}  // namespace

namespace {

// One query on which teachers agree, at a delta that the refusals of its check need alone: the
// optimal conversion of their RDP leaves nothing for answers that only a neighbour makes likely.
Ensemble tight_ensemble(Random& random, double order) {
  Ensemble result(random, true);
  result.votes = {{static_cast<std::int32_t>(random.integer(3, 6)), 0}};
  result.aggregator = confident(random.uniform(-0.5, 1.5), random.log_uniform(1.5, 5.0),
                                random.log_uniform(0.5, 1.2));
  const auto refused = [&](std::int32_t top) {
    const ThresholdCheck& check = *result.aggregator.selection;
    const long double z = (top - check.threshold) / check.sigma1;
    return 0.5L * std::erfc(z / std::numbers::sqrt2_v<long double>);
  };
  const std::int32_t top = result.votes.front().front();
  const long double u = refused(top - 1);
  const long double v = refused(top);
  const long double x = u / v;
  const long double y = (1.0L - u) / (1.0L - v);
  const long double a = order;
  const long double t = (a - 1.0L) / a * (std::pow(x, a) - std::pow(y, a)) /
                        (std::pow(x, a - 1.0L) - std::pow(y, a - 1.0L));
  const auto delta = static_cast<double>(u - t * v);
  if (t > 1.0L && delta > 1e-7) result.delta = delta;
  return result;
}

}  // namespace

TEST_SUITE("promises") {
  TEST_CASE("every fixed epsilon of an analysis and of a plan holds for its ensemble") {
    Random random(501);
    int checked = 0;
    for (int i = 0; i < 160; ++i) {
      const Ensemble ensemble(random, i % 2 == 0);
      const auto votes = ensemble.source();
      AccountSettings settings = settings_of(ensemble);
      if (i % 8 < 2) settings.models.insert(Bound::exact);
      const Account account = pate::account(run_of(*votes, ensemble.aggregator), settings);
      const auto here = distribution(ensemble.aggregator, ensemble.votes, never);
      const auto others = neighbours(ensemble.aggregator, ensemble.votes, never);
      checked += check_fixed(account.costs, ensemble, here, others);
      CHECK(account.costs[account.headline].promise == Promise::fixed);
      for (const CostEntry& cost : account.costs) {
        if (cost.promise == Promise::fixed) {
          CHECK(account.costs[account.headline].epsilon <= cost.epsilon);
        }
      }
      PlannedRun run;
      run.queries = std::ssize(ensemble.votes);
      const double noise = ensemble.aggregator.noisy_max.parameter();
      (ensemble.aggregator.is_gaussian() ? run.sigma2 : run.laplace_scale) = noise;
      if (ensemble.aggregator.selection) run.sigma1 = ensemble.aggregator.selection->sigma1;
      PlanSettings of_plan;
      of_plan.delta = ensemble.delta;
      checked += check_fixed(plan(run, of_plan).costs, ensemble, here, others);
    }
    CHECK(checked > 1000);
  }

  TEST_CASE("where the next query follows the answer, only what any votes cost is promised") {
    Random random(505);
    int broken = 0;  // promises of a list that was none
    int checked = 0;
    for (int i = 0; i < 60; ++i) {
      Ensemble ensemble(random, i % 2 == 0);
      const auto teachers = std::accumulate(ensemble.votes[0].begin(), ensemble.votes[0].end(), 0);
      const std::int64_t classes = std::ssize(ensemble.votes[0]);
      ensemble.votes = {random_histogram(random, teachers, classes),
                        random_histogram(random, teachers, classes),
                        random_histogram(random, teachers, classes)};
      std::vector<Votes> near;
      Votes none;
      add_neighbours(ensemble.votes, none, near);
      const auto here = adaptive(ensemble.aggregator, ensemble.votes);
      std::vector<Distribution> others;
      for (const Votes& other : near) others.push_back(adaptive(ensemble.aggregator, other));
      for (const std::size_t second : {std::size_t{1}, std::size_t{2}}) {
        Ensemble came = ensemble;
        came.votes = {ensemble.votes[0], ensemble.votes[second]};
        const auto votes = came.source();
        AccountSettings settings = settings_of(ensemble);
        if (i % 4 < 2) settings.models.insert(Bound::exact);
        const Run run = run_of(*votes, ensemble.aggregator);
        const Account fixed = account(run, settings);
        settings.queries_follow_answers = true;
        const Account follows = account(run, settings);
        CHECK(follows_answers(follows));
        CHECK(!follows_answers(fixed));
        checked += check_fixed(follows.costs, came, here, others);
        const CostEntry& headline = follows.costs[follows.headline];
        CHECK(headline.promise == Promise::fixed);
        CHECK(!headline.data_dependent);
        CHECK(headline.epsilon == smallest_fixed(fixed, Bound::data_independent));
        for (const CostEntry& cost : fixed.costs) {
          if (cost.promise != Promise::fixed || !std::isfinite(cost.epsilon)) continue;
          broken += true_delta(here, others, cost.epsilon) > cost.delta * 1.01L ? 1 : 0;
        }
      }
    }
    CHECK(checked > 200);
    CHECK(broken > 0);
  }

  TEST_CASE("a realized epsilon holds by its integral, each outcome with its own") {
    Random random(502);
    int wrong_as_constant = 0;
    int wrong_if_optimal = 0;
    for (int i = 0; i < 150; ++i) {
      const bool is_tight = i % 3 == 0;
      const double order = 1.0 + random.log_uniform(0.5, is_tight ? 2.0 : 40.0);
      const Ensemble ensemble = is_tight ? tight_ensemble(random, order) : Ensemble(random, true);
      const std::size_t classes = ensemble.votes.front().size();
      const auto votes = ensemble.source();
      const auto here = distribution(ensemble.aggregator, ensemble.votes, never);
      const auto others = neighbours(ensemble.aggregator, ensemble.votes, never);
      AccountSettings settings = settings_of(ensemble);
      settings.models.erase(Bound::published);
      Numbers numbers;
      std::map<Outcome, double> optimal;
      std::map<std::vector<std::uint8_t>, Account> known;
      for (const auto& [outcome, p] : here) {
        Run run = run_of(*votes, ensemble.aggregator);
        run.decisions = answered_of(outcome, classes);
        const auto [found, is_new] = known.try_emplace(*run.decisions);
        if (is_new) {
          settings.orders = std::vector<double>{order};
          found->second = account(run, settings);
        }
        for (const CostEntry& cost : found->second.costs) {
          if (cost.reading != GuaranteeKind::realized) continue;
          CHECK(cost.promise == Promise::outcome);
          CHECK(cost.conversion != EpsilonMethod::optimal);
          numbers[label(cost)][outcome] = cost.epsilon;
          if (cost.conversion != EpsilonMethod::improved) continue;
          double rdp = 0.0;
          for (const auto& [part, value] : cost.parts) rdp += part == "delta" ? 0.0 : value;
          optimal[outcome] = epsilon_from_rdp(Conversion::optimal, rdp, order, ensemble.delta);
        }
      }
      check_numbers(numbers, ensemble, here, others);
      const auto fails = [&](const std::map<Outcome, double>& epsilons) {
        return true_delta(here, others, [&](const Outcome& outcome) {
                 return epsilons.at(outcome);
               }) > ensemble.delta * 1.0001;
      };
      wrong_if_optimal += fails(optimal) ? 1 : 0;
      const auto& improved = numbers.at("tradeoff/realized/improved");
      wrong_as_constant += std::ranges::any_of(improved,
                                               [&](const auto& number) {
                                                 return true_delta(here, others, number.second) >
                                                        ensemble.delta * 1.0001;
                                               })
                               ? 1
                               : 0;
    }
    // The integral is not as much as a constant, and the test can tell.
    CHECK(wrong_as_constant > 0);
    CHECK(wrong_if_optimal > 0);
  }

  TEST_CASE("at the best of many orders what was answered promises nothing") {
    const auto votes = votes_of(2, 2, {4, 1, 3, 2});
    Run run = run_of(*votes, confident(3.0, 2.0, 2.0));
    run.decisions = std::vector<std::uint8_t>{1, 0};
    AccountSettings settings;
    settings.delta = 1e-5;
    settings.reading = GuaranteeKind::realized;
    for (const std::size_t orders : {0U, 1U, 2U}) {
      if (orders > 0) settings.orders = std::vector<double>(orders, 8.0);
      if (orders == 2) settings.orders->back() = 9.0;
      const Account account = pate::account(run, settings);
      const CostEntry& headline = account.costs[account.headline];
      CHECK(headline.reading == GuaranteeKind::realized);
      CHECK(headline.promise == (orders == 1 ? Promise::outcome : Promise::none));
      CHECK(headline.order_chosen_after == (orders != 1));
    }
  }

  TEST_CASE("what a run of the mechanism says holds, with limits and without") {
    Random random(503);
    int checked = 0;
    int stopped = 0;
    for (int i = 0; i < 120; ++i) {
      Ensemble ensemble(random, i % 4 != 0);
      const std::size_t classes = ensemble.votes.front().size();
      const std::size_t queries = ensemble.votes.size();
      const auto votes = ensemble.source();
      const Run run = run_of(*votes, ensemble.aggregator);
      RunLimits limits{std::ssize(ensemble.votes), {}, {}};
      if (i % 3 == 0) limits.max_answers = 1;
      if (i % 3 == 1) limits.max_epsilon = random.log_uniform(0.3, 8.0);
      const double order = filter_order(ensemble.aggregator, {}, limits, ensemble.delta);
      const auto ends = [&](const Outcome& so_far) {
        const PrivacyFilter filter = filter_after(so_far, ensemble, limits, order);
        return filter.enough_answers() || !filter.can_afford_next();
      };
      const auto here = distribution(ensemble.aggregator, ensemble.votes, ends);
      const auto others = neighbours(ensemble.aggregator, ensemble.votes, ends);
      Numbers numbers;
      std::map<std::string, double> fixed;
      for (const auto& [outcome, p] : here) {
        const Account account = label_account(run, labelled_as(outcome, queries, classes),
                                              filter_after(outcome, ensemble, limits, order),
                                              limits, ensemble.delta, 1);
        stopped += outcome.size() < queries ? 1 : 0;
        CHECK(account.costs[account.headline].promise == Promise::fixed);
        for (const CostEntry& cost : account.costs) {
          if (cost.promise == Promise::outcome) numbers[label(cost)][outcome] = cost.epsilon;
          if (cost.promise != Promise::fixed) continue;
          // One number, whatever comes out.
          const double first = fixed.try_emplace(label(cost), cost.epsilon).first->second;
          CHECK_MESSAGE(cost.epsilon == first, label(cost) << " " << ensemble.text());
        }
        if (&outcome == &here.begin()->first) {
          checked += check_fixed(account.costs, ensemble, here, others);
        }
      }
      CHECK(numbers.size() >= 2);
      check_numbers(numbers, ensemble, here, others);
    }
    CHECK(checked > 500);
    CHECK(stopped > 50);
  }

  TEST_CASE("the headline is the smallest fixed epsilon, never the smallest of the outcome") {
    const auto cost = [](double epsilon, Promise promise, GuaranteeKind reading) {
      CostEntry entry;
      entry.bound = Bound::tradeoff;
      entry.reading = reading;
      entry.epsilon = epsilon;
      entry.promise = promise;
      return entry;
    };
    const std::vector<CostEntry> outcomes{cost(3.0, Promise::outcome, GuaranteeKind::realized),
                                          cost(2.0, Promise::outcome, GuaranteeKind::realized),
                                          cost(1.0, Promise::none, GuaranteeKind::expected)};
    CHECK(headline_of(outcomes, {}) == 0);
    CHECK(headline_of(outcomes, {GuaranteeKind::expected, {}, {}}) == 2);
    std::vector<CostEntry> all = outcomes;
    all.push_back(cost(9.0, Promise::fixed, GuaranteeKind::joint));
    all.push_back(cost(8.0, Promise::fixed, GuaranteeKind::worst_case));
    all.push_back(cost(8.0, Promise::fixed, GuaranteeKind::worst_case));
    CHECK(headline_of(all, {}) == 4);
    CHECK(headline_of(all, {GuaranteeKind::realized, {}, {}}) == 0);
    CHECK(headline_of(all, {GuaranteeKind::joint, {}, {}}) == 3);
  }
}
