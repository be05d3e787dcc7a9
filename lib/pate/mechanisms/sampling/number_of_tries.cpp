#include "pate/mechanisms/sampling/number_of_tries.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

constexpr double kMostPoissonPiece = 0.5;
// Upwards, more than what a logarithm and a few operations lose.
constexpr double kTriesMargin = 4e-15;

[[noreturn]] void refuse_source() {
  throw input_error("the random source repeats itself: no number of tries comes of it");
}

// True with probability p, exactly: a uniform number is below p where its first digit that differs
// from that of p is smaller. p in [0, 1).
bool happens(double p, BitSource& source) {
  while (p > 0.0) {
    p = std::ldexp(p, 32);
    const double digit = std::floor(p);
    const auto drawn = static_cast<double>(source.bits(32));
    if (drawn != digit) return drawn < digit;
    p -= digit;
  }
  return false;
}

// The number of trials of probability gamma up to the first that succeeds.
std::int64_t draw_geometric(double gamma, BitSource& source) {
  // Longer than this with probability e^-1000.
  const auto most = static_cast<std::int64_t>(1000.0 / gamma) + 1;
  for (std::int64_t k = 1; k <= most; ++k) {
    if (happens(gamma, source)) return k;
  }
  refuse_source();
}

std::int64_t draw_logarithmic(double gamma, double expected, BitSource& source) {
  // Each is kept with probability 1/E[K].
  const auto most = static_cast<std::int64_t>(1000.0 * expected) + 1;
  for (std::int64_t round = 0; round < most; ++round) {
    const std::int64_t k = draw_geometric(gamma, source);
    if (source.below(static_cast<std::uint64_t>(k)) == 0) return k;
  }
  refuse_source();
}

// True with probability 1/n!.
bool is_sorted_by_chance(std::int64_t n, BitSource& source) {
  for (std::int64_t k = 2; k <= n; ++k) {
    if (source.below(static_cast<std::uint64_t>(k)) != 0) return false;
  }
  return true;
}

// mean <= 1/2. Rounds are kept with probability e^mean (1 - mean), at least 0.8.
std::int64_t draw_small_poisson(double mean, BitSource& source) {
  constexpr int kMostRounds = 1024;
  for (int round = 0; round < kMostRounds; ++round) {
    std::int64_t n = 0;
    while (happens(mean, source)) {
      if (++n > kMostRounds) refuse_source();
    }
    if (is_sorted_by_chance(n, source)) return n;
  }
  refuse_source();
}

std::int64_t draw_poisson(double mean, BitSource& source) {
  std::int64_t total = 0;
  // Differences of multiples of the mean's last digit: exact.
  for (; mean > kMostPoissonPiece; mean -= kMostPoissonPiece) {
    total += draw_small_poisson(kMostPoissonPiece, source);
  }
  return total + draw_small_poisson(mean, source);
}

double expected_logarithmic(double gamma) {
  return (1.0 - gamma) / gamma / -std::log(gamma);
}

}  // namespace

double NumberOfTries::expected() const {
  switch (law) {
    case TriesLaw::poisson:
      return parameter;
    case TriesLaw::geometric:
      return 1.0 / parameter * (1.0 + kTriesMargin);
    case TriesLaw::logarithmic:
      return expected_logarithmic(parameter) * (1.0 + kTriesMargin);
  }
  throw parameter_error("unknown law of the number of tries");
}

void validate(const NumberOfTries& tries) {
  const double value = tries.parameter;
  if (tries.law == TriesLaw::poisson) {
    require(value >= 1.0 && value <= kMostTries,
            "the Poisson number of tries must have a mean from 1 to {}, got {}", kMostTries, value);
    return;
  }
  require(value > 0.0 && value < 1.0,
          "gamma of the number of tries must be above 0 and below 1, got {}", value);
  // The least gamma is solved for: it may be a little less.
  require(tries.expected() <= kMostTries * (1.0 + 1e-9),
          "at most {} tries may be expected, gamma {} gives {}", kMostTries, value,
          tries.expected());
}

NumberOfTries tries_expecting(TriesLaw law, double expected) {
  const bool is_poisson = law == TriesLaw::poisson;
  const bool is_enough = is_poisson ? expected >= 1.0 : expected > 1.0;
  if (!is_enough || !(expected <= kMostTries)) {
    throw parameter_error(
        fmt::format("the expected number of tries must be {} 1 and at most {}, got {}",
                    is_poisson ? "at least" : "above", kMostTries, expected));
  }
  NumberOfTries result{law, expected};
  if (law == TriesLaw::geometric) result.parameter = 1.0 / expected;
  if (law == TriesLaw::logarithmic) {
    double low = 1e-6;  // expects more
    double high = 1.0;  // expects 1
    for (int step = 0; step < 200 && low < high; ++step) {
      const double middle = step < 60 ? std::sqrt(low * high) : low + 0.5 * (high - low);
      if (middle <= low || middle >= high) break;
      (expected_logarithmic(middle) >= expected ? low : high) = middle;
    }
    result.parameter = low;
  }
  validate(result);
  return result;
}

std::int64_t draw_number_of_tries(const NumberOfTries& tries, BitSource& source) {
  validate(tries);
  switch (tries.law) {
    case TriesLaw::geometric:
      return draw_geometric(tries.parameter, source);
    case TriesLaw::poisson:
      return draw_poisson(tries.parameter, source);
    case TriesLaw::logarithmic:
      return draw_logarithmic(tries.parameter, tries.expected(), source);
  }
  throw parameter_error("unknown law of the number of tries");
}

}  // namespace pate
