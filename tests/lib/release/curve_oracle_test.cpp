#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "pate/accounting/run.hpp"
#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/curve/public_curve.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/accuracy.hpp"
#include "support/paths.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const char* const kCurveOracle = "../shared/oracles/curve.json";

bool has_curve_oracle() {
  return std::filesystem::exists(pate::test::source_file(kCurveOracle)) &&
         pate::test::has_shared_votes();
}

nlohmann::json curve_cases() {
  std::ifstream file(pate::test::source_file(kCurveOracle));
  return nlohmann::json::parse(file).at("cases");
}

CostSpec question_of(const nlohmann::json& row) {
  CostSpec question;
  question.aggregator.selection = ThresholdCheck{row.at("T"), row.at("sigma1")};
  question.aggregator.noisy_max = GaussianNoisyMax{row.at("sigma2").get<double>()};
  question.teachers = row.at("M");
  question.classes = row.at("m");
  question.order = row.at("lam");
  const std::string cost = row.at("cost");
  question.cost = cost == "tilted"   ? CurveCost::tilted
                  : cost == "exact2" ? CurveCost::exact
                                     : CurveCost::tradeoff;
  return question;
}

VoteProfile votes_of(const nlohmann::json& row, const CostSpec& question) {
  if (row.contains("votes_file")) {
    const io::OpenedTable opened = io::open_table(pate::test::shared_votes(row.at("votes_file")));
    const CountVotes votes(opened.table);
    Run run{votes, RowSelection::first(row.at("N")), question.aggregator, {}, nullptr, {}, {}};
    return collect_votes(run);
  }
  std::vector<ProfiledQuery> queries;
  for (const auto& counts : row.at("votes")) {
    const auto histogram = counts.get<Histogram>();
    queries.push_back({histogram, *std::max_element(histogram.begin(), histogram.end()), false});
  }
  return profile_of(question.aggregator, queries);
}

// The reference has the tilted cost with the top class alone as it is.
std::vector<CostUnits> one_cell_costs(const CostSpec& question, const VoteProfile& votes) {
  const TiltedCost cost(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                        question.teachers, question.classes, question.order, 2, 0);
  const KeyCosts keys(cost, KeyCosts::Keys::automatic, 2);
  std::vector<CostUnits> sums(static_cast<std::size_t>(question.teachers) + 1, 0);
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    const std::vector<CostUnits> costs = keys.within(votes.histogram(i));
    for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += costs[d] * votes.distinct[i].count;
  }
  return sums;
}

}  // namespace

