#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

// The series of e^y - 1 - y, for |y| <= 1/2.
template <class Arch>
Batch<Arch> short_series(const Batch<Arch>& y) {
  return polynomial<Arch>(
             y, {1.0 / 1307674368000.0, 1.0 / 87178291200.0, 1.0 / 6227020800.0, 1.0 / 479001600.0,
                 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0,
                 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) *
         y * y;
}

template <class Arch>
void expm1_minus_x(const double* l, double factor, double most, std::size_t size, double* result) {
  constexpr double kShort = 0.5;
  double shortened = 1.0;
  while (most * shortened > kShort) shortened *= 0.5;
  for_batches<Arch>(size, [&](std::size_t k, auto part) {
    const Batch<Arch> z = factor * load<Arch>(l + k, part);
    Batch<Arch> tail = short_series<Arch>(z * shortened);
    // From y to 2 y: e^2y - 1 - 2y = 2 (e^y - 1 - y) + (e^y - 1)^2, of which both are >= 0.
    for (double scale = shortened; scale < 1.0; scale *= 2.0) {
      const Batch<Arch> more = z * scale + tail;
      tail = 2.0 * tail + more * more;
    }
    store<Arch>(tail, result + k, part);
  });
}

}  // namespace

}  // namespace pate
