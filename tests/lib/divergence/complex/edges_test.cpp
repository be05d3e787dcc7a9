// What complex orders, moduli and certificates refuse, and what they say where nothing is known.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/complex/key_moduli.hpp"
#include "pate/divergence/complex/largest_moduli.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const ComplexOrders kOrders{{0.5, 2.0}, 1.5, 10, 0.1};

std::vector<double> logs_of(const LargestModuli& largest, double cap = kInfinity) {
  std::vector<double> logs(kOrders.size());
  largest.logs(std::vector<double>(kOrders.reals.size(), cap), logs);
  return logs;
}

}  // namespace

TEST_SUITE("complex") {
  TEST_CASE("edges: orders that are none are refused, and told") {
    const std::vector<std::vector<double>> none{{0.0}, {-1.0}, {kNaN}, {kInfinity}, {1.0, 1.0}};
    for (const std::vector<double>& reals : none) {
      CHECK_THROWS_WITH_AS(
          validate(ComplexOrders{reals, 1.0, 1, 0.0}),
          doctest::Contains("real parts of complex orders must be > 0, finite and increasing, got"),
          parameter_error);
    }
    for (const ComplexOrders& orders :
         {ComplexOrders{{}, 1.0, 1, 0.0}, ComplexOrders{{1.0}, 0.0, 1, 0.0},
          ComplexOrders{{1.0}, -1.0, 1, 0.0}, ComplexOrders{{1.0}, kInfinity, 1, 0.0},
          ComplexOrders{{1.0}, 1.0, 0, 0.0}, ComplexOrders{{1.0}, 1.0, 1, -0.1},
          ComplexOrders{{1.0}, 1.0, 1, kNaN}}) {
      CHECK_THROWS_WITH_AS(
          validate(orders),
          doctest::Contains(
              "complex orders need a real part, a step > 0, a term and a smoothing >= 0, got"),
          parameter_error);
    }
    for (const double epsilon : {0.0, -1.0, kNaN, kInfinity}) {
      CHECK_THROWS_WITH_AS((void)complex_orders(epsilon, 1e-5),
                           doctest::Contains("complex orders are chosen for an epsilon > 0"),
                           parameter_error);
    }
    for (const double delta : {0.0, 1.0, kNaN}) {
      CHECK_THROWS_WITH_AS((void)complex_orders(1.0, delta),
                           doctest::Contains("complex orders are chosen for an epsilon > 0"),
                           parameter_error);
    }
  }

  TEST_CASE("edges: without a neighbour, or an outcome, no modulus is above 1") {
    LargestModuli largest(kOrders);
    for (const double log : logs_of(largest)) CHECK(log == 0.0);
    largest.add(DistributionPair{});
    for (const double log : logs_of(largest)) CHECK(log == 0.0);
    largest.add(DistributionPair{{0.5, 0.25, std::log(2.0)}, {0.5, 0.75, std::log(2.0 / 3.0)}});
    CHECK(logs_of(largest)[0] > 0.0);
    largest.clear();
    for (const double log : logs_of(largest)) CHECK(log == 0.0);
  }

  TEST_CASE("edges: moduli whose squares are no doubles are those of one outcome that counts") {
    // |p e^{z l}| = p e^{a l} whatever the imaginary part; the other outcome is nothing beside it.
    const double loss = 250.0;
    LargestModuli largest(kOrders);
    largest.add(DistributionPair{{1e-3, 1e-3 * std::exp(-loss), loss}, {0.999, 1.0, -1e-3}});
    const std::vector<double> logs = logs_of(largest);
    for (std::size_t k = 0; k < kOrders.row(); ++k) {
      const double exact = std::log(1e-3) + 2.0 * loss;  // above 1e150
      CHECK(logs[kOrders.row() + k] >= exact * (1.0 - 1e-12));
      CHECK(logs[kOrders.row() + k] <= exact + 1e-6);
    }
    // A bound by Renyi's divergence is taken where it is less.
    for (std::size_t i = 0; i < kOrders.size(); ++i) {
      const double least = kOrders.reals[i / kOrders.row()] * 3.0;
      CHECK(logs_of(largest, 3.0)[i] <= least * (1.0 + 1e-12));
    }
  }

  TEST_CASE("edges: of outcomes whose loss is no number nothing is known") {
    for (const LargestModuli::LogOutcome& outcome :
         {LargestModuli::LogOutcome{-800.0, kNaN}, LargestModuli::LogOutcome{kNaN, 0.5},
          LargestModuli::LogOutcome{-1.0, kNaN}, LargestModuli::LogOutcome{-1.0, kInfinity}}) {
      LargestModuli largest(kOrders);
      largest.add(std::vector{LargestModuli::LogOutcome{-0.1, 0.01}, outcome});
      for (const double log : logs_of(largest)) CHECK_FALSE(log < kInfinity);
      for (const double log : logs_of(largest, 1.0)) CHECK(log <= 2.0 * (1.0 + 1e-12));
    }
    // Too faint for doubles, whatever its phase: next to nothing.
    LargestModuli faint(kOrders);
    faint.add(std::vector{LargestModuli::LogOutcome{0.0, 0.0}, {-800.0, -5.0}});
    for (const double log : logs_of(faint)) CHECK(std::abs(log) < 1e-9);
  }

  TEST_CASE("edges: sums keep what is infinite, and count nothing for no query") {
    LogModulusSums sums(3);
    sums.add(std::vector{1.0, 1.0, 1.0}, 0);
    CHECK(sums.values() == std::vector{0.0, 0.0, 0.0});
    LogModulusSums others(3);
    others.add(std::vector{0.5, kInfinity, -kInfinity}, 2);
    sums.add(std::vector{0.25, 0.5, 0.75}, 1);
    LogModulusSums first = sums;
    first.add(others);
    others.add(sums);
    for (const LogModulusSums& both : {first, others}) {
      CHECK(both.values()[0] == doctest::Approx(1.25));
      CHECK(both.values()[1] == kInfinity);
      CHECK(both.values()[2] == doctest::Approx(0.75 - 2.0 * 0x1p20));
    }
    LogModulusSums nan(1);
    nan.add(std::vector{kNaN}, 1);
    CHECK(nan.values()[0] == kInfinity);
  }

  TEST_CASE("edges: a certificate holds what it says, and without a finite sum it says nothing") {
    LargestModuli largest(kOrders);
    largest.add(DistributionPair{{0.5, 0.4, std::log(1.25)}, {0.5, 0.6, std::log(5.0 / 6.0)}});
    LogModulusSums sums(kOrders.size());
    sums.add(logs_of(largest), 30);
    const ComplexCertificate certificate(kOrders, sums.values());
    const double at = certificate.log_delta(5.0);
    CHECK(at < 0.0);
    CHECK(certificate.holds(5.0, at));
    CHECK_FALSE(certificate.holds(5.0, std::nextafter(at, -kInfinity)));
    CHECK_FALSE(certificate.holds(5.0, 0.0));
    CHECK_FALSE(certificate.holds(5.0, kNaN));
    std::vector<double> logs = sums.values();
    for (std::size_t k = 0; k < kOrders.row(); ++k) logs[k] = kInfinity;
    // The other real part alone: no smaller.
    const ComplexCertificate fewer(kOrders, logs);
    CHECK(fewer.log_delta(5.0) >= at);
    CHECK(fewer.log_delta(5.0) < 0.0);
    logs.assign(logs.size(), kInfinity);
    const ComplexCertificate none(kOrders, logs);
    CHECK(none.log_delta(100.0) == 0.0);
    CHECK(none.epsilon(0.5) == kInfinity);
    CHECK_FALSE(none.holds(100.0, -1e-9));
  }

  TEST_CASE("edges: keys are refused without teachers, for orders far beyond the noise") {
    const ComplexOrders far{{600.0}, 1.0, 4, 0.0};
    CHECK_THROWS_WITH_AS(KeyModuli(GaussianNoisyMax{5.0}, std::nullopt, 20, 3, far),
                         doctest::Contains("orders of less than 100 times it: sigma is 5 for 20 "
                                           "teachers, the largest real part 600"),
                         parameter_error);
    CHECK_THROWS_WITH_AS(KeyModuli(GaussianNoisyMax{5.0}, std::nullopt, 0, 3, kOrders),
                         "moments by key need two classes and one teacher", parameter_error);
    CHECK_THROWS_WITH_AS(
        KeyModuli(GaussianNoisyMax{5.0}, ThresholdCheck{10.0, 1e-4}, 20, 3, kOrders),
        "the moduli of a query may be more than a declared budget can count", validity_error);
  }

  TEST_CASE("edges: two keys are above three, and none is above the cap of all") {
    const GaussianNoisyMax noise{4.0};
    const ThresholdCheck check{8.0, 5.0};
    const KeyModuli three(noise, check, 12, 3, kOrders, true, KeyModuli::Keys::three);
    const KeyModuli two(noise, check, 12, 3, kOrders, true, KeyModuli::Keys::two);
    CHECK(three.three_keys());
    CHECK_FALSE(two.three_keys());
    // a (a + 1) (1 / sigma2^2 + 1 / (2 sigma1^2)) at a = 2.
    CHECK(three.largest_log() == doctest::Approx(6.0 * (1.0 / 16.0 + 0.5 / 25.0)));
    KeyModuli::Scratch of_three(three);
    KeyModuli::Scratch of_two(two);
    std::vector<double> exact(kOrders.size());
    std::vector<double> above(kOrders.size());
    for (const auto& [v, x2, x3] : {std::array{12L, 0L, 0L}, std::array{7L, 4L, 1L},
                                    std::array{6L, 6L, 0L}, std::array{4L, 4L, 4L}}) {
      three.logs(v, x2, x3, of_three, exact);
      two.logs(v, x2, 0, of_two, above);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        CHECK(exact[i] <= above[i] + 1e-9);
        CHECK(above[i] <= two.largest_log() * (1.0 + 1e-9));
      }
    }
  }
}
