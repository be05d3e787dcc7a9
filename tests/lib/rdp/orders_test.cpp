#include "pate/rdp/orders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "pate/error.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("rdp") {
  TEST_CASE("the common orders increase from 1.01 to 10000 without large gaps") {
    const auto orders = default_orders();
    REQUIRE(orders.size() > 50);
    CHECK(orders.front() == 1.01);
    CHECK(orders.back() == 10000.0);
    for (std::size_t i = 1; i < orders.size(); ++i) {
      CHECK(orders[i] > orders[i - 1]);
      CHECK_MESSAGE(orders[i] - 1.0 <= 2.0001 * (orders[i - 1] - 1.0), orders[i]);
      if (orders[i - 1] >= 2.0 && orders[i] <= 64.0) CHECK(orders[i] - orders[i - 1] <= 1.0);
    }
    for (const double order : {2.0, 20.0, 64.0}) {
      CHECK(std::find(orders.begin(), orders.end(), order) != orders.end());
    }
    CHECK(validated_orders({orders.begin(), orders.end()}) ==
          std::vector<double>(orders.begin(), orders.end()));
  }

  TEST_CASE("validated_orders sorts and removes repetitions") {
    CHECK(validated_orders({20.0, 2.0, 20.0, 1.5}) == std::vector<double>{1.5, 2.0, 20.0});
    CHECK(validated_orders({1.0000001}) == std::vector<double>{1.0000001});
  }

  TEST_CASE("orders out of range are refused with their value") {
    CHECK_THROWS_AS(static_cast<void>(validated_orders({})), parameter_error);
    for (const double bad : {1.0, 0.5, 0.0, -3.0, kNaN, kInfinity, -kInfinity}) {
      CHECK_THROWS_AS(static_cast<void>(validated_orders({2.0, bad})), parameter_error);
    }
    CHECK_THROWS_WITH(static_cast<void>(validated_orders({2.0, 0.5})),
                      "orders must be > 1 and finite, got 0.5");
    CHECK_THROWS_WITH(static_cast<void>(validated_orders({2.0, kNaN})),
                      "orders must be > 1 and finite, got nan");
  }
}
