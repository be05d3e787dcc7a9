#include "pate/studies/immutable_argmax/nzc_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "support/accuracy.hpp"
#include "support/votes.hpp"

namespace {

using pate_test::relative_error;

pate::NzcSettings with_scale(double scale, double constant) {
  pate::NzcSettings settings;
  settings.noise = pate::LaplaceNoisyMax{scale};
  settings.constant = constant;
  settings.delta = 1e-5;
  return settings;
}

const pate::CostEntry& entry(const pate::NzcAnalysis& analysis, pate::EpsilonMethod by) {
  return *std::ranges::find(analysis.global, by, &pate::CostEntry::conversion);
}

}  // namespace

TEST_SUITE("nzc") {
  TEST_CASE("a dump: distances, labels, failures") {
    const auto votes = std::make_unique<pate_test::HistogramVotes>(
        std::vector<pate_test::Histogram>{{8, 2, 0}, {2, 6, 2}, {3, 3, 4}, {5, 5, 0}});
    const std::vector<std::int32_t> labels{0, 1, 0, 0};
    const auto analysis =
        pate::analyze_nzc(*votes, pate::RowSelection::all(4), labels, with_scale(2.0, 3.0));
    CHECK(analysis.queries_by_gap[0] == 1);
    CHECK(analysis.queries_by_gap[1] == 1);
    CHECK(analysis.queries_by_gap[4] == 1);
    CHECK(analysis.queries_by_gap[6] == 1);
    CHECK(analysis.labels == std::vector<std::int64_t>{2, 1, 1});
    REQUIRE(analysis.distances.size() == 3);  // 4; 2; 1 twice
    CHECK(analysis.distances[0].queries == 2);
    CHECK(analysis.distances[2].votes_to_flip == 4);
    REQUIRE(analysis.utility);
    CHECK(analysis.utility->plurality_accuracy == 0.75);
    // Counts with the constant, by the integral over the noise: no more failures than reported.
    const pate::NoisyMax noise = analysis.mechanism.noise;
    double failure = 0.0;
    for (const std::vector<std::int32_t>& counts : {std::vector{11, 2, 0}, std::vector{2, 9, 2},
                                                    std::vector{3, 3, 7}, std::vector{8, 5, 0}}) {
      const auto top = std::max_element(counts.begin(), counts.end()) - counts.begin();
      failure += 1.0 - pate::outcome_probability(noise, counts, static_cast<std::size_t>(top));
    }
    CHECK(analysis.expected_failure >= failure / 4.0);
    CHECK(analysis.expected_failure <= failure / 4.0 * 1.3);
  }

  TEST_CASE("sound costs are those of the noise by 1 + c") {
    const auto votes = std::make_unique<pate_test::HistogramVotes>(
        std::vector<pate_test::Histogram>{{8, 2}, {2, 8}, {9, 1}});
    const auto rows = pate::RowSelection::all(3);
    const auto plain = pate::analyze_nzc(*votes, rows, {}, with_scale(2.0, 0.0));
    const auto added = pate::analyze_nzc(*votes, rows, {}, with_scale(8.0, 3.0));
    CHECK(plain.holds);
    CHECK_FALSE(added.holds);
    for (const auto by :
         {pate::EpsilonMethod::improved, pate::EpsilonMethod::pure, pate::EpsilonMethod::kov}) {
      CHECK(entry(added, by).epsilon >= entry(plain, by).epsilon);
      CHECK(relative_error(entry(added, by).epsilon, entry(plain, by).epsilon) < 1e-9);
    }
    CHECK(pate_test::covers(entry(plain, pate::EpsilonMethod::pure).epsilon, 3.0));
    CHECK(pate_test::covers(added.global_query, 1.0));
    // What is claimed of the second is far below.
    CHECK(*added.claimed_epsilon < entry(added, pate::EpsilonMethod::kov).epsilon);
    REQUIRE(added.smooth);
    CHECK(pate_test::covers(added.smooth->epsilon, 0.5));
    CHECK(added.smooth->query_delta * 3 <= 0.5e-5);
    CHECK(pate_test::covers(added.smooth->simple, 1.5));
    CHECK(added.smooth->kov <= added.smooth->simple * (1 + 1e-9));
  }

  TEST_CASE("one answer costs at least what it loses at the boundary") {
    const auto votes =
        std::make_unique<pate_test::HistogramVotes>(std::vector<pate_test::Histogram>{{126, 125}});
    const auto rows = pate::RowSelection::all(1);
    for (const double c : {0.0, 1.0, 290.0, 1e50}) {
      const auto analysis = pate::analyze_nzc(*votes, rows, {}, with_scale(20.0, c));
      CHECK(analysis.boundary.loss <= analysis.global_query);
      CHECK(analysis.boundary.loss <= entry(analysis, pate::EpsilonMethod::pure).epsilon);
    }
    pate::NzcSettings normal = with_scale(1.0, 2.0);
    normal.noise = pate::GaussianNoisyMax{6.0};
    const auto analysis = pate::analyze_nzc(*votes, rows, {}, normal);
    CHECK_FALSE(analysis.claimed_epsilon);
    CHECK_FALSE(analysis.smooth);
    CHECK_FALSE(analysis.holds);
    CHECK(pate_test::covers(analysis.global_query, 9.0 / 36.0));
  }

  TEST_CASE("no useful smooth sensitivity: 171 votes to flip are too many for 250 teachers") {
    const auto votes =
        std::make_unique<pate_test::HistogramVotes>(std::vector<pate_test::Histogram>{{250, 0}});
    pate::NzcSettings settings = with_scale(4.0, 290.17315477);
    settings.delta = 2e-6;
    const auto analysis = pate::analyze_nzc(*votes, pate::RowSelection::all(1), {}, settings);
    REQUIRE(analysis.smooth);
    CHECK(relative_error(analysis.smooth->beta, 0.03339959179934256) < 1e-9);
    CHECK(analysis.smooth->least_distance == 171);
    CHECK(analysis.smooth->queries == 0);
    REQUIRE(analysis.distances.size() == 1);
    CHECK(*analysis.distances[0].smooth_sensitivity > 1.0);
  }

  TEST_CASE("settings that are wrong") {
    const auto votes =
        std::make_unique<pate_test::HistogramVotes>(std::vector<pate_test::Histogram>{{8, 2}});
    const auto rows = pate::RowSelection::all(1);
    pate::NzcSettings settings = with_scale(2.0, 3.0);
    settings.tau = 0.1;
    CHECK_THROWS_AS((void)pate::analyze_nzc(*votes, rows, {}, settings), pate::parameter_error);
    settings.constant.reset();
    settings.tau = 1.0;
    CHECK_THROWS_AS((void)pate::analyze_nzc(*votes, rows, {}, settings), pate::parameter_error);
    const auto one =
        std::make_unique<pate_test::HistogramVotes>(std::vector<pate_test::Histogram>{{8}});
    CHECK_THROWS_AS((void)pate::analyze_nzc(*one, rows, {}, with_scale(2.0, 3.0)),
                    pate::parameter_error);
  }
}
