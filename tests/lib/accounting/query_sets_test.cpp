#include "pate/accounting/query_sets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/numerics/chebyshev.hpp"
#include "support/accuracy.hpp"
#include "support/crowded_queries.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("accounting") {
  TEST_CASE("every query is in one set or in none, and sets know their ends") {
    Random random(411);
    const QueryCounts query_counts = crowded_queries(random, 3000, 3, 0.5, 8.0);
    const QCells cells = narrow_cells(query_counts);
    for (const bool by_statistic : {false, true}) {
      const QuerySets sets(query_counts, cells, by_statistic);
      REQUIRE(sets.sets().size() > 20);
      std::vector<int> found(query_counts.distinct.size());
      for (const std::uint32_t i : sets.ungrouped()) ++found[i];
      for (const QuerySets::Set& set : sets.sets()) {
        CHECK(sets.queries(set).size() > QCells::kNodes);
        for (const auto& [i, s] : sets.queries(set)) {
          ++found[i];
          CHECK(cells.place(query_counts.distinct[i].log_q).s == s);
          const DistinctQuery& query = query_counts.distinct[i];
          CHECK(cells.place(query.log_q).cell == set.cell);
          CHECK(query.log_q >= query_counts.distinct[set.smallest_q.query].log_q);
          CHECK(query.log_q <= query_counts.distinct[set.largest_q.query].log_q);
          if (by_statistic) {
            CHECK(query.statistic == query_counts.distinct[set.smallest_q.query].statistic);
          }
        }
      }
      CHECK(std::ranges::all_of(found, [](int times) { return times == 1; }));
    }
  }

  TEST_CASE("costs themselves are smooth on narrow cells") {
    Random random(412);
    std::vector<double> log_q;
    for (int i = 0; i < 20000; ++i) log_q.push_back(-random.log_uniform(1e-3, 100.0));
    const QCells cells(log_q, QCells::Width::narrow);
    for (const double x : log_q) {
      const QCells::Position position = cells.locate(x);
      if (position.cell == QCells::kNoCell) continue;
      QCells::Nodes values = cells.nodes(position.cell);
      for (double& value : values) value = std::exp(2.0 * value);
      CHECK(relative_error(chebyshev::interpolate(position.weights, values), std::exp(2.0 * x)) <
            1e-11);
    }
  }
}
