#include "pate/accounting/explanation.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "support/labeling.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr std::int32_t kTeachers = 12;

HistogramVotes some_votes(Random& random, std::int64_t queries) {
  std::vector<Histogram> all;
  for (std::int64_t i = 0; i < queries; ++i) {
    const auto first = static_cast<std::int32_t>(random.integer(0, kTeachers));
    const auto second = static_cast<std::int32_t>(random.integer(0, kTeachers - first));
    all.push_back({first, second, kTeachers - first - second});
  }
  return HistogramVotes(std::move(all));
}

AccountSettings settings_of() {
  AccountSettings settings;
  settings.delta = 1e-4;
  settings.threads = 1;
  return settings;
}

double rdp_of(const QueryExplanation& query, Bound bound) {
  const auto found = std::ranges::find(query.costs, bound, &QueryBoundCost::bound);
  REQUIRE(found != query.costs.end());
  return found->rdp;
}

// Renyi divergence of an order, from its sum.
double renyi(const Probabilities& p, const Probabilities& q, double order) {
  long double sum = 0.0L;
  for (std::size_t j = 0; j < p.size(); ++j) {
    sum += std::pow(p[j], static_cast<long double>(order)) *
           std::pow(q[j], 1.0L - static_cast<long double>(order));
  }
  return static_cast<double>(std::log(sum)) / (order - 1.0);
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("explained queries: their exact cost over all neighbours, shares that add up to one") {
    Random random(61);
    for (int round = 0; round < 8; ++round) {
      const double sigma = random.log_uniform(1.0, 8.0);
      const auto votes = some_votes(random, 4);
      Run run = pate::test::run_of(votes, pate::test::gnmax(sigma));
      // The third row twice, the second never.
      run.rows = RowSelection::list({2, 0, 3, 2});
      const Explanation told = explain(run, settings_of(), {{0, 2, 3}, 0});
      REQUIRE(told.queries.size() == 3);
      CAPTURE(round);
      double exact = 0.0;
      double tradeoff = 0.0;
      double largest_sum = 0.0;
      for (const QueryExplanation& query : told.queries) {
        const auto times = static_cast<double>(query.times);
        CHECK(query.times == (query.query == 2 ? 2 : 1));
        exact += times * query.share_exact;
        tradeoff += times * query.share_tradeoff;
        // Every vote that moves, from the closed form of three counts with Gaussian noise.
        Counts counts(query.histogram.begin(), query.histogram.end());
        const Probabilities p = gaussian_outcomes(counts, sigma);
        double most = 0.0;
        for (std::size_t from = 0; from < 3; ++from) {
          for (std::size_t to = 0; to < 3; ++to) {
            if (from == to || counts[from] == 0) continue;
            Counts moved = counts;
            --moved[from];
            ++moved[to];
            const Probabilities q = gaussian_outcomes(moved, sigma);
            most = std::max({most, renyi(p, q, told.order), renyi(q, p, told.order)});
          }
        }
        CHECK(rdp_of(query, Bound::exact) == doctest::Approx(most).epsilon(1e-6));
        largest_sum += times * most;
        for (std::size_t j = 0; j < 3; ++j) {
          CHECK(query.outcomes[j] == doctest::Approx(static_cast<double>(p[j])).epsilon(1e-9));
        }
        CHECK(query.answered == 1.0);
        CHECK(!query.statistic);
        // One direction alone.
        const auto exactly = std::ranges::find(query.costs, Bound::exact, &QueryBoundCost::bound);
        CHECK(exactly->directions->forward <= rdp_of(query, Bound::tilted) * (1.0 + 1e-9) + 1e-15);
        CHECK(rdp_of(query, Bound::exact) <= rdp_of(query, Bound::tradeoff) * (1.0 + 1e-9));
        CHECK(rdp_of(query, Bound::tradeoff) <=
              rdp_of(query, Bound::data_independent) * (1.0 + 1e-9));
        // The worst neighbour is one, with what it says moved.
        REQUIRE(query.worst_neighbour);
        const WorstNeighbour& worst = *query.worst_neighbour;
        Counts moved = counts;
        --moved[static_cast<std::size_t>(*worst.from)];
        ++moved[static_cast<std::size_t>(*worst.to)];
        CHECK(std::ranges::equal(worst.histogram, moved));
        const Probabilities q = gaussian_outcomes(moved, sigma);
        CHECK((worst.direction == Direction::forward
                   ? renyi(p, q, told.order)
                   : renyi(q, p, told.order)) == doctest::Approx(most).epsilon(1e-6));
        // Without it the run costs less.
        if (told.run_profile && query.epsilon_without) {
          CHECK(*query.epsilon_without <= *told.run_profile);
        }
      }
      CHECK(tradeoff == doctest::Approx(1.0).epsilon(1e-7));
      CHECK(exact >= 1.0 - 1e-7);
      CHECK(told.run_exact.larger() <= largest_sum * (1.0 + 1e-6));
      // The most costly ones come first, each once.
      const Explanation top = explain(run, settings_of(), {{}, 9});
      REQUIRE(top.queries.size() == 3);
      for (std::size_t k = 1; k < 3; ++k) {
        CHECK(rdp_of(top.queries[k], Bound::exact) <=
              rdp_of(top.queries[k - 1], Bound::exact) * (1.0 + 1e-12));
      }
    }
  }

  TEST_CASE("explained queries: a check, a student, PTR and other neighbours") {
    Random random(62);
    const auto votes = some_votes(random, 3);
    const auto student =
        pate::test::scores_of(3, 3, {0.5, 0.25, 0.25, 0.2, 0.6, 0.2, 0.4, 0.4, 0.2});
    const std::array<CostedMechanism, 5> asked{
        {{pate::test::confident(6.0, 2.0, 3.0), {}},
         {pate::test::interactive(2.0, 2.0, 3.0), {}},
         {pate::test::lnmax(4.0), {}},
         {pate::test::gnmax(3.0), {Adjacency::add_remove, 1}},
         {StabilityTest::with_gaussian(3.0, 1e-7), {}}}};
    for (const CostedMechanism& its : asked) {
      const Mechanism& mechanism = its.mechanism;
      const Run run =
          pate::test::run_of(votes, its, mechanism.interactive() ? student.get() : nullptr);
      const Explanation told = explain(run, settings_of(), {{0, 1, 2}, 0});
      REQUIRE(told.queries.size() == 3);
      double shares = 0.0;
      for (const QueryExplanation& query : told.queries) {
        shares += query.share_tradeoff;
        const auto plurality = std::ranges::max_element(query.histogram);
        CHECK(query.plurality == plurality - query.histogram.begin());
        CHECK(query.statistic.has_value() == mechanism.refuses());
        CHECK(rdp_of(query, Bound::exact) <= rdp_of(query, Bound::tradeoff) * (1.0 + 1e-9));
        if (mechanism.ptr() != nullptr) {
          CHECK(*query.votes_to_flip == *query.statistic + 1);
          CHECK(!query.epsilon_without);
        }
        // What is not one vote that moves is told by the counts that change.
        if (its.neighbours.adds_or_removes()) {
          REQUIRE(query.worst_neighbour);
          CHECK(!query.worst_neighbour->from);
          REQUIRE(query.worst_neighbour->changes.size() == 1);
          CHECK(std::abs(query.worst_neighbour->changes[0].votes) == 1);
        }
      }
      CHECK(shares == doctest::Approx(1.0).epsilon(1e-7));
    }
  }

  TEST_CASE("explained queries: those there are not") {
    Random random(63);
    const auto votes = some_votes(random, 4);
    for (const bool is_ptr : {false, true}) {
      const Mechanism mechanism = is_ptr ? Mechanism{StabilityTest::with_gaussian(3.0, 1e-7)}
                                         : Mechanism{pate::test::gnmax(3.0)};
      Run run = pate::test::run_of(votes, mechanism);
      run.rows = RowSelection::range(0, 2);
      const auto refused = [&](const ExplainedQueries& which, const std::string& words) {
        CHECK_THROWS_WITH_AS((void)explain(run, settings_of(), which), words.c_str(), input_error);
      };
      refused({{0, 3}, 0}, "votes of a test: row 3 is not among the queries of the run");
      for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{4}}) {
        refused(
            {{row}, 0},
            fmt::format("votes of a test: there is no query {}, the votes have rows 0 to 3", row));
      }
      run.rows = RowSelection::range(1, 1);
      refused({{}, 3}, "votes of a test: there are no queries to explain");
    }
  }
}
