#include "pate/votes/weighted_votes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;

namespace {

TeacherWeights parsed(std::vector<std::string> texts) {
  return parse_weights(texts, "w.txt");
}

}  // namespace

TEST_SUITE("weighted_votes") {
  TEST_CASE("weights are multiples of their greatest common divisor") {
    const TeacherWeights weights = parsed({"1", "0.5", "2.25", "1.000000"});
    CHECK(weights.units == std::vector<std::int64_t>{4, 2, 9, 4});
    CHECK(weights.unit == 0.25);
    CHECK(weights.heaviest() == 9);
    CHECK(weights.total() == 19);
    CHECK(parsed({"3", "3"}).units == std::vector<std::int64_t>{1, 1});
    CHECK(parsed({"3", "3"}).unit == 3.0);
    CHECK(parsed({"0.000001", "1"}).units[1] == 1'000'000);
  }

  TEST_CASE("weights may be written with an exponent, and with zeros that say nothing") {
    const TeacherWeights weights = parsed({"1.000000000000000000e+00", "5.000000000000000000E-01",
                                           "2.25e0", "0001", "1.0000000000", "1e-6"});
    CHECK(weights.units ==
          std::vector<std::int64_t>{1'000'000, 500'000, 2'250'000, 1'000'000, 1'000'000, 1});
    CHECK(parsed({"1e3", "2.5e2"}).units == std::vector<std::int64_t>{4, 1});
    CHECK(parsed({"9.99999999e8"}).unit == 999'999'999.0);
    CHECK_THROWS_WITH_AS((void)parsed({"3.333333333333333148e-01"}),
                         "w.txt: line 1: expected a weight > 0 below 1e9 with at most 6 digits "
                         "after the point, found '3.333333333333333148e-01'; numpy.savetxt rounds "
                         "to these with fmt=\"%.6f\"",
                         input_error);
  }

  TEST_CASE("a double that is written with all its digits is the decimal that it is nearest to") {
    CHECK(parsed({"1.00000000000000005551e-01", "0.2"}).units == std::vector<std::int64_t>{1, 2});
    pate_test::Random random(51);
    for (int trial = 0; trial < 300; ++trial) {
      // Decimals of 1 to 15 digits.
      const auto most = static_cast<std::int64_t>(std::pow(10.0, random.integer(1, 15))) - 1;
      const std::int64_t units = random.integer(1, most);
      const double weight = std::strtod(fmt::format("{}e-6", units).c_str(), nullptr);
      const double other = std::nextafter(weight, random.integer(0, 1) == 0 ? 0.0 : 1e10);
      const auto same = parsed({fmt::format("{}.{:06}", units / 1'000'000, units % 1'000'000)});
      for (const char* format : {"{:.16e}", "{:.18e}", "{:.20e}", "{:.25f}", "{:.17g}", "{}"}) {
        const std::string text = fmt::format(fmt::runtime(format), weight);
        CAPTURE(text);
        CHECK(parsed({text}).unit == same.unit);
        // Any other double is another weight.
        const std::string not_it = fmt::format(fmt::runtime(format), other);
        CAPTURE(not_it);
        CHECK_THROWS_AS((void)parsed({not_it}), input_error);
      }
    }
  }

  TEST_CASE("what is no weight is refused") {
    for (const char* bad : {"",
                            "0",
                            "0.0",
                            "-1",
                            "+1",
                            "1e9",
                            "1e",
                            "e1",
                            "1e1e1",
                            "1e-7",
                            "3.333333333333333148e-01",
                            "0.30000000000000004",
                            "0.1000001",
                            "9.9999999999999999e-400",
                            "nan",
                            "inf",
                            "1.",
                            ".5",
                            "1,5",
                            "0.0000001",
                            "1234567890",
                            "1/3",
                            " 1"}) {
      CHECK_THROWS_AS((void)parsed({"1", bad}), input_error);
    }
    CHECK_THROWS_AS((void)parsed({}), input_error);
    CHECK_THROWS_AS((void)parsed({"999999999", "999999998.000001"}), input_error);
    CHECK_THROWS_WITH_AS((void)parsed({"1", "x"}),
                         "w.txt: line 2: expected a weight > 0 below 1e9 with at most 6 digits "
                         "after the point, found 'x'",
                         input_error);
  }

  TEST_CASE("histograms in units") {
    const auto table = pate::test::integer_table({2, 3}, {0, 1, 1, 2, 2, 0});
    const PredictionVotes votes(table, PredictionLayout::queries_by_teachers, 3);
    const WeightedVotes weighted(votes, {{1, 2, 5}, 1.0});
    CHECK(weighted.teachers() == 8);
    std::vector<std::int32_t> counts(6);
    weighted.read(0, 2, counts);
    CHECK(counts == std::vector<std::int32_t>{1, 7, 0, 5, 0, 3});
    std::vector<std::int32_t> last(3, 9);
    weighted.read(1, 1, last);
    CHECK(last == std::vector<std::int32_t>{5, 0, 3});
    CHECK_THROWS_AS((void)WeightedVotes(votes, {{1, 2}, 1.0}), parameter_error);
  }
}
