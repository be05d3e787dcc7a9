#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/divergence/pld/dominating_pair.hpp"
#include "pate/divergence/pld/optimistic_profile.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"

using namespace pate;

namespace {

using Real = long double;

// Lost is a whole number of steps where the votes say "yes", and below zero otherwise: at nodes
// the profile is exact, and all that it says above is margin.
struct Exact {
  double yes;
  double loss;
  [[nodiscard]] DistributionPair table() const {
    const double q = yes * std::exp(-loss);
    return {{yes, q, loss}, {1.0 - yes, 1.0 - q, std::log1p(-yes) - std::log1p(-q)}};
  }
  [[nodiscard]] double delta(double epsilon) const {
    return static_cast<double>(static_cast<Real>(yes) *
                               -std::expm1(static_cast<Real>(epsilon) - static_cast<Real>(loss)));
  }
};

const std::array kQueries{Exact{0.25, 1.0}, Exact{0.01, 2.5}, Exact{0.6, 0.25}};
const DistributionPair kNothing{{0.25, 0.25, 0.0}, {0.75, 0.75, 0.0}};  // tells nothing

}  // namespace

TEST_SUITE("profile") {
  TEST_CASE("margins: an upper profile is above by a billionth where rounding is all there is") {
    for (const Exact& query : kQueries) {
      PessimisticProfile profile({0x1p-8, 4.0, 1e-9});
      profile.compose_query(std::vector<DistributionPair>{query.table()});
      for (const double epsilon : {0.0, 0.125, 0.1875}) {
        const double exact = query.delta(epsilon);
        const double above = profile.delta(epsilon) / exact - 1.0;
        CHECK(above >= 0.99e-9);
        CHECK(above <= 1.2e-9);
        // Back again: no smaller than the epsilon it is of, by the same margin.
        const double back = profile.epsilon(exact);
        CHECK(back >= epsilon * (1.0 + 0.99e-9) + 3.9e-12);
        CHECK(back <= epsilon * (1.0 + 1.2e-9) + 1e-8);
      }
    }
  }

  TEST_CASE("margins: an upper profile allows every query a loss for its rounding") {
    constexpr std::int64_t kTimes = 2000;
    const std::vector<DistributionPair> nothing{kNothing};
    PessimisticProfile one({0x1p-8, 4.0, 1e-9});
    one.compose_query(std::vector<DistributionPair>{kQueries[0].table()});
    PessimisticProfile many = one;
    const DiscretizedPairs same(nothing, 0x1p-8);
    many.compose_query(same, 0, 1, kTimes);
    const double shift = 4e-12 * static_cast<double>(kTimes);
    for (const double epsilon : {0.0, 0.25, 0.5}) {
      const double delta = kQueries[0].delta(epsilon);
      CHECK(many.epsilon(delta) >= one.epsilon(delta) + 0.99 * shift);
      CHECK(many.delta(epsilon) >= kQueries[0].delta(epsilon - 0.99 * shift) * (1.0 + 0.99e-9));
    }
  }

  TEST_CASE("margins: a lower profile is below by what rounding may add, of every query") {
    constexpr std::int64_t kTimes = 20000;
    for (const Exact& query : kQueries) {
      OptimisticProfile one(0x1p-8, -4.0, 4.0);
      one.append(query.table());
      OptimisticProfile many = one;
      many.append(kNothing, kTimes);
      for (const double epsilon : {0.0, 0.125, 0.1875}) {
        const double exact = query.delta(epsilon);
        CHECK(one.delta(epsilon) <= exact * (1.0 - 0.9e-12));
        CHECK(many.delta(epsilon) <= exact * (1.0 - 0.9e-13 * static_cast<double>(kTimes)));
        CHECK(many.delta(epsilon) >= exact * (1.0 - 1e-6));
      }
    }
  }

  TEST_CASE("margins: a cover has more mass than its tables, for its rounding") {
    const std::array tables{kQueries[0].table(), kQueries[2].table()};
    const auto mass = [](const DistributionPair& table) {
      double sum = 0.0;
      for (const OutcomeMass& o : table) sum += o.p;
      return sum;
    };
    const double before = mass(cover_but_rounding(tables, 0x1p-8, 1e-5));
    const double after = mass(dominating_pair(tables, 0x1p-8, 1e-5));
    CHECK(before >= 1.0 - 1e-12);
    CHECK(after >= before * (1.0 + 0.9e-10));
    CHECK(after <= before * (1.0 + 1.2e-10));
  }
}
