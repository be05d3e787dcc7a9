#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>

namespace pate {

using Integer = boost::multiprecision::cpp_int;

/// The number mantissa * 2^exponent. Every finite double is one, and sums, differences and products
/// of dyadic numbers are dyadic again: arithmetic without any rounding.
class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(Integer mantissa, int exponent) : mantissa_(std::move(mantissa)), exponent_(exponent) {}
  /// The value of a double, exactly. Throws `parameter_error` unless it is finite.
  explicit Dyadic(double value);

  [[nodiscard]] const Integer& mantissa() const { return mantissa_; }
  [[nodiscard]] int exponent() const { return exponent_; }

  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  friend std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) { return std::is_eq(a <=> b); }

 private:
  Integer mantissa_ = 0;
  int exponent_ = 0;
};

/// The smallest integer n with n * 2^exponent >= value.
[[nodiscard]] Integer ceil_to_multiple(const Dyadic& value, int exponent);

/// The smallest double >= value; +inf above the largest double.
[[nodiscard]] double round_up_to_double(const Dyadic& value);

}  // namespace pate
