#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/accounting/teacher_profiles.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/accuracy.hpp"
#include "support/neighbour_votes.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/paths.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

using Real = long double;
// Probabilities of what a query puts out on the votes and on a neighbour's.
struct Pair {
  Probabilities p, q;
};

Probabilities outcomes(const Aggregator& aggregator, const Histogram& counts) {
  Probabilities result;
  Real answered = 1.0L;
  if (aggregator.selection) {
    const auto top = static_cast<Real>(*std::max_element(counts.begin(), counts.end()));
    const auto z = (static_cast<Real>(aggregator.selection->threshold) - top) /
                   static_cast<Real>(aggregator.selection->sigma1);
    answered = 0.5L * std::erfc(z / std::numbers::sqrt2_v<Real>);
    result.push_back(0.5L * std::erfc(-z / std::numbers::sqrt2_v<Real>));
  }
  const double noise = aggregator.noisy_max.parameter();
  const bool is_gaussian = aggregator.noisy_max.is_gaussian();
  for (const Real p :
       is_gaussian ? gaussian_outcomes(counts, noise) : laplace_outcomes(counts, noise)) {
    result.push_back(answered * p);
  }
  return result;
}

// A query against all its neighbours, by the class that loses the vote.
std::vector<std::vector<Pair>> neighbours(const Aggregator& aggregator, const Histogram& counts) {
  std::vector<std::vector<Pair>> result(counts.size());
  const Probabilities p = outcomes(aggregator, counts);
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size() && counts[a] > 0; ++b) {
      if (a == b) continue;
      Histogram moved = counts;
      --moved[a];
      ++moved[b];
      result[a].push_back({p, outcomes(aggregator, moved)});
    }
  }
  return result;
}

using Choices = std::vector<std::vector<Pair>>;  // by query

// delta of the best fixed choice, or of the adversary who looks, by enumeration.
Real adaptive_delta(const Choices& queries, std::size_t at, Real p, Real q) {
  if (at == queries.size()) return std::max(p - q, 0.0L);
  Real largest = 0.0L;
  for (const Pair& pair : queries[at]) {
    Real sum = 0.0L;
    for (std::size_t o = 0; o < pair.p.size(); ++o) {
      sum += adaptive_delta(queries, at + 1, p * pair.p[o], q * pair.q[o]);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

Real fixed_delta(const Choices& queries, Real scale) {
  Real largest = 0.0L;
  Choices chosen;
  const std::function<void(std::size_t)> choose = [&](std::size_t at) {
    if (at == queries.size()) {
      largest = std::max(largest, adaptive_delta(chosen, 0, 1.0L, scale));
      return;
    }
    for (const Pair& pair : queries[at]) {
      chosen.push_back({pair});
      choose(at + 1);
      chosen.pop_back();
    }
  };
  choose(0);
  return largest;
}

Choices swapped(Choices queries) {
  for (auto& query : queries) {
    for (Pair& pair : query) std::swap(pair.p, pair.q);
  }
  return queries;
}

Aggregator random_aggregator(Random& random, double teachers) {
  Aggregator result;
  const double noise = teachers * random.log_uniform(0.2, 2.0);
  if (random.integer(0, 3) == 0) {
    result.noisy_max = LaplaceNoisyMax{noise};
    return result;
  }
  result.noisy_max = GaussianNoisyMax{noise};
  if (random.integer(0, 1) == 0) {
    result.selection = ThresholdCheck{teachers * random.uniform(0.3, 1.0),
                                      teachers * random.log_uniform(0.2, 2.0)};
  }
  return result;
}

const CostEntry* entry(const Account& account, Bound bound) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.conversion == EpsilonMethod::profile) return &cost;
  }
  return nullptr;
}

