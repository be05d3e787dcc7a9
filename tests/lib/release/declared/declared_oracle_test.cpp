#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/declared/smallest_budget.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/paths.hpp"

using namespace pate;

namespace {

const char* const kDeclaredOracle = "../shared/oracles/declared.json";

bool has_declared_oracle() {
  return std::filesystem::exists(pate::test::source_file(kDeclaredOracle)) &&
         pate::test::has_shared_votes();
}

VoteProfile votes_of(const nlohmann::json& run, const Aggregator& aggregator) {
  const io::OpenedTable opened =
      io::open_table(pate::test::shared_votes(run.at("votes").get<std::string>() + "_counts.npy"));
  const CountVotes votes(opened.table);
  Run all{votes, RowSelection::first(run.at("queries")), aggregator, {}, nullptr, {}, {}};
  return collect_votes(all);
}

}  // namespace

// The reference has tables in floating point, and the smaller top count of a neighbour where ours
// is the one it has: at ties, so that votes themselves may cost a little less here.
TEST_CASE("declared budget: the reference's costs by distance and smallest epsilons (real votes)" *
          doctest::skip(!has_declared_oracle())) {
  std::ifstream file(pate::test::source_file(kDeclaredOracle));
  const nlohmann::json oracle = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& run : oracle.at("runs")) {
    CAPTURE(run.at("votes").get<std::string>());
    CostSpec question;
    question.aggregator.selection = ThresholdCheck{run.at("threshold"), run.at("sigma1")};
    question.aggregator.noisy_max = GaussianNoisyMax{run.at("sigma2").get<double>()};
    const VoteProfile votes = votes_of(run, question.aggregator);
    question.teachers = votes.teachers;
    question.classes = votes.classes;
    const auto orders = run.at("orders").get<std::vector<double>>();
    const bool is_small = votes.teachers <= 100;  // of the others three orders
    CostsByOrder costs;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      if (!is_small && k % 7 != 1) continue;
      question.order = orders[k];
      CAPTURE(question.order);
      const std::vector<CostUnits> ub = CostsWithinDistance(question).upper(votes);
      const auto& expected = run.at("UB").at(std::to_string(static_cast<int>(orders[k])));
      for (const auto& item : expected.items()) {
        const std::string distance = item.key();
        CAPTURE(distance);
        const double want = item.value().get<double>();
        const double got = cost_of_units(ub[static_cast<std::size_t>(std::stoi(distance))]);
        CHECK(got <= want * (1.0 + 1e-6));
        CHECK(got >= want * (1.0 - (std::stoi(distance) < 5 ? 2e-4 : 1e-6)));
        ++compared;
      }
      costs.push_back(ub);
    }
    if (!is_small) continue;
    const std::vector<double> passes{.9, .99, .999};
    const auto found = smallest_declared_at({1.0, 1e-5, false}, passes, costs, orders, 1e-3);
    for (std::size_t k = 0; k < passes.size(); ++k) {
      const double want = run.at("smallest_E").at(std::vector{"0.9", "0.99", "0.999"}[k]);
      REQUIRE(found[k]);
      CHECK(*found[k] >= want - 1e-3);
      CHECK(*found[k] <= want + 1e-3);
    }
  }
  CHECK(compared > 60);
}
