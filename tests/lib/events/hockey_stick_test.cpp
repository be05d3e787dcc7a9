#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "pate/events/account_record.hpp"
#include "pate/events/event_costs.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;
using pate_test::Counts;
using pate_test::Probabilities;

namespace {

// All outcomes of one query: the classes, then, with a selection, the refusal.
Probabilities outcomes_of(const Aggregator& aggregator, const Counts& counts) {
  Probabilities p = aggregator.is_gaussian()
                        ? pate_test::gaussian_outcomes(counts, aggregator.noisy_max.parameter())
                        : pate_test::laplace_outcomes(counts, aggregator.noisy_max.parameter());
  if (!aggregator.selection) return p;
  const std::int64_t top = *std::max_element(counts.begin(), counts.end());
  const auto answered =
      static_cast<long double>(std::exp(log_answered(*aggregator.selection, top)));
  const auto refused = static_cast<long double>(std::exp(log_refused(*aggregator.selection, top)));
  for (long double& x : p) x *= answered;
  p.push_back(refused);
  return p;
}

std::vector<Counts> neighbours_of(const Counts& counts) {
  std::vector<Counts> all{counts};
  pate_test::for_each_neighbour(counts, [&](const Counts& other) { all.push_back(other); });
  return all;
}

// One query of any of the events.
struct AskedQuery {
  Aggregator aggregator;
  Counts counts;
};

// Both distributions of all answers together.
using Pair = std::pair<Probabilities, Probabilities>;

Pair product(const Pair& a, const Pair& b) {
  Pair result;
  for (std::size_t i = 0; i < a.first.size(); ++i) {
    for (std::size_t j = 0; j < b.first.size(); ++j) {
      result.first.push_back(a.first[i] * b.first[j]);
      result.second.push_back(a.second[i] * b.second[j]);
    }
  }
  return result;
}

long double excess(const Probabilities& p, const Probabilities& q, double epsilon) {
  long double delta = 0.0L;
  const long double factor = std::exp(static_cast<long double>(epsilon));
  for (std::size_t i = 0; i < p.size(); ++i) delta += std::max(p[i] - factor * q[i], 0.0L);
  return delta;
}

// Random neighbours of all queries, and for each query the one that is furthest in either
// direction: whichever they are, no fixed epsilon may be exceeded.
std::vector<Pair> random_pairs(const std::vector<AskedQuery>& asked, Random& random, int count) {
  std::vector<Pair> result;
  for (int k = 0; k < count; ++k) {
    Pair all{{1.0L}, {1.0L}};
    for (const AskedQuery& query : asked) {
      const std::vector<Counts> others = neighbours_of(query.counts);
      const Probabilities p = outcomes_of(query.aggregator, query.counts);
      std::size_t chosen =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(others.size()) - 1));
      if (k < 4) {
        double furthest = -1.0;
        for (std::size_t i = 1; i < others.size(); ++i) {
          const Probabilities q = outcomes_of(query.aggregator, others[i]);
          const double order = k < 2 ? 2.0 : 8.0;
          const double its = k % 2 == 0 ? pate_test::renyi_divergence(p, q, order)
                                        : pate_test::renyi_divergence(q, p, order);
          if (its > furthest) {
            furthest = its;
            chosen = i;
          }
        }
      }
      all = product(all, {p, outcomes_of(query.aggregator, others[chosen])});
    }
    result.push_back(std::move(all));
  }
  return result;
}

void check_fixed(const RecordAccount& account, const std::vector<Pair>& pairs) {
  for (const CostEntry& cost : account.costs) {
    if (cost.promise != Promise::fixed || !std::isfinite(cost.epsilon)) continue;
    CAPTURE(name(cost.bound));
    CAPTURE(name(cost.conversion));
    CAPTURE(cost.epsilon);
    for (const auto& [p, q] : pairs) {
      const long double most = static_cast<long double>(cost.delta) + 1e-15L;
      REQUIRE(excess(p, q, cost.epsilon) <= most);
      REQUIRE(excess(q, p, cost.epsilon) <= most);
    }
  }
}

double epsilon_of(const RecordAccount& account, Bound bound, GuaranteeKind reading,
                  EpsilonMethod conversion) {
  for (const CostEntry& cost : account.costs) {
    if (cost.bound == bound && cost.reading == reading && cost.conversion == conversion) {
      return cost.epsilon;
    }
  }
  return -1.0;
}

}  // namespace

