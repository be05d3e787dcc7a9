#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pate/events/account_record.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/events/record_sums.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "support/events.hpp"

using namespace pate;
using namespace pate::test;

namespace {

constexpr double kDelta = 1e-5;

Event checked_run() {
  return analysis_of({confident(7.0, 2.0, 3.0), {{9, 1, 0}, {5, 4, 1}, {7, 2, 1}}}, kDelta, false);
}

}  // namespace

TEST_SUITE("record sums") {
  TEST_CASE("answers decide what a run costs that limits may end, or whose list they chose") {
    Event event = checked_run();
    CHECK(!RecordSums({event}, 1).tells_answers());
    event.open.origin.limited = true;
    CHECK(RecordSums({event}, 1).tells_answers());
    event.open.origin.limited = false;
    event.open.origin.rows_from_answers = true;
    CHECK(!RecordSums({event}, 1).tells_answers());
    const Event other = analysis_of({gnmax(3.0), {{8, 2, 0}}}, kDelta, false);
    CHECK(RecordSums({event, other}, 1).tells_answers());
    event.open.origin.rows_from_answers = false;
    CHECK(!RecordSums({event, other}, 1).tells_answers());
    event.open.realized = RealizedRun{3, 2};
    CHECK(RecordSums({event, other}, 1).tells_answers());
  }

  TEST_CASE("what was spent counts as often as its event, checks and answers alike") {
    const std::vector<double> orders{2.0, 6.0, 20.0};
    Event event = checked_run();
    EventCosts one(event, 1);
    const auto expected = one.expected(Bound::tradeoff, orders);
    Event thrice = event;
    thrice.times = 3;
    RecordSums sums({thrice}, 1);
    const auto of_three = sums.expected(Bound::tradeoff, orders);
    for (std::size_t j = 0; j < orders.size(); ++j) {
      CHECK(expected[j].selection > 0.0);
      CHECK(of_three[j].selection == doctest::Approx(3.0 * expected[j].selection).epsilon(1e-14));
      CHECK(of_three[j].noisy_max == doctest::Approx(3.0 * expected[j].noisy_max).epsilon(1e-14));
      CHECK(of_three[j].variance == doctest::Approx(3.0 * expected[j].variance).epsilon(1e-14));
    }
  }

  TEST_CASE("costs are looked for where a cap ends, and where others and curves tell theirs") {
    Event event = checked_run();
    event.open.cap = RdpCap{7.125, 0.5};
    ForeignStep step;
    step.orders = {3.0625, 9.875};
    step.rdp = {0.1, 0.2};
    Event told = foreign_event("f", "test", step);
    told.open.delta = kDelta;
    Event curves = event;
    curves.open.cap.reset();
    curves.facts.table.clear();
    curves.facts.curves = EventCurves{{5.3125}, {}, RdpCurves{{}, {}, {0.3}, {}, {}}, {}};
    RecordSums sums({event, told, curves}, 1);
    const RecordQuestion asked = question_of(sums, {}, kDelta);
    for (const double order : {7.125, 3.0625, 9.875, 5.3125}) {
      CHECK(std::ranges::count(asked.orders, order) == 1);
    }
    CHECK(std::ranges::is_sorted(asked.orders));
    RecordSettings settings;
    settings.orders = {{4.0}};
    CHECK(question_of(sums, settings, kDelta).orders == std::vector{4.0});
    CHECK(question_of(sums, settings, kDelta).grid_only);
  }

  TEST_CASE("numbers that stand are in their canonical order") {
    Random random(5201);
    for (int round = 0; round < 20; ++round) {
      Record record;
      for (int k = 0; k < 4; ++k) {
        record.push_back(number_of(nullptr, {}, random.log_uniform(1e-9, 1e-6), random));
        record.back().open.about = std::string(32, 'a');
        record.back().open.teachers = random.integer(2, 100);
      }
      const std::vector<const Event*> standing = standing_numbers(record);
      REQUIRE(standing.size() == 4);
      for (std::size_t k = 1; k < 4; ++k) CHECK(*standing[k - 1] < *standing[k]);
    }
  }

  TEST_CASE("telling a number costs what its noise costs, and no less") {
    Event event;
    event.open.kind = EventKind::release;
    event.open.drawn.emplace().noise = NumberNoise{ReleaseMethod::gnss, 8.0, 0.02, 6.0, 2.0};
    for (const double order : {2.0, 5.0, 8.0}) {
      const double least = release_cost(order, 0.02, 6.0, 2.0);
      const double its = EventCosts(event, 1).any_votes(order);
      CHECK(its >= least);
      CHECK(its <= least * (1.0 + 1e-6));
    }
  }

  TEST_CASE("what others tell is said as they tell it") {
    ForeignStep step;
    step.orders = {2.0, 8.0, 64.0};
    step.rdp = {0.1, 0.4, 2.0};
    CHECK(foreign_in_words(foreign_event("a student", "opacus", step))
              .find("RDP at 3 orders from 2 to 64") != std::string::npos);
    step.orders = {2.0};
    step.rdp = {0.125};
    CHECK(foreign_in_words(foreign_event("a student", "opacus", step))
              .find("RDP of 0.125 at order 2") != std::string::npos);
  }
}
