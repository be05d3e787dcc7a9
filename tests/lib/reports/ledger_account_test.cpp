#include "pate/reports/ledger_account.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "support/accuracy.hpp"
#include "support/ledger_events.hpp"
#include "support/temp_directory.hpp"

using pate::Counted;
using pate::Event;
using pate::reports::count_entries;
using pate::reports::counted_within;
using pate::reports::ledger_total;
using pate::reports::LedgerEntry;
using pate::test::event_id;
using pate::test::labelling;
using pate::test::message_of;
using pate::test::told_number;

namespace {

LedgerEntry line(std::int64_t number, const Event& event, const std::string& labels = "") {
  LedgerEntry entry{event, pate::io::JsonValue::parse("{}", "settings"), "0.1.0",
                    "2026-11-21T11:30:16Z", number};
  entry.event.facts.digests.labels = labels;
  return entry;
}

LedgerEntry label(std::int64_t number, const std::string& run) {
  return line(number, labelling(event_id(std::to_string(number)), run),
              "l" + std::to_string(number));
}

// A number about the run of a line, which counts those of others.
LedgerEntry release(std::int64_t number, const std::string& run, double epsilon,
                    const std::string& about, const std::vector<std::string>& covers = {}) {
  std::vector<std::string> ids;
  for (const std::string& its : covers) ids.push_back(event_id(its));
  return line(number, told_number(event_id(std::to_string(number)), run, epsilon, event_id(about),
                                  std::move(ids)));
}

pate::Record record_of(const std::vector<LedgerEntry>& entries) {
  pate::Record record;
  for (const LedgerEntry& entry : entries) record.push_back(entry.event);
  return record;
}

const pate::CostEntry* released_entry(const pate::RecordAccount& account) {
  for (const pate::CostEntry& cost : account.costs) {
    if (cost.bound == pate::Bound::released) return &cost;
  }
  return nullptr;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("entries about the same answers are counted by the last of them, the others add up") {
  const std::vector<LedgerEntry> entries{label(1, "a"), release(2, "a", 2.5, "1"), label(4, "b"),
                                         release(5, "a", 3.0, "1", {"2"}),
                                         release(6, "c", 0.5, "another")};
  const auto total = ledger_total(record_of(entries), "L");
  // Two numbers with 2e-5 each, and a labelling with 1e-5.
  CHECK(total.delta == doctest::Approx(5e-5));
  const pate::CostEntry* const sum = released_entry(total);
  REQUIRE(sum != nullptr);
  const double labelled = pate::gaussian_dp_epsilon(std::sqrt(5.0 * 2.0 / 400.0), 1e-5);
  CHECK(sum->epsilon == doctest::Approx(3.5 + labelled).epsilon(1e-9));
  CHECK(sum->epsilon >= 3.5 + labelled);
  CHECK(total.released->epsilon == 3.5);
  CHECK(counted_within(entries[0], entries) == 5);
  CHECK(counted_within(entries[1], entries) == 5);
  for (const std::size_t k : {2U, 3U, 4U}) CHECK_FALSE(counted_within(entries[k], entries));

  const auto again = count_entries(entries, {{}, "", "a", ""}, "L");
  CHECK(again.about == event_id("1"));
  CHECK(again.covers == std::vector<std::string>{event_id("2"), event_id("5")});
  CHECK(again.earlier.size() == 2);
  CHECK(again.others[0].counted == Counted::same_answers);
  CHECK(again.others[3].counted == Counted::noise);
  CHECK(again.others[2].counted == Counted::added);
  CHECK(again.others[4].counted == Counted::added);
  CHECK(again.added.epsilon == doctest::Approx(0.5 + labelled).epsilon(1e-9));
  // Decisions that are not those labels were another run.
  CHECK(count_entries(entries, {{}, "", "a", "l1"}, "L").about == event_id("1"));
  const auto others = count_entries(entries, {{}, "", "a", "l2"}, "L");
  CHECK(others.covers.empty());
  for (const LedgerEntry& entry : entries) CHECK(others.about != entry.event.open.id);
  CHECK(others.others[0].counted == Counted::within_another);
  CHECK(others.others[3].counted == Counted::added);
  CHECK(others.added.epsilon == doctest::Approx(3.5 + labelled).epsilon(1e-9));
}

TEST_CASE("two numbers about two runs of one ledger both count, two about one run do not") {
  const std::vector<LedgerEntry> apart{label(1, "a"), label(2, "b"), release(3, "a", 2.0, "1"),
                                       release(4, "b", 1.0, "2")};
  CHECK(released_entry(ledger_total(record_of(apart), "L"))->epsilon == 3.0);
  const std::vector<LedgerEntry> same{label(1, "a"), release(3, "a", 2.0, "1"),
                                      release(4, "a", 2.25, "1", {"3"})};
  CHECK(released_entry(ledger_total(record_of(same), "L"))->epsilon == 2.25);
}

TEST_CASE("of two labellings of the same votes only the newest is the run") {
  const auto counts = count_entries({label(1, "a"), label(2, "a")}, {{}, "", "a", ""}, "L");
  CHECK(counts.about == event_id("2"));
  CHECK(counts.others[0].counted == Counted::added);
  CHECK(counts.others[1].counted == Counted::same_answers);
}

TEST_CASE("parameters that were chosen from votes stay so") {
  LedgerEntry chosen = release(1, "a", 2.5, "x");
  chosen.event.open.origin.parameters_from_votes = true;
  chosen.event.facts.noise = chosen.event.open.drawn->noise;
  chosen.event.open.drawn->noise.reset();
  const auto counts = count_entries({chosen, release(2, "b", 1.0, "y")}, {{}, "", "b", ""}, "L");
  CHECK(counts.others[0].chosen_from_votes);
  CHECK_FALSE(counts.others[1].chosen_from_votes);
  const auto total = ledger_total(record_of({chosen}), "L");
  CHECK_FALSE(guarantee_of(total).holds);
  CHECK_FALSE(total.costs[total.headline].releasable);
}

TEST_CASE("deltas that add up to 1 leave nothing to tell") {
  std::vector<LedgerEntry> entries{label(1, "a"), label(2, "a")};
  for (LedgerEntry& entry : entries) entry.event.open.delta = 0.5;
  CHECK(message_of<pate::input_error>([&] { (void)ledger_total(record_of(entries), "L"); }) ==
        "L: the deltas of its entries add up to 1: expected less than 1; pate ledger "
        "\1delta D tells the total at another delta, and a run needs a smaller one");
  pate::RecordSettings settings;
  settings.delta = 1e-5;
  CHECK(ledger_total(record_of(entries), "L", settings).delta == 1e-5);
}

TEST_SUITE_END();
