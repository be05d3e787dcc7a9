#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "pate/error.hpp"
#include "pate/reports/ledger_account.hpp"
#include "support/labeling.hpp"
#include "support/temp_directory.hpp"

using pate::Counted;
using pate::input_error;
using pate::reports::count_entries;
using pate::reports::InputFile;
using pate::reports::LedgerEntry;
using pate::reports::run_digest;
using pate::test::message_of;

namespace {

pate::io::JsonValue json(const std::string& text) {
  return pate::io::JsonValue::parse(text, "entry");
}

// A release of the run "a", with these settings.
LedgerEntry release(const std::string& settings) {
  return {"release",
          {"mnist", 250, 10},
          "votes",
          "a",
          json(settings),
          json(R"({"run": {"epsilon": 1.5, "delta": 2e-5, "entries": []}})"),
          "0.1.0",
          "2026-11-21T11:30:16Z",
          1};
}

const std::string kNoise = R"("method": "gnss", "beta": 0.1, "sigma_ss": 2.0, "k": 1.0)";

InputFile file(const char* role, const std::string& sha256) {
  InputFile result{role, "path", "npy", "<i8", {1, 2}, sha256, {}, {}};
  if (result.role == "votes") result.votes_digest = "digest of " + sha256;
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("an earlier release is about the same run only with the same decisions") {
  const std::string fixed = R"(, "parameters": "fixed")";
  const std::string with = R"(, "decisions_sha256": "d1")";
  struct Case {
    std::string settings, decisions;
    bool same;
  };
  for (const auto& [settings, decisions, same] : std::vector<Case>{
           {fixed, "", true},
           {fixed, "d1", false},
           {fixed + with, "d1", true},
           {fixed + with, "d2", false},
           {fixed + with, "", false},
       }) {
    CAPTURE(settings);
    CAPTURE(decisions);
    const auto counts =
        count_entries({release("{" + kNoise + settings + "}")}, {{}, "", "a", decisions}, "L");
    CHECK(counts.same_run.size() == (same ? 1 : 0));
    CHECK(counts.earlier.size() == (same ? 1 : 0));
    CHECK(counts.others.at(0).counted == (same ? Counted::noise : Counted::added));
  }
}

TEST_CASE("parameters of which nobody knows where they came from count as chosen from votes") {
  for (const auto& [origin, chosen] :
       std::vector<std::pair<std::string, bool>>{{"fixed", false},
                                                 {"public inputs", false},
                                                 {"released labels", false},
                                                 {"given", false},
                                                 {"chosen from the votes", true},
                                                 {"chosen elsewhere", true},
                                                 {"Fixed", true},
                                                 {"", true}}) {
    CAPTURE(origin);
    const std::vector<LedgerEntry> entries{
        release("{" + kNoise + R"(, "parameters": ")" + origin + "\"}")};
    const auto counts = count_entries(entries, {{}, "", "b", ""}, "L");
    CHECK(counts.others.at(0).chosen_from_votes == chosen);
    const auto same = count_entries(entries, {{}, "", "a", ""}, "L");
    REQUIRE(same.earlier.size() == 1);
    CHECK(same.earlier.front().chosen_from_votes == chosen);
  }
}

TEST_CASE("an earlier release without noise, or with less than none, is refused by its line") {
  const auto refusal = [](const std::string& method, const std::string& beta,
                          const std::string& noise) {
    const std::string settings = R"({"method": ")" + method + R"(", "beta": )" + beta + ", \"" +
                                 (method == "curve" ? "s" : "sigma_ss") + "\": " + noise +
                                 R"(, "k": 1.0, "parameters": "fixed"})";
    return message_of<input_error>([&] {
      (void)count_entries({release(settings)}, {{}, "", "a", ""}, "L");
    });
  };
  for (const std::string method : {"gnss", "curve"}) {
    CHECK(refusal(method, "0.1", "2.0") == "[no exception]");
    for (const std::string wrong : {"0", "0.0", "-0.0", "-1", "null", "\"2\"", "[]", "true"}) {
      CAPTURE(method);
      CAPTURE(wrong);
      CHECK(refusal(method, "0.1", wrong).starts_with("L: line 1: settings"));
      CHECK(refusal(method, wrong, "2.0").starts_with("L: line 1: settings"));
    }
  }
}

TEST_CASE("a run is its votes, its mechanism and its student, and nothing else") {
  const pate::Aggregator aggregator = pate::test::interactive(30.0, 5.0, 20.0);
  const std::vector<InputFile> inputs{file("votes", "v"), file("student", "s"), file("labels", "l"),
                                      file("indices", "i")};
  const std::string digest = run_digest(inputs, aggregator);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<InputFile> others = inputs;
    others[i] = file(inputs[i].role.c_str(), "other");
    CAPTURE(inputs[i].role);
    const bool decides = inputs[i].role == "votes" || inputs[i].role == "student";
    CHECK((run_digest(others, aggregator) != digest) == decides);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK((run_digest(others, aggregator) != digest) == decides);
  }
  // The same votes in another file are the same run.
  std::vector<InputFile> copied = inputs;
  copied[0].sha256 = "another file";
  CHECK(run_digest(copied, aggregator) == digest);
  // What would be the student's is not the votes'.
  CHECK(run_digest({file("student", "x")}, aggregator) !=
        run_digest({file("labels", "x")}, aggregator));
  for (const pate::Aggregator& other :
       {pate::test::interactive(31.0, 5.0, 20.0), pate::test::interactive(30.0, 6.0, 20.0),
        pate::test::interactive(30.0, 5.0, 21.0), pate::test::confident(30.0, 5.0, 20.0)}) {
    CHECK(run_digest(inputs, other) != digest);
  }
}

TEST_SUITE_END();
