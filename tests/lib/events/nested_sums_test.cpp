#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/base/json.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/drawn_numbers.hpp"
#include "pate/events/record_sums.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/reports/record_json.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

// What a report of a record keeps of it.
Record written(const Record& record) {
  reports::FieldWriter report;
  reports::write_record(report, record);
  return reports::read_record(io::JsonValue::parse(report.text(), "sum.json").at("record"));
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

std::string told(const RecordAccount& account) {
  std::string text;
  for (const CostEntry& cost : account.costs) {
    text += fmt::format("{} {} {} {:x} {:x} {:x} {} {}\n", name(cost.bound), name(cost.reading),
                        name(cost.conversion), bits(cost.epsilon), bits(cost.delta),
                        bits(cost.order.value_or(0.0)), name(cost.promise), cost.releasable);
  }
  const Guarantee promised = guarantee_of(account);
  text += fmt::format("{} {} {}\n", account.headline, promised.holds, promised.promise);
  for (const std::string& line : promised.assumes) text += line + '\n';
  for (const Notice& notice : account.notices) text += notice.code + ": " + notice.message + '\n';
  return text;
}

// The account in bits, or why there is none.
std::string account_in_bits(const Record& record, const RecordSettings& settings) {
  try {
    return told(account_record(record, settings));
  } catch (const error& refused) {
    return refused.what();
  }
}

// A few things that may have been done with one ensemble.
std::vector<Record> random_leaves(Random& random) {
  const std::int64_t teachers = random.integer(2, 12);
  const std::int64_t classes = random.integer(2, 3);
  std::vector<Record> leaves;
  for (std::int64_t k = random.integer(1, 5); k > 0; --k) {
    const SmallRun run = random_run(random, teachers, classes, 3);
    const double delta = random.integer(0, 3) == 0 ? 1e-6 : kDelta;
    switch (random.integer(0, 7)) {
      case 0: {
        Event labelled = labelling_of(run, delta, random);
        Record ledger{labelled};
        if (random.integer(0, 1) == 0) {
          ledger.push_back(number_of(&labelled, {}, kDelta, random));
          if (random.integer(0, 1) == 0) {
            ledger.push_back(number_of(&labelled, {ledger.back().open.id}, kDelta, random));
          }
          leaves.push_back({ledger.back()});
        }
        leaves.push_back(ledger);
        // Its line in a ledger has no tables.
        if (random.integer(0, 1) == 0) {
          ledger.front().facts.table.clear();
          leaves.push_back({ledger.front()});
        }
        break;
      }
      case 1:
        leaves.push_back({plan_of(random, delta)});
        break;
      case 2:
        leaves.push_back({random.integer(0, 2) == 0   ? tuning_of(random)
                          : random.integer(0, 1) == 0 ? claim_of(random)
                                                      : foreign_step(random)});
        break;
      case 3:
        leaves.push_back({number_of(nullptr, {}, kDelta, random)});
        break;
      default: {
        Event event = analysis_of(run, delta, random.integer(0, 3) == 0);
        event.open.origin.rows_from_answers = random.integer(0, 5) == 0;
        if (random.integer(0, 5) == 0) event.open.origin.order = 8.0;
        leaves.push_back({event});
      }
    }
  }
  return leaves;
}

// The leaves put together in any way, some of what happened twice.
Record nested(const std::vector<Record>& leaves, Random& random, int depth) {
  if (leaves.size() == 1 || depth == 0) {
    Record all;
    for (const Record& leaf : leaves) all = join(all, leaf);
    return written(all);
  }
  const auto middle =
      leaves.begin() + random.integer(1, static_cast<std::int64_t>(leaves.size()) - 1);
  const Record first = nested({leaves.begin(), middle}, random, depth - 1);
  const Record second = nested({middle, leaves.end()}, random, depth - 1);
  Record sum = written(join(first, second));
  if (random.integer(0, 4) == 0) {
    Record happened = first;
    std::erase_if(happened, [](const Event& event) { return !event.happened(); });
    sum = written(join(happened, sum));
  }
  return sum;
}

std::int64_t cases(std::int64_t otherwise) {
  const char* const text = std::getenv("PATE_RANDOM_SUMS");
  return text == nullptr ? otherwise : std::stoll(text);
}

}  // namespace

