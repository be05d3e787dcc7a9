#include "pate/mechanisms/sampling/number_of_tries.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/random.hpp"
#include "support/test_bits.hpp"

using namespace pate;
using pate::test::chi_square_p;
using pate::test::ConstantBits;
using pate::test::is_plausible;
using pate::test::TestBits;
using pate_test::Random;
using pate_test::relative_error;

namespace {

constexpr TriesLaw kLaws[] = {TriesLaw::geometric, TriesLaw::poisson, TriesLaw::logarithmic};

// Pr[K = k], from the definition.
long double probability(const NumberOfTries& tries, std::int64_t k) {
  const auto p = static_cast<long double>(tries.parameter);
  const auto n = static_cast<long double>(k);
  switch (tries.law) {
    case TriesLaw::geometric:
      return k < 1 ? 0.0L : p * std::exp((n - 1.0L) * std::log1p(-p));
    case TriesLaw::poisson:
      return std::exp(n * std::log(p) - p - std::lgamma(n + 1.0L));
    case TriesLaw::logarithmic:
      return k < 1 ? 0.0L : std::exp(n * std::log1p(-p)) / (n * -std::log(p));
  }
  return 0.0L;
}

// Cells k = 0, 1, ... as long as they are likely enough, and all above.
std::vector<double> cells_of(const NumberOfTries& tries, double least) {
  std::vector<double> cells;
  double left = 1.0;
  for (std::int64_t k = 0; left > 4.0 * least && k < 5000; ++k) {
    const auto p = static_cast<double>(probability(tries, k));
    if (cells.empty() || cells.back() > least) {
      cells.push_back(p);
    } else {
      cells.back() += p;
    }
    left -= p;
  }
  cells.push_back(left);
  return cells;
}

// p of the drawn numbers against a law.
double fit(const NumberOfTries& drawn, const NumberOfTries& law, int draws, std::uint64_t seed) {
  constexpr double kLeast = 0.002;
  TestBits bits(seed);
  const std::vector<double> cells = cells_of(law, kLeast);
  // The cell of every number, as `cells_of` fills them.
  std::vector<std::size_t> cell_of;
  double in_cell = 1.0;
  std::size_t cell = 0;
  double left = 1.0;
  for (std::int64_t k = 0; left > 4.0 * kLeast && k < 5000; ++k) {
    const auto p = static_cast<double>(probability(law, k));
    if (k == 0) {
      in_cell = p;
    } else if (in_cell > kLeast) {
      ++cell;
      in_cell = p;
    } else {
      in_cell += p;
    }
    cell_of.push_back(cell);
    left -= p;
  }
  std::vector<std::int64_t> counts(cells.size());
  for (int i = 0; i < draws; ++i) {
    const auto k = static_cast<std::size_t>(draw_number_of_tries(drawn, bits));
    ++counts[k < cell_of.size() ? cell_of[k] : cells.size() - 1];
  }
  return chi_square_p(counts, cells);
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("number of tries: as likely as the law says, for any parameter") {
    Random random(41);
    for (const TriesLaw law : kLaws) {
      for (int round = 0; round < 4; ++round) {
        const double expected = random.log_uniform(1.05, 12.0);
        CAPTURE(static_cast<int>(law));
        CAPTURE(expected);
        const NumberOfTries tries = tries_expecting(law, expected);
        const auto seed = static_cast<std::uint64_t>(random.integer(0, 1 << 30));
        CHECK(is_plausible(fit(tries, tries, 60000, seed)));
        // One that expects 5 % more is another one.
        CHECK(fit(tries_expecting(law, 1.05 * expected + 0.02), tries, 60000, seed) < 1e-3);
      }
    }
  }

  TEST_CASE("number of tries: expected as was asked, and rounded upwards") {
    Random random(42);
    for (const TriesLaw law : kLaws) {
      for (int round = 0; round < 200; ++round) {
        const double expected = round == 0 ? kMostTries : random.log_uniform(1.0001, kMostTries);
        const NumberOfTries tries = tries_expecting(law, expected);
        CAPTURE(static_cast<int>(law));
        CAPTURE(expected);
        CHECK(relative_error(tries.expected(), expected) < 1e-11);
        const auto p = static_cast<long double>(tries.parameter);
        const long double exact = law == TriesLaw::geometric ? 1.0L / p
                                  : law == TriesLaw::poisson ? p
                                                             : (1.0L - p) / p / -std::log(p);
        CHECK(static_cast<long double>(tries.expected()) >= exact);
        CHECK(static_cast<long double>(tries.expected()) <= exact * (1.0L + 2e-14L));
      }
    }
  }

  TEST_CASE("number of tries: domains, and sources that repeat themselves") {
    for (const TriesLaw law : {TriesLaw::geometric, TriesLaw::logarithmic}) {
      for (const double parameter : {0.0, 1.0, -0.1, std::nan(""), 1e-9}) {
        CHECK_THROWS_AS(validate({law, parameter}), parameter_error);
      }
      CHECK_THROWS_AS(static_cast<void>(tries_expecting(law, 1.0)), parameter_error);
    }
    for (const double mean : {0.99, 1001.0, std::nan(""), -3.0}) {
      CHECK_THROWS_AS(validate({TriesLaw::poisson, mean}), parameter_error);
      CHECK_THROWS_AS(static_cast<void>(tries_expecting(TriesLaw::poisson, mean)), parameter_error);
    }
    CHECK(tries_expecting(TriesLaw::poisson, 1.0).parameter == 1.0);
    ConstantBits ones(~std::uint64_t{0});
    CHECK_THROWS_AS(static_cast<void>(draw_number_of_tries({TriesLaw::geometric, 0.25}, ones)),
                    input_error);
    ConstantBits zeros(0);
    CHECK(draw_number_of_tries({TriesLaw::geometric, 0.25}, zeros) == 1);
    CHECK_THROWS_AS(static_cast<void>(draw_number_of_tries({TriesLaw::poisson, 3.0}, zeros)),
                    input_error);
    // Of the logarithmic law every try is a long one that is not kept.
    CHECK_THROWS_AS(static_cast<void>(draw_number_of_tries({TriesLaw::logarithmic, 0.25}, ones)),
                    input_error);
  }

  TEST_CASE("number of tries: digits are compared as far as they are equal") {
    // gamma = 2^-1 + 2^-33: two words of 32 digits, of which the first is drawn equal.
    const double gamma = 0.5 + std::ldexp(1.0, -33);
    const auto word = [](std::uint64_t first, std::uint64_t second) {
      return pate::test::ScriptedBits({first | second << 32U, 0});
    };
    auto below = word(0x80000000U, 0);
    CHECK(draw_number_of_tries({TriesLaw::geometric, gamma}, below) == 1);
    // Equal to the last digit, which is not below; then the next number is.
    auto equal = word(0x80000000U, 0x80000000U);
    CHECK(draw_number_of_tries({TriesLaw::geometric, gamma}, equal) == 2);
  }

  TEST_CASE("number of tries: a law that is none") {
    constexpr auto kNone = static_cast<TriesLaw>(9);
    CHECK_THROWS_AS(static_cast<void>(NumberOfTries{kNone, 0.5}.expected()), parameter_error);
    CHECK_THROWS_AS(validate({kNone, 0.5}), parameter_error);
    TestBits bits(1);
    CHECK_THROWS_AS(static_cast<void>(draw_number_of_tries({kNone, 0.5}, bits)), parameter_error);
  }
}
