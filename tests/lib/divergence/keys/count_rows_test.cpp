#include "pate/divergence/keys/count_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/random.hpp"

// Of two classes the probability that one wins is Phi of their distance, which a sum over rows of
// both must give: so every row is that of its count, however far apart nodes are.

using namespace pate;
using pate_test::Random;

namespace {

long double wins_by(long double lead, long double sigma) {
  return 0.5L * std::erfc(-lead / (2.0L * sigma));
}

double sum(const CountRow& winner, const CountRow& other, std::size_t size) {
  double result = 0.0;
  for (std::size_t i = 0; i < size; ++i) result += winner.density[i] * other.below[i];
  return result;
}

}  // namespace

TEST_SUITE("keys") {
  TEST_CASE("rows are those of their counts, of nodes that are near or far apart") {
    Random random(43);
    for (int trial = 0; trial < 60; ++trial) {
      const std::int64_t teachers = random.integer(2, 60);
      const std::int64_t moved = random.integer(1, 3);
      // Of the larger half fewer rows are kept than there are votes between two nodes.
      const double sigma =
          trial % 2 == 0 ? random.log_uniform(0.3, 1e3) : random.log_uniform(1e3, 1e12);
      const std::vector<double> orders{1.5, random.log_uniform(1.1, 20.0)};
      CAPTURE(teachers);
      CAPTURE(moved);
      CAPTURE(sigma);
      CAPTURE(orders[1]);
      const CountRows rows(GaussianNoisyMax{sigma}, teachers, 2, orders, moved);
      for (int pair = 0; pair < 20; ++pair) {
        const std::int64_t one = random.integer(-moved, teachers + moved);
        const std::int64_t two = random.integer(-moved, teachers + moved);
        const std::int64_t top = std::clamp<std::int64_t>(std::max(one, two), 0, teachers);
        CAPTURE(one);
        CAPTURE(two);
        const CountRows::Nodes nodes = rows.all_nodes(top, top);
        const double whole =
            sum(rows.row(one, nodes.first), rows.row(two, nodes.first), nodes.size);
        CHECK(whole == doctest::Approx(
                           static_cast<double>(wins_by(static_cast<long double>(one - two), sigma)))
                           .epsilon(1e-12));
        for (std::size_t order = 0; order < orders.size(); ++order) {
          const auto change = static_cast<int>(random.integer(-1, 1));
          const double tilted = sum(rows.tilted(order, one, change, nodes.first),
                                    rows.tilted(order, two, -change, nodes.first), nodes.size);
          const long double lead = static_cast<long double>(one - two) -
                                   2.0L * static_cast<long double>(change) * rows.tilt(order);
          CHECK(tilted ==
                doctest::Approx(static_cast<double>(wins_by(lead, sigma))).epsilon(1e-12));
        }
        // The logarithm and the hazard of a whole count are those of its row.
        const std::int64_t count = std::clamp<std::int64_t>(one, 0, teachers);
        const CountRow row = rows.row(count, nodes.first);
        for (std::size_t i = 0; i < nodes.size; ++i) {
          if (row.below[i] < 1e-280) continue;
          CHECK(std::exp(rows.log_below(count, nodes.first)[i]) ==
                doctest::Approx(row.below[i]).epsilon(1e-12));
          CHECK(rows.hazard(count, nodes.first)[i] * row.below[i] ==
                doctest::Approx(row.density[i]).epsilon(1e-12));
        }
      }
    }
  }

  // The distance of nodes goes by how many classes may be level.
  TEST_CASE("rows of many classes are those of their counts, with orders or without") {
    for (const std::int64_t classes : {2, 8, 15, 100, 500, 50'000, 200'000}) {
      for (const std::vector<double>& orders : {std::vector<double>{}, std::vector<double>{4.0}}) {
        const CountRows rows(GaussianNoisyMax{6.0}, 30, classes, orders);
        CAPTURE(classes);
        for (const auto& [one, two] : {std::pair(30, 0), std::pair(12, 9), std::pair(7, 7)}) {
          const CountRows::Nodes nodes = rows.all_nodes(one, one);
          CHECK(sum(rows.row(one, nodes.first), rows.row(two, nodes.first), nodes.size) ==
                doctest::Approx(static_cast<double>(wins_by(one - two, 6.0L))).epsilon(1e-12));
        }
      }
    }
  }
}
