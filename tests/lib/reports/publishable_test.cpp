#include "pate/reports/publishable.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/reports/doubts.hpp"
#include "pate/reports/results_table.hpp"
#include "pate/reports/seal.hpp"
#include "support/random.hpp"

using pate::Promise;
using pate::io::JsonValue;
using pate::reports::headline_number;
using pate::reports::ResultColumn;
using pate::reports::TableFormat;
using pate_test::Random;
using Json = nlohmann::ordered_json;

namespace {

JsonValue parsed(const Json& report) {
  return JsonValue::parse(report.dump(), "r.json");
}

bool coin(Random& random) {
  return random.integer(0, 1) == 0;
}

// A number, or what stands where there is none.
Json maybe_number(Random& random) {
  switch (random.integer(0, 4)) {
    case 0:
      return nullptr;
    case 1:
      return "infinite";
    default:
      return random.uniform(0.1, 9.0);
  }
}

Json random_headline(Random& random) {
  switch (random.integer(0, 9)) {
    case 0:
      return nullptr;
    case 1:
      return "none";
    default:
      break;
  }
  Json headline = Json::object();
  if (random.integer(0, 5) > 0) headline["epsilon"] = maybe_number(random);
  if (coin(random)) headline["releasable"] = coin(random);
  if (coin(random)) {
    headline["promise"] = std::vector{"fixed", "outcome", "none", "eternal"}.at(
        static_cast<std::size_t>(random.integer(0, 3)));
  }
  return headline;
}

// A report with or without a headline, and with a public part or not, which is of the same kind.
Json random_report(Random& random) {
  Json report = Json::object();
  if (random.integer(0, 3) > 0) report["headline"] = random_headline(random);
  if (random.integer(0, 4) == 0) report["noise_function"] = "optimal";
  if (coin(random)) report["settings"] = Json::object();
  if (coin(random)) return report;
  Json part = Json::object();
  if (coin(random)) part["headline"] = random_headline(random);
  if (coin(random)) part["epsilon"] = maybe_number(random);
  if (coin(random)) part["parameters"] = coin(random) ? Json("chosen here") : Json("fixed");
  report["public"] = part;
  return report;
}

bool has_number(const Json& holder, const char* key) {
  return holder.is_object() && holder.contains(key) && holder.at(key).is_number();
}

bool has_headline(const Json& holder) {
  return has_number(holder.value("headline", Json()), "epsilon");
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("the number of a report may be published where it says so, or stands in a public part") {
  Random random(91);
  std::map<std::string, int> seen;
  for (int round = 0; round < 5000; ++round) {
    const Json report = random_report(random);
    CAPTURE(report.dump());
    const auto found = headline_number(parsed(report));
    const Json part = report.value("public", Json());
    const bool is_open = part.is_object();
    // A whole run's own headline goes first, unless a number was drawn of it.
    const bool asks_part =
        is_open && (!report.contains("headline") || report.at("headline").is_null() ||
                    (part.contains("epsilon") && !part.at("epsilon").is_null()));
    const bool of_part = asks_part && (has_number(part, "epsilon") || has_headline(part));
    REQUIRE(found.has_value() == (of_part || has_headline(report)));
    if (!found) {
      ++seen["none"];
      continue;
    }
    CHECK(found->entry.path().starts_with("public") == of_part);
    if (of_part && has_number(part, "epsilon")) {
      ++seen["drawn"];
      const bool chosen = part.value("parameters", "") == "chosen here";
      CHECK(found->entry.at("epsilon").number() == part.at("epsilon").get<double>());
      CHECK(found->may_publish);
      CHECK(found->promise == (chosen ? Promise::none : Promise::outcome));
      continue;
    }
    const Json headline = (of_part ? part : report).at("headline");
    ++seen[of_part ? "open" : "whole"];
    CHECK(found->entry.at("epsilon").number() == headline.at("epsilon").get<double>());
    CHECK(found->may_publish ==
          (of_part || report.contains("noise_function") || headline.value("releasable", false)));
    const std::string promise = headline.value("promise", "fixed");
    CHECK(found->promise == (promise == "fixed"     ? Promise::fixed
                             : promise == "outcome" ? Promise::outcome
                                                    : Promise::none));
  }
  CHECK(seen.size() == 4);
  for (const auto& its : seen) CHECK(its.second > 100);
}

TEST_CASE("of costs that no votes change the least may be published, of others each that says so") {
  Random random(92);
  for (int round = 0; round < 500; ++round) {
    Json costs = Json::array();
    std::map<std::pair<std::string, double>, double> least;
    std::size_t others = 0;
    for (std::int64_t i = random.integer(0, 8); i > 0; --i) {
      const bool any_votes = random.integer(0, 2) > 0;
      const std::string reading = coin(random) ? "joint" : "worst_case";
      const double delta = coin(random) ? 1e-5 : 1e-6;
      Json cost{{"bound", any_votes ? "data_independent" : "released"},
                {"reading", reading},
                {"delta", delta},
                {"epsilon", maybe_number(random)},
                {"releasable", random.integer(0, 3) > 0}};
      if (random.integer(0, 9) == 0) cost.erase("releasable");
      if (random.integer(0, 9) == 0) cost.erase("epsilon");
      costs.push_back(cost);
      if (!has_number(cost, "epsilon") || !cost.value("releasable", false)) continue;
      const double epsilon = cost.at("epsilon").get<double>();
      if (any_votes) {
        const auto its = least.emplace(std::pair(reading, delta), epsilon).first;
        its->second = std::min(its->second, epsilon);
      } else {
        ++others;
      }
    }
    const Json report{{"costs", costs}};
    CAPTURE(report.dump());
    std::size_t found_others = 0;
    std::size_t found_least = 0;
    for (const JsonValue& cost : pate::reports::publishable_costs(parsed(report))) {
      if (cost.at("bound").text() == "released") {
        ++found_others;
        continue;
      }
      ++found_least;
      CHECK(cost.at("epsilon").number() ==
            least.at({cost.at("reading").text(), cost.at("delta").number()}));
    }
    CHECK(found_others == others);
    CHECK(found_least == least.size());
  }
  CHECK(pate::reports::publishable_costs(parsed(Json::object())).empty());
  CHECK(pate::reports::publishable_costs(parsed({{"costs", "many"}})).empty());
}

TEST_CASE("a report has a private part unless no votes went into it, or only its public part is") {
  const auto is_private = [](const Json& report) {
    return pate::reports::has_private_part(parsed(report));
  };
  const Json part = Json::object();
  CHECK_FALSE(is_private({{"schema", "pate/plan/v1"}, {"settings", part}}));
  CHECK_FALSE(is_private({{"schema", "pate/darrm/v1"}, {"settings", part}}));
  CHECK(is_private({{"schema", "pate/darrm/v1"}, {"settings", part}, {"votes", part}}));
  CHECK_FALSE(is_private({{"schema", "pate/darrm/v1"}, {"public", part}}));
  CHECK(is_private({{"schema", "pate/darrm/v1"}, {"public", part}, {"settings", part}}));
  for (const Json& schema : {Json("pate/analyze/v1"), Json(3), Json()}) {
    CAPTURE(schema.dump());
    CHECK(is_private({{"schema", schema}, {"settings", part}}));
    CHECK(is_private({{"schema", schema}}));
    CHECK(is_private({{"schema", schema}, {"public", part}, {"settings", part}}));
    CHECK(is_private({{"schema", schema}, {"public", part}, {"private", part}}));
    CHECK_FALSE(is_private({{"schema", schema}, {"public", part}}));
  }
}

TEST_CASE("why a number that was drawn may not be published is what its guarantee says") {
  const auto why = [](const Json& part) {
    return pate::reports::why_not_to_publish(parsed(part)).value_or("");
  };
  const Json broken{{"holds", false}, {"promise", "it was chosen from the votes"}};
  CHECK(why({{"epsilon", 1.0}, {"guarantee", broken}}) == "it was chosen from the votes");
  CHECK(why({{"guarantee", broken}}) == "");
  CHECK(why({{"epsilon", 1.0}}) == "");
  CHECK(why({{"epsilon", 1.0}, {"guarantee", {{"holds", true}, {"promise", "x"}}}}) == "");
}

TEST_CASE("doubts about votes are told unless a person accepted them by their option") {
  Random random(93);
  const std::vector<std::string> doubts{"one_teacher", "scaled_votes", "labels_at_chance",
                                        "byte_counts"};
  const std::vector<std::string> others{"epsilon_infinite", "adaptive_rounds"};
  int told = 0;
  for (int round = 0; round < 300; ++round) {
    Json report{{"notices", Json::array()}, {"settings", Json::object()}};
    std::vector<std::string> expected;
    std::vector<std::string> accepted;
    for (const std::string& code : doubts) {
      if (coin(random)) continue;
      if (coin(random)) accepted.push_back(code);
      report["notices"].push_back({{"code", code}, {"message", "of " + code}});
      if (accepted.empty() || accepted.back() != code) expected.push_back(code);
    }
    for (const std::string& code : others) {
      if (coin(random)) report["notices"].push_back({{"code", code}, {"message", "m"}});
    }
    for (std::string& word : accepted) std::ranges::replace(word, '_', '-');
    if (!accepted.empty()) report["settings"]["accept"] = accepted;
    if (accepted.empty() && coin(random))
      report["settings"]["accept"] = coin(random) ? Json() : "x";
    if (accepted.empty() && coin(random)) report.erase("settings");
    CAPTURE(report.dump());
    std::vector<std::string> found;
    for (const pate::Notice& notice : pate::reports::doubts_about_votes(parsed(report))) {
      found.push_back(notice.code);
      CHECK(notice.message == "of " + notice.code);
      ++told;
    }
    CHECK(found == expected);
  }
  CHECK(told > 100);
  CHECK(pate::reports::doubts_about_votes(parsed(Json::object())).empty());
  CHECK(pate::reports::doubts_about_votes(parsed({{"notices", 3}})).empty());
  for (const std::string& code : doubts) CHECK(pate::reports::is_doubt_about_votes(code));
  for (const std::string& code : others) CHECK_FALSE(pate::reports::is_doubt_about_votes(code));
}

TEST_CASE("every column of a table has its title, and a sign where a report says nothing of it") {
  const auto columns = [] {
    std::vector<ResultColumn> all;
    for (const auto& its : pate::kNames<ResultColumn>) all.push_back(its.value);
    return all;
  }();
  const Json full = Json::parse(R"({"settings": {},
    "headline": {"bound": "data_independent", "reading": "worst_case", "conversion": "improved",
      "epsilon": 1.00001, "delta": 1e-5, "releasable": true},
    "mechanism": {"name": "confident", "threshold": 60, "sigma1": 15, "sigma2": 20},
    "teachers": 100, "classes": 10, "queries": 40, "answered": {"expected": 30.25},
    "utility": {"expected_accuracy": 0.875}, "votes": {"agreement": 0.5, "accuracy": 0.25}})");
  const Json bare = Json::parse(R"({"settings": {}, "headline": {"epsilon": 2}})");
  const std::vector<JsonValue> reports{parsed(full), parsed(bare)};
  const auto table =
      pate::reports::results_table(reports, std::vector<std::string>{"a", "b"}, columns);
  CHECK(table.rows.at(0) ==
        std::vector<std::string>{"a", "Confident GNMax, threshold 60, sigma1 15, sigma2 20", "100",
                                 "10", "40", "30.2", "87.5", "50.0", "1.0001", "1e-05", "guarantee",
                                 "data independent, worst case, improved", "yes, as reported"});
  CHECK(table.rows.at(1) == std::vector<std::string>{"b", "", "", "", "", "", "", "", "2.0000", "",
                                                     "guarantee", "", "no"});
  CHECK(table.has_unpublishable());
  CHECK(pate::reports::table_text(table, TableFormat::markdown)
            .starts_with(
                "| run | mechanism | teachers | classes | queries | answered | accuracy, % | "
                "agreement, % | epsilon | delta | promise | bound | may be published |\n"
                "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- | "
                "--- |\n"));
  CHECK(pate::reports::table_text(table, TableFormat::markdown)
            .ends_with("\n| b | - | - | - | - | - | - | - | 2.0000 | - | guarantee | - | no |\n"));
  const std::string latex = pate::reports::table_text(table, TableFormat::latex);
  CHECK(latex.find("Run & Mechanism & Teachers & Classes & Queries & Answered & Accuracy, \\% & "
                   "Agreement, \\% & $\\varepsilon$ & $\\delta$ & Promise & Bound & May be "
                   "published \\\\\n") != std::string::npos);
  CHECK(latex.find("$T$ 60, $\\sigma_1$ 15, $\\sigma_2$ 20") != std::string::npos);
  CHECK(latex.find("1.0001 & $10^{-5}$ & ") != std::string::npos);
  CHECK(
      latex.find("b & -- & -- & -- & -- & -- & -- & -- & 2.0000 & -- & guarantee & -- & no \\\\") !=
      std::string::npos);
  for (const ResultColumn column : columns) {
    CHECK(pate::reports::column_title(column, TableFormat::csv) == pate::name(column));
    CHECK_FALSE(pate::reports::column_title(column, TableFormat::latex).empty());
    CHECK_FALSE(pate::reports::column_title(column, TableFormat::markdown).empty());
  }
}

TEST_CASE("cells of a table are of the public part where a report has no more") {
  const Json part = Json::parse(R"({"epsilon": 1, "delta": 1e-5, "parameters": "chosen",
    "mechanism": {"name": "gnmax", "sigma2": 40, "neighbours": "add_remove",
      "teachers_per_person": 1}, "queries": 7})");
  const std::vector columns{ResultColumn::mechanism, ResultColumn::queries, ResultColumn::teachers,
                            ResultColumn::publish};
  const std::vector<std::string> labels{"r"};
  for (const bool whole : {false, true}) {
    Json report{{"public", part}};
    if (whole) report["settings"] = Json::object();
    const std::vector<JsonValue> one{parsed(report)};
    const auto table = pate::reports::results_table(one, labels, columns);
    CHECK(table.rows.at(0) ==
          std::vector<std::string>{"GNMax, sigma2 40, for 1 teacher that is added or removed", "7",
                                   "", "no"});
    CHECK(table.has_unpromised);
    CHECK_FALSE(table.has_private);
  }
  // Of a private majority teachers are told with what they promise.
  const std::vector<JsonValue> majority{parsed(Json::parse(R"({"settings": {},
    "headline": {"epsilon": 1, "delta": 0}, "noise_function": "optimal", "weights": [0.5, 0.5],
    "setting": "non_private", "teachers": {"count": 11, "affected": 2}, "queries": 3})"))};
  CHECK(pate::reports::results_table(majority, labels, columns).rows.at(0) ==
        std::vector<std::string>{"DaRRM, for 2 teachers of a person that vote otherwise", "3", "11",
                                 "yes, as reported"});
}

TEST_CASE("a seal shows any change of what a report says, and none of how it is laid out") {
  Random random(94);
  const Json report = Json::parse(R"({"schema": "pate/tune/v1", "tool": {"version": "9.9"},
    "delta": 1e-05, "points": [{"epsilon": 0.5, "order": 9}, {"epsilon": null, "order": 3}],
    "grid": {"sigma2": [2, 4], "name": "seal"}})");
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      pate::reports::require_sealed(JsonValue::parse(text, "s.json"));
    } catch (const pate::input_error& error) {
      return error.what();
    }
    return "";
  };
  const std::string sealed = pate::reports::sealed(report.dump(2) + "\n");
  CHECK(refusal(sealed) == "");
  const Json again = Json::parse(sealed);
  CHECK(refusal(again.dump()) == "");
  // The order of members does not matter: here by name.
  CHECK(refusal(nlohmann::json::parse(sealed).dump(7)) == "");
  const std::string changed =
      "s.json: was changed after it was made: expected what its digest, seal.sha256, is of; run "
      "the command that made it again";
  const Json flat = again.flatten();
  for (const auto& item : flat.items()) {
    const std::string place = item.key();
    const Json& value = item.value();
    CAPTURE(place);
    Json edited = again;
    Json& its = edited.at(Json::json_pointer(place));
    its = value.is_number() ? Json(value.get<double>() + 1.0) : Json("x");
    if (place == "/seal/sources") {
      CHECK(refusal(edited.dump()) ==
            "s.json: was made by another build of pate (9.9): expected what this one made; run the "
            "command that made it again");
    } else {
      CHECK(refusal(edited.dump()) == changed);
    }
    const Json::json_pointer pointer(place);
    if (place.starts_with("/seal") || pointer.back() == "version") continue;
    edited = again;
    Json& parent = edited.at(pointer.parent_pointer());
    if (parent.is_array()) {
      parent.erase(parent.begin() + random.integer(0, static_cast<int>(parent.size()) - 1));
    } else {
      parent.erase(pointer.back());
    }
    CHECK(refusal(edited.dump()) == changed);
  }
  CHECK(refusal(report.dump()) ==
        "s.json: seal: is missing: expected the report of a shard or a grid as this version writes "
        "it, with a digest of what it says; run the command that made it again");
}

TEST_SUITE_END();
