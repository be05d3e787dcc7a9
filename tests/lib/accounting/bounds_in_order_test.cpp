#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/tilted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kRounding = 1.0 + 1e-9;

// How many dumps: a few, unless the environment asks for more.
int dumps() {
  const char* const asked = std::getenv("PATE_RANDOM_DUMPS");
  return asked == nullptr ? 150 : std::atoi(asked);
}

Aggregator random_aggregator(Random& random, double teachers) {
  const double noise = teachers * random.log_uniform(0.003, 10.0);
  Aggregator result;
  if (random.integer(0, 4) == 0) {
    result.noisy_max = LaplaceNoisyMax{std::max(noise, 0.05)};
    return result;
  }
  result.noisy_max = GaussianNoisyMax{noise};
  if (random.integer(0, 1) == 0) {
    result.selection = ThresholdCheck{teachers * random.uniform(-0.5, 2.0),
                                      teachers * random.log_uniform(0.01, 10.0)};
  }
  return result;
}

std::vector<Histogram> random_histograms(Random& random, std::int64_t teachers,
                                         std::size_t classes) {
  std::vector<Histogram> result(static_cast<std::size_t>(random.integer(1, 4)));
  for (Histogram& counts : result) {
    std::vector<double> shares(classes);
    for (double& share : shares) share = random.log_uniform(0.01, 100.0);
    counts = histogram_by_shares(shares, teachers);
  }
  return result;
}

Run run_of(const VoteSource& votes, Random& random) {
  return {votes,
          RowSelection::all(votes.queries()),
          random_aggregator(random, static_cast<double>(votes.teachers())),
          {},
          nullptr,
          std::nullopt,
          std::nullopt};
}