TEST_SUITE("records of events") {
  TEST_CASE("random sums, nested in any way and order, say the same to the bit") {
    Random random(1701);
    for (std::int64_t k = 0; k < cases(500); ++k) {
      CAPTURE(k);
      const std::vector<Record> leaves = random_leaves(random);
      Record flat;
      for (const Record& leaf : leaves) flat = join(flat, leaf);
      RecordSettings settings;
      settings.threads = 1;
      if (random.integer(0, 1) == 0) settings.delta = kDelta;
      if (random.integer(0, 5) == 0) settings.orders = std::vector<double>{2.0, 4.0, 8.0};
      const std::string expected = account_in_bits(flat, settings);
      REQUIRE(account_in_bits(nested(leaves, random, 3), settings) == expected);
      std::vector<Record> mixed = leaves;
      std::shuffle(mixed.begin(), mixed.end(), random.engine());
      REQUIRE(account_in_bits(nested(mixed, random, 3), settings) == expected);
    }
  }

  TEST_CASE("a sum of one is its report") {
    Random random(1705);
    for (int k = 0; k < 300; ++k) {
      CAPTURE(k);
      const SmallRun run = random_run(random, random.integer(1, 12), random.integer(2, 4), 4);
      const auto votes = run.votes();
      AccountSettings settings;
      settings.delta = random.log_uniform(1e-9, 1e-2);
      if (random.integer(0, 2) == 0) settings.models.insert(Bound::exact);
      settings.threads = 1;
      const Account report = account(run_of(*votes, run.aggregator), settings);
      const RecordAccount sum = account_record({analysed_run(report)}, {.threads = 1});
      for (const CostEntry& cost : report.costs) {
        const auto same = std::ranges::find_if(sum.costs, [&](const CostEntry& its) {
          return its.bound == cost.bound && its.reading == cost.reading &&
                 its.conversion == cost.conversion;
        });
        CAPTURE(label(cost));
        REQUIRE(same != sum.costs.end());
        if (cost.data_dependent) {
          // Each search ends where it ends, and bounds of single queries may be 1e-7 above.
          CHECK(same->epsilon == doctest::Approx(cost.epsilon).epsilon(2e-7));
          REQUIRE(same->order.has_value() == cost.order.has_value());
          if (cost.order) CHECK(*same->order == doctest::Approx(*cost.order).epsilon(0.01));
        } else {
          CHECK(bits(same->epsilon) == bits(cost.epsilon));
          CHECK(same->order == cost.order);
        }
        CHECK(same->promise == cost.promise);
        CHECK(same->releasable == cost.releasable);
      }
      CHECK(sum.answered_expected.value() == doctest::Approx(report.answered_expected));
    }
  }

  TEST_CASE("an event more, a smaller delta or a fact less lowers no fixed epsilon") {
    Random random(1702);
    const auto least = [](const Record& record, double delta) {
      std::pair<double, double> found{1e300, 1e300};  // for any votes, and of all
      for (const CostEntry& cost : account_record(record, {.delta = delta, .threads = 1}).costs) {
        if (cost.promise != Promise::fixed) continue;
        if (!cost.data_dependent) found.first = std::min(found.first, cost.epsilon);
        found.second = std::min(found.second, cost.epsilon);
      }
      return found;
    };
    constexpr double kRoom = 1.0 + 2e-4;  // grids of profiles differ, searches end near optima
    for (int k = 0; k < 200; ++k) {
      CAPTURE(k);
      const std::int64_t teachers = random.integer(2, 12);
      Record record;
      for (int i = 0; i < 2; ++i) {
        record = join(record, {analysis_of(random_run(random, teachers, 3, 3), kDelta,
                                           random.integer(0, 2) == 0)});
      }
      const auto base = least(record, kDelta);
      const Record more = join(record, {plan_of(random, kDelta)});
      const auto with_more = least(more, kDelta);
      CHECK(base.first <= with_more.first * kRoom);
      CHECK(base.second <= with_more.second * kRoom);
      const auto smaller = least(record, kDelta / 10.0);
      CHECK(base.first <= smaller.first * kRoom);
      CHECK(base.second <= smaller.second * kRoom);
      Record less = record;
      less.front().facts.exact.clear();
      less.front().facts.table.clear();
      const auto with_less = least(less, kDelta);
      CHECK(base.first == with_less.first);
      CHECK(base.second <= with_less.second * kRoom);
      const auto open = least(public_record(record), kDelta);
      CHECK(open.first == base.first);
    }
  }

  TEST_CASE("pure steps of every kind count as their own account counts them") {
    Random random(1706);
    for (int k = 0; k < 100; ++k) {
      CAPTURE(k);
      PlannedRun run;
      run.queries = random.integer(2, 6);
      run.ptr_delta = 1e-9;
      if (random.integer(0, 1) == 0) {
        run.ptr_sparse = random.log_uniform(0.1, 2.0);
        run.max_refusals = random.integer(1, 2);
      } else {
        run.ptr_laplace = random.log_uniform(0.1, 2.0);
      }
      PlanSettings settings;
      settings.delta = kDelta;
      const Plan planned = plan(run, settings);
      const auto pure =
          std::ranges::find(planned.costs, EpsilonMethod::pure, &CostEntry::conversion);
      REQUIRE(pure != planned.costs.end());
      Event claim;
      claim.open.kind = EventKind::step;
      claim.open.mechanism = "another mechanism";
      claim.open.claim = PrivacyClaim{random.log_uniform(0.1, 1.0), 0.0, 2};
      const RecordAccount sum =
          account_record({planned_run(planned), claim}, {.delta = kDelta, .threads = 1});
      const auto both = std::ranges::find(sum.costs, EpsilonMethod::pure, &CostEntry::conversion);
      REQUIRE(both != sum.costs.end());
      CHECK(both->epsilon >= (pure->epsilon + 2.0 * claim.open.claim->epsilon) * (1.0 - 1e-12));
      CHECK(both->epsilon <= (pure->epsilon + 2.0 * claim.open.claim->epsilon) * (1.0 + 1e-9));
    }
  }

  TEST_CASE("what did not happen counts as often as it is named, what did once") {
    Random random(1703);
    const SmallRun run = random_run(random, 8, 3, 3);
    const Event analysis = analysis_of(run, kDelta, false);
    const Event label = labelling_of(run, kDelta, random);
    Record thrice = join(join({analysis}, {analysis}), {analysis});
    REQUIRE(thrice.size() == 1);
    CHECK(thrice.front().times == 3);
    Event named = analysis;
    named.times = 3;
    CHECK(told(account_record({named}, {.threads = 1})) ==
          told(account_record(thrice, {.threads = 1})));
    CHECK(join({label}, {label}).size() == 1);
    Event other = label;
    other.open.id = random_id(random);
    CHECK(join({label}, {other}).size() == 2);  // equal labels, drawn twice
  }

  TEST_CASE("runs that samples answer add up by their RDP, beside others for the same neighbours") {
    Random random(1705);
    for (int i = 0; i < 20; ++i) {
      CAPTURE(i);
      const auto planned = [&](bool is_sampled) {
        PlannedRun run;
        run.sigma2 = random.log_uniform(2.0, 30.0);
        if (random.integer(0, 1) == 1) run.sigma1 = random.log_uniform(5.0, 50.0);
        run.queries = random.integer(1, 300);
        run.neighbours = {Adjacency::add_remove, 1};
        if (is_sampled) run.sampling = Sampling{random.log_uniform(0.01, 0.9)};
        return plan(run, {kDelta, {}, {}});
      };
      const Plan first = planned(true);
      const Plan second = planned(i % 2 == 0);
      Event twice = planned_run(first);
      twice.times = 2;
      const Record record = written({twice, planned_run(second)});
      CHECK(record.front().open.steps == first.steps);
      const RecordAccount sum = account_record(record, {.delta = kDelta, .threads = 1});
      CHECK(sum.costs[sum.headline].promise == Promise::fixed);
      for (std::size_t j = 0; j < sum.orders.size(); ++j) {
        const double order = sum.orders[j];
        const double both = 2.0 * first.steps.rdp(order).total() + second.steps.rdp(order).total();
        CHECK(sum.any_votes[j] >= both * (1.0 - 1e-12));
        CHECK(sum.any_votes[j] <= both * (1.0 + 1e-9));
      }
      // No more than if all teachers voted on every query, no less than one of the runs.
      PlannedRun all = first.run;
      all.sampling.reset();
      Event of_all = planned_run(plan(all, {kDelta, {}, {}}));
      of_all.times = 2;
      const RecordAccount more =
          account_record({of_all, planned_run(second)}, {.delta = kDelta, .threads = 1});
      const auto improved = [](const RecordAccount& of) {
        return std::ranges::find(of.costs, EpsilonMethod::improved, &CostEntry::conversion)
            ->epsilon;
      };
      CHECK(improved(sum) <= improved(more));
      CHECK(improved(sum) >= first.costs[first.headline].epsilon);
      CHECK(guarantee_of(sum).assumes.size() >= guarantee_of(more).assumes.size() + 1);
    }
  }

  TEST_CASE("steps of all kinds count as often as what they are of is named, up to 2^53") {
    for (const StabilityTest& tested :
         {StabilityTest::with_laplace(0.5, 1e-9), StabilityTest::with_gaussian(5.0, 1e-9),
          StabilityTest::sparse(0.5, 1e-9, 3), StabilityTest::sparse_gaussian(5.0, 1e-9, 3, 9)}) {
      Event planned;
      planned.open.aggregator = tested;
      planned.open.mechanism = "ptr";
      planned.open.teachers = 20;
      planned.open.classes = 3;
      planned.open.queries = 9;
      planned.open.steps = steps_of(tested, {}, 9, 9);
      MechanismCounts thrice = *planned.open.steps;
      thrice.add(*planned.open.steps);
      thrice.add(*planned.open.steps);
      planned.times = 3;
      CHECK(account_record({planned}, {.delta = kDelta, .threads = 1}).steps == thrice);
    }
    // Products that come out at 0 where counts wrap around.
    Event claim;
    claim.open.kind = EventKind::step;
    claim.open.mechanism = "another mechanism";
    claim.open.claim = PrivacyClaim{0.5, 0.0, std::int64_t{1} << 53};
    claim.times = std::int64_t{1} << 11;
    CHECK_THROWS_AS(account_record({claim}, {.delta = kDelta, .threads = 1}), input_error);
    // Each of them is a count, their sum is none.
    claim.times = 1;
    Record many;
    for (int i = 0; i < 1100; ++i) {
      many.push_back(claim);
      many.back().open.mechanism += std::to_string(i);
    }
    CHECK_THROWS_AS(account_record(many, {.delta = kDelta, .threads = 1}), input_error);
    claim.times = std::int64_t{1} << 11;
    claim.open.claim->count = 1;
    CHECK(account_record({claim}, {.delta = kDelta, .threads = 1}).costs.front().epsilon > 100.0);
  }

  TEST_CASE("a number covers earlier ones about its own run, and no others") {
    Random random(1706);
    const Event first = number_of(nullptr, {}, kDelta, random);
    Event second = first;
    second.open.id = random_id(random);
    second.open.drawn->covers = {first.open.id};
    CHECK(standing_numbers({first, second}).size() == 1);
    second.open.about = random_id(random);
    CHECK(standing_numbers({first, second}).size() == 2);
  }

  TEST_CASE("a claim that passed costs what its test costs, once") {
    Random random(1708);
    for (int round = 0; round < 20; ++round) {
      Event before = number_of(nullptr, {}, kDelta, random);
      before.open.origin.parameters_from_votes = false;
      before.open.drawn->noise =
          NumberNoise{ReleaseMethod::at_most, 1.5, 0.0, random.uniform(0.1, 3.0), 0.0};
      Event after = before;
      after.open.id = random_id(random);
      after.open.drawn->epsilon *= 0.5;
      const auto any_votes = [](const Record& record) {
        return RecordSums(record, 1).any_votes(2.0);
      };
      const double once = any_votes({before});
      const double twice = any_votes({before, after});
      CHECK(twice > once * 1.01);  // two claims that have no tie
      after.open.drawn->covers = {before.open.id};
      CHECK(any_votes({before, after}) == once);
      CHECK(any_votes({after, before}) == once);
      after.open.drawn->noise->noise *= 1.5;  // another coin
      CHECK(any_votes({before, after}) > once * 1.01);
    }
  }

  TEST_CASE("numbers that count each other are refused, whatever else there is") {
    Random random(1707);
    for (int round = 0; round < 30; ++round) {
      const auto cycle = static_cast<std::size_t>(random.integer(1, 4));
      const Event first = number_of(nullptr, {}, kDelta, random);
      Record record(cycle, first);
      for (Event& event : record) event.open.id = random_id(random);
      for (std::size_t i = 0; i < cycle; ++i) {
        record[i].open.drawn->covers = {record[(i + 1) % cycle].open.id};
      }
      // One that stands beside them, and another that counts the circle and so ends it.
      if (random.integer(0, 1) == 1) {
        record.push_back(first);
        record.back().open.id = random_id(random);
      }
      CHECK_THROWS_AS((void)standing_numbers(record), input_error);
      Event last = first;
      last.open.id = random_id(random);
      last.open.drawn->covers = {record.front().open.id};
      record.push_back(last);
      CHECK_NOTHROW((void)standing_numbers(record));
    }
  }

  TEST_CASE("one id with two descriptions is refused") {
    Random random(1704);
    const Event label = labelling_of(random_run(random, 8, 3, 3), kDelta, random);
    Event other = label;
    other.open.queries += 1;
    CHECK_THROWS_AS((void)join({label}, {other}), input_error);
    other = label;
    other.facts.digests.counts = "other votes";
    CHECK_THROWS_AS((void)join({label}, {other}), input_error);
  }
}
