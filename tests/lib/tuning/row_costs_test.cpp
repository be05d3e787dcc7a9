// Costs of grid points against the sums of `account` at the same order.

#include "pate/tuning/row_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/cost_sums.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using pate_test::Histogram;
using pate_test::HistogramVotes;

namespace {

HistogramVotes random_histograms(pate_test::Random& random, std::size_t queries,
                                 std::int32_t teachers, std::size_t classes) {
  std::vector<Histogram> rows;
  for (std::size_t i = 0; i < queries; ++i) {
    Histogram row(classes, 0);
    const double agree = random.uniform(0.2, 1.05);
    for (std::int32_t t = 0; t < teachers; ++t) {
      const bool with_the_rest = random.uniform(0, 1) < agree;
      const auto c = with_the_rest ? 0 : random.integer(0, static_cast<std::int64_t>(classes) - 1);
      ++row[static_cast<std::size_t>(c)];
    }
    rows.push_back(row);
  }
  return HistogramVotes(std::move(rows));
}

}  // namespace

TEST_CASE("row costs: never below the sums of account, and little above") {
  pate_test::Random random(31);
  const std::vector<double> few{1.05, 1.5, 2, 3.5, 6, 10, 17, 40, 150, 1000};
  const TuningOrders orders({{}, Conversion::improved, 1e-5, few});
  // One teacher that votes otherwise, several, and teachers that are added or removed.
  constexpr Neighbours kRelations[] = {
      {}, {Adjacency::replace, 3}, {Adjacency::add_remove, 1}, {Adjacency::add_remove, 4}};
  for (int round = 0; round < 100; ++round) {
    const Neighbours neighbours = round < 40 ? Neighbours{} : kRelations[round % 4];
    const auto teachers = static_cast<std::int32_t>(random.integer(neighbours.teachers, 60));
    const HistogramVotes votes =
        random_histograms(random, static_cast<std::size_t>(random.integer(1, 300)), teachers,
                          static_cast<std::size_t>(random.integer(1, 5)));
    const double sigma2 = random.log_uniform(1, 40);
    const double sigma1 = random.log_uniform(0.7, 60);
    std::vector<double> thresholds{
        -5, 0, 0.1, 1.1, 2.1, 0.7 * teachers, 1.0 * teachers, teachers + 0.25, 1.5 * teachers + 3};
    std::sort(thresholds.begin(), thresholds.end());
    const Aggregator any{ThresholdCheck{0, sigma1}, {GaussianNoisyMax{sigma2}}};
    const TuningVotes tuning{votes, RowSelection::all(votes.queries()), nullptr, {}};
    for (const CostKind kind : {CostKind{Bound::tradeoff, GuaranteeKind::joint},
                                CostKind{Bound::tradeoff, GuaranteeKind::expected},
                                CostKind{Bound::published, GuaranteeKind::expected}}) {
      const VoteSums sums(any.step(neighbours),
                          count_queries(run_of(tuning, any, neighbours, votes.queries()), 1), kind,
                          orders);
      RowCosts row(*any.selection, neighbours, thresholds, sums.statistics(), kind, orders, false);
      for (std::size_t t = 0; t < thresholds.size(); ++t) {
        const Aggregator aggregator{ThresholdCheck{thresholds[t], sigma1},
                                    {GaussianNoisyMax{sigma2}}};
        const CostInputs inputs(sums.query_counts(), aggregator, neighbours, 2);
        const auto costs = run_costs(inputs, kind.bound, few, 1);
        for (std::size_t j = 0; j < few.size(); ++j) {
          const double exact = costs[j].rdp(kind.reading);
          const double rdp = row.rdp(sums, t, j);
          CAPTURE(sigma1);
          CAPTURE(sigma2);
          CAPTURE(thresholds[t]);
          CAPTURE(few[j]);
          // The sums themselves are known to 1e-10.
          CHECK(rdp >= exact * (1.0 - 2e-10));
          // Best orders have an RDP of about log(1/delta)/(order - 1); far beyond them a bound is
          // all that is wanted.
          const bool joint = kind.reading == GuaranteeKind::joint;
          if (joint && !(exact * (few[j] - 1.0) < 30.0)) continue;
          CHECK(rdp <= exact * (1.0 + (joint ? 1e-2 : 1e-9)) + 1e-290);
        }
      }
    }
  }
}

// The same of statistics that lie far apart, each threshold with leads of its own.
TEST_CASE("row costs: statistics with gaps, one teacher or several") {
  const std::vector<double> few{1.5, 4, 30};
  const TuningOrders orders({{}, Conversion::improved, 1e-5, few});
  const HistogramVotes votes({{60, 0, 0}, {38, 20, 2}, {21, 20, 19}});
  const TuningVotes tuning{votes, RowSelection::all(3), nullptr, {}};
  const std::vector<double> thresholds{-5, 20, 20.5, 59, 61};
  const CostKind kind{Bound::tradeoff, GuaranteeKind::joint};
  for (const Neighbours& neighbours : {Neighbours{}, Neighbours{Adjacency::add_remove, 4}}) {
    const Aggregator any{ThresholdCheck{0, 9.0}, {GaussianNoisyMax{7.0}}};
    const VoteSums sums(any.step(neighbours), count_queries(run_of(tuning, any, neighbours, 3), 1),
                        kind, orders);
    RowCosts row(*any.selection, neighbours, thresholds, sums.statistics(), kind, orders, false);
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
      const Aggregator aggregator{ThresholdCheck{thresholds[t], 9.0}, {GaussianNoisyMax{7.0}}};
      const CostInputs inputs(sums.query_counts(), aggregator, neighbours, 1);
      const auto costs = run_costs(inputs, kind.bound, few, 1);
      for (std::size_t j = 0; j < few.size(); ++j) {
        const double exact = costs[j].rdp(kind.reading);
        CAPTURE(thresholds[t]);
        CHECK(row.rdp(sums, t, j) >= exact * (1.0 - 2e-10));
        CHECK(row.rdp(sums, t, j) <= exact * 1.01 + 1e-290);
      }
    }
  }
}

