#include "pate/release/declared/modulus_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using pate::test::message_of;

namespace {

constexpr std::int64_t kTeachers = 40;

KeyModuli moduli_of(KeyModuli::Keys keys, double sigma = 6.0) {
  return {GaussianNoisyMax{sigma},
          ThresholdCheck{22.0, 9.0},
          kTeachers,
          5,
          {{2.0, 5.0}, 2.0, 9, .1},
          true,
          keys};
}

const std::vector<KeyCount> kKeys{{30, 6, 2, 3}, {20, 20, 0, 1}, {9, 8, 8, 2}, {40, 0, 0, 1}};

std::vector<std::vector<CostUnits>> costs_from(const KeyModuli& moduli, const ModulusTable& table) {
  return complex_costs(moduli, table, {&kKeys, 1}, kTeachers + 1, 2).front().units;
}

using Values = std::vector<ModulusUnits>;

ModulusTable stored(const KeyModuli& moduli, const Values& values, std::uint64_t seed = 1) {
  const auto owner = std::make_shared<const Values>(values);
  return {moduli, owner, *owner, seed};
}

}  // namespace

TEST_SUITE("declared") {
  // What is computed some planes at a time is in the table, and in what was kept of it.
  TEST_CASE("modulus table: costs are those of moduli that are computed, to the bit") {
    for (const auto keys : {KeyModuli::Keys::three, KeyModuli::Keys::two}) {
      const KeyModuli moduli = moduli_of(keys);
      const auto computed = complex_costs(moduli, kKeys, kTeachers + 1, 1).units;
      const ModulusTable table(moduli, 2);
      CHECK(ModulusTable::memory(moduli) ==
            static_cast<double>(table.values().size() * sizeof(ModulusUnits)));
      CHECK(costs_from(moduli, table) == computed);
      const Values values(table.values().begin(), table.values().end());
      CHECK(costs_from(moduli, stored(moduli, values)) == computed);
    }
  }

  TEST_CASE("modulus table: what cannot have been kept is refused") {
    const KeyModuli moduli = moduli_of(KeyModuli::Keys::three);
    const ModulusTable table(moduli, 1);
    const Values values(table.values().begin(), table.values().end());
    const auto refusal = [&](const Values& changed) {
      return message_of<parameter_error>([&] { (void)stored(moduli, changed); });
    };
    CHECK(refusal(values) == "[no exception]");
    CHECK(refusal({values.begin() + 1, values.end()}) ==
          "the stored numbers are not as many as the keys have moduli");
    // One that falls.
    Values fallen = values;
    fallen[values.size() / 2] = -1e30F;
    const std::string falls = "stored moduli fall where the counts behind the top one grow";
    CHECK(refusal(fallen) == falls);
    Values unknown = values;
    unknown[values.size() / 2] = std::nanf("");
    CHECK(refusal(unknown) == falls);
    // Those of a little more noise, as a whole.
    const KeyModuli cheaper = moduli_of(KeyModuli::Keys::three, 6.06);
    const ModulusTable of_cheaper(cheaper, 1);
    CHECK(refusal({of_cheaper.values().begin(), of_cheaper.values().end()}) ==
          "a stored modulus is less than the one that is computed now");
  }

  TEST_CASE("key planes: of all keys within what is asked for, the largest") {
    const KeyModuli moduli = moduli_of(KeyModuli::Keys::three);
    KeyModuli::Scratch scratch(moduli);
    std::vector<double> logs(moduli.orders().size());
    for (const std::int64_t v : {9, 18, 20, 33, 40}) {
      const KeyPlanes its(moduli, v, v);
      Values values(its.size());
      its.compute(moduli, values, 1);
      for (std::int64_t s = 0; s <= kTeachers; ++s) {
        for (std::int64_t x = 0; x <= kTeachers; ++x) {
          double largest = -kInfinity;
          for (std::int64_t x2 = 0; x2 <= std::min({x, v, kTeachers - v}); ++x2) {
            for (std::int64_t x3 = 0; x3 <= std::min({x2, s - x2, kTeachers - v - x2}); ++x3) {
              if (v + x2 + 3 * x3 < kTeachers) continue;  // no histogram
              moduli.logs(v, x2, x3, scratch, logs);
              largest = std::max(largest, logs[3]);
            }
          }
          const std::size_t place = its.planes().front().place(s, x);
          const double found = values[place * logs.size() + 3];
          CHECK(found >= largest * 0x1p40);
          if (largest > -kInfinity) {
            CHECK(found <= largest * 0x1p40 + 1.2e-7 * std::abs(largest * 0x1p40));
          }
        }
      }
    }
  }
}
