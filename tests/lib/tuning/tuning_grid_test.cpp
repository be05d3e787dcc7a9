#include "pate/tuning/tuning_grid.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/temp_directory.hpp"

using pate::TuningGrid;

namespace {

std::string complaint(const TuningGrid& grid) {
  return pate::test::message_of<pate::parameter_error>([&] { validate(grid); });
}

}  // namespace

TEST_CASE("tuning grid: points are numbered with the threshold innermost") {
  const TuningGrid grid{{20, 40}, {100, 150, 200}, {50, 60, 70, 80}};
  CHECK(grid.size() == 24);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    CHECK(grid.index(grid.noise_of(i), grid.sigma1_of(i), grid.threshold_of(i)) == i);
  }
  const pate::Aggregator aggregator = grid.aggregator(13);
  CHECK(aggregator.noisy_max.gaussian().sigma == 40);
  CHECK(aggregator.selection->sigma1 == 100);
  CHECK(aggregator.selection->threshold == 60);
}

TEST_CASE("tuning grid: shards are whole blocks, in order, and make up the grid") {
  std::vector<double> thresholds;
  for (int k = 0; k < 75; ++k) thresholds.push_back(k);
  const TuningGrid grid{{20, 40, 60}, {100, 150}, thresholds};
  for (const std::int64_t of : {1, 2, 3, 7, 18, 19, 1000}) {
    std::size_t next = 0;
    for (std::int64_t k = 1; k <= of; ++k) {
      const auto [first, last] = points_of_shard(grid, {k, of});
      CHECK(first == next);
      CHECK(last >= first);
      CHECK((last == grid.size() || grid.threshold_of(last) % pate::kBlockThresholds == 0));
      next = last;
    }
    CHECK(next == grid.size());
  }
  CHECK_THROWS_AS((void)points_of_shard(grid, {3, 2}), pate::parameter_error);
  CHECK_THROWS_AS((void)points_of_shard(grid, {0, 2}), pate::parameter_error);
}

TEST_CASE("tuning grid: wrong axes are named") {
  CHECK(complaint({{-20}, {100}, {50}}) == "--sigma2 must be > 0 and finite, got -20");
  CHECK(complaint({{20}, {0}, {50}}) == "--sigma1 must be > 0 and finite, got 0");
  CHECK(complaint({{-1}, {}, {}, true}) == "--laplace-scale must be > 0 and finite, got -1");
  CHECK(complaint({{20}, {}, {50}}) == "--sigma1 has no values");
  CHECK(complaint({{}, {}, {}}) == "--sigma2 has no values");
  std::vector<double> many(40000, 1.0);
  CHECK(complaint({{20}, many, many}).find("at most 1000000000 points, got 1600000000") !=
        std::string::npos);
}