TEST_CASE("row costs: many thresholds share a few, from above") {
  pate_test::Random random(33);
  const std::vector<double> few{1.05, 2, 4, 6, 10, 25, 100};
  const TuningOrders orders({{}, Conversion::improved, 1e-5, few});
  std::size_t interpolated = 0;
  for (int round = 0; round < 12; ++round) {
    // In every other round statistics have gaps and thresholds are whole.
    const bool whole = round % 2 == 1;
    const auto teachers = static_cast<std::int32_t>(random.integer(40, whole ? 3000 : 250));
    const HistogramVotes votes =
        random_histograms(random, static_cast<std::size_t>(random.integer(20, 300)), teachers,
                          static_cast<std::size_t>(random.integer(2, 8)));
    const double sigma2 = random.log_uniform(2, 60);
    const double sigma1 = random.log_uniform(0.05, 0.6) * teachers;
    std::vector<double> thresholds;
    for (int i = 0; i < 60; ++i) {
      const double t = (0.2 + 0.015 * i) * teachers + random.uniform(0.0, 0.01 * teachers);
      thresholds.push_back(whole ? std::round(t) : t);
    }
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    const Aggregator any{ThresholdCheck{0, sigma1}, {GaussianNoisyMax{sigma2}}, false};
    const TuningVotes tuning{votes, RowSelection::all(votes.queries()), nullptr, {}};
    for (const GuaranteeKind reading : {GuaranteeKind::joint, GuaranteeKind::expected}) {
      const CostKind kind{Bound::tradeoff, reading};
      const VoteSums sums(any.step({}), count_queries(run_of(tuning, any, {}, votes.queries()), 1),
                          kind, orders);
      RowCosts row(*any.selection, {}, thresholds, sums.statistics(), kind, orders, true);
      for (std::size_t t = 0; t < thresholds.size(); t += 7) {
        const Aggregator aggregator{
            ThresholdCheck{thresholds[t], sigma1}, {GaussianNoisyMax{sigma2}}, false};
        const CostInputs inputs(sums.query_counts(), aggregator, {}, 2);
        const auto costs = run_costs(inputs, kind.bound, few, 1);
        for (std::size_t j = 0; j < few.size(); ++j) {
          const double exact = costs[j].rdp(reading);
          const double rdp = row.rdp(sums, t, j);
          CAPTURE(sigma1);
          CAPTURE(sigma2);
          CAPTURE(thresholds[t]);
          CAPTURE(few[j]);
          CHECK(rdp >= exact * (1.0 - 2e-10));
          if (row.is_interpolated(t)) ++interpolated;
          if (exact * (few[j] - 1.0) < 30.0) CHECK(rdp <= exact * (1.0 + 5e-3));
        }
      }
    }
  }
  CHECK(interpolated > 200);
}

TEST_CASE("vote sums: between orders a stride apart, from above and close") {
  pate_test::Random random(32);
  const HistogramVotes votes = random_histograms(random, 200, 50, 4);
  const Aggregator any{ThresholdCheck{0, 8}, {GaussianNoisyMax{12}}, false};
  const TuningVotes tuning{votes, RowSelection::all(votes.queries()), nullptr, {}};
  const TuningOrders orders({{}, Conversion::improved, 1e-5, {}});
  for (const GuaranteeKind reading : {GuaranteeKind::joint, GuaranteeKind::expected}) {
    const CostKind kind{Bound::tradeoff, reading};
    const VoteSums sums(any.step({}), count_queries(run_of(tuning, any, {}, votes.queries()), 1),
                        kind, orders);
    const std::vector<double> thresholds{20, 30, 45};
    RowCosts row(*any.selection, {}, thresholds, sums.statistics(), kind, orders, false);
    for (std::size_t i = orders.start() + 3; i < orders.size(); i += 531) {
      for (std::size_t t = 0; t < thresholds.size(); ++t) {
        const Aggregator aggregator{
            ThresholdCheck{thresholds[t], 8}, {GaussianNoisyMax{12}}, false};
        const CostInputs inputs(sums.query_counts(), aggregator, {}, 2);
        const double order = orders[i];
        const double exact =
            run_costs(inputs, Bound::tradeoff, std::span(&order, 1), 1).front().rdp(reading);
        CHECK(row.rdp(sums, t, i) >= exact * (1.0 - 2e-10));
        CHECK(row.rdp(sums, t, i) <= exact * 1.02);
      }
    }
  }
}
