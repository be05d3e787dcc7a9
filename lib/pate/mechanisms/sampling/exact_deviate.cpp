#include "pate/mechanisms/sampling/exact_deviate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

std::uint32_t LazyUniform::reveal(std::size_t i, BitSource& source) {
  constexpr std::size_t kMaxDigits = 1024;
  if (i >= kMaxDigits) {
    throw input_error(
        "the random source repeats itself: 2^15 digits did not tell two numbers apart");
  }
  if (!has_first_) {
    first_ = source.bits(kDigitBits);
    has_first_ = true;
  }
  while (rest_.size() < i) rest_.push_back(source.bits(kDigitBits));
  return i == 0 ? first_ : rest_[i - 1];
}

Integer LazyUniform::leading(unsigned bits, BitSource& source) {
  Integer result = 0;
  const unsigned digits = (bits + kDigitBits - 1) / kDigitBits;
  for (unsigned i = 0; i < digits; ++i) {
    result <<= kDigitBits;
    result += digit(i, source);
  }
  return result >> (digits * kDigitBits - bits);
}

bool less(LazyUniform& a, LazyUniform& b, BitSource& source) {
  for (std::size_t i = 0;; ++i) {
    const std::uint32_t x = a.digit(i, source);
    const std::uint32_t y = b.digit(i, source);
    if (x != y) return x < y;
  }
}

namespace {

// More than that has probability below e^-32000: the source is stuck.
constexpr std::uint64_t kMaxWhole = 65536;
constexpr unsigned kNoisyValueBits = 128;  // of a noisy value: nearly always enough
constexpr const char* kStuck = "the random source repeats itself: a deviate exceeds 65536";

// The lengths of runs decide: whether the longest run  top > U_1 > U_2 > ... > U_n  is of even
// length has probability 1 - top + top^2/2! - ... = exp(-top). README.md has the proofs.

bool top_bit(LazyUniform& u, BitSource& source) {
  return u.digit(0, source) >> (LazyUniform::kDigitBits - 1) != 0;
}

// Whether the longest run  *top > U_1 > U_2 > ...  of members that count is even.
template <class Counts>
bool even_run(LazyUniform* top, BitSource& source, const Counts& counts) {
  LazyUniform last;
  for (bool even = true;; even = !even) {
    LazyUniform next;
    if (!less(next, *top, source) || !counts()) return even;
    last = std::move(next);
    top = &last;
  }
}

bool even_run(LazyUniform* top, BitSource& source) {
  return even_run(top, source, [] { return true; });
}

// True with probability exp(-1/2): a run below 1/2.
bool bernoulli_exp_half(BitSource& source) {
  LazyUniform first;
  return top_bit(first, source) || !even_run(&first, source);
}

// True with probability (2k + x) / (2k + 2).
bool bernoulli_share(std::uint64_t k, LazyUniform& x, BitSource& source) {
  const std::uint64_t choice = source.below(2 * k + 2);
  if (choice != 2 * k) return choice < 2 * k;
  LazyUniform u;
  return less(u, x, source);
}

// True with probability exp(-x (2k + x) / (2k + 2)): a run below x of which each member counts only
// with probability (2k + x) / (2k + 2).
bool bernoulli_exp_piece(std::uint64_t k, LazyUniform& x, BitSource& source) {
  return even_run(&x, source, [&] { return bernoulli_share(k, x, source); });
}

// True with probability exp(-halves/2).
bool bernoulli_exp_halves(std::uint64_t halves, BitSource& source) {
  for (; halves > 0; --halves) {
    if (!bernoulli_exp_half(source)) return false;
  }
  return true;
}

// k >= level with probability proportional to exp(-k^2/2), that is j = k - level with
// exp(-j (2 level + 1)/2 - j (j - 1)/2): geometric in the first, kept with the second.
std::optional<std::uint64_t> propose_whole(std::uint64_t level, BitSource& source) {
  std::uint64_t j = 0;
  while (bernoulli_exp_halves(2 * level + 1, source)) {
    ++j;
    if (j > kMaxWhole) throw input_error(kStuck);
  }
  if (j > 1 && !bernoulli_exp_halves(j * (j - 1), source)) return std::nullopt;
  return level + j;
}

// Whether x in (0, 1) stays beside k: with probability exp(-x (2k + x)/2), in k + 1 pieces.
bool keep_fraction(std::uint64_t k, LazyUniform& x, BitSource& source) {
  for (std::uint64_t i = 0; i <= k; ++i) {
    if (!bernoulli_exp_piece(k, x, source)) return false;
  }
  return true;
}

// |deviate| given that it is at least `level`; the sign is `negative`, or drawn if there is none.
ExactDeviate normal_beyond(std::uint64_t level, std::optional<bool> negative, BitSource& source) {
  for (;;) {
    const std::optional<std::uint64_t> whole = propose_whole(level, source);
    if (!whole) continue;
    LazyUniform fraction;
    if (!keep_fraction(*whole, fraction, source)) continue;
    return {negative ? *negative : source.bits(1) != 0, *whole, std::move(fraction)};
  }
}

ExactDeviate exponential_beyond(std::uint64_t level, BitSource& source) {
  for (std::uint64_t whole = 0; whole <= kMaxWhole; ++whole) {
    LazyUniform fraction;
    if (even_run(&fraction, source)) return {false, level + whole, std::move(fraction)};
  }
  throw input_error(kStuck);
}

}  // namespace