TEST_CASE("curve release: the reference's costs, curves, indices and means (real votes)" *
          doctest::skip(!has_curve_oracle())) {
  int rows = 0;
  for (const auto& row : curve_cases()) {
    if (row.at("cost") == "trade-off keys") continue;
    ++rows;
    CAPTURE(row.dump().substr(0, 300));
    const CostSpec question = question_of(row);
    const CostsWithinDistance costs(question);
    const VoteProfile votes = votes_of(row, question);
    const bool tilted_row = question.cost == CurveCost::tilted;
    const std::vector<CostUnits> ours = costs.upper(votes);
    const std::vector<CostUnits> ub = tilted_row ? one_cell_costs(question, votes) : ours;
    const auto expected = row.at("UB").get<std::vector<double>>();
    REQUIRE(ub.size() == expected.size());
    const double unit = std::ldexp(static_cast<double>(votes.queries), -40);
    for (std::size_t d = 0; d < ub.size(); ++d) {
      CAPTURE(d);
      // The reference has twelve digits.
      CHECK(cost_of_units(ub[d]) >= expected[d] * (1.0 - 1e-11) - unit);
      CHECK(cost_of_units(ub[d]) <= expected[d] * (1.0 + 1e-9) + unit);
      CHECK(cost_of_units(ours[d]) <= expected[d] * (1.0 + 1e-8) + unit);
    }
    CHECK(ours.back() == costs.largest(votes.queries, 0));
    if (row.contains("tilted_cost_of_first_histogram")) {
      const TiltedCost tilted(question.aggregator.noisy_max.gaussian(),
                              question.aggregator.selection, question.teachers, question.classes,
                              question.order, 1, 0);
      const double want = row.at("tilted_cost_of_first_histogram");
      const double got = tilted.cost(row.at("votes").at(0).get<Histogram>());
      CHECK(got >= want * (1.0 - 1e-11));
      CHECK(got <= want * (1.0 + 1e-9));
    }
    const PublicCurve curve({question.order, row.at("s"), row.at("beta")}, row.at("delta"),
                            ub.back());
    CHECK(std::abs(curve.rho0() - row.at("rho0").get<double>()) < 1e-9);
    CHECK(curve.t_min() == row.at("t_min").get<std::int64_t>());
    for (const auto& item : row.at("U").items()) {
      const std::string t = item.key();
      const double value = item.value();
      CAPTURE(t);
      const double got = std::ldexp(static_cast<double>(curve.covered(std::stoll(t))), -40);
      CHECK(std::abs(got - value) < 1e-9);
    }
    if (row.contains("R")) {
      for (const auto& [y, value] : row.at("R").items()) {
        CHECK(std::abs(curve.epsilon(std::stoll(y)) - value.get<double>()) < 1e-9);
      }
      for (const auto& point : row.at("phi")) {
        const double want = point.at("value");
        const double got = curve.excess(point.at("g"), point.at("x"));
        CHECK(std::abs(got - want) <= 1e-9 * std::max(want, 1.0));
      }
    }
    const std::int64_t g = curve.index(ub);
    CHECK(g == row.at("g").get<std::int64_t>());
    const PublicCurve::Moments moments = curve.published(g);
    CHECK(std::abs(moments.mean - row.at("mean").get<double>()) < 2e-9);
    CHECK(std::abs(moments.sd - row.at("sd").get<double>()) < 1e-8);
  }
  CHECK(rows >= 27);
}

// The reference has the trade-off bound on the keys of the tilted cost too. No release counts it:
// with Gaussian noise the tilted cost is smaller at every distance, and without a threshold, where
// Laplace noise would need it, the largest q within d moves is as good as keys. What it says of
// curves is checked.
TEST_CASE("curve release: the reference's curves over costs that are not ours (real votes)" *
          doctest::skip(!has_curve_oracle())) {
  int rows = 0;
  for (auto row : curve_cases()) {
    if (row.at("cost") != "trade-off keys") continue;
    ++rows;
    const std::string name = row.at("name");
    CAPTURE(name);
    std::vector<CostUnits> ub;
    for (const double cost : row.at("UB").get<std::vector<double>>()) {
      ub.push_back(units_of(cost, 0.0));
    }
    const PublicCurve curve({row.at("lam"), row.at("s"), row.at("beta")}, row.at("delta"),
                            ub.back());
    CHECK(std::abs(curve.rho0() - row.at("rho0").get<double>()) < 1e-9);
    CHECK(curve.t_min() == row.at("t_min").get<std::int64_t>());
    for (const auto& item : row.at("U").items()) {
      const std::string t = item.key();
      CAPTURE(t);
      const double got = std::ldexp(static_cast<double>(curve.covered(std::stoll(t))), -40);
      CHECK(std::abs(got - item.value().get<double>()) < 1e-9);
    }
    const std::int64_t g = curve.index(ub);
    CHECK(g == row.at("g").get<std::int64_t>());
    const PublicCurve::Moments moments = curve.published(g);
    CHECK(std::abs(moments.mean - row.at("mean").get<double>()) < 2e-9);
    CHECK(std::abs(moments.sd - row.at("sd").get<double>()) < 1e-8);
    row["cost"] = "tilted";
    const CostSpec question = question_of(row);
    const std::vector<CostUnits> tilted =
        CostsWithinDistance(question).upper(votes_of(row, question));
    for (std::size_t d = 0; d < ub.size(); ++d) {
      CAPTURE(d);
      CHECK(tilted[d] <= ub[d]);
    }
  }
  CHECK(rows == 2);
}
