#include "pate/reports/ledger.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "pate/error.hpp"
#include "support/temp_directory.hpp"

using pate::io::JsonValue;
using pate::reports::ledger_addition;
using pate::reports::LedgerEntry;
using pate::reports::LedgerText;
using pate::reports::parse_ledger;

namespace {

JsonValue json(const char* text) {
  return JsonValue::parse(text, "entry");
}

LedgerEntry entry(const std::string& digest) {
  return {"release",
          {"mnist", 250, 10},
          digest,
          "run",
          json(R"({"order":14.0})"),
          json(R"({"epsilon":1.5,"delta":2e-5})"),
          "0.1.0",
          "2026-11-21T11:30:16Z"};
}

std::string text_of(int entries) {
  std::string text;
  for (int i = 0; i < entries; ++i) {
    text += ledger_addition(parse_ledger(text, "x"), entry("digest" + std::to_string(i)));
  }
  return text;
}

std::string refusal(const std::string& text) {
  return pate::test::message_of<pate::input_error>([&] { (void)parse_ledger(text, "led.jsonl"); });
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("an entry is one line of JSON, and comes back") {
  const std::string text = text_of(1);
  CHECK(text == R"({"schema":"pate/ledger/v2","kind":"release","time":"2026-11-21T11:30:16Z",)"
                R"("tool":{"name":"pate","version":"0.1.0"},"ensemble":{"name":"mnist","teachers":250,)"
                R"("classes":10},"votes_digest":"digest0","run_digest":"run",)"
                R"("settings":{"order":14.0},"released":{"epsilon":1.5,"delta":2e-05}})"
                "\n");
  const LedgerText read = parse_ledger(text, "x");
  REQUIRE(read.entries.size() == 1);
  CHECK(read.entries[0].kind == "release");
  CHECK(read.entries[0].votes_digest == "digest0");
  CHECK(read.entries[0].settings.dump() == R"({"order":14.0})");
  CHECK(read.entries[0].released.dump() == R"({"epsilon":1.5,"delta":2e-05})");
  CHECK(read.entries[0].version == "0.1.0");
  CHECK(read.entries[0].time == "2026-11-21T11:30:16Z");
  CHECK(read.entries[0].line == 1);
}

TEST_CASE("text of any kind stays within its line") {
  LedgerEntry odd = entry("d");
  odd.kind = "a\nb\"\xff";
  odd.settings = json(R"({"path":"x\ny"})");
  const std::string text = ledger_addition({}, odd);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(parse_ledger(text, "x").entries[0].kind == "a\nb\"\xef\xbf\xbd");
}

TEST_CASE("wherever a crash cuts the last line, the others count and the next follows") {
  const std::string two = text_of(2);
  const std::string three = text_of(3);
  for (std::size_t size = two.size(); size <= three.size(); ++size) {
    CAPTURE(size);
    const LedgerText read = parse_ledger(three.substr(0, size), "x");
    // A line that lacks only its end was written in full.
    const bool complete = size + 1 >= three.size();
    const bool torn = !complete && size > two.size();
    CHECK(read.entries.size() == (complete ? 3 : 2));
    CHECK(read.torn_lines == (torn ? 1 : 0));
    const std::string next = three.substr(0, size) + ledger_addition(read, entry("next"));
    const LedgerText after = parse_ledger(next, "x");
    CHECK(after.entries.size() == read.entries.size() + 1);
    CHECK(after.entries.back().votes_digest == "next");
    CHECK(after.entries.back().line == (torn ? 5 : static_cast<int>(read.entries.size()) + 1));
    CHECK(after.torn_lines == 0);
  }
}

TEST_CASE("wherever a crash cuts a repair, nothing is lost either") {
  const std::string torn = text_of(2) + R"({"schema":"pate/led)";
  const std::string repaired = torn + ledger_addition(parse_ledger(torn, "x"), entry("third"));
  for (std::size_t size = torn.size(); size <= repaired.size(); ++size) {
    CAPTURE(size);
    const std::string cut = repaired.substr(0, size);
    const LedgerText read = parse_ledger(cut, "x");
    const bool complete = size + 1 >= repaired.size();
    CHECK(read.entries.size() == (complete ? 3 : 2));
    const LedgerText after = parse_ledger(cut + ledger_addition(read, entry("next")), "x");
    CHECK(after.entries.size() == read.entries.size() + 1);
    CHECK(after.entries.back().votes_digest == "next");
  }
}

TEST_CASE("a file that was extended but not written ends in zeros") {
  const std::string two = text_of(2);
  for (const std::string& tail :
       {std::string(100, '\0'), R"({"schema":"pate/ledger/v2","ki)" + std::string(9, '\0')}) {
    const LedgerText read = parse_ledger(two + tail, "x");
    CHECK(read.entries.size() == 2);
    CHECK(read.torn_lines == 1);
    CHECK(parse_ledger(two + tail + ledger_addition(read, entry("n")), "x").entries.size() == 3);
  }
}

TEST_CASE("an empty ledger") {
  CHECK(parse_ledger("", "x").entries.empty());
  CHECK(parse_ledger("", "x").ends_line);
}

TEST_CASE("what is no ledger is refused by line") {
  const std::string good = text_of(1);
  const std::string what = "led.jsonl: line 2 is no line of a ledger: ";
  CHECK(refusal(good + "hello\n") == what + "not JSON");
  CHECK(refusal(good + "hello") == what + "not JSON");
  CHECK(refusal(good + R"({"schema":"pate/ledger/v2","kind": not)" + "\n" + good) ==
        what + "it is incomplete, and no crash left it, because an entry follows");
  CHECK(refusal(good + "[1]\n") == what + "expected an object");
  CHECK(refusal(good + "{}\n") == what + "expected a text \"schema\"");
  CHECK(refusal(good + R"({"schema":"pate/analyze/v1"})") ==
        what + R"(expected "schema": "pate/ledger/v2")");
  CHECK(refusal(good + R"({"schema":"pate/ledger/v2","kind":1})") ==
        what + "expected a text \"kind\"");
  CHECK(refusal(good + R"({"schema":"pate/ledger/v2","kind":"torn","lines":1})") ==
        what + "expected \"lines\": 0, the number of torn lines before");
  CHECK(refusal("\n") == "led.jsonl: line 1 is no line of a ledger: not JSON");
  // What is nested very deeply would take all of the stack.
  std::string deep = text_of(1);
  deep.replace(deep.find("\"settings\":") + 11, 0,
               std::string(100000, '[') + "1" + std::string(100000, ']') + ",\"s\":");
  CHECK(refusal(good + deep) == what + "it is nested deeper than 50 levels");
  // Each field of an entry is needed.
  for (const char* field : {"ensemble", "votes_digest", "run_digest", "settings", "released", "tool", "time"}) {
    nlohmann::ordered_json line = nlohmann::ordered_json::parse(good);
    line.erase(field);
    CAPTURE(field);
    CHECK(refusal(line.dump() + "\n").find(field) != std::string::npos);
  }
}

TEST_CASE("a ledger of an earlier version, or of two ensembles, is refused") {
  std::string earlier = text_of(1);
  earlier.replace(earlier.find("/v2"), 3, "/v1");
  CHECK(refusal(earlier) ==
        "led.jsonl: line 1 is of an earlier version of ledgers (pate/ledger/v1), which does not "
        "say whose votes it counts: keep it, and begin a new one; what it counts comes on top of "
        "every total of the new one");
  LedgerEntry other = entry("d");
  other.ensemble.classes = 9;
  CHECK(refusal(text_of(1) + ledger_addition({}, other)) ==
        "led.jsonl: line 2 is no line of this ledger: expected the ensemble mnist of 250 teachers "
        "and 10 classes of line 1, found the ensemble mnist of 250 teachers and 9 classes");
}

TEST_CASE("settings and results must be objects") {
  LedgerEntry bad = entry("d");
  bad.settings = json("[]");
  CHECK(pate::test::message_of<pate::parameter_error>([&] { (void)ledger_addition({}, bad); }) ==
        "the settings of a ledger entry must be a JSON object, got '[]'");
}

TEST_SUITE_END();