Account exact_account(const std::vector<Histogram>& queries, const Aggregator& aggregator,
                      double delta, unsigned threads = 1, const Neighbours& neighbours = {}) {
  const HistogramVotes votes(queries);
  const Run run{votes, RowSelection::all(votes.queries()), aggregator, neighbours, nullptr, {}, {}};
  AccountSettings settings;
  settings.delta = delta;
  settings.models.insert(Bound::exact);
  settings.threads = threads;
  settings.profile_deltas = std::vector<double>{0.1, 0.01, 1e-4, delta};
  return account(run, settings);
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("profiles of small ensembles hold for every choice of neighbours") {
    Random random(1401);
    for (int i = 0; i < 30; ++i) {
      const auto teachers = static_cast<std::int32_t>(random.integer(2, 6));
      const auto classes = static_cast<std::size_t>(random.integer(2, 3));
      const Aggregator aggregator = random_aggregator(random, teachers);
      const auto all = all_histograms(teachers, classes);
      std::vector<Histogram> queries;
      for (std::int64_t n = random.integer(1, classes == 2 ? 3 : 2); n > 0; --n) {
        queries.push_back(all[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(all.size()) - 1))]);
      }
      const Account account = exact_account(queries, aggregator, 1e-6);
      REQUIRE(account.profile);
      Choices forward;
      for (const Histogram& counts : queries) {
        auto& its = forward.emplace_back();
        for (auto& of_class : neighbours(aggregator, counts)) {
          its.insert(its.end(), of_class.begin(), of_class.end());
        }
      }
      const Choices reverse = swapped(forward);
      for (std::size_t k = 0; k < account.profile->epsilons.size(); ++k) {
        const double epsilon = account.profile->epsilons[k];
        const ProfileEnds& ends = account.profile->delta_at[k];
        INFO("run ", i, " epsilon ", epsilon);
        const Real scale = std::exp(static_cast<Real>(epsilon));
        for (const Direction direction : {Direction::forward, Direction::reverse}) {
          const Choices& choices = direction == Direction::forward ? forward : reverse;
          const auto exact = static_cast<double>(fixed_delta(choices, scale));
          CHECK(ends.upper[static_cast<std::size_t>(direction)] >= exact * (1.0 - 1e-10));
          CHECK(ends.lower[static_cast<std::size_t>(direction)] <= exact * (1.0 + 1e-10));
        }
      }
      // epsilon is the inverse of delta.
      for (std::size_t k = 0; k < account.profile->deltas.size(); ++k) {
        const double delta = account.profile->deltas[k];
        for (const Direction direction : {Direction::forward, Direction::reverse}) {
          const double epsilon =
              account.profile->epsilon_at[k].upper[static_cast<std::size_t>(direction)];
          REQUIRE(std::isfinite(epsilon));
          const Choices& choices = direction == Direction::forward ? forward : reverse;
          const Real exact = fixed_delta(choices, std::exp(static_cast<Real>(epsilon)));
          CHECK(exact <= static_cast<Real>(delta) * (1.0L + 1e-9L));
          CHECK(account.profile->epsilon_at[k].lower[static_cast<std::size_t>(direction)] <=
                epsilon);
        }
      }
    }
  }

  TEST_CASE("profiles for other neighbours hold for every choice of them") {
    Random random(1403);
    for (int i = 0; i < 24; ++i) {
      const auto teachers = static_cast<std::int32_t>(random.integer(2, 5));
      const auto classes = static_cast<std::size_t>(random.integer(2, 3));
      const Neighbours relation = std::array{
          Neighbours{Adjacency::replace, 2}, Neighbours{Adjacency::add_remove, 1},
          Neighbours{Adjacency::add_remove,
                     2}}.at(static_cast<std::size_t>(i % 3));
      const Aggregator aggregator = random_aggregator(random, teachers);
      const auto all = all_histograms(teachers, classes);
      std::vector<Histogram> queries;
      for (std::int64_t n = random.integer(1, 2); n > 0; --n) {
        queries.push_back(all[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(all.size()) - 1))]);
      }
      const Account account = exact_account(queries, aggregator, 1e-6, 1, relation);
      REQUIRE(account.profile);
      CHECK_FALSE(account.per_teacher);
      Choices forward;
      for (const Histogram& counts : queries) {
        auto& its = forward.emplace_back();
        const Probabilities p = outcomes(aggregator, counts);
        for_each_neighbour(counts, relation, [&](const Counts& other) {
          its.push_back({p, outcomes(aggregator, other)});
        });
      }
      const Choices reverse = swapped(forward);
      for (std::size_t k = 0; k < account.profile->epsilons.size(); ++k) {
        const ProfileEnds& ends = account.profile->delta_at[k];
        INFO("run ", i, " epsilon ", account.profile->epsilons[k]);
        const Real scale = std::exp(static_cast<Real>(account.profile->epsilons[k]));
        for (const Direction direction : {Direction::forward, Direction::reverse}) {
          const Choices& choices = direction == Direction::forward ? forward : reverse;
          const auto exact = static_cast<double>(fixed_delta(choices, scale));
          CHECK(ends.upper[static_cast<std::size_t>(direction)] >= exact * (1.0 - 1e-10));
          CHECK(ends.lower[static_cast<std::size_t>(direction)] <= exact * (1.0 + 1e-10));
        }
      }
      // No larger than what the trade-off bound and any votes say.
      for (const CostEntry& cost : account.costs) {
        if (cost.conversion != EpsilonMethod::improved || cost.promise != Promise::fixed) continue;
        CHECK(entry(account, Bound::exact)->epsilon <= cost.epsilon * (1.0 + 1e-6));
      }
    }
  }

  TEST_CASE("profiles are below what RDP makes of the same outcomes, and hold their interval") {
    Random random(1402);
    for (int i = 0; i < 40; ++i) {
      const std::int32_t teachers = 60;
      const Aggregator aggregator = random_aggregator(random, teachers);
      std::vector<Histogram> queries;
      for (int n = 0; n < 25; ++n) {
        const auto top = static_cast<std::int32_t>(random.integer(20, 60));
        const auto next = static_cast<std::int32_t>(random.integer(0, teachers - top));
        queries.push_back({top, next, teachers - top - next});
      }
      const Account account = exact_account(queries, aggregator, 1e-5);
      const CostEntry* const profile = entry(account, Bound::exact);
      REQUIRE(profile != nullptr);
      double improved = kInfinity;
      for (const CostEntry& cost : account.costs) {
        if (cost.bound == Bound::exact && cost.conversion == EpsilonMethod::improved) {
          improved = cost.epsilon;
        }
      }
      CHECK(profile->epsilon <= improved);
      CHECK(*profile->lower <= profile->epsilon);
      CHECK(*profile->lower >= 0.98 * profile->epsilon);
      // Threads and the order of the queries change no bit.
      // So do names of classes.
      std::reverse(queries.begin(), queries.end());
      for (Histogram& counts : queries)
        std::rotate(counts.begin(), counts.begin() + 1, counts.end());
      const Account again = exact_account(queries, aggregator, 1e-5, 3);
      CHECK(entry(again, Bound::exact)->epsilon == profile->epsilon);
      CHECK(*entry(again, Bound::exact)->lower == *profile->lower);
      for (std::size_t k = 0; k < account.profile->epsilons.size(); ++k) {
        CHECK(again.profile->delta_at[k].upper[1] == account.profile->delta_at[k].upper[1]);
        CHECK(again.profile->delta_at[k].lower[0] == account.profile->delta_at[k].lower[0]);
      }
    }
  }

  TEST_CASE("halving the grid narrows the interval; Gaussian steps enter as the start") {
    const Aggregator aggregator{ThresholdCheck{40.0, 20.0}, {GaussianNoisyMax{10.0}}, false};
    const ExactMechanism mechanism(aggregator, {}, 60);
    std::vector<ExactQuery> queries;
    for (std::int32_t top = 30; top <= 58; top += 2) {
      queries.push_back({mechanism.group(Histogram{top, 59 - top, 1}, {}), 2});
    }
    std::sort(queries.begin(), queries.end(),
              [](const ExactQuery& a, const ExactQuery& b) { return a.votes < b.votes; });
    ExactRun run(mechanism, queries, 1);
    ExactRun* const runs = &run;
    const ProfileHints hints{{8.0, 2.0, false, false}, {8.0, 2.0, false, false}};
    double upper = kInfinity;
    double lower = 0.0;
    for (const double step : {0x1p-6, 0x1p-7, 0x1p-8, 0x1p-9, 0x1p-10}) {
      const auto profile = run_profile(std::span(&runs, 1), hints, {1e-5, {1e-5}, step}, 0.0, 1);
      REQUIRE(profile);
      CHECK(profile->upper.reverse < upper);
      CHECK(profile->lower.reverse > lower);
      upper = profile->upper.reverse;
      lower = profile->lower.reverse;
      CHECK(upper > lower);
    }
    // Two runs one after the other are one; a Gaussian step alone is its own profile.
    std::array<ExactRun*, 2> twice{&run, &run};
    const auto both = run_profile(twice, hints, {1e-5, {1e-5}, 0x1p-9}, 0.0, 1);
    for (ExactQuery& query : queries) query.count *= 2;
    ExactRun doubled(mechanism, queries, 1);
    ExactRun* const one = &doubled;
    const auto at_once = run_profile(std::span(&one, 1), hints, {1e-5, {1e-5}, 0x1p-9}, 0.0, 1);
    CHECK(both->upper.forward == doctest::Approx(at_once->upper.forward).epsilon(1e-12));
    ExactRun nothing(mechanism, {}, 1);
    ExactRun* const empty = &nothing;
    const auto gaussian = run_profile(std::span(&empty, 1), hints, {1e-5, {1e-5}, 0x1p-10}, 0.7, 1);
    CHECK(gaussian->upper.forward >= gaussian_dp_epsilon(0.7, 1e-5) * (1.0 - 1e-9));
    CHECK(gaussian->upper.forward <= gaussian_dp_epsilon(0.7, 1e-5) * (1.0 + 1e-4));
    const auto with = run_profile(std::span(&runs, 1), hints, {1e-5, {1e-5}, 0x1p-10}, 0.7, 1);
    CHECK(with->upper.reverse > upper);
    CHECK(with->upper.reverse > gaussian->upper.reverse);
    CHECK(with->upper.reverse < upper + gaussian->upper.reverse);
  }

  TEST_CASE("every teacher's profile holds for its own votes") {
    Random random(1403);
    for (int i = 0; i < 12; ++i) {
      constexpr std::size_t kTeachers = 5;
      constexpr std::size_t kQueries = 3;
      const Aggregator aggregator = random_aggregator(random, kTeachers);
      const ExactMechanism mechanism(aggregator, {}, kTeachers);
      std::vector<std::array<std::int32_t, kTeachers>> ids(kQueries);
      std::vector<Histogram> counts(kQueries, Histogram(2, 0));
      for (std::size_t x = 0; x < kQueries; ++x) {
        for (std::int32_t& id : ids[x]) {
          id = static_cast<std::int32_t>(random.integer(0, 1));
          ++counts[x][static_cast<std::size_t>(id)];
        }
      }
      std::vector<ExactQuery> queries;
      for (const Histogram& its : counts) queries.push_back({mechanism.group(its, {}), 1});
      sort_and_join(queries, &ExactQuery::votes);
      TeacherRows rows{kTeachers, {}, std::vector<std::vector<std::uint32_t>>(queries.size())};
      std::vector<std::uint16_t> groups;
      for (std::size_t x = 0; x < kQueries; ++x) {
        const GroupedVotes votes = mechanism.group(counts[x], {});
        const auto at = std::ranges::lower_bound(queries, votes, {}, &ExactQuery::votes);
        rows.rows[static_cast<std::size_t>(at - queries.begin())].push_back(
            static_cast<std::uint32_t>(x));
        const auto of_class = groups_of_classes(votes, counts[x], {}, kTeachers);
        for (const std::int32_t id : ids[x]) {
          groups.push_back(static_cast<std::uint16_t>(of_class[static_cast<std::size_t>(id)]));
        }
      }
      rows.groups = groups;
      ExactRun run(mechanism, queries, 1);
      const ProfileHints hints{{6.0, 8.0, false, false}, {6.0, 8.0, false, false}};
      constexpr double kDelta = 0.01;
      const auto profiles = teacher_profiles(run, rows, hints, {kDelta, {}, {}}, 2);
      REQUIRE(profiles);
      double largest = 0.0;
      for (std::size_t t = 0; t < kTeachers; ++t) {
        Choices own;
        for (std::size_t x = 0; x < kQueries; ++x) {
          own.push_back(neighbours(aggregator, counts[x])[static_cast<std::size_t>(ids[x][t])]);
        }
        const Real scale = std::exp(static_cast<Real>(profiles->epsilon[t]));
        const Real exact = std::max(fixed_delta(own, scale), fixed_delta(swapped(own), scale));
        INFO("run ", i, " teacher ", t);
        CHECK(exact <= static_cast<Real>(kDelta) * (1.0L + 1e-9L));
        largest = std::max(largest, profiles->epsilon[t]);
      }
      CHECK(profiles->upper.larger() == largest);
      CHECK(profiles->lower <= largest);
      CHECK(profiles->lower >= largest * 0.9 - 1e-3);
      // The most costly is refined.
      const auto most_costly = static_cast<std::int64_t>(
          std::max_element(profiles->epsilon.begin(), profiles->epsilon.end()) -
          profiles->epsilon.begin());
      if (profiles->step < profiles->coarse_step) {
        CHECK(std::ranges::binary_search(profiles->refined, most_costly));
      }
    }
  }

  TEST_CASE("what else than its one likely outcome a query and its neighbours may put out") {
    Random random(1404);
    int likely = 0;
    for (int i = 0; i < 400; ++i) {
      const auto teachers = static_cast<std::int32_t>(random.integer(2, 8));
      Aggregator aggregator = random_aggregator(random, teachers * random.log_uniform(0.1, 1.0));
      const auto all = all_histograms(teachers, static_cast<std::size_t>(random.integer(2, 3)));
      const Histogram& counts = all[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
      const ExactMechanism mechanism(aggregator, {}, teachers);
      const double bound =
          std::exp(ExactCost(mechanism, mechanism.group(counts, {})).log_other_outcomes());
      REQUIRE((bound >= 0.0 && bound <= 1.0));
      likely += bound < 0.05 ? 1 : 0;
      // Some outcome has at least the rest on all of them.
      std::vector<Probabilities> possible{outcomes(aggregator, counts)};
      for (const auto& of_class : neighbours(aggregator, counts)) {
        for (const Pair& pair : of_class) possible.push_back(pair.q);
      }
      Real best = 1.0L;
      for (std::size_t o = 0; o < possible.front().size(); ++o) {
        Real most = 0.0L;
        for (const Probabilities& its : possible) {
          Real others = 0.0L;
          for (std::size_t k = 0; k < its.size(); ++k) others += k == o ? 0.0L : its[k];
          most = std::max(most, others);
        }
        best = std::min(best, most);
      }
      INFO("run ", i);
      CHECK(static_cast<Real>(bound) >= best * (1.0L - 1e-9L));
    }
    CHECK(likely > 20);
  }

  TEST_CASE("queries that are all but sure enter profiles with what they may cost") {
    const Aggregator aggregator{ThresholdCheck{25.0, 4.0}, {GaussianNoisyMax{4.0}}, false};
    const ExactMechanism mechanism(aggregator, {}, 60);
    const ExactQuery sure{mechanism.group(Histogram{60, 0, 0}, {}), 30};
    const ProfileHints hints{{8.0, 2.0, false, false}, {8.0, 2.0, false, false}};
    const auto profile = [&](std::vector<ExactQuery> queries, std::vector<double> deltas) {
      std::sort(queries.begin(), queries.end(),
                [](const ExactQuery& a, const ExactQuery& b) { return a.votes < b.votes; });
      ExactRun run(mechanism, queries, 1);
      ExactRun* const one = &run;
      const auto result = run_profile(std::span(&one, 1), hints, {1e-5, deltas, 0x1p-9}, 0.0, 1);
      REQUIRE(result);
      return *result;
    };
    // Where a tiny delta is asked for, nothing is sure enough.
    const ExactQuery contested{mechanism.group(Histogram{31, 28, 1}, {}), 1};
    const RunProfile bound = profile({sure, contested}, {1e-5});
    const RunProfile looked_at = profile({sure, contested}, {1e-5, 1e-300});
    for (const auto direction : {&BothDirections::forward, &BothDirections::reverse}) {
      CHECK(bound.upper.*direction >= looked_at.upper.*direction * (1.0 - 1e-9));
      CHECK(bound.upper.*direction <= looked_at.upper.*direction * (1.0 + 1e-6));
    }
    // They are not forgotten.
    const RunProfile alone = profile({sure}, {1e-5});
    const RunProfile nothing = profile({}, {1e-5});
    for (std::size_t d = 0; d < 2; ++d) {
      CHECK(alone.curve.delta_at.front().upper[d] > nothing.curve.delta_at.front().upper[d]);
      CHECK(alone.curve.delta_at.front().upper[d] <= 1e-5 * 1e-6);
    }
  }

  TEST_CASE("what a query tells beyond whether it is answered, where one answer is likely") {
    Random random(1405);
    int likely = 0;
    for (int i = 0; i < 300; ++i) {
      const auto teachers = static_cast<std::int32_t>(random.integer(6, 12));
      const Aggregator aggregator{ThresholdCheck{teachers * random.uniform(0.3, 1.2),
                                                 teachers * random.log_uniform(0.1, 1.0)},
                                  {GaussianNoisyMax{teachers * random.log_uniform(0.05, 0.4)}},
                                  false};
      const auto second = static_cast<std::int32_t>(random.integer(0, 1 + teachers / 3));
      const Histogram counts{teachers - second, second, 0};
      const ExactMechanism mechanism(aggregator, {}, teachers);
      const ExactCost cost(mechanism, mechanism.group(counts, {}));
      const double beaten = std::exp(cost.log_q_any_neighbour());
      if (!(beaten <= 0.05)) continue;
      ++likely;
      const auto tables = cost.selection_tables();
      const auto excess = [](const auto& pairs, double gamma) {
        Real sum = 0.0L;
        for (const auto& [p, q] : pairs) {
          sum += std::max(static_cast<Real>(p) - static_cast<Real>(gamma) * static_cast<Real>(q),
                          0.0L);
        }
        return sum;
      };
      for (const bool is_reverse : {false, true}) {
        for (int k = -40; k <= 40; ++k) {
          const double gamma = std::exp(0.1 * k);
          Real bound = 0.0L;
          for (const DistributionPair& table : tables) {
            std::vector<std::pair<double, double>> pairs;
            for (const OutcomeMass& o : table) {
              pairs.emplace_back(is_reverse ? o.q : o.p, is_reverse ? o.p : o.q);
            }
            bound = std::max(bound, excess(pairs, gamma));
          }
          for (const auto& of_class : neighbours(aggregator, counts)) {
            for (const Pair& pair : of_class) {
              std::vector<std::pair<Real, Real>> pairs;
              for (std::size_t o = 0; o < pair.p.size(); ++o) {
                pairs.emplace_back(is_reverse ? pair.q[o] : pair.p[o],
                                   is_reverse ? pair.p[o] : pair.q[o]);
              }
              INFO("run ", i, " gamma ", gamma);
              CHECK(excess(pairs, gamma) <= bound + 2.1L * static_cast<Real>(beaten) + 1e-12L);
            }
          }
        }
      }
    }
    CHECK(likely > 60);
  }

  TEST_CASE("neighbours that classes far behind tell apart have one that stands for them") {
    Random random(2311);
    int stood_for = 0;
    double far_apart = 0.0;
    for (int i = 0; i < 400; ++i) {
      const auto teachers = static_cast<std::int32_t>(random.integer(30, 60));
      const double noise = teachers * random.log_uniform(0.05, 0.4);
      Aggregator aggregator{std::nullopt, {GaussianNoisyMax{noise}}, false};
      if (i % 4 == 0) aggregator.noisy_max = LaplaceNoisyMax{0.5 * noise};
      if (i % 2 == 1) aggregator.selection = ThresholdCheck{teachers * 0.6, noise};
      Histogram counts(7, 0);
      for (std::int32_t t = 0; t < teachers; ++t) {
        const std::int64_t most = random.integer(0, 9) < 9 ? 1 : 6;
        ++counts[static_cast<std::size_t>(random.integer(0, most))];
      }
      const ExactMechanism mechanism(aggregator, {}, teachers);
      ExactCost cost(mechanism, mechanism.group(counts, {}));
      const double limit = random.log_uniform(1e-9, 0.3);
      const std::size_t near = cost.contending_groups(limit);
      REQUIRE(near >= 1);
      REQUIRE(near <= cost.votes().groups.size());
      const std::vector<std::uint32_t> stands_for = cost.representatives(near);
      const auto all = cost.tables();
      REQUIRE(all);
      REQUIRE(stands_for.size() == all->size());
      // What is computed of some is what is computed of all.
      std::vector<std::uint32_t> only = stands_for;
      std::ranges::sort(only);
      only.erase(std::unique(only.begin(), only.end()), only.end());
      cost.drop_outcomes();
      const auto some = cost.tables(only);
      REQUIRE(some);
      REQUIRE(some->size() == only.size());
      const auto excess = [](const DistributionPair& table, double gamma, bool is_reverse) {
        Real sum = 0.0L;
        for (const OutcomeMass& o : table) {
          const auto p = static_cast<Real>(is_reverse ? o.q : o.p);
          const auto q = static_cast<Real>(is_reverse ? o.p : o.q);
          sum += std::max(p - static_cast<Real>(gamma) * q, 0.0L);
        }
        return sum;
      };
      for (std::size_t k = 0; k < all->size(); ++k) {
        const std::uint32_t its = stands_for[k];
        REQUIRE(stands_for[its] == its);
        if (its == k) {
          const auto at = static_cast<std::size_t>(std::ranges::find(only, its) - only.begin());
          CHECK(
              excess((*some)[at], 1.01, false) ==
              doctest::Approx(static_cast<double>(excess((*all)[k], 1.01, false))).epsilon(1e-10));
          continue;
        }
        ++stood_for;
        for (const bool is_reverse : {false, true}) {
          for (int j = -40; j <= 40; ++j) {
            const double gamma = std::exp(0.1 * j);
            const Real of_it = excess((*all)[k], gamma, is_reverse);
            const Real of_other = excess((*all)[its], gamma, is_reverse);
            INFO("run ", i, " neighbour ", k, " gamma ", gamma);
            CHECK(of_it <= of_other + static_cast<Real>(limit) + 1e-14L * (1.0L + gamma));
            far_apart = std::max(far_apart, static_cast<double>(of_it - of_other) / limit);
          }
        }
      }
    }
    CHECK(stood_for > 200);
    CHECK(far_apart > 1e-3);  // the limit is not for nothing
  }

  TEST_CASE("profiles where one neighbour stands for many are those of all") {
    for (const bool is_selective : {false, true}) {
      Aggregator aggregator{std::nullopt, {GaussianNoisyMax{2.0}}, false};
      if (is_selective) aggregator.selection = ThresholdCheck{40.0, 6.0};
      const ExactMechanism mechanism(aggregator, {}, 62);
      const ProfileHints hints{{8.0, 2.0, false, false}, {8.0, 2.0, false, false}};
      std::vector<ExactQuery> queries{{mechanism.group(Histogram{31, 29, 1, 1, 0}, {}), 3},
                                      {mechanism.group(Histogram{32, 28, 2, 0, 0}, {}), 2}};
      std::ranges::sort(queries, {}, &ExactQuery::votes);
      ExactRun run(mechanism, queries, 1);
      CHECK(run[0].contending_groups(1e-16) == 2);
      CHECK(run[0].contending_groups(1e-306) == run.votes(0).groups.size());
      const auto profile = [&](std::vector<double> deltas) {
        ExactRun* const one = &run;
        const auto result =
            run_profile(std::span(&one, 1), hints, {1e-5, std::move(deltas), 0x1p-9}, 0.0, 1);
        REQUIRE(result);
        return *result;
      };
      const RunProfile some = profile({1e-5});
      const RunProfile all = profile({1e-5, 1e-300});
      for (const auto direction : {&BothDirections::forward, &BothDirections::reverse}) {
        CHECK(all.upper.*direction > 0.1);
        CHECK(some.upper.*direction >= all.upper.*direction * (1.0 - 1e-7));
        CHECK(some.upper.*direction <= all.upper.*direction * (1.0 + 1e-6));
        CHECK(some.lower.*direction <= some.upper.*direction);
        CHECK(some.lower.*direction >= all.lower.*direction * (1.0 - 1e-3));
      }
    }
  }

  TEST_CASE("queries whose answer is all but sure enter profiles by their selection") {
    const Aggregator aggregator{ThresholdCheck{58.0, 6.0}, {GaussianNoisyMax{3.0}}, false};
    const ExactMechanism mechanism(aggregator, {}, 60);
    const ProfileHints hints{{8.0, 2.0, false, false}, {8.0, 2.0, false, false}};
    std::vector<ExactQuery> queries{{mechanism.group(Histogram{32, 28, 0}, {}), 2},
                                    {mechanism.group(Histogram{58, 1, 1}, {}), 9},
                                    {mechanism.group(Histogram{60, 0, 0}, {}), 30}};
    REQUIRE(std::ranges::is_sorted(queries, {}, &ExactQuery::votes));
    ExactRun run(mechanism, queries, 1);
    CHECK(run[0].log_q_any_neighbour() > -10.0);
    CHECK(run[1].log_q_any_neighbour() < -80.0);
    CHECK(run[1].log_other_outcomes() > -5.0);
    // Where a tiny delta is asked for, no answer is sure enough.
    const auto profile = [&](std::vector<double> deltas) {
      ExactRun* const one = &run;
      const auto result =
          run_profile(std::span(&one, 1), hints, {1e-5, std::move(deltas), 0x1p-9}, 0.0, 1);
      REQUIRE(result);
      return *result;
    };
    const RunProfile bound = profile({1e-5});
    const RunProfile looked_at = profile({1e-5, 1e-300});
    for (const auto direction : {&BothDirections::forward, &BothDirections::reverse}) {
      CHECK(looked_at.upper.*direction > 0.1);
      CHECK(bound.upper.*direction >= looked_at.upper.*direction * (1.0 - 1e-7));
      CHECK(bound.upper.*direction <= looked_at.upper.*direction * (1.0 + 1e-6));
      CHECK(bound.lower.*direction <= bound.upper.*direction);
      CHECK(bound.lower.*direction >= looked_at.lower.*direction * (1.0 - 1e-3));
    }
    // Teachers whose votes do not move the statistic among them.
    const std::array<std::uint16_t, 16> groups{0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    const TeacherRows votes{4, groups, {{0, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, {3, 3, 3}}};
    const auto teachers = [&](double delta) {
      const auto result = teacher_profiles(run, votes, hints, {delta, {delta}, 0x1p-9}, 1);
      REQUIRE(result);
      return *result;
    };
    const TeacherProfiles of_teachers = teachers(1e-5);
    double largest = 0.0;
    for (const double epsilon : of_teachers.epsilon) {
      CHECK(epsilon > 0.0);
      largest = std::max(largest, epsilon);
    }
    CHECK(of_teachers.lower <= largest);
    CHECK(of_teachers.lower >= 0.9 * largest);
  }

  TEST_CASE("the profiles of S18's votes (real votes)" *
            doctest::skip(!pate::test::has_shared_votes())) {
    struct Case {
      const char* file;
      std::int64_t queries;
      Aggregator aggregator;
      double forward, reverse, lower, step;
    };
    const std::array cases{
        Case{"s18_mnist_250_counts.npy",
             640,
             {ThresholdCheck{200.0, 150.0}, {GaussianNoisyMax{40.0}}, false},
             0.82493937,
             0.83224764,
             0.8313347,
             0x1p-12},
        Case{"s18_adult_250_counts.npy",
             1500,
             {ThresholdCheck{300.0, 200.0}, {GaussianNoisyMax{40.0}}, false},
             0.85900795,
             0.8646324,
             0.864539,
             0x1p-13},
    };
    for (const Case& one : cases) {
      INFO(one.file);
      const auto table = io::open_table(pate::test::shared_votes(one.file));
      const CountVotes votes(table.table);
      const Run run{votes, RowSelection::range(0, one.queries), one.aggregator, {}, nullptr, {},
                    {}};
      AccountSettings settings;
      settings.delta = 1e-5;
      settings.models.insert(Bound::exact);
      const Account account = pate::account(run, settings);
      REQUIRE(account.profile);
      CHECK(account.profile->step == one.step);
      const auto at =
          std::ranges::find(account.profile->deltas, 1e-5) - account.profile->deltas.begin();
      const ProfileEnds& ends = account.profile->epsilon_at[static_cast<std::size_t>(at)];
      CHECK(std::abs(ends.upper[0] - one.forward) < 2e-6);
      CHECK(std::abs(ends.upper[1] - one.reverse) < 2e-6);
      CHECK(std::abs(ends.lower[1] - one.lower) < 2e-6);
      CHECK(entry(account, Bound::exact)->epsilon == ends.upper[1]);
    }
  }
}
