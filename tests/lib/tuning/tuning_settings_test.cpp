#include "pate/tuning/tuning_settings.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/labeling.hpp"
#include "support/random.hpp"
#include "support/tuning.hpp"

TEST_CASE("downhill: finds the valley from anywhere, with few evaluations") {
  for (std::size_t valley = 0; valley < 300; valley += 7) {
    for (std::size_t start = 0; start < 300; start += 13) {
      int evaluations = 0;
      const auto value_at = [&](std::size_t i) {
        ++evaluations;
        return std::abs(static_cast<double>(i) - static_cast<double>(valley));
      };
      CHECK(pate::descend_to_minimum(300, start, 16, 1, value_at) == valley);
      CHECK(evaluations < 50);
    }
  }
}

TEST_CASE("downhill: of a single number there is one smallest") {
  CHECK(pate::descend_to_minimum(1, 0, 16, 1, [](std::size_t) { return 3.0; }) == 0);
}

TEST_CASE("tuning orders: the lowest and the highest are among those that are looked at first") {
  const pate::EpsilonKind kind{{}, pate::Conversion::improved, 1e-5, {}};
  const pate::TuningOrders orders(kind);
  CHECK(orders[0] == 1.01);
  CHECK(orders[orders.size() - 1] == 10000.0);
  CHECK((orders.size() - 1) % orders.scan() == 0);
  CHECK(orders.scan() % orders.stride() == 0);
}

TEST_CASE("the first queries of a selection are its first rows, however it names them") {
  pate_test::Random random(1);
  const auto votes = pate::test::some_votes(random, 9);
  for (const auto& rows :
       {pate::RowSelection::range(2, 8), pate::RowSelection::list({7, 1, 1, 4, 0, 3})}) {
    const pate::TuningVotes tuned{votes, rows, nullptr, {}};
    for (std::int64_t queries = 0; queries <= 6; ++queries) {
      const pate::Run run = pate::run_of(tuned, pate::test::gnmax(2.0), {}, queries);
      REQUIRE(run.rows.size() == queries);
      for (std::int64_t i = 0; i < queries; ++i) CHECK(run.rows[i] == rows[i]);
      CHECK(!run.labels);
    }
  }
}
