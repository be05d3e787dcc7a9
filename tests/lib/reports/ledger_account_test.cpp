#include "pate/reports/ledger_account.hpp"

#include <doctest/doctest.h>

#include "pate/error.hpp"
#include "support/temp_directory.hpp"

using pate::Counted;
using pate::reports::count_entries;
using pate::reports::ledger_total;
using pate::reports::LedgerEntry;
using pate::test::message_of;

namespace {

pate::io::JsonValue json(const std::string& text) {
  return pate::io::JsonValue::parse(text, "entry");
}

LedgerEntry label(std::int64_t line, const std::string& run, const std::string& epsilon) {
  return {"label",
          {"mnist", 250, 10},
          "votes",
          run,
          json(R"({"labels_sha256": "l)" + std::to_string(line) + "\"}"),
          json(R"({"delta": 1e-5, "epsilon": )" + epsilon + "}"),
          "0.1.0",
          "2026-11-21T11:30:16Z",
          line};
}

LedgerEntry release(std::int64_t line, const std::string& run, const std::string& epsilon,
                    const std::string& about, const std::string& parameters = "fixed") {
  LedgerEntry entry = label(line, run, "0");
  entry.kind = "release";
  entry.settings =
      json(R"({"beta": 0.1, "sigma_ss": 2.0, "k": 1.0, "parameters": ")" + parameters + "\"}");
  entry.released = json(R"({"run": {"epsilon": )" + epsilon + R"(, "delta": 2e-5, "entries": [)" +
                        about + "]}}");
  return entry;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("entries about the same answers are counted by the last of them, the others add up") {
  const std::vector<LedgerEntry> entries{label(1, "a", "1.5"), release(2, "a", "2.5", "1"),
                                         label(4, "b", "0.25"), release(5, "a", "3", "1, 2"),
                                         release(6, "c", "0.5", "")};
  const auto total = ledger_total(entries, "L");
  CHECK(total.groups.size() == 3);
  CHECK(total.epsilon == 3.75);
  CHECK(total.delta == doctest::Approx(5e-5));
  CHECK(total.delta == 5e-5);
  CHECK_FALSE(is_added(entries[0], entries, total));
  CHECK(is_added(entries[3], entries, total));

  const auto again = count_entries(entries, {{}, "", "a", ""}, "L");
  CHECK(again.same_run == std::vector<std::size_t>{0, 1, 3});
  CHECK(again.earlier.size() == 2);
  CHECK(again.others[0].counted == Counted::same_answers);
  CHECK(again.others[3].counted == Counted::noise);
  CHECK(again.others[2].counted == Counted::added);
  CHECK(again.others[4].counted == Counted::added);
  // Decisions that are not those labels were another run.
  CHECK(count_entries(entries, {{}, "", "a", "l1"}, "L").same_run.size() == 3);
  const auto others = count_entries(entries, {{}, "", "a", "l2"}, "L");
  CHECK(others.same_run.empty());
  CHECK(others.others[0].counted == Counted::within_another);
  CHECK(others.others[3].counted == Counted::added);
  CHECK(others.others[3].epsilon == 3.0);
}

TEST_CASE("of two labellings of the same votes only the newest is the run") {
  const std::vector<LedgerEntry> entries{label(1, "a", "1"), label(2, "a", "2")};
  const auto counts = count_entries(entries, {{}, "", "a", ""}, "L");
  CHECK(counts.others[0].counted == Counted::added);
  CHECK(counts.others[1].counted == Counted::same_answers);
}

TEST_CASE("parameters that were chosen from votes stay so") {
  const auto counts =
      count_entries({release(1, "a", "2.5", "", "chosen from the votes"), release(2, "b", "1", "")},
                    {{}, "", "b", ""}, "L");
  CHECK(counts.others[0].chosen_from_votes);
  CHECK_FALSE(counts.others[1].chosen_from_votes);
}

TEST_CASE("entries that do not fit together are refused by line") {
  const auto refusal = [](const std::vector<LedgerEntry>& entries) {
    return message_of<pate::input_error>([&] { (void)ledger_total(entries, "L"); });
  };
  const LedgerEntry first = label(1, "a", "1");
  CHECK(refusal({first, release(2, "a", "2", "7")}) ==
        "L: line 2: released: run.entries: expected the lines of all entries about one run, found "
        "an array of 1");
  CHECK(refusal({label(3, "a", "-1")}).find("L: line 3: released: epsilon: expected ") == 0);
  CHECK(refusal({label(3, "a", "null")}).find("L: line 3: released: epsilon: expected ") == 0);
  LedgerEntry odd = first;
  odd.kind = "gift";
  CHECK(refusal({odd}) == "L: line 1: kind: expected label or release, found 'gift'");
}

TEST_SUITE_END();
