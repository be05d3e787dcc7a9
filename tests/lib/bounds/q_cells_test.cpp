#include "pate/bounds/q_cells.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

std::vector<double> random_log_q(std::size_t count) {
  Random random(281);
  std::vector<double> values;
  while (values.size() < count) values.push_back(-random.log_uniform(1e-3, 4000.0));
  return values;
}

QCells::Nodes at_nodes(const QCells& cells, std::size_t cell, double (*function)(double)) {
  QCells::Nodes values = cells.nodes(cell);
  for (double& value : values) value = function(value);
  return values;
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("crowded values have a cell that spans them") {
    const std::vector<double> log_q = random_log_q(4000);
    const QCells cells(log_q);
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
    CHECK(located > 3900);
  }

  TEST_CASE("interpolation reproduces constants and smooth functions") {
    const std::vector<double> log_q = random_log_q(4000);
    const QCells cells(log_q);
    const auto smooth = [](double x) { return std::pow(-x, 1.5) / (1.0 + std::sqrt(-x)); };
    for (const double x : log_q) {
      const QCells::Position position = cells.locate(x);
      if (position.cell == QCells::kNoCell) continue;
      CHECK(relative_error(QCells::interpolate(position, at_nodes(cells, position.cell,
                                                                  [](double) { return 7.0; })),
                           7.0) < 1e-13);
      const QCells::Nodes values = at_nodes(cells, position.cell, smooth);
      CHECK(QCells::converged(values, std::abs(values[0])));
      CHECK_MESSAGE(relative_error(QCells::interpolate(position, values), smooth(x)) < 1e-11,
                    show({{"log_q", x}}));
    }
  }

  TEST_CASE("interpolation at a node is the value there") {
    const QCells cells(std::vector<double>(13, -5.0));
    REQUIRE(cells.size() == 1);
    const QCells::Nodes nodes = cells.nodes(0);
    for (std::size_t k = 0; k < QCells::kNodes; ++k) {
      QCells::Nodes values{};
      values[k] = 1.0;
      const QCells::Position position = cells.locate(nodes[k]);
      REQUIRE(position.cell == 0);
      CHECK(std::abs(QCells::interpolate(position, values) - 1.0) < 1e-11);
    }
  }

  TEST_CASE("kinks and infinities have not converged") {
    const QCells cells(std::vector<double>(13, -5.0));
    const double middle = cells.nodes(0)[5];
    QCells::Nodes values = cells.nodes(0);
    for (double& value : values) value = std::max(value, middle);
    CHECK_FALSE(QCells::converged(values, 1.0));
    values.fill(1.0);
    CHECK(QCells::converged(values, 1.0));
    values[3] = kInfinity;
    CHECK_FALSE(QCells::converged(values, 1.0));
    values[3] = kNaN;
    CHECK_FALSE(QCells::converged(values, 1.0));
    values[3] = -kInfinity;
    CHECK_FALSE(QCells::converged(values, 1.0));
  }

  TEST_CASE("cells depend on the set of values only") {
    std::vector<double> log_q = random_log_q(500);
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
}
