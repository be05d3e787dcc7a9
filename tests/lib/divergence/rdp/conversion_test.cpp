#include "pate/divergence/rdp/conversion.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

long double term_reference(Conversion conversion, double order, double delta) {
  const auto k = static_cast<long double>(order);
  const long double log_delta = std::log(static_cast<long double>(delta));
  if (conversion == Conversion::classic) return -log_delta / (k - 1.0L);
  return std::log((k - 1.0L) / k) - (log_delta + std::log(k)) / (k - 1.0L);
}

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the conversions against the oracle") {
    for (const OracleRow& row : oracle("conversion")) {
      for (const Conversion conversion : {Conversion::classic, Conversion::improved}) {
        const double reference =
            row.number(conversion == Conversion::classic ? "classic" : "improved");
        const double got = epsilon_from_rdp(conversion, row.number("rdp"), row.number("lambda"),
                                            row.number("delta"));
        // The improved epsilon is a difference and may be negative: its terms set the scale.
        const double scale =
            row.number("rdp") - std::log(row.number("delta")) / (row.number("lambda") - 1.0);
        CHECK_MESSAGE(got >= reference, row.text());
        CHECK_MESSAGE(got - reference <= 1e-13 * scale, row.text());
      }
    }
  }

  TEST_CASE("the conversions never fall below long double") {
    Random random(401);
    for (int i = 0; i < 5000; ++i) {
      const double order = 1.0 + random.log_uniform(1e-6, 1e6);
      const double delta = random.log_uniform(1e-300, 1.0 - 1e-9);
      const double rdp = random.log_uniform(1e-20, 1e6);
      for (const Conversion conversion : {Conversion::classic, Conversion::improved}) {
        const long double term = term_reference(conversion, order, delta);
        CHECK_MESSAGE(conversion_term(conversion, order, delta) >= term,
                      show({{"order", order}, {"delta", delta}}));
        CHECK_MESSAGE(
            epsilon_from_rdp(conversion, rdp, order, delta) >= term + static_cast<long double>(rdp),
            show({{"rdp", rdp}, {"order", order}, {"delta", delta}}));
      }
      CHECK_MESSAGE(conversion_term(Conversion::improved, order, delta) <=
                        conversion_term(Conversion::classic, order, delta),
                    show({{"order", order}, {"delta", delta}}));
    }
  }

  TEST_CASE("the printed example of a thousand data-independent answers") {
    // GNMax at sigma 40, delta 1e-5: the smallest of rdp + term over orders; classic is
    // r + 2 sqrt(r log(1/delta)) with r = .625.
    const auto smallest = [](Conversion conversion) {
      double best = kInfinity;
      for (double order = 1.5; order < 60.0; order += 0.001) {
        best = std::min(best, epsilon_from_rdp(conversion, 1000.0 * order / 1600.0, order, 1e-5));
      }
      return best;
    };
    CHECK(relative_error(smallest(Conversion::classic), 5.98991507) < 1e-8);
    CHECK(relative_error(smallest(Conversion::improved), 5.37767240) < 1e-7);
  }

  TEST_CASE("an improved epsilon below zero is not clamped") {
    CHECK(epsilon_from_rdp(Conversion::improved, 1e-6, 2.0, 0.9) < 0.0);
    CHECK(epsilon_from_rdp(Conversion::classic, 0.0, 2.0, 0.5) >= std::log(2.0));
    CHECK(epsilon_from_rdp(Conversion::classic, kInfinity, 2.0, 0.5) == kInfinity);
  }

  TEST_CASE("delta outside 0 to 1 is refused with its value") {
    for (const double delta : {0.0, 1.0, -0.1, 1.5, kNaN, kInfinity}) {
      CHECK_THROWS_AS(validate_delta(delta), parameter_error);
      CHECK_THROWS_AS(static_cast<void>(conversion_term(Conversion::classic, 2.0, delta)),
                      parameter_error);
      CHECK_THROWS_AS(static_cast<void>(epsilon_from_rdp(Conversion::improved, 0.1, 2.0, delta)),
                      parameter_error);
    }
    CHECK_THROWS_WITH(validate_delta(1.0), "delta must be > 0 and < 1, got 1");
    CHECK_THROWS_WITH(validate_delta(kNaN), "delta must be > 0 and < 1, got nan");
    CHECK_NOTHROW(validate_delta(1e-300));
    CHECK_NOTHROW(validate_delta(0.999));
  }
}
