#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/mechanism.hpp"
#include "pate/mechanisms/stability_test.hpp"

using pate::StabilityTest;

namespace {

// Of any form, with a threshold of up to some hundred votes.
StabilityTest any_test(std::mt19937_64& generator) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(generator);
  };
  const double delta = std::pow(10.0, uniform(-12.0, -1.5));
  switch (std::uniform_int_distribution<>(0, 2)(generator)) {
    case 0:
      return StabilityTest::with_laplace(std::pow(10.0, uniform(-1.0, 1.0)), delta);
    case 1:
      return StabilityTest::with_gaussian(std::pow(10.0, uniform(-1.0, 1.5)), delta);
    default:
      return StabilityTest::sparse(std::pow(10.0, uniform(-1.0, 1.0)), delta, 3);
  }
}

// How stable the answer of so many teachers is at most, by looking at histograms.
std::int64_t most_stable(int teachers) {
  std::int64_t most = 0;
  for (int first = 0; first <= teachers; ++first) {
    const std::vector<std::int32_t> counts = {first, teachers - first, 0};
    most = std::max(most, pate::stability(counts));
  }
  return most;
}

}  // namespace

TEST_SUITE_BEGIN("slips");

TEST_CASE("a test of any form whose threshold no answer can reach is told of, and no other") {
  std::mt19937_64 generator(41);
  int told = 0;
  int silent = 0;
  for (int i = 0; i < 300; ++i) {
    const StabilityTest test = any_test(generator);
    const int teachers = std::uniform_int_distribution<>(1, 200)(generator);
    CAPTURE(test.threshold());
    CAPTURE(teachers);
    const auto notices = pate::cli::slip_notices({}, teachers, 0.0, &test);
    const bool out_of_reach = test.threshold() > static_cast<double>(most_stable(teachers));
    REQUIRE(notices.size() == (out_of_reach ? 1 : 0));
    ++(out_of_reach ? told : silent);
    if (out_of_reach) CHECK(notices.front().code == "high_threshold");
    CHECK(pate::cli::slip_notices({}, std::nullopt, 0.0, &test).empty());
  }
  CHECK(told > 50);
  CHECK(silent > 50);
}

TEST_CASE("noise below one vote is told of with its reciprocal, and spends nothing unaccepted") {
  std::mt19937_64 generator(42);
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    const double noise = std::pow(10.0, std::uniform_real_distribution<>(-2.5, 2.5)(generator));
    pate::cli::MechanismOptions mechanism;
    const int which = std::uniform_int_distribution<>(0, 2)(generator);
    (which == 0   ? mechanism.laplace_scale
     : which == 1 ? mechanism.sigma2
                  : mechanism.sigma1) = noise;
    const auto notices = pate::cli::slip_notices({}, 250, 0.0, nullptr, &mechanism);
    REQUIRE(notices.size() == (noise < 1.0 ? 1 : 0));
    pate::cli::refuse_little_noise(mechanism, std::array{pate::VotesDoubt::little_noise});
    if (!(noise < 1.0)) {
      pate::cli::refuse_little_noise(mechanism, {});
      continue;
    }
    ++refused;
    const std::string& message = notices.front().message;
    const double reciprocal = std::strtod(message.c_str() + message.rfind(' '), nullptr);
    CHECK(std::abs(reciprocal * noise - 1.0) < 1e-5);
    CHECK_THROWS_AS(pate::cli::refuse_little_noise(mechanism, {}), pate::cli::usage_error);
  }
  CHECK(refused > 50);
}

TEST_SUITE_END();
