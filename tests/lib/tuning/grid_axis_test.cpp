#include "pate/tuning/grid_axis.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/temp_directory.hpp"

using pate::parse_grid_axis;
using pate::Shares;

namespace {

std::vector<double> values(const std::string& text) {
  return parse_grid_axis(text, "--sigma1", Shares::refused).values;
}

std::string complaint(const std::string& text, Shares shares = Shares::refused) {
  return pate::test::message_of<pate::parameter_error>(
      [&] { (void)parse_grid_axis(text, "--sigma1", shares); });
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
  CHECK(complaint("") == "--sigma1 '': must not be empty");
  CHECK(complaint("200:50:10") == "--sigma1 '200:50:10': the stop, 50, is below the start, 200");
  CHECK(complaint("50:200:0") == "--sigma1 '50:200:0': the step must be > 0, got 0");
  CHECK(complaint("50:200:-1") == "--sigma1 '50:200:-1': the step must be > 0, got -1");
  CHECK(complaint("0:1:1e-9") == "--sigma1 '0:1:1e-9': a grid may have at most 1000000000 points");
  for (const char* text : {"nan", "50:nan:10", "inf", "1,,2", "1,2,", "50:200", "1:2:3:4", "x",
                           "5 ", "log:10:1000", "log:a:b:c", "0x10"}) {
    CAPTURE(text);
    CHECK(complaint(text).starts_with("--sigma1 '" + std::string(text) + "': expected"));
  }
  CHECK(complaint("log:0:10:3").find("the start must be > 0") != std::string::npos);
  CHECK(complaint("log:10:1:3").find("below the start") != std::string::npos);
  CHECK(complaint("log:1:10:0").find("whole number >= 1") != std::string::npos);
  CHECK(complaint("log:1:10:2.5").find("whole number >= 1") != std::string::npos);
  CHECK(complaint("log:1:10:1e10").find("at most 1000000000") != std::string::npos);
  CHECK(complaint("log:1:10:1").find("both start and stop") != std::string::npos);
  CHECK(complaint("60%").find("only thresholds may be shares") != std::string::npos);
  CHECK(complaint("60%,70", Shares::allowed).find("or none") != std::string::npos);
  CHECK(complaint("1:1.0000000001:1e-13").find("too close together") != std::string::npos);
}
