#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace pate {

/// a + b for costs and probabilities, which are never negative; rounded up where it is rounded.
[[nodiscard]] inline double sum_upwards(double a, double b) {
  const double sum = a + b;
  return sum - a < b || sum - b < a ? std::nextafter(sum, std::numeric_limits<double>::infinity())
                                    : sum;
}

/// Neumaier's compensated sum: the error is a few units in the last place of the sum of absolute
/// values, however many terms there are. The result depends on the order of the terms; callers add
/// in a canonical order.
class CompensatedSum {
 public:
  void add(double term) {
    const double total = sum_ + term;
    if (std::abs(sum_) >= std::abs(term)) {
      compensation_ += (sum_ - total) + term;
    } else {
      compensation_ += (term - total) + sum_;
    }
    sum_ = total;
  }
  [[nodiscard]] double value() const { return std::isinf(sum_) ? sum_ : sum_ + compensation_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

/// A sum of numbers that are never negative, in fixed point: every term is rounded up to a multiple
/// of 2^-64 and added exactly, so that neither the order of the terms nor how they are grouped
/// changes a bit. Upper bound of the true sum, by at most 2^-64 a term. Terms of 2^52 and beyond
/// make it infinite; fewer than 2^11 terms of that size.
class UpwardSum {
 public:
  UpwardSum() = default;
  /// The one term x >= 0; NaN counts as infinite.
  explicit UpwardSum(double x) {
    if (!(x < kLargest)) {
      infinite_ = true;
      return;
    }
    const double whole = std::floor(x);
    const double fraction = std::ceil(std::ldexp(x - whole, 64));
    whole_ = static_cast<std::uint64_t>(whole);
    if (fraction >= kTwoTo64) {
      ++whole_;
    } else {
      fraction_ = static_cast<std::uint64_t>(fraction);
    }
  }
  /// The sum that these parts, taken from another, describe.
  UpwardSum(std::uint64_t whole, std::uint64_t fraction, bool infinite)
      : whole_(whole), fraction_(fraction), infinite_(infinite) {}

  [[nodiscard]] std::uint64_t whole() const { return whole_; }
  [[nodiscard]] std::uint64_t fraction() const { return fraction_; }  ///< in units of 2^-64
  [[nodiscard]] bool is_infinite() const { return infinite_; }

  void add(const UpwardSum& other) {
    fraction_ += other.fraction_;
    whole_ += other.whole_ + (fraction_ < other.fraction_ ? 1 : 0);
    infinite_ = infinite_ || other.infinite_;
  }
  /// The sum, rounded up.
  [[nodiscard]] double value() const {
    if (infinite_) return std::numeric_limits<double>::infinity();
    if (whole_ == 0 && fraction_ == 0) return 0.0;
    const double sum =
        static_cast<double>(whole_) + std::ldexp(static_cast<double>(fraction_), -64);
    return sum * (1.0 + 2.0 * std::numeric_limits<double>::epsilon());
  }

 private:
  static constexpr double kLargest = 4503599627370496.0;
  static constexpr double kTwoTo64 = 18446744073709551616.0;

  std::uint64_t whole_ = 0;
  std::uint64_t fraction_ = 0;
  bool infinite_ = false;
};

}  // namespace pate
