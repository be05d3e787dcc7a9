#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pate/events/event.hpp"
#include "support/events.hpp"
#include "support/read_back.hpp"
#include "support/stability_tests.hpp"

using pate::Event;
using pate::Mechanism;
using pate::MechanismCounts;
using pate::test::refusal_of;
using pate_test::Random;

namespace {

constexpr std::int64_t kTeachers = 40;

Mechanism random_mechanism(Random& random) {
  if (random.integer(0, 3) > 0) return pate::test::random_aggregator(random, kTeachers);
  if (random.integer(0, 2) == 0) {
    return pate::StabilityTest::sparse_gaussian(3.0, 1e-6, random.integer(1, 9), 50);
  }
  return random.integer(0, 1) == 0
             ? pate::test::stability_test(pate::TestNoise::laplace, 0.5, 1e-6)
             : pate::test::stability_test(pate::TestNoise::gaussian, 3.0, 1e-6);
}

// A run that happened, whose limits allow so many answers, and that took so many.
Event run_by(const Mechanism& mechanism, std::int64_t queries, std::int64_t most_answers,
             std::int64_t answered, Random& random) {
  Event event;
  event.open.id = pate::test::random_id(random);
  event.open.teachers = kTeachers;
  event.open.classes = 4;
  event.open.mechanism = mechanism.name();
  event.open.aggregator = mechanism;
  event.open.queries = queries;
  event.open.delta = 1e-5;
  event.open.steps = steps_of(mechanism, {}, queries, most_answers);
  event.open.realized = pate::RealizedRun{queries, answered};
  return event;
}

// Other steps of the kind: another number of them, or another noise.
template <class Steps>
bool change_steps(Steps& steps, Random& random) {
  if (steps.empty()) return false;
  auto one = steps.extract(steps.begin());
  if (random.integer(0, 1) == 0) {
    one.mapped() += random.integer(0, 1) == 0 ? 1 : -1;
  } else if constexpr (requires { one.key().queries; }) {
    one.key().queries -= random.integer(1, 40);
  } else if constexpr (requires { one.key() *= 2.0; }) {
    one.key() *= random.log_uniform(0.1, 0.9);
  } else {
    one.key() = pate::test::gnmax(random.uniform(10.0, 20.0)).noisy_max;
  }
  steps.insert(std::move(one));
  return true;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("steps of an event that its queries do not take are refused") {
  Random random(71);
  int changed = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const Mechanism mechanism = random_mechanism(random);
    const std::int64_t queries = random.integer(2, 50);
    Event event = run_by(mechanism, queries, queries, queries, random);
    REQUIRE(refusal_of(event) == "");
    pate::for_each_kind([&](const auto kind) {
      if constexpr (!std::is_same_v<decltype(kind),
                                    decltype(&MechanismCounts::sampled_queries) const>) {
        Event edited = event;
        if (!change_steps((*edited.open.steps).*kind, random)) return;
        ++changed;
        CHECK(refusal_of(edited).find("run.json: record.events[0]: expected the steps that its") ==
              0);
      }
    });
    // Steps of samples are none of a mechanism that all teachers answer.
    event.open.steps->sampled_queries[{0.5, 10.0}] = 1;
    CHECK(refusal_of(event) != "");
  }
  CHECK(changed > 600);
}

TEST_CASE("a run that asks more queries than its mechanism may is refused") {
  Random random(73);
  const auto ends = pate::StabilityTest::sparse_gaussian(3.0, 1e-6, 4, 20);
  Event event = run_by(ends, 20, 20, 18, random);
  CHECK(refusal_of(event) == "");
  event.open.queries = 21;
  event.open.realized->asked = 21;
  CHECK(refusal_of(event).find("no more queries than end its run, 20, got 21") !=
        std::string::npos);
}

TEST_CASE("limits of a run bound its answers, which are no more than they allow") {
  Random random(72);
  const Mechanism mechanism = pate::test::confident(20.0, 4.0, 3.0);
  for (std::int64_t answered = 0; answered <= 10; ++answered) {
    for (std::int64_t most = 0; most <= 10; ++most) {
      CAPTURE(answered);
      CAPTURE(most);
      CHECK((refusal_of(run_by(mechanism, 10, most, answered, random)) == "") ==
            (answered <= most));
    }
  }
}

TEST_CASE("rows of a table that cannot be are refused in their place") {
  Random random(73);
  std::map<std::string, int> refused;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const pate::test::SmallRun small{
        pate::test::random_aggregator(random, 12), [&] {
          std::vector<pate_test::Counts> queries;
          for (int k = 0; k < 4; ++k) {
            queries.push_back(pate_test::random_histogram(random, 12, 3));
          }
          return queries;
        }()};
    const Event event = pate::test::labelling_of(small, 1e-5, random);
    if (event.facts.table.empty()) continue;  // its limit let it ask nothing
    REQUIRE(refusal_of(event) == "");
    const auto i = static_cast<std::size_t>(random.integer(0, std::ssize(event.facts.table) - 1));
    const auto expect = [&](const std::string& place, const std::string& expected,
                            const std::function<void(Event&, pate::QueryRow&)>& edit) {
      Event edited = event;
      edit(edited, edited.facts.table[i]);
      const std::string said = refusal_of(edited);
      CAPTURE(said);
      CHECK(said.starts_with("run.json: record.events[0].private.table." + place + ": expected " +
                             expected));
      ++refused[place.substr(0, place.find('[')) + expected];
    };
    const std::string at = "[" + std::to_string(i) + "]";
    expect("count" + at, "at least one query", [](Event&, auto& row) { row.count = 0; });
    expect("log_q" + at, "at most -0.4", [](Event&, auto& row) { row.log_q = -0.4; });
    expect("asked" + at, "at most", [](Event&, auto& row) { row.asked = row.count + 1; });
    expect("answered" + at, "at most", [](Event&, auto& row) { row.answered = row.asked + 1; });
    expect("count", "counts that add up to the 4 queries", [](Event&, auto& row) { ++row.count; });
    if (event.facts.table[i].count > 1) {
      expect("count", "counts that add up to the 4 queries", [](Event&, auto& row) {
        --row.count;
        row.asked = row.answered = std::min(row.asked, row.count);
      });
    }
    if (i > 0) {
      expect("log_q" + at, "rows in order", [&](Event& edited, auto& row) {
        row.statistic = edited.facts.table[i - 1].statistic;
        row.log_q = edited.facts.table[i - 1].log_q;
      });
    }
    if (event.open.realized->answered > 0 && event.open.aggregator->refuses()) {
      expect("answered", "counts that add up to the",
             [](Event& edited, auto&) { --edited.open.realized->answered; });
    }
    // Facts of votes are of a run that tells how it answers.
    Event plan = event;
    plan.open.aggregator.reset();
    CHECK(
        refusal_of(plan).starts_with("run.json: record.events[0].private.table: expected no such "
                                     "facts but of a run with its aggregator"));
  }
  CHECK(refused.size() == 7);
  for (const auto& its : refused) {
    CAPTURE(its.first);
    CHECK(its.second > 2);
  }
}
