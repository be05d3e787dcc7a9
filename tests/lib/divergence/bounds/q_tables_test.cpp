#include "pate/divergence/bounds/q_tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/chebyshev.hpp"
#include "pate/numerics/log_space.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

std::vector<double> random_log_q(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values;
  while (values.size() < count) values.push_back(-random.log_uniform(1e-3, 4000.0));
  return values;
}

QCells::Nodes at_nodes(const QCells& cells, std::size_t cell, double (*function)(double)) {
  QCells::Nodes values = cells.nodes(cell);
  for (double& value : values) value = function(value);
  return values;
}

constexpr double kSigmas[] = {3.0, 40.0, 1000.0, 1e6};

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
    // Those that have no cell are in the table too.
    CHECK(at.isolated.size() == cells.isolated().size());
    for (const double isolated : cells.isolated()) {
      const QCells::Position position = cells.locate(isolated);
      REQUIRE(position.cell == QCells::kNoCell);
      REQUIRE(position.isolated < at.isolated.size());
      compare(table, at, mu, position);
    }
  }
  for (const auto& at : table.cells_at_orders(orders.first(1), 1)) {
    for (const double isolated : cells.isolated()) compare(table, at, mu, cells.locate(isolated));
  }
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("crowded values have a cell that spans them") {
    for (const QCells::Width width : {QCells::Width::wide, QCells::Width::narrow}) {
      CAPTURE(static_cast<int>(width));
      const std::vector<double> log_q = random_log_q(281, 4000);
      const QCells cells(log_q, width);
      REQUIRE(cells.size() > 10);
      std::size_t located = 0;
      for (const double x : log_q) {
        const QCells::Position position = cells.locate(x);
        CHECK(position.log_q == x);
        if (position.cell == QCells::kNoCell) continue;
        ++located;
        REQUIRE(position.cell < cells.size());
        const QCells::Nodes nodes = cells.nodes(position.cell);
        const auto [low, high] = std::minmax_element(nodes.begin(), nodes.end());
        const double room = 0.02 * (*high - *low);  // the outermost nodes are not the ends
        CHECK(x >= *low - room);
        CHECK(x <= *high + room);
      }
      CHECK(located > (width == QCells::Width::wide ? 3900 : 1000));
    }
  }

  TEST_CASE("interpolation reproduces constants and smooth functions") {
    const std::vector<double> log_q = random_log_q(281, 4000);
    const QCells cells(log_q);
    const auto smooth = [](double x) { return std::pow(-x, 1.5) / (1.0 + std::sqrt(-x)); };
    for (const double x : log_q) {
      const QCells::Position position = cells.locate(x);
      if (position.cell == QCells::kNoCell) continue;
      CHECK(relative_error(
                chebyshev::interpolate(position.weights,
                                       at_nodes(cells, position.cell, [](double) { return 7.0; })),
                7.0) < 1e-13);
      const QCells::Nodes values = at_nodes(cells, position.cell, smooth);
      CHECK(chebyshev::converged(values, std::abs(values[0])));
      CHECK_MESSAGE(
          relative_error(chebyshev::interpolate(position.weights, values), smooth(x)) < 1e-11,
          show({{"log_q", x}}));
    }
  }

  TEST_CASE("interpolation at a node is the value there") {
    int exactly = 0;
    for (const QCells::Width width : {QCells::Width::wide, QCells::Width::narrow}) {
      const QCells cells(random_log_q(281, 4000), width);
      for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const QCells::Nodes nodes = cells.nodes(cell);
        for (std::size_t k = 0; k < QCells::kNodes; ++k) {
          QCells::Nodes values{};
          values[k] = 1.0;
          const QCells::Position position = cells.locate(nodes[k]);
          REQUIRE(position.cell == cell);
          CHECK(std::abs(chebyshev::interpolate(position.weights, values) - 1.0) < 1e-9);
          exactly += position.weights == values ? 1 : 0;
        }
      }
    }
    CHECK(exactly > 0);
  }

  TEST_CASE("what has not converged are the last two Chebyshev coefficients") {
    for (std::size_t degree = 0; degree < QCells::kNodes; ++degree) {
      QCells::Nodes values{};
      for (std::size_t k = 0; k < QCells::kNodes; ++k) {
        values[k] = std::cos(static_cast<double>(degree) * std::numbers::pi *
                             (static_cast<double>(k) + 0.5) / QCells::kNodes);
      }
      const double expected = degree + 2 < QCells::kNodes ? 0.0 : 1.0;
      CHECK(std::abs(chebyshev::tail(values) - expected) < 1e-14);
    }
  }

  TEST_CASE("there are tables for Gaussian noise alone") {
    const QCells cells(random_log_q(281, 100));
    CHECK(published_table(cells, GaussianNoisyMax{40.0}));
    CHECK(tradeoff_table(cells, GaussianNoisyMax{40.0}));
    CHECK_FALSE(published_table(cells, LaplaceNoisyMax{40.0}));
    CHECK_FALSE(tradeoff_table(cells, LaplaceNoisyMax{40.0}));
  }

  TEST_CASE("kinks and infinities have not converged") {
    const QCells cells(std::vector<double>(13, -5.0));
    const double middle = cells.nodes(0)[5];
    QCells::Nodes values = cells.nodes(0);
    for (double& value : values) value = std::max(value, middle);
    CHECK_FALSE(chebyshev::converged(values, 1.0));
    values.fill(1.0);
    CHECK(chebyshev::converged(values, 1.0));
    values[3] = kInfinity;
    CHECK_FALSE(chebyshev::converged(values, 1.0));
    values[3] = kNaN;
    CHECK_FALSE(chebyshev::converged(values, 1.0));
    values[3] = -kInfinity;
    CHECK_FALSE(chebyshev::converged(values, 1.0));
  }

  TEST_CASE("cells depend on the set of values only") {
    std::vector<double> log_q = random_log_q(281, 500);
    const QCells cells(log_q);
    std::reverse(log_q.begin(), log_q.end());
    const QCells reversed(log_q);
    REQUIRE(cells.size() == reversed.size());
    for (std::size_t i = 0; i < cells.size(); ++i) CHECK(cells.nodes(i) == reversed.nodes(i));
    CHECK(QCells(std::vector<double>(12, -5.0)).size() == 0);  // as many as nodes: no gain
    CHECK(QCells(std::vector<double>{}).size() == 0);
    CHECK(QCells(std::vector<double>{}).locate(-5.0).cell == QCells::kNoCell);
    CHECK(QCells(std::vector<double>(13, -5.0)).locate(-50.0).cell == QCells::kNoCell);
  }

  TEST_CASE("the tabulated Theorem 6 is Theorem 6") {
    for (const double sigma : {3.0, 40.0, 1000.0, 1e6}) {
      const std::vector<double> log_q = random_log_q(291, 4000);
      const QCells cells(log_q);
      const GaussianPublishedTable table(cells, sigma);
      for (const auto& at : table.at_orders(default_orders(), 1)) {
        CHECK(at.data_independent == data_independent_cost(GaussianNoisyMax{sigma}, at.order));
        for (std::size_t i = 0; i < log_q.size(); i += 23) {
          const double got = GaussianPublishedTable::cost(at, cells.locate(log_q[i]),
                                                          GaussianPublishedBound(log_q[i], sigma));
          const double expected = published_cost(GaussianNoisyMax{sigma}, log_q[i], at.order);
          CHECK_MESSAGE(relative_error(got, expected) <= 5e-11 + 4e-16 * std::abs(log_q[i]),
                        show({{"log_q", log_q[i]}, {"sigma", sigma}, {"order", at.order}}));
          CHECK(got <= at.data_independent);
        }
      }
    }
  }

  TEST_CASE("the tabulated Theorem 6 interpolates at a usual order") {
    const QCells cells(random_log_q(292, 4000));
    const std::vector<double> orders{20.0};
    const auto at = GaussianPublishedTable(cells, 40.0).at_orders(orders, 1);
    std::size_t usable = 0;
    for (const char flag : at[0].usable) usable += flag != 0 ? 1U : 0U;
    CHECK(usable > cells.size() / 4);
    CHECK(usable < cells.size());  // where the conditions fail there is nothing to interpolate
  }

  TEST_CASE("the tabulated Theorem 6 does not depend on the number of threads") {
    const QCells cells(random_log_q(293, 2000));
    const GaussianPublishedTable table(cells, 40.0);
    const std::vector<double> orders{1.5, 8.0, 20.0, 100.0};
    const auto one = table.at_orders(orders, 1);
    for (const unsigned threads : {0U, 2U, 8U}) {
      const auto other = table.at_orders(orders, threads);
      REQUIRE(other.size() == one.size());
      for (std::size_t j = 0; j < one.size(); ++j) {
        CHECK(other[j].usable == one[j].usable);
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (one[j].usable[i] != 0) CHECK(other[j].log_cost[i] == one[j].log_cost[i]);
        }
      }
    }
  }

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
    const std::vector<double> orders{2.0, 2.5, 3.0, 3.75, 20.0, 21.0, 22.0};
    CHECK(cells.isolated().size() == log_q.size());
    for (const auto& at : table.at_orders(orders, 1)) {
      for (const double x : log_q) {
        const QCells::Position position = cells.locate(x);
        const BothDirections got = table.log_excess(at, position);
        const BothDirections expected = gaussian_tradeoff_log_excess(x, mu, at.order);
        CHECK(got.forward == std::min(expected.forward, at.log_cap));
        CHECK(got.reverse == std::min(expected.reverse, at.log_cap));
      }
    }
    // Another value is none of them.
    const QCells::Position other = cells.locate(log_q.front() * (1.0 + 1e-12));
    CHECK(other.isolated == QCells::kNoCell);
    compare(table, table.at_orders(orders, 1).back(), mu, other);
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