TEST_SUITE("records beside enumeration") {
  TEST_CASE("no fixed epsilon of a sum is exceeded by any neighbour") {
    Random random(1801);
    for (int k = 0; k < 150; ++k) {
      CAPTURE(k);
      const std::int64_t teachers = random.integer(1, 6);
      const std::int64_t classes = random.integer(2, 3);
      const double delta = random.log_uniform(1e-6, 0.05);
      Record record;
      std::vector<AskedQuery> asked;
      for (std::int64_t i = random.integer(1, 3); i > 0; --i) {
        const SmallRun run = random_run(random, teachers, classes, 2);
        for (const Counts& query : run.queries) asked.push_back({run.aggregator, query});
        const bool happens = random.integer(0, 2) == 0;
        Event event = happens ? labelling_of(run, delta, random, false)
                              : analysis_of(run, delta, random.integer(0, 2) == 0);
        // Of some no more is known than what holds for any votes.
        if (random.integer(0, 3) == 0) event = public_record({event}).front();
        record = join(record, {event});
      }
      const RecordAccount account = account_record(record, {.delta = delta, .threads = 1});
      check_fixed(account, random_pairs(asked, random, 12));
    }
  }

  TEST_CASE("pure claims and mixtures: randomized response exceeds no fixed epsilon") {
    Random random(1802);
    for (int k = 0; k < 100; ++k) {
      CAPTURE(k);
      const double delta = random.log_uniform(1e-6, 0.05);
      const SmallRun run = random_run(random, random.integer(1, 6), 2, 2);
      Record record{analysis_of(run, delta, false)};
      std::vector<AskedQuery> asked;
      for (const Counts& query : run.queries) asked.push_back({run.aggregator, query});
      std::vector<Pair> pairs = random_pairs(asked, random, 8);
      for (std::int64_t i = random.integer(1, 2); i > 0; --i) {
        Event claim = claim_of(random);
        claim.open.claim->count = random.integer(1, 3);
        claim.open.claim->delta = random.integer(0, 1) == 0 ? 0.0 : delta / 20.0;
        const PrivacyClaim& its = *claim.open.claim;
        const auto d = static_cast<long double>(its.delta);
        const long double share = 1.0L / (1.0L + std::exp(static_cast<long double>(its.epsilon)));
        // The last two outcomes tell everything.
        const Pair response{{d, (1 - d) * (1 - share), (1 - d) * share, 0.0L},
                            {0.0L, (1 - d) * share, (1 - d) * (1 - share), d}};
        for (std::int64_t n = 0; n < its.count; ++n) {
          for (Pair& pair : pairs) pair = product(pair, response);
        }
        record.push_back(claim);
      }
      check_fixed(account_record(record, {.delta = delta, .threads = 1}), pairs);
    }
  }

  TEST_CASE("a second list chosen by the answers to the first") {
    Random random(1803);
    for (int k = 0; k < 200; ++k) {
      CAPTURE(k);
      const std::int64_t teachers = random.integer(1, 6);
      const double delta = random.log_uniform(1e-6, 0.05);
      const SmallRun first{gnmax(random.log_uniform(0.7, 8.0)),
                           {pate_test::random_histogram(random, teachers, 2)}};
      // By the first label one of these is asked.
      std::vector<SmallRun> seconds;
      const Aggregator second = gnmax(random.log_uniform(0.7, 8.0));
      for (int label = 0; label < 2; ++label) {
        seconds.push_back({second, {pate_test::random_histogram(random, teachers, 2)}});
      }
      const bool is_named = random.integer(0, 1) == 0;
      std::vector<RecordAccount> accounts;
      for (const SmallRun& chosen : seconds) {
        Record record{analysis_of(first, delta, true), analysis_of(chosen, delta, true)};
        record.back().open.origin.rows_from_answers = true;
        for (Event& event : record) {
          if (is_named) event.open.origin.order = 6.0;
        }
        accounts.push_back(account_record(record, {.delta = delta, .threads = 1}));
      }
      for (int trial = 0; trial < 12; ++trial) {
        const auto pick = [&](const Counts& counts) {
          const std::vector<Counts> all = neighbours_of(counts);
          return all[static_cast<std::size_t>(
              random.integer(0, static_cast<std::int64_t>(all.size()) - 1))];
        };
        const Probabilities p1 = outcomes_of(first.aggregator, first.queries[0]);
        const Probabilities q1 = outcomes_of(first.aggregator, pick(first.queries[0]));
        // The integral form, with the number each outcome prints: that of D, so one direction.
        long double integral = 0.0L;
        Pair both;
        for (std::size_t label = 0; label < 2; ++label) {
          const Counts& counts = seconds[label].queries[0];
          const Probabilities p2 = outcomes_of(second, counts);
          const Probabilities q2 = outcomes_of(second, pick(counts));
          const double epsilon = epsilon_of(accounts[label], Bound::tradeoff,
                                            GuaranteeKind::realized, EpsilonMethod::improved);
          REQUIRE(epsilon >= 0.0);
          Probabilities p, q;
          for (std::size_t j = 0; j < p2.size(); ++j) {
            p.push_back(p1[label] * p2[j]);
            q.push_back(q1[label] * q2[j]);
          }
          integral += excess(p, q, epsilon);
          both.first.insert(both.first.end(), p.begin(), p.end());
          both.second.insert(both.second.end(), q.begin(), q.end());
        }
        REQUIRE(integral <= static_cast<long double>(delta) + 1e-15L);
        // What is fixed holds although the list was chosen: in every outcome the same number for
        // any votes, and no number of these votes counts the second list.
        for (const CostEntry& cost : accounts[0].costs) {
          if (cost.promise != Promise::fixed) continue;
          CAPTURE(name(cost.bound));
          REQUIRE(excess(both.first, both.second, cost.epsilon) <=
                  static_cast<long double>(delta) + 1e-15L);
          REQUIRE(excess(both.second, both.first, cost.epsilon) <=
                  static_cast<long double>(delta) + 1e-15L);
        }
      }
    }
  }

  TEST_CASE("chords are above what they stand for, below nothing they know") {
    Random random(1804);
    for (int k = 0; k < 60; ++k) {
      const SmallRun run = random_run(random, random.integer(1, 9), 3, 2);
      const auto votes = run.votes();
      AccountSettings settings;
      settings.delta = 1e-5;
      settings.threads = 1;
      settings.orders = std::vector<double>{1.5, 3.0, 5.0, 12.0};
      const Account known = account(run_of(*votes, run.aggregator), settings);
      settings.orders = std::vector<double>{};
      for (int i = 0; i < 20; ++i) settings.orders->push_back(random.uniform(1.05, 12.0));
      const Account fine = account(run_of(*votes, run.aggregator), settings);
      for (std::size_t j = 0; j < fine.orders.size(); ++j) {
        CHECK(chord(known.orders, known.tradeoff->joint, fine.orders[j]) >=
              fine.tradeoff->joint[j] * (1.0 - 1e-9));
      }
      CHECK(std::isinf(chord(known.orders, known.tradeoff->joint, 12.5)));
    }
  }
}
