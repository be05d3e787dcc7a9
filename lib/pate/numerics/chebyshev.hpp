#pragma once

#include <array>
#include <cstddef>

// Interpolation of a smooth function on [-1, 1] by the polynomial through its values at Chebyshev's
// points, and sums over many places of one such function.

namespace pate::chebyshev {

inline constexpr std::size_t kNodes = 12;
/// A number for each of the points, of the polynomials T_0 to T_11, or of whatever goes with them.
using Nodes = std::array<double, kNodes>;

/// cos(pi (k + 1/2) / 12): the zeros of T_12, falling.
[[nodiscard]] const Nodes& points();

/// How the values at the points weigh in that at s: sum of weight_k f(point_k).
[[nodiscard]] Nodes weights_at(double s);

[[nodiscard]] inline double interpolate(const Nodes& weights, const Nodes& values) {
  double even = 0.0;
  double odd = 0.0;
  for (std::size_t k = 0; k < kNodes; k += 2) {
    even += weights[k] * values[k];
    odd += weights[k + 1] * values[k + 1];
  }
  return even + odd;
}

[[nodiscard]] double dot(const Nodes& a, const Nodes& b);

/// T_k(s) for every k.
[[nodiscard]] inline Nodes polynomials(double s) {
  Nodes result;
  double before = s;  // T_-1
  double now = 1.0;
  for (double& value : result) {
    value = now;
    const double next = 2.0 * s * now - before;
    before = now;
    now = next;
  }
  return result;
}

/// What a sum over places s needs to know of them, times T_k(s) for every k; and how the values at
/// the points weigh in it: sum of times f(s) = dot(weights, f at the points).
inline void add(double times, const Nodes& polynomials, Nodes& moments) {
  for (std::size_t k = 0; k < kNodes; ++k) moments[k] += times * polynomials[k];
}
[[nodiscard]] Nodes weights(const Nodes& moments);

/// The sum of the absolute values of the last two coefficients: the interpolation error is of its
/// size.
[[nodiscard]] double tail(const Nodes& values);
/// Whether that is below 2e-11 scale. False for values that are not finite.
[[nodiscard]] bool converged(const Nodes& values, double scale);

}  // namespace pate::chebyshev
