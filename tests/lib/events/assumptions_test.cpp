#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/sampled_account.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/events/account_record.hpp"
#include "pate/events/run_events.hpp"
#include "pate/studies/darrm/majority_run.hpp"
#include "support/events.hpp"
#include "support/npy_writer.hpp"

using namespace pate;
using namespace pate::test;

namespace {

// Every line that `part` rests on and `sum` does not say.
std::vector<std::string> forgotten(const Guarantee& part, const Guarantee& sum) {
  std::vector<std::string> missing;
  for (const std::string& line : part.assumes) {
    if (std::ranges::find(sum.assumes, line) == sum.assumes.end()) missing.push_back(line);
  }
  return missing;
}

AccountSettings settings_of() {
  AccountSettings settings;
  settings.delta = 1e-5;
  settings.threads = 1;
  return settings;
}

// That the account's promise is kept in a sum of it alone, and of it and a plan of other queries.
void check_kept(const Account& account) {
  const Guarantee part = guarantee_of(account);
  REQUIRE(part.holds);
  const Event event = analysed_run(account);
  const RecordAccount alone = account_record({event}, {});
  CHECK(forgotten(part, guarantee_of(alone)) == std::vector<std::string>{});
  PlannedRun other;
  other.queries = 3;
  other.sigma2 = 20.0;
  PlanSettings settings;
  settings.delta = 1e-5;
  Event more = planned_run(plan(other, settings));
  more.open.steps->neighbours = account.steps.neighbours;
  const RecordAccount both = account_record({event, more}, {});
  CHECK(forgotten(part, guarantee_of(both)) == std::vector<std::string>{});
}

std::unique_ptr<PredictionVotes> predictions() {
  return std::make_unique<PredictionVotes>(
      integer_table({3, 4}, {0, 0, 0, 1, 0, 2, 2, 2, 1, 1, 0, 0}),
      PredictionLayout::queries_by_teachers, 3);
}

}  // namespace

TEST_SUITE("assumptions") {
  TEST_CASE("a sum rests on what its parts rest on: runs, for whomever") {
    const auto votes = predictions();
    const Aggregator plain = gnmax(5.0);
    for (const Neighbours& neighbours :
         {Neighbours{}, Neighbours{Adjacency::replace, 2}, Neighbours{Adjacency::add_remove, 1},
          Neighbours{Adjacency::add_remove, 3}}) {
      CAPTURE(in_words(neighbours));
      check_kept(account(run_of(*votes, protecting(plain, neighbours)), settings_of()));
      check_kept(
          account(run_of(*votes, protecting(confident(3.0, 2.0, 5.0), neighbours)), settings_of()));
    }
  }

  TEST_CASE("votes that count by weights, whose weights were fixed without looking") {
    const auto votes = predictions();
    for (const Aggregator& aggregator : {gnmax(5.0), lnmax(5.0), confident(3.0, 2.0, 5.0)}) {
      WeightedAccount found =
          account_weighted(run_of(*votes, aggregator), *votes, {{1, 2, 2, 1}, 1.0}, settings_of());
      CHECK_FALSE(analysed_run(found.account).open.origin.weighted);
      found.account.notices.push_back({"teacher_weights", "as the program says"});
      const Guarantee part = guarantee_of(found.account);
      CHECK(std::ranges::any_of(part.assumes, [](const std::string& line) {
        return line.starts_with("the weights of the teachers' votes were fixed");
      }));
      check_kept(found.account);
      CHECK(analysed_run(found.account).open.origin.weighted);
    }
  }

  TEST_CASE("samples that answered") {
    const auto votes = predictions();
    const CostedMechanism added = protecting(gnmax(5.0), {Adjacency::add_remove, 1});
    check_kept(account_sampled(run_of(*votes, added), 0.3, settings_of()));
  }

  TEST_CASE("private majorities: of the weights of their objective") {
    Event event;
    event.open.kind = EventKind::majority;
    event.open.id = std::string(32, 'a');
    event.open.teachers = 5;
    event.open.classes = 2;
    event.open.mechanism = "darrm";
    event.open.queries = 3;
    event.open.delta = 1e-5;
    event.open.claim = PrivacyClaim{0.5, 1e-6, 3, {}};
    for (const bool of_records : {false, true}) {
      event.open.protects_records = of_records;
      const Guarantee sum = guarantee_of(account_record({event}, {}));
      CHECK(std::ranges::any_of(sum.assumes, [](const std::string& line) {
        return line.find("weights of the objective were not taken") != std::string::npos ||
               line.find("weights of their objectives were not taken") != std::string::npos;
      }));
    }
  }
}