// Exact costs are at most those of the trade-off bound and these at most the data-independent ones,
// per conversion; nobody pays more than the teacher who always pays most.
void check_order(const Account& account) {
  std::map<std::tuple<Bound, GuaranteeKind, EpsilonMethod>, double> epsilon;
  for (const CostEntry& cost : account.costs) {
    epsilon[{cost.bound, cost.reading, cost.conversion}] = cost.epsilon;
  }
  for (const auto conversion : {EpsilonMethod::improved, EpsilonMethod::classic}) {
    const auto of = [&](Bound bound, GuaranteeKind reading) {
      return epsilon.at({bound, reading, conversion});
    };
    const double exact = of(Bound::exact, GuaranteeKind::joint);
    const double tradeoff = of(Bound::tradeoff, GuaranteeKind::joint);
    CHECK(exact >= 0.0);
    CHECK(exact <= tradeoff * kRounding);
    CHECK(tradeoff <= of(Bound::data_independent, GuaranteeKind::worst_case) * kRounding);
    // One direction against both.
    const auto tilted = epsilon.find({Bound::tilted, GuaranteeKind::joint, conversion});
    if (tilted != epsilon.end()) CHECK(tilted->second <= tradeoff * kRounding);
    if (account.per_teacher) {
      CHECK(of(Bound::exact_per_teacher, GuaranteeKind::joint) <= exact * kRounding);
    }
  }
  if (!account.profile) return;
  const auto of = [&](Bound bound, EpsilonMethod conversion) {
    return epsilon.at({bound, GuaranteeKind::joint, conversion});
  };
  const double improved = of(Bound::exact, EpsilonMethod::improved);
  const double profile = of(Bound::exact, EpsilonMethod::profile);
  CHECK(profile >= 0.0);
  CHECK(profile <= improved);
  // One neighbour's epsilon is below whatever is proved for all, by another way.
  const ProfileEnds& ends = account.profile->epsilon_at.front();
  for (std::size_t d = 0; d < 2; ++d) {
    CHECK(ends.lower[d] <= ends.upper[d]);
    CHECK(ends.lower[d] <= improved * kRounding);
  }
  if (account.per_teacher && account.per_teacher->profile) {
    CHECK(of(Bound::exact_per_teacher, EpsilonMethod::profile) <= profile);
  }
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("random dumps: per teacher <= exact <= trade-off <= data-independent") {
    Random random(20);
    for (int i = 0; i < dumps(); ++i) {
      AccountSettings settings;
      settings.delta = std::pow(10.0, -random.uniform(0.1, 12.0));
      settings.models.insert(Bound::exact);
      settings.profile_deltas = {settings.delta};
      settings.threads = 1;
      if (random.integer(0, 4) == 0) settings.orders = {1.5, 8.0, 40.0};
      INFO("dump ", i, " delta ", settings.delta);
      const auto classes = static_cast<std::size_t>(random.integer(2, 6));
      if (i % 3 == 0) {
        const std::int64_t teachers = random.integer(1, 40);
        const std::int64_t queries = random.integer(1, 4);
        std::vector<std::int64_t> ids;
        for (std::int64_t k = 0; k < teachers * queries; ++k) {
          ids.push_back(random.integer(0, 1) *
                        random.integer(0, static_cast<std::int64_t>(classes) - 1));
        }
        const PredictionVotes votes(pate::test::integer_table({queries, teachers}, ids),
                                    PredictionLayout::queries_by_teachers,
                                    static_cast<std::int64_t>(classes));
        const Run run = run_of(votes, random);
        if (i % 5 < 2 && run.aggregator.is_gaussian()) settings.models.insert(Bound::tilted);
        check_order(account(run, settings));
        continue;
      }
      const std::int64_t teachers = std::llround(random.log_uniform(1.0, 5000.0));
      const HistogramVotes votes(random_histograms(random, teachers, classes));
      const Run run = run_of(votes, random);
      if (i % 5 < 2 && run.aggregator.is_gaussian()) settings.models.insert(Bound::tilted);
      check_order(account(run, settings));
    }
  }

  TEST_CASE("random dumps: exact <= tilted <= trade-off, forward, at an order") {
    Random random(44);
    for (int i = 0; i < dumps(); ++i) {
      const std::int64_t teachers = std::llround(random.log_uniform(1.0, 2000.0));
      const auto classes = static_cast<std::size_t>(random.integer(2, 6));
      Aggregator aggregator = random_aggregator(random, static_cast<double>(teachers));
      const double order = random.log_uniform(1.1, 60.0);
      INFO("votes ", i, " order ", order);
      if (!aggregator.is_gaussian()) {
        CHECK_THROWS_AS(TiltedRun(aggregator, {}, teachers, 3, order), parameter_error);
        continue;
      }
      aggregator.interactive = aggregator.selection && random.integer(0, 1) == 0;
      const ExactMechanism mechanism(aggregator, {}, teachers);
      const TiltedRun tilted(aggregator, {}, teachers, static_cast<std::int64_t>(classes), order);
      const double cap = data_independent_cost(aggregator.step({}), order);
      for (const Histogram& counts : random_histograms(random, teachers, classes)) {
        std::vector<double> scores(classes);
        for (double& score : scores)
          score = random.uniform(0.0, 1.0 / static_cast<double>(classes));
        ExactCost exact(mechanism, mechanism.group(counts, scores));
        const std::int64_t v = exact.votes().statistic;
        const double cost = tilted.cost(counts, v);
        const double excess =
            tradeoff_log_excess(aggregator.step({}), exact.log_q(), order).forward;
        const double tradeoff =
            aggregator.selection
                ? JointCost(AnswerTable(*aggregator.selection, {}, v, v, teachers), order, cap)
                      .costs(v, {excess, excess})
                      .forward
                : cost_of_log_excess(excess, order, cap);
        // Without outcome probabilities the trade-off bound stands for the exact cost.
        if (exact.outcomes() != nullptr) {
          CHECK(exact.largest(order).forward <= cost * kRounding);
        }
        CHECK(cost <= tradeoff * kRounding);
      }
    }
  }
}
