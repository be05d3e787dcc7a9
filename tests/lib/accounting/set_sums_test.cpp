#include "pate/accounting/set_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/numerics/chebyshev.hpp"
#include "support/crowded_queries.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// The first set of the queries that has so many, in cells of q.
QuerySets::Part any_part(const QuerySets& sets) {
  REQUIRE_FALSE(sets.sets().empty());
  return sets.whole(sets.sets().front());
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("nodes determine a smooth function of q, and neither a kink nor what they do not see") {
    Random random(419);
    const QueryCounts query_counts = crowded_queries(random, 4000, 1, 1.0, 1.6);
    const QCells cells = narrow_cells(query_counts);
    const QuerySets sets(query_counts, cells, false);
    const QuerySets::Part part = any_part(sets);
    const auto check = [&](auto&& function, double raise_of_end) {
      const PartEnds ends(part, 1, [&](std::size_t query, std::span<double> costs) {
        costs[0] = function(cells.place(query_counts.distinct[query].log_q).s);
        if (query == part.largest_q.query) costs[0] *= 1.0 + raise_of_end;
      });
      QCells::Nodes values{};
      for (std::size_t k = 0; k < QCells::kNodes; ++k) values[k] = function(chebyshev::points()[k]);
      return ends.determined_by(values, 0);
    };
    const auto smooth = [](double s) { return std::exp(0.3 * s); };
    CHECK(check(smooth, 0.0));
    CHECK_FALSE(check(smooth, 1e-9));
    CHECK_FALSE(check([](double s) { return 1.0 + std::abs(s - 0.1); }, 0.0));
  }

  TEST_CASE("parts are halved until nodes determine them, or queries are few") {
    Random random(420);
    const QueryCounts query_counts = crowded_queries(random, 4000, 1, 1.0, 1.2);
    const QCells cells = narrow_cells(query_counts);
    const QuerySets sets(query_counts, cells, false);
    const QuerySets::Part part = any_part(sets);
    REQUIRE(part.queries.size() > 2 * kFewQueries);
    // Sums that refuse some orders of parts wider than a quarter of the cell, and all of the
    // second.
    struct {
      std::vector<std::size_t> add_part(const QuerySets::Part& its,
                                        std::span<const std::size_t> at) {
        std::vector<std::size_t> refused;
        for (const std::size_t j : at) {
          if (j == 1 || its.half > 0.3) {
            refused.push_back(j);
          } else {
            found[j] += its.queries.size();
          }
        }
        return refused;
      }
      void add_query_of_set(std::size_t, std::span<const std::size_t> at) {
        for (const std::size_t j : at) ++found[j];
      }
      std::vector<std::size_t> found = std::vector<std::size_t>(2, 0);
    } sums;
    add_halves(sums, part, {0, 1});
    // Every query once at every order.
    CHECK(sums.found[0] == part.queries.size());
    CHECK(sums.found[1] == part.queries.size());
  }
}
