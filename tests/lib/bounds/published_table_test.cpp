#include "pate/bounds/published_table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "pate/bounds/data_independent.hpp"
#include "pate/rdp/orders.hpp"
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

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the tabulated Theorem 6 is Theorem 6") {
    for (const double sigma : {3.0, 40.0, 1000.0, 1e6}) {
      const std::vector<double> log_q = random_log_q(291, 4000);
      const QCells cells(log_q);
      const GaussianPublishedTable table(cells, sigma);
      for (const auto& at : table.at_orders(default_orders(), 1)) {
        CHECK(at.data_independent == gaussian_noisy_max_data_independent(sigma, at.order));
        for (std::size_t i = 0; i < log_q.size(); i += 23) {
          const double got = GaussianPublishedTable::cost(at, cells.locate(log_q[i]),
                                                          GaussianPublishedBound(log_q[i], sigma));
          const double expected = gaussian_noisy_max_published(log_q[i], sigma, at.order);
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
}
