#include "pate/mechanisms/sampling/largest_deviate.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

constexpr unsigned kFirstBits = 128;
constexpr unsigned kMaxBits = 4096;
constexpr std::uint64_t kHighestLevel = 64;
constexpr std::uint64_t kExpectedAbove = 16;

// Multiples of 2^-bits around a number; every operation rounds outwards.
using Interval = BinaryDigits::Interval;

Integer ceil_divide(const Integer& a, const Integer& b) {
  return (a + b - 1) / b;
}

// x up/down for x >= 0.
Interval times_ratio(const Interval& x, const Integer& up, const Integer& down) {
  return {x.low * up / down, ceil_divide(x.high * up, down)};
}

// The same to fewer bits.
Interval shortened(const Interval& x, unsigned by) {
  return {x.low >> by, ceil_divide(x.high, Integer(1) << by)};
}

// first (1 + r(1) + r(1) r(2) + ...) for first >= 0 and falling ratios r(i) = up / down(i).
template <class Down>
Interval series(const Interval& first, const Integer& up, const Down& down) {
  Interval sum = first;
  Interval term = first;
  for (unsigned i = 1;; ++i) {
    const Integer by = down(i);
    term = times_ratio(term, up, by);
    sum.low += term.low;
    sum.high += term.high;
    if (term.high <= 1 && 2 * up <= by) {
      sum.high += 1;  // the rest is at most this term
      return sum;
    }
  }
}

// e^k, the sum of k^i / i!
Interval exponential(std::uint64_t k, unsigned bits) {
  const Integer one = Integer(1) << bits;
  return series({one, one}, k, [](unsigned i) { return Integer(i); });
}

// atan(1/n), the sum of (-1)^i / ((2i + 1) n^(2i + 1)): between any two successive partial sums.
Interval arctangent(unsigned n, unsigned bits) {
  const Integer one = Integer(1) << bits;
  Interval power = times_ratio({one, one}, 1, n);
  Interval sum{0, 0};
  for (unsigned i = 0;; ++i) {
    const Interval term = times_ratio(power, 1, 2 * i + 1);
    sum = i % 2 == 0 ? Interval{sum.low + term.low, sum.high + term.high}
                     : Interval{sum.low - term.high, sum.high - term.low};
    if (term.high <= 1) return {sum.low - 1, sum.high + 1};
    power = times_ratio(power, 1, n * n);
  }
}

// Machin: pi = 16 atan(1/5) - 4 atan(1/239).
Interval pi(unsigned bits) {
  const Interval a = arctangent(5, bits);
  const Interval b = arctangent(239, bits);
  return {16 * a.low - 4 * b.high, 16 * a.high - 4 * b.low};
}

// n fair coins: how many of them show heads.
std::uint64_t heads(std::uint64_t n, BitSource& source) {
  std::uint64_t count = 0;
  for (; n >= 32; n -= 32) count += static_cast<unsigned>(std::popcount(source.bits(32)));
  if (n > 0) {
    count += static_cast<unsigned>(std::popcount(source.bits(static_cast<unsigned>(n))));
  }
  return count;
}

}  // namespace

BinaryDigits::BinaryDigits(Number number)
    : number_(std::move(number)), interval_(number_(kFirstBits)), bits_(kFirstBits) {
  lower_ = interval_.low;
}

bool BinaryDigits::operator[](unsigned i) {
  for (;;) {
    if (i < bits_) {
      const unsigned after = bits_ - 1 - i;
      const Integer digits = interval_.low >> after;
      if (digits == (interval_.high >> after)) return boost::multiprecision::bit_test(digits, 0);
    }
    if (bits_ >= kMaxBits) {
      throw input_error(
          "the random source repeats itself: 2^12 digits of a probability decided nothing");
    }
    bits_ *= 2;
    interval_ = number_(bits_);
  }
}

// 1/2 - phi(L) (L + L^3/3 + L^5/(3 5) + ...), phi(L) = 1 / sqrt(2 pi e^(L^2)).
BinaryDigits normal_tail(std::uint64_t level) {
  require(level <= kHighestLevel, "the level of a tail must be <= {}, got {}", kHighestLevel,
          level);
  return BinaryDigits([level](unsigned bits) -> Interval {
    const Integer half = Integer(1) << (bits - 1);
    if (level == 0) return {half, half};
    // e^(L^2) has at most 1.45 L^2 bits before the point, which all sizes below are smaller than.
    const std::uint64_t square = level * level;
    const auto guard = static_cast<unsigned>(32 + 2 * square);
    const unsigned fine = bits + guard;
    const Integer one = Integer(1) << fine;
    const Interval sum =
        series({one * level, one * level}, square, [](unsigned i) { return Integer(2 * i + 1); });
    const Interval power = exponential(square, fine);
    const Interval circle = pi(fine);
    // Roots of multiples of 2^(-2 fine).
    const Interval root{sqrt(Integer(2 * circle.low * power.low)),
                        sqrt(Integer(2 * circle.high * power.high)) + 1};
    const Interval inside{(sum.low << fine) / root.high, ceil_divide(sum.high << fine, root.low)};
    const Integer fine_half = Integer(1) << (fine - 1);
    const Integer low = inside.high < fine_half ? Integer(fine_half - inside.high) : Integer(0);
    return shortened({low, fine_half - inside.low}, guard);
  });
}

BinaryDigits laplace_tail(std::uint64_t level) {
  require(level <= kHighestLevel, "the level of a tail must be <= {}, got {}", kHighestLevel,
          level);
  return BinaryDigits([level](unsigned bits) -> Interval {
    const Integer half = Integer(1) << (bits - 1);
    if (level == 0) return {half, half};
    const Interval power = exponential(level, bits);
    const Integer square = Integer(1) << (2 * bits);
    return {square / (2 * power.high), ceil_divide(square, 2 * power.low)};
  });
}

std::uint64_t draw_binomial(std::uint64_t n, BinaryDigits& probability, BitSource& source) {
  std::uint64_t below = 0;
  for (unsigned i = 0; n > 0; ++i) {
    const std::uint64_t ones = heads(n, source);
    if (probability[i]) {
      below += n - ones;
      n = ones;
    } else {
      n -= ones;
    }
  }
  return below;
}

LargestDeviate::LargestDeviate(const Law& law) : law_(law) {}

ExactDeviate LargestDeviate::draw(std::uint64_t n, BitSource& source) {
  if (n == 0) throw parameter_error("the largest of no deviates is none");
  const auto tail_at = [&](std::uint64_t level) -> BinaryDigits& {
    while (tails_.size() <= level) tails_.push_back(law_.tail(tails_.size()));
    return tails_[level];
  };
  const auto enough_above = [&](std::uint64_t level) {
    return ((tail_at(level).lower_128() * n) >> kFirstBits) >= kExpectedAbove;
  };
  std::uint64_t level = 0;
  while (level < kHighestLevel && enough_above(level + 1)) ++level;
  const std::uint64_t above = draw_binomial(n, tail_at(level), source);
  const auto is_above = [&](const ExactDeviate& deviate) {
    return !deviate.is_negative() && deviate.whole() >= level;
  };
  const auto draw_one = [&] {
    if (above > 0) return law_.draw_above(level, source);
    for (;;) {
      ExactDeviate deviate = law_.draw(source);
      if (!is_above(deviate)) return deviate;
    }
  };
  ExactDeviate largest = draw_one();
  for (std::uint64_t left = (above > 0 ? above : n) - 1; left > 0; --left) {
    ExactDeviate next = draw_one();
    if (less(largest, next, source)) largest = std::move(next);
  }
  return largest;
}

}  // namespace pate
