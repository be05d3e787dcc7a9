#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

// e^x = power (1 + p) for |x| <= 700: power = 2^n, p = e^r - 1 for |r| <= log(2)/2.
template <class Arch>
struct ExpParts {
  Batch<Arch> power, p;
};

template <class Arch>
[[gnu::always_inline]] inline ExpParts<Arch> exp_parts(const Batch<Arch>& x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  const Batch<Arch> shifted = x * kLog2E + kRound;
  const Batch<Arch> n = shifted - kRound;
  const Batch<Arch> r = (x - n * kLn2High) - n * kLn2Low;
  // (e^r - 1 - r) / r^2 by powers, in pairs: few operations wait for each other.
  const Batch<Arch> r2 = r * r;
  const Batch<Arch> r4 = r2 * r2;
  const Batch<Arch> low = (0.5 + r * (1.0 / 6.0)) + (1.0 / 24.0 + r * (1.0 / 120.0)) * r2;
  const Batch<Arch> middle =
      (1.0 / 720.0 + r * (1.0 / 5040.0)) + (1.0 / 40320.0 + r * (1.0 / 362880.0)) * r2;
  const Batch<Arch> high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0);
  const Batch<Arch> p = r + r2 * (low + r4 * (middle + r4 * high));
  const Bits<Arch> exponent = (as_bits<Arch>(shifted) << 52) + Bits<Arch>(kOne);
  return {as_doubles<Arch>(exponent), p};
}

// Of x <= 0; what is below -700 counts as that.
template <class Arch>
[[gnu::always_inline]] inline ExpParts<Arch> exp_parts_below(const Batch<Arch>& x) {
  const Batch<Arch> least = -700.0;
  return exp_parts<Arch>(xsimd::select(x > least, x, least));
}

// 1 - e^x for x <= 0.
template <class Arch>
[[gnu::always_inline]] inline Batch<Arch> one_minus_exp(const Batch<Arch>& x) {
  const ExpParts<Arch> its = exp_parts_below<Arch>(x);
  return (1.0 - its.power) - its.power * its.p;
}

template <class Arch>
double sum_one_minus_exp(const WeightedRow* rows, std::size_t size, const double* weights,
                         std::size_t first, std::size_t last) {
  Lanes<Arch> sums;
  for (std::size_t start = first; start < last; start += kLanes) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      const std::size_t k = start + j * kWidth<Arch>;
      Batch<Arch> x = 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        x += rows[i].weight * load<Arch>(rows[i].row + k, Whole{});
      }
      sums.of[j] += load<Arch>(weights + k, Whole{}) * one_minus_exp<Arch>(x);
    }
  }
  return sums.total();
}

}  // namespace

}  // namespace pate