bool less(ExactDeviate& a, ExactDeviate& b, BitSource& source) {
  if (a.negative_ != b.negative_) return a.negative_;
  ExactDeviate& nearer = a.negative_ ? b : a;  // a < b iff this is the smaller one in size
  ExactDeviate& further = a.negative_ ? a : b;
  if (nearer.whole_ != further.whole_) return nearer.whole_ < further.whole_;
  return less(nearer.fraction_, further.fraction_, source);
}

DyadicInterval ExactDeviate::interval(unsigned bits, BitSource& source) {
  Integer low = Integer(whole_) << bits;
  low += fraction_.leading(bits, source);
  Integer high = low;
  ++high;
  const int exponent = -static_cast<int>(bits);
  if (negative_) return {Dyadic(-high, exponent), Dyadic(-low, exponent)};
  return {Dyadic(std::move(low), exponent), Dyadic(std::move(high), exponent)};
}

double ExactDeviate::approximation(BitSource& source) {
  constexpr int kBits = static_cast<int>(LazyUniform::kDigitBits);
  const double magnitude =
      static_cast<double>(whole_) +
      std::ldexp(static_cast<double>(fraction_.digit(0, source)) + 0.5, -kBits);
  return negative_ ? -magnitude : magnitude;
}

ExactDeviate exact_normal(BitSource& source) {
  return normal_beyond(0, std::nullopt, source);
}

ExactDeviate exact_exponential(BitSource& source) {
  return exponential_beyond(0, source);
}

ExactDeviate exact_laplace(BitSource& source) {
  const bool negative = source.bits(1) != 0;
  ExactDeviate magnitude = exact_exponential(source);
  return negative ? std::move(magnitude).negated() : std::move(magnitude);
}

ExactDeviate exact_normal_above(std::uint64_t level, BitSource& source) {
  constexpr std::uint64_t kHighest = 64;
  require(level <= kHighest, "the level of a normal deviate must be <= {}, got {}", kHighest,
          level);
  return normal_beyond(level, false, source);
}

ExactDeviate exact_laplace_above(std::uint64_t level, BitSource& source) {
  return exponential_beyond(level, source);
}

NoisyValue::NoisyValue(Dyadic location, Dyadic scale, ExactDeviate deviate)
    : location_(std::move(location)), scale_(std::move(scale)), deviate_(std::move(deviate)) {
  if (scale_.mantissa() < 0) {
    throw parameter_error(
        fmt::format("the scale of noise must be >= 0, got {}", round_up_to_double(scale_)));
  }
}

DyadicInterval NoisyValue::interval(unsigned bits, BitSource& source) {
  const DyadicInterval noise = deviate_.interval(bits, source);
  return {location_ + scale_ * noise.low, location_ + scale_ * noise.high};
}

// Each decision: more digits until both ends of the interval agree. The value itself is at an end
// with probability 0, so it does not matter on which side ends are counted.

bool NoisyValue::reaches(const Dyadic& threshold, BitSource& source) {
  for (unsigned bits = kNoisyValueBits;; bits *= 2) {
    const DyadicInterval value = interval(bits, source);
    if (value.low >= threshold) return true;
    if (value.high < threshold) return false;
  }
}

bool NoisyValue::exceeds(NoisyValue& other, BitSource& source) {
  for (unsigned bits = kNoisyValueBits;; bits *= 2) {
    const DyadicInterval mine = interval(bits, source);
    const DyadicInterval theirs = other.interval(bits, source);
    if (mine.low > theirs.high) return true;
    if (mine.high <= theirs.low) return false;
  }
}

Integer NoisyValue::rounded_up(int exponent, BitSource& source) {
  for (unsigned bits = kNoisyValueBits;; bits *= 2) {
    const DyadicInterval value = interval(bits, source);
    Integer high = ceil_to_multiple(value.high, exponent);
    if (ceil_to_multiple(value.low, exponent) == high) return high;
  }
}

double released_on_grid(NoisyValue& value, double largest, BitSource& source) {
  require(largest >= 0.0, "the largest released value must be >= 0 and finite, got {}", largest);
  const Integer top = ceil_to_multiple(Dyadic(largest), kReleaseGridExponent);
  Integer steps = value.rounded_up(kReleaseGridExponent, source);
  if (steps < 0) steps = 0;
  if (steps > top) steps = top;
  return round_up_to_double({std::move(steps), kReleaseGridExponent});
}

}  // namespace pate
