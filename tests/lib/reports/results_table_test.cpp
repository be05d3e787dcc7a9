#include "pate/reports/results_table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/random.hpp"

using namespace pate;
using reports::ResultColumn;
using reports::TableFormat;

namespace {

io::JsonValue report(const std::string& text) {
  return io::JsonValue::parse(text, "r.json");
}

}  // namespace

TEST_CASE("a table of results never rounds an epsilon down") {
  pate_test::Random random(4444);
  for (int i = 0; i < 2000; ++i) {
    const double epsilon = std::exp(random.uniform(-9.0, 6.0));
    const std::vector<io::JsonValue> all{
        report("{\"headline\": {\"epsilon\": " + std::to_string(epsilon) +
               ", \"delta\": 1e-5, \"releasable\": false}, \"settings\": {}}")};
    const double exact = all.front().at("headline").at("epsilon").number();
    const auto table =
        reports::results_table(all, std::vector<std::string>{"r"}, {ResultColumn::epsilon});
    const double shown = std::stod(table.rows[0][0]);
    CHECK(shown >= exact);
    CHECK(shown <= exact + 1.01e-4);
    CHECK(table.has_private);
  }
}

TEST_CASE("cells cannot leave their place, whatever the names are") {
  pate_test::Random random(77);
  const std::string characters = "a|\\,\"&%$#_{}~^<`*\n\t b";
  const std::vector<io::JsonValue> all{report(
      R"({"headline": {"epsilon": 1.0, "delta": 0.0003, "releasable": true}, "settings": {}})")};
  for (int i = 0; i < 500; ++i) {
    std::string label;
    for (std::int64_t k = random.integer(1, 12); k > 0; --k) {
      label += characters[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(characters.size()) - 1))];
    }
    CAPTURE(label);
    const auto table =
        reports::results_table(all, std::vector{label}, {ResultColumn::run, ResultColumn::delta});
    const std::string markdown = reports::table_text(table, TableFormat::markdown);
    const std::string row = markdown.substr(markdown.rfind('\n', markdown.size() - 2) + 1);
    std::size_t bars = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row[k] == '\\') {
        ++k;
      } else if (row[k] == '|') {
        ++bars;
      }
    }
    CHECK(bars == 3);
    const std::string latex = reports::table_text(table, TableFormat::latex);
    std::size_t cells = 0;
    for (std::size_t k = latex.find("\\midrule"); k < latex.size(); ++k) {
      if (latex[k] == '&' && latex[k - 1] != '\\') ++cells;
    }
    CHECK(cells == 1);
    CHECK(latex.find("$3 \\cdot 10^{-4}$") == std::string::npos);  // 0.0003 is short
    const std::string csv = reports::table_text(table, TableFormat::csv);
    CHECK(csv.starts_with("run,delta\n"));
    CHECK(csv.ends_with(",0.0003\n"));
  }
  CHECK_THROWS_AS((void)reports::results_table(all, {}, {ResultColumn::run}), parameter_error);
  const std::vector<io::JsonValue> none{report(R"({"settings": {}})")};
  CHECK_THROWS_AS(
      (void)reports::results_table(none, std::vector<std::string>{"r"}, {ResultColumn::run}),
      input_error);
}

TEST_CASE("a number that counts a whole ledger says so beside the queries of its run") {
  const auto may_be_published = [](const std::string& others) {
    const std::vector<io::JsonValue> all{
        report(R"({"settings": {}, "public": {"epsilon": 1.0, "delta": 2e-5, "queries": 100)" +
               others + "}}")};
    return reports::results_table(all, std::vector<std::string>{"r"}, {ResultColumn::publish})
        .rows[0][0];
  };
  CHECK(may_be_published("") == "yes, as reported, with its statement");
  CHECK(may_be_published(R"(, "others": {"epsilon": 0.5, "delta": 1e-5})") ==
        "yes, as reported, with its statement; counts all that its ledger had then");
}

TEST_CASE("queries are those that were asked, answered those of the file of labels") {
  const auto counts = [](const std::string& text) {
    const std::vector<io::JsonValue> all{report(text)};
    const auto table = reports::results_table(all, std::vector<std::string>{"r"},
                                              {ResultColumn::queries, ResultColumn::answered});
    return table.rows[0];
  };
  const std::string headline =
      R"("headline": {"epsilon": 1.0, "delta": 2e-5, "releasable": true}, "queries": 40)";
  const std::string labels = R"(, "labels": {"asked": 7, "answered": 6, "refused": 1})";
  using Row = std::vector<std::string>;
  CHECK(counts("{\"settings\": {}, " + headline + labels + "}") == Row{"7", "6"});
  CHECK(counts(R"({"public": {)" + headline + labels + "}}") == Row{"7", "6"});
  CHECK(counts("{\"settings\": {}, " + headline + "}") == Row{"40", ""});
  CHECK(counts("{\"settings\": {}, " + headline +
               R"(, "labels": {"path": "l.npy"}, "answered": {"expected": 5.5}})") ==
        Row{"40", "5.5"});
}

TEST_CASE("what an epsilon holds for stands beside it") {
  const auto promise = [](const std::string& headline) {
    const std::vector<io::JsonValue> all{report(
        R"({"settings": {}, "headline": {"epsilon": 1.0, "delta": 2e-5, )" + headline + "}}")};
    return reports::results_table(all, std::vector<std::string>{"r"}, {ResultColumn::promise})
        .rows[0][0];
  };
  CHECK(promise(R"("releasable": true, "promise": "fixed")") == "guarantee");
  CHECK(promise(R"("releasable": true, "promise": "outcome")") == "of the outcome");
  CHECK(promise(R"("releasable": false, "promise": "none", "reading": "expected")") ==
        "expectation");
  CHECK(promise(R"("releasable": false, "promise": "none", "reading": "joint")") == "no promise");
  // An expectation over a selection has a deviation; without one a direction is missing.
  const std::string forward =
      R"("releasable": false, "promise": "none", "direction": "forward", "reading": "expected")";
  CHECK(promise(forward) == "one direction only");
  CHECK(promise(forward + R"(, "sd": 0.1)") == "expectation");
}

TEST_CASE("noise of weighted votes is told in votes of weight one") {
  const auto mechanism = [](const std::string& more) {
    return reports::mechanism_text(report(
        R"({"mechanism": {"name": "confident", "threshold": 60, "sigma1": 20, "sigma2": 30})" +
        more + "}"));
  };
  CHECK(mechanism("") == "Confident GNMax, threshold 60, sigma1 20, sigma2 30");
  CHECK(mechanism(R"(, "weights": [{"weight": 0.25}, {"weight": 0.5}])") ==
        "Confident GNMax, threshold 30, sigma1 10, sigma2 15, votes of weight 0.5 at most");
  CHECK(mechanism(R"(, "weights": [0.25, 0.5])") == mechanism(""));
}
