#include "pate/bounds/tradeoff_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pate/bounds/tradeoff.hpp"
#include "pate/math/log_space.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kSigmas[] = {3.0, 40.0, 1000.0, 1e6};

std::vector<double> random_log_q(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values;
  while (values.size() < count) values.push_back(-random.log_uniform(1e-3, 4000.0));
  return values;
}

/// The difference two excesses make for the cost log(1 + excess), relative.
double cost_difference(double log_excess, double expected) {
  if (expected < -40.0) return std::abs(log_excess - expected);
  return relative_error(log1pexp(log_excess), log1pexp(expected));
}

void compare(const GaussianTradeoffTable& table, const GaussianTradeoffTable::AtOrder& at,
             double mu, const QCells::Position& position) {
  const double log_q = position.log_q;
  const BothDirections got = table.log_excess(at, position);
  BothDirections expected = gaussian_tradeoff_log_excess(log_q, mu, at.order);
  expected.forward = std::min(expected.forward, at.log_cap);
  expected.reverse = std::min(expected.reverse, at.log_cap);
  const double rounding = 4e-16 * std::abs(log_q);
  CHECK_MESSAGE(cost_difference(got.forward, expected.forward) <= 5e-11 + rounding,
                show({{"log_q", log_q}, {"mu", mu}, {"order", at.order}}));
  CHECK_MESSAGE(cost_difference(got.reverse, expected.reverse) <= 5e-11 + rounding,
                show({{"log_q", log_q}, {"mu", mu}, {"order", at.order}}));
}

void compare_at_orders(const std::vector<double>& log_q, double sigma,
                       std::span<const double> orders, std::size_t step) {
  const double mu = std::numbers::sqrt2 / sigma;
  const QCells cells(log_q);
  const GaussianTradeoffTable table(cells, mu);
  for (const auto& at : table.at_orders(orders, 1)) {
    for (std::size_t i = 0; i < log_q.size(); i += step) {
      compare(table, at, mu, cells.locate(log_q[i]));
    }
  }
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the tabulated trade-off is the trade-off") {
    for (const double sigma : kSigmas) {
      compare_at_orders(random_log_q(261, 4000), sigma, default_orders(), 97);
    }
  }

  TEST_CASE("the tabulated trade-off is the trade-off at orders far apart") {
    const std::vector<double> orders{1.01, 1.5, 4.0, 30.0, 400.0, 9000.0};
    for (const double sigma : kSigmas) compare_at_orders(random_log_q(262, 4000), sigma, orders, 7);
  }

  TEST_CASE("the tabulated trade-off is the trade-off near q 1 at orders that double") {
    Random random(267);
    std::vector<double> log_q;
    for (int i = 0; i < 3000; ++i) log_q.push_back(-random.log_uniform(0.01, 1.0));
    std::vector<double> orders;
    for (double distance = 0.1; distance < 2e3; distance *= 2.0) orders.push_back(1.0 + distance);
    for (int i = 0; i < 12; ++i) {
      compare_at_orders(log_q, random.log_uniform(1.0, 2000.0), orders, 29);
    }
  }

  TEST_CASE("most cells converge at a usual order") {
    const QCells cells(random_log_q(263, 4000));
    const GaussianTradeoffTable table(cells, std::numbers::sqrt2 / 40.0);
    const std::vector<double> orders{20.0};
    const auto at = table.at_orders(orders, 1);
    CHECK(std::count(at[0].converged.begin(), at[0].converged.end(), char{1}) >
          static_cast<std::ptrdiff_t>(at[0].converged.size() / 2));
  }

  TEST_CASE("few values are computed directly and to the last bit") {
    const std::vector<double> log_q = random_log_q(264, 30);
    const double mu = std::numbers::sqrt2 / 40.0;
    const QCells cells(log_q);
    CHECK(cells.size() == 0);
    const GaussianTradeoffTable table(cells, mu);
    const std::vector<double> orders{2.0, 20.0};
    for (const auto& at : table.at_orders(orders, 1)) {
      for (const double x : log_q) {
        const BothDirections got = table.log_excess(at, cells.locate(x));
        const BothDirections expected = gaussian_tradeoff_log_excess(x, mu, at.order);
        CHECK(got.forward == std::min(expected.forward, at.log_cap));
        CHECK(got.reverse == std::min(expected.reverse, at.log_cap));
      }
    }
  }

  TEST_CASE("the tabulated trade-off does not depend on the number of threads") {
    const std::vector<double> log_q = random_log_q(265, 2000);
    const QCells cells(log_q);
    const GaussianTradeoffTable table(cells, std::numbers::sqrt2 / 40.0);
    const std::vector<double> orders{1.5, 8.0, 20.0, 100.0};
    const auto one = table.at_orders(orders, 1);
    for (const unsigned threads : {0U, 2U, 8U}) {
      const auto other = table.at_orders(orders, threads);
      REQUIRE(other.size() == one.size());
      for (std::size_t j = 0; j < one.size(); ++j) {
        CHECK(other[j].forward == one[j].forward);
        CHECK(other[j].reverse == one[j].reverse);
        CHECK(other[j].converged == one[j].converged);
      }
    }
  }

  TEST_CASE("no tabulated trade-off exceeds the data-independent cost") {
    for (const double sigma : kSigmas) {
      const std::vector<double> log_q = random_log_q(266, 1000);
      const QCells cells(log_q);
      const GaussianTradeoffTable table(cells, std::numbers::sqrt2 / sigma);
      const std::vector<double> orders{2.0, 300.0};
      for (const auto& at : table.at_orders(orders, 1)) {
        const double cap = log_expm1(at.order * (at.order - 1.0) / (sigma * sigma));
        CHECK(std::abs(at.log_cap - cap) <= 1e-14 * std::max(1.0, std::abs(cap)));
        CHECK(covers(at.cap, at.order / (sigma * sigma) * (1.0 - 1e-15)));
        for (const double x : log_q) {
          CHECK(table.log_excess(at, cells.locate(x)).larger() <= at.log_cap);
        }
      }
    }
  }
}
