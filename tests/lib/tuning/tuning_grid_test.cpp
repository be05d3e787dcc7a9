#include "pate/tuning/tuning_grid.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::parse_grid_axis;
using pate::Shares;
using pate::TuningGrid;

namespace {

std::vector<double> values(const std::string& text) {
  return parse_grid_axis(text, "--sigma1", Shares::refused).values;
}

std::string axis_complaint(const std::string& text, Shares shares = Shares::refused) {
  return pate::test::message_of<pate::parameter_error>(
      [&] { (void)parse_grid_axis(text, "--sigma1", shares); });
}

std::string complaint(const TuningGrid& grid) {
  return pate::test::message_of<pate::parameter_error>([&] { validate(grid); });
}

}  // namespace

TEST_CASE("grid axis: ranges include a stop that is hit, also after rounding") {
  CHECK(values("50:200:50") == std::vector<double>{50, 100, 150, 200});
  CHECK(values("50:190:50") == std::vector<double>{50, 100, 150});
  CHECK(values("0.1:0.7:0.1") == std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7});
  CHECK(values("-2:2:2") == std::vector<double>{-2, 0, 2});
  CHECK(values("7:7:1") == std::vector<double>{7});
}

TEST_CASE("grid axis: lists come out sorted and without repetitions") {
  CHECK(values("150,50,100,50") == std::vector<double>{50, 100, 150});
  CHECK(values("40") == std::vector<double>{40});
}

TEST_CASE("grid axis: logarithmic ranges end exactly where they should") {
  const auto axis = values("log:10:1000:25");
  REQUIRE(axis.size() == 25);
  CHECK(axis.front() == 10.0);
  CHECK(axis[12] == 100.0);
  CHECK(axis.back() == 1000.0);
  CHECK(values("log:3:3:1") == std::vector<double>{3});
}

TEST_CASE("grid axis: shares of the teachers") {
  const auto axis = parse_grid_axis("60%:90%:5%", "--threshold", Shares::allowed);
  CHECK(axis.shares);
  CHECK(axis.values == std::vector<double>{60, 65, 70, 75, 80, 85, 90});
  CHECK(parse_grid_axis("log:10%:90%:3", "--threshold", Shares::allowed).values[1] == 30.0);
  CHECK(!parse_grid_axis("60:90:5", "--threshold", Shares::allowed).shares);
}

TEST_CASE("grid axis: everything else is an error that names the axis and says what is wrong") {
  CHECK(axis_complaint("") == "--sigma1 '': must not be empty");
  CHECK(axis_complaint("200:50:10") ==
        "--sigma1 '200:50:10': the stop, 50, is below the start, 200");
  CHECK(axis_complaint("50:200:0") == "--sigma1 '50:200:0': the step must be > 0, got 0");
  CHECK(axis_complaint("50:200:-1") == "--sigma1 '50:200:-1': the step must be > 0, got -1");
  CHECK(axis_complaint("0:1:1e-9") == "--sigma1 '0:1:1e-9': may have at most 1000000 values");
  for (const char* text : {"nan", "50:nan:10", "inf", "1,,2", "1,2,", "50:200", "1:2:3:4", "x",
                           "5 ", "log:10:1000", "log:a:b:c", "0x10"}) {
    CAPTURE(text);
    CHECK(axis_complaint(text).starts_with("--sigma1 '" + std::string(text) + "': expected"));
  }
  CHECK(axis_complaint("log:0:10:3").find("the start must be > 0") != std::string::npos);
  CHECK(axis_complaint("log:10:1:3").find("below the start") != std::string::npos);
  CHECK(axis_complaint("log:1:10:0").find("whole number >= 1") != std::string::npos);
  CHECK(axis_complaint("log:1:10:2.5").find("whole number >= 1") != std::string::npos);
  CHECK(axis_complaint("log:1:10:1e10").find("at most 1000000 values") != std::string::npos);
  CHECK(axis_complaint("log:1:10:1").find("both start and stop") != std::string::npos);
  CHECK(axis_complaint("log:5:5:3").find("the same, so the count must be 1") != std::string::npos);
  CHECK(axis_complaint("60%").find("only thresholds may be shares") != std::string::npos);
  CHECK(axis_complaint("60%,70", Shares::allowed).find("or none") != std::string::npos);
  CHECK(axis_complaint("1:1.0000000001:1e-13").find("too close together") != std::string::npos);
}

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
  CHECK_THROWS_WITH_AS((void)points_of_shard(grid, {3, 2}),
                       "a shard i/n must have 1 <= i <= n, got 3/2", pate::parameter_error);
  CHECK_THROWS_WITH_AS((void)points_of_shard(grid, {0, 2}),
                       "a shard i/n must have 1 <= i <= n, got 0/2", pate::parameter_error);
}

TEST_CASE("tuning grid: wrong axes are named") {
  CHECK(complaint({{-20}, {100}, {50}}) == "sigma2 must be > 0 and finite, got -20");
  CHECK(complaint({{20}, {0}, {50}}) == "sigma1 must be > 0 and finite, got 0");
  CHECK(complaint({{-1}, {}, {}, true}) == "laplace-scale must be > 0 and finite, got -1");
  CHECK(complaint({{20}, {}, {50}}) == "sigma1 has no values");
  CHECK(complaint({{}, {}, {}}) == "sigma2 has no values");
  for (const double threshold : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CHECK(complaint({{20}, {100}, {50, threshold}}) ==
          fmt::format("threshold must be finite, got {}", threshold));
  }
  CHECK(complaint({{20}, {}, {}, true, true, false, {}, {pate::Adjacency::add_remove, 1}})
            .starts_with("one noise is compared with half of the teachers"));
  std::vector<double> many(40000, 1.0);
  CHECK(complaint({{20}, many, many}).find("at most 1000000000 points, got 1600000000") !=
        std::string::npos);
}

TEST_CASE("tuning grid: points of one noise, and of PTR, which is no aggregator") {
  TuningGrid grid{{20, 40}, {}, {}, true, true};
  CHECK(grid.aggregator(1).noisy_max == pate::NoisyMax{pate::OneLaplaceNoise{40}});
  grid.one_noise = false;
  CHECK(grid.aggregator(1).noisy_max == pate::NoisyMax{pate::LaplaceNoisyMax{40}});
  for (const pate::TestNoise noise : {pate::TestNoise::laplace, pate::TestNoise::gaussian}) {
    const bool is_laplace = noise == pate::TestNoise::laplace;
    const TuningGrid tested{{1e-8, 1e-6}, {0.3, 3.0, 1.0 / 3.0}, {}, false, false, false, noise};
    for (std::size_t i = 0; i < tested.size(); ++i) {
      const pate::Mechanism mechanism = tested.mechanism(i);
      const pate::StabilityTest& test = *mechanism.ptr();
      CHECK(test.delta() == tested.noise[tested.noise_of(i)]);
      // What people wrote comes back, whatever the scale was rounded to.
      CHECK(test_parameter(test) == tested.sigma1[tested.sigma1_of(i)]);
    }
    CHECK_THROWS_AS((void)tested.aggregator(0), pate::parameter_error);
    TuningGrid none = tested;
    none.sigma1.clear();
    CHECK(complaint(none) ==
          (is_laplace ? "ptr-laplace has no values" : "ptr-sigma has no values"));
  }
}
