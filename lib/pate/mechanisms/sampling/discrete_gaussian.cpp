#include "pate/mechanisms/sampling/discrete_gaussian.hpp"

#include <fmt/format.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/numerics/dyadic.hpp"

namespace pate {

namespace {

constexpr int kVarianceBits = 20;
// Every round of a loop here ends it with probability 1/4 or more: so many have one below e^-290.
constexpr std::int64_t kMaxRounds = 1024;
constexpr const char* kStuckSource =
    "the random source repeats itself: 1024 rounds of a draw decided nothing";

// A number in 0 .. n - 1, each equally likely; n >= 1.
Integer uniform_below(const Integer& n, BitSource& source) {
  if (n <= 1) return 0;
  const unsigned bits = static_cast<unsigned>(boost::multiprecision::msb(Integer(n - 1))) + 1;
  for (std::int64_t round = 0; round < kMaxRounds; ++round) {
    Integer result = 0;
    for (unsigned left = bits; left > 0;) {
      const unsigned count = left < 32 ? left : 32;
      result = (result << count) + source.bits(count);
      left -= count;
    }
    if (result < n) return result;
  }
  throw input_error(kStuckSource);
}

// True with probability e^(-a/b) for 0 <= a <= b: the first failure of trials with probabilities
// a/b, a/(2b), a/(3b), ... is an odd one with probability 1 - x + x^2/2! - ..., x = a/b.
bool happens_with_exp_of_share(const Integer& a, const Integer& b, BitSource& source) {
  for (std::int64_t k = 1; k <= kMaxRounds; ++k) {
    if (uniform_below(b * k, source) >= a) return k % 2 == 1;
  }
  throw input_error(kStuckSource);
}

// True with probability e^(-a/b), a >= 0, b > 0.
bool happens_with_exp(Integer a, const Integer& b, BitSource& source) {
  for (; a > b; a -= b) {
    if (!happens_with_exp_of_share(1, 1, source)) return false;
  }
  return happens_with_exp_of_share(a, b, source);
}

// Pr[x] proportional to e^(-|x|/scale).
std::int64_t draw_discrete_laplace(std::int64_t scale, BitSource& source) {
  for (std::int64_t round = 0; round < kMaxRounds; ++round) {
    const auto part = static_cast<std::int64_t>(uniform_below(scale, source));
    if (!happens_with_exp(part, scale, source)) continue;
    std::int64_t whole = 0;
    while (happens_with_exp_of_share(1, 1, source)) {
      if (++whole > kMaxRounds) throw input_error(kStuckSource);
    }
    const std::int64_t magnitude = part + scale * whole;
    const bool negative = source.bits(1) != 0;
    if (negative && magnitude == 0) continue;  // zero would come twice as often
    return negative ? -magnitude : magnitude;
  }
  throw input_error(kStuckSource);
}

}  // namespace

DiscreteGaussian::DiscreteGaussian(double s) {
  if (!(s >= kLeast && s <= kMost)) {
    throw parameter_error(fmt::format("the noise s on the index must be between {} and {}, got {}",
                                      kLeast, kMost, s));
  }
  variance_units_ = std::llround(std::ldexp(s * s, kVarianceBits));
  variance_ = std::ldexp(static_cast<double>(variance_units_), -kVarianceBits);
  // The sum is sqrt(2 pi) s (1 + 2 e^(-2 pi^2 s^2) + ...), by Poisson's formula.
  double sum = std::sqrt(2.0 * std::numbers::pi * variance_);
  if (variance_ < 16.0) {
    sum = 1.0;
    for (int n = 170; n > 0; --n) sum += 2.0 * std::exp(-0.5 * n * n / variance_);
  }
  log_normaliser_ = std::log(sum);
}

double DiscreteGaussian::s() const {
  return std::sqrt(variance_);
}

double DiscreteGaussian::log_probability(std::int64_t z) const {
  const auto real = static_cast<double>(z);
  return -real * real / (2.0 * variance_) - log_normaliser_;
}

double DiscreteGaussian::log_ratio(std::int64_t z, std::int64_t shift) const {
  return static_cast<double>(shift * shift - 2 * z * shift) / (2.0 * variance_);
}

std::int64_t DiscreteGaussian::draw(BitSource& source) const {
  // A discrete Laplace deviate y of scale t = floor(s) + 1 is kept with probability
  // e^(-(|y| - s^2/t)^2 / (2 s^2)); with s^2 = u 2^-20 the exponent is the fraction
  // (|y| t 2^20 - u)^2 / (2 u t^2 2^20).
  const auto scale = static_cast<std::int64_t>(s()) + 1;
  const Integer units = variance_units_;
  const Integer denominator = (units * scale * scale) << (kVarianceBits + 1);
  for (std::int64_t round = 0; round < kMaxRounds; ++round) {
    const std::int64_t y = draw_discrete_laplace(scale, source);
    const Integer offset = (Integer(std::abs(y)) * scale << kVarianceBits) - units;
    if (happens_with_exp(offset * offset, denominator, source)) return y;
  }
  throw input_error(kStuckSource);
}

}  // namespace pate
