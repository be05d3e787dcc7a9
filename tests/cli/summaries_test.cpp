#include "cli/commands/summaries.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

namespace pate::cli {

TEST_SUITE("summaries") {
  TEST_CASE("epsilon is rounded up, decimals of few digits stay") {
    CHECK(epsilon_text(0.0) == "0.0000");
    CHECK(epsilon_text(4.126996) == "4.1270");
    CHECK(epsilon_text(0.57691) == "0.5770");
    CHECK(epsilon_text(10.0) == "10.0000");
    CHECK(epsilon_text(10.0 * (1.0 + 4e-16)) == "10.0001");
    CHECK(epsilon_text(0.00302011) == "0.00303");
    CHECK(epsilon_text(0.009999) == "0.01");
    CHECK(epsilon_text(9999.99999) == "10000.0000");
    CHECK(epsilon_text(12345.6) == "1.24e+04");
    CHECK(epsilon_text(3e-300) == "3e-300");
  }

  TEST_CASE("what is shown is never below epsilon, and close to it") {
    std::mt19937_64 generator(11);
    std::uniform_real_distribution<double> exponent(-40.0, 12.0);
    for (int i = 0; i < 20000; ++i) {
      const double epsilon = std::exp(exponent(generator));
      const double shown = std::stod(epsilon_text(epsilon));
      CHECK(shown >= epsilon);
      CHECK(shown <= epsilon * 1.0101);
    }
  }
}

}  // namespace pate::cli
