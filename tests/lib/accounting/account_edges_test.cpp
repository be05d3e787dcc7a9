// Accounts at their ends: queries of which something is left out or not known, many neighbours that
// few pairs cover, samples that are too rare, and what goes with none of it.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/complex_account.hpp"
#include "pate/accounting/neighbour_covers.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "support/accuracy.hpp"
#include "support/labeling.hpp"
#include "support/npy_writer.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr Neighbours kAddRemove{Adjacency::add_remove, 1};

double hockey_stick(const DistributionPair& pair, double epsilon) {
  double sum = 0.0;
  for (const OutcomeMass& o : pair) sum += std::max(o.p - std::exp(epsilon) * o.q, 0.0);
  return sum;
}

double largest_of(std::span<const DistributionPair> tables, double epsilon) {
  double result = 0.0;
  for (const DistributionPair& table : tables) {
    result = std::max(result, hockey_stick(table, epsilon));
  }
  return result;
}

// Class j has j votes, and the first some more.
Histogram stairs(std::int32_t classes, std::int32_t lead) {
  Histogram counts(static_cast<std::size_t>(classes));
  std::iota(counts.rbegin(), counts.rend(), 0);
  counts.front() += lead;
  return counts;
}

std::int64_t teachers_of(const Histogram& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

ComplexSums sums_of(const Aggregator& aggregator, const Histogram& counts,
                    const ComplexOrders& orders, double limit) {
  const ExactMechanism mechanism(aggregator, {}, teachers_of(counts));
  ExactRun run(mechanism, {{mechanism.group(counts, {}), 3}}, 1);
  return complex_sums(run, orders, limit, 1);
}

const CostEntry* entry_of(const Account& account, Bound bound, EpsilonMethod conversion) {
  const auto found = std::ranges::find_if(account.costs, [&](const CostEntry& cost) {
    return cost.bound == bound && cost.conversion == conversion;
  });
  return found == account.costs.end() ? nullptr : &*found;
}

bool has_notice(const Account& account, const std::string& code) {
  return std::ranges::find(account.notices, code, &Notice::code) != account.notices.end();
}

AccountSettings exact_settings_at(double delta) {
  AccountSettings settings;
  settings.delta = delta;
  settings.threads = 1;
  settings.models.insert(Bound::exact);
  return settings;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("edges: few covers are above all neighbours, of all and of some") {
    const Histogram counts = stairs(6, 3);
    const ExactMechanism mechanism(pate::test::gnmax(4.0), {}, teachers_of(counts));
    ExactCost cost(mechanism, mechanism.group(counts, {}));
    const std::vector<DistributionPair> all = cost.tables().value();
    std::vector<std::uint32_t> some;
    for (std::uint32_t k = 0; k < all.size(); k += 3) some.push_back(k);
    for (const bool is_some : {false, true}) {
      std::vector<DistributionPair> tables;
      if (is_some) {
        for (const std::uint32_t k : some) tables.push_back(all[k]);
      } else {
        tables = all;
      }
      const std::vector<DistributionPair> before = tables;
      const std::vector<std::size_t> kinds = sort_by_kind(
          cost.votes(),
          is_some ? std::span<const std::uint32_t>(some) : std::span<const std::uint32_t>(),
          tables);
      REQUIRE(kinds.size() == kKinds * kKinds + 1);
      CHECK(kinds.back() == before.size());
      CHECK(std::ranges::is_sorted(kinds));
      const std::vector<DistributionPair> few =
          covered(tables, kinds, tables.front(), 7.0, 0x1p-10, 1e-3);
      CHECK(few.size() < tables.size());
      CHECK_FALSE(few.empty());
      for (const double epsilon : {-0.3, 0.0, 0.1, 0.4, 1.0}) {
        CHECK(largest_of(few, epsilon) >= largest_of(before, epsilon));
        CHECK(largest_of(few, epsilon) <= largest_of(before, epsilon) * 1.05 + 1e-5);
      }
    }
    // By kinds that are given: one each is left as it is.
    std::vector<DistributionPair> two{all[1], all[0]};
    const std::vector<std::size_t> kind_of{2, 0};
    CHECK(sort_by_kind(kind_of, 3, two) == std::vector<std::size_t>{0, 1, 1, 2});
    CHECK(two[0].front().p == all[0].front().p);
    CHECK(two[1].front().loss == all[1].front().loss);
  }

  TEST_CASE("edges: a profile of many neighbours by covers is no smaller than by each") {
    const Histogram counts = stairs(64, 6);
    const ExactMechanism mechanism(pate::test::gnmax(9.0), {}, teachers_of(counts));
    ExactRun run(mechanism, {{mechanism.group(counts, {}), 1}}, 1);
    ExactRun* const one = &run;
    const ProfileHints hints{{9.0, 0.7, false, false}, {9.0, 0.7, false, false}};
    const auto each = run_profile(std::span(&one, 1), hints, {1e-5, {1e-5}, 0x1p-8}, 0.0, 1);
    const auto few = run_profile(std::span(&one, 1), hints, {1e-5, {1e-5}, 0x1p-14}, 0.0, 1);
    REQUIRE(each);
    REQUIRE(few);
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      CHECK(few->upper.of(direction) >= few->lower.of(direction));
      CHECK(few->upper.of(direction) >= each->lower.of(direction));
      CHECK(few->upper.of(direction) <= each->upper.of(direction) * 1.001);
    }
  }

  TEST_CASE("edges: complex orders of what is all but sure are those of what is left") {
    const ComplexOrders orders = complex_orders(1.0, 1e-5);
    constexpr double kLimit = 1e-12;
    constexpr double kNone = 1e-290;
    const auto check = [&](const Aggregator& aggregator, const Histogram& counts, bool left_out) {
      const ComplexSums some = sums_of(aggregator, counts, orders, kLimit);
      const ComplexSums all = sums_of(aggregator, counts, orders, kNone);
      CHECK(some.left_out == (left_out ? 3 : 0));
      const std::vector<double> of_some = some.forward.values();
      const std::vector<double> of_all = all.forward.values();
      for (std::size_t i = 0; i < orders.size(); i += orders.row()) {
        CHECK(of_some[i] <= of_all[i] + 1e-9);
        CHECK(of_some[i] >= of_all[i] - 1e-3);
      }
      return of_some;
    };
    // Nothing can come out but one class.
    const std::vector<double> sure = check(pate::test::gnmax(3.0), {80, 0, 0}, true);
    for (const double log : sure) CHECK(log == 0.0);
    // The class is sure, and whether it is told is not.
    const std::vector<double> told =
        check(pate::test::confident(75.0, 20.0, 3.0), {80, 0, 0}, true);
    CHECK(told.front() > 0.0);
    // Classes far behind stand for each other.
    check(pate::test::gnmax(4.0), {60, 58, 3, 2, 1, 0}, true);
    check(pate::test::gnmax(40.0), {60, 58, 3, 2, 1, 0}, false);
  }

  TEST_CASE("edges: complex orders of outcomes that are not known are those of the bound") {
    const ComplexOrders orders{{0.5, 1.5}, 2.0, 6, 0.1};
    const Histogram counts{5, 4, 0};
    const Aggregator tiny = pate::test::gnmax(0.05);
    const ComplexSums sums = sums_of(tiny, counts, orders, 1e-16);
    const ExactMechanism mechanism(tiny, {}, 9);
    ExactCost cost(mechanism, mechanism.group(counts, {}));
    for (std::size_t i = 0; i < orders.reals.size(); ++i) {
      const double order = orders.reals[i] + 1.0;
      const BothDirections bound = cost.bound(order, cost.tradeoff_excess(order));
      for (std::size_t k = 0; k < orders.row(); ++k) {
        const std::size_t at = i * orders.row() + k;
        CHECK(sums.forward.values()[at] ==
              doctest::Approx(3.0 * orders.reals[i] * bound.forward).epsilon(1e-9));
        CHECK(sums.reverse.values()[at] ==
              doctest::Approx(3.0 * orders.reals[i] * bound.reverse).epsilon(1e-9));
      }
    }
  }

  TEST_CASE("edges: a certificate of no queries is that of nothing") {
    const HistogramVotes votes({{5, 4, 0}});
    AccountSettings settings;
    settings.delta = 1e-5;
    settings.models.insert(Bound::complex);
    Run none{votes, RowSelection::range(0, 0), pate::test::gnmax(2.0), {}, nullptr, {}, {}};
    CHECK(entry_of(account(none, settings), Bound::complex, EpsilonMethod::profile)->epsilon ==
          0.0);
  }

  TEST_CASE("edges: samples whose outcomes are too rare cost what any votes do, and it is told") {
    const HistogramVotes votes({{400, 0}, {210, 190}});
    const Run run = pate::test::run_of(
        votes, pate::test::protecting(pate::test::confident(200.0, 40.0, 0.7), kAddRemove));
    AccountSettings settings = exact_settings_at(1e-5);
    settings.orders = std::vector<double>{1.5, 3.0, 8.0};
    const Account result = account_sampled(run, 0.9, settings);
    REQUIRE(result.exact);
    CHECK(result.exact->forward.size() == 3);
    const auto told = std::ranges::find(result.notices, "samples_at_any_votes", &Notice::code);
    REQUIRE(told != result.notices.end());
    CHECK(told->message.ends_with(
        " of 2 queries have outcomes that are too rare to be told exactly, and cost what any votes "
        "cost"));
    const CostEntry* const exact = entry_of(result, Bound::exact, EpsilonMethod::optimal);
    const CostEntry* const any = entry_of(result, Bound::data_independent, EpsilonMethod::optimal);
    REQUIRE(exact != nullptr);
    REQUIRE(any != nullptr);
    CHECK(exact->epsilon <= any->epsilon * (1.0 + 1e-9));
    CHECK(exact->epsilon >= 0.3 * any->epsilon);
  }

  TEST_CASE("edges: samples of no queries cost nothing") {
    const HistogramVotes votes({{6, 3, 0}});
    const AccountSettings settings = exact_settings_at(1e-5);
    const Run none{
        votes, RowSelection::range(0, 0), pate::test::gnmax(3.0), kAddRemove, nullptr, {}, {}};
    const Account nothing = account_sampled(none, 0.5, settings);
    CHECK(has_notice(nothing, "no_queries"));
    for (const CostEntry& cost : nothing.costs) CHECK(cost.epsilon == 0.0);
  }

  TEST_CASE("edges: exact costs for other neighbours are those of the counts, which is told") {
    const std::vector<std::int64_t> ids{0, 0, 1, 2, 0, 0, 0, 1};
    const PredictionVotes votes(pate::test::integer_table({2, 4}, ids),
                                PredictionLayout::queries_by_teachers, 3);
    const HistogramVotes counts({{2, 1, 1}, {3, 1, 0}});
    for (const std::int64_t teachers : {1, 2}) {
      const Mechanism mechanism = pate::test::gnmax(3.0);
      const Neighbours neighbours{Adjacency::add_remove, teachers};
      const Run of_votes{votes, RowSelection::all(2), mechanism, neighbours, nullptr, {}, {}};
      const Run of_counts{counts, RowSelection::all(2), mechanism, neighbours, nullptr, {}, {}};
      const Account found = account(of_votes, exact_settings_at(1e-4));
      const Account same = account(of_counts, exact_settings_at(1e-4));
      CHECK_FALSE(found.per_teacher);
      const auto told = std::ranges::find(found.notices, "no_teacher_costs", &Notice::code);
      REQUIRE(told != found.notices.end());
      CHECK(told->message.starts_with("exact costs are those of the counts, whoever the " +
                                      std::string(teachers == 1 ? "teacher is" : "teachers are")));
      CHECK(entry_of(found, Bound::exact, EpsilonMethod::profile)->epsilon ==
            entry_of(same, Bound::exact, EpsilonMethod::profile)->epsilon);
    }
  }

  TEST_CASE("edges: teachers of equal weights cost what teachers without weights do") {
    const std::vector<std::int64_t> ids{0, 0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 2};
    const PredictionVotes votes(pate::test::integer_table({3, 4}, ids),
                                PredictionLayout::queries_by_teachers, 3);
    AccountSettings settings = exact_settings_at(1e-3);
    settings.orders = std::vector<double>{1.5, 4.0, 12.0};
    for (const bool has_check : {false, true}) {
      const Aggregator aggregator =
          has_check ? pate::test::confident(3.0, 2.0, 2.0) : pate::test::gnmax(2.0);
      const Run run{votes, RowSelection::all(3), aggregator, {}, nullptr, {}, {}};
      const Account plain = account(run, settings);
      const auto by_weight = account_weighted(run, votes, {{1, 1, 1, 1}, 1.0}, settings);
      REQUIRE(plain.per_teacher);
      REQUIRE(by_weight.account.per_teacher);
      for (std::size_t t = 0; t < 4; ++t) {
        CHECK(relative_error(by_weight.account.per_teacher->epsilon[t],
                             plain.per_teacher->epsilon[t]) < 1e-9);
      }
      // A teacher that counts double pays more, and the others too: noise is told by the heaviest.
      const auto heavier = account_weighted(run, votes, {{1, 1, 1, 2}, 0.5}, settings);
      CHECK(heavier.account.per_teacher->epsilon[3] > heavier.account.per_teacher->epsilon[0]);
    }
    std::vector<std::int64_t> many(kMaxExactWeights + 1);
    std::iota(many.begin(), many.end(), 1);
    const std::vector<std::int64_t> of_many(many.size(), 0);
    const PredictionVotes one(
        pate::test::integer_table({1, static_cast<std::int64_t>(many.size())}, of_many),
        PredictionLayout::queries_by_teachers, 2);
    const Run of_one{one, RowSelection::all(1), pate::test::gnmax(2.0), {}, nullptr, {}, {}};
    CHECK_THROWS_WITH_AS(
        (void)account_weighted(of_one, one, {many, 1.0}, settings),
        doctest::Contains("exact costs take as long for every weight as for all teachers of one"),
        parameter_error);
  }
}
