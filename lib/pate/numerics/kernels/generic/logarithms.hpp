#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

// log(sum + lost) of a positive sum, |lost| below its rounding; `its` where that is infinite or
// NaN.
template <class Arch>
[[gnu::always_inline]] inline Batch<Arch> log_of_sum(const Batch<Arch>& sum,
                                                     const Batch<Arch>& lost,
                                                     const Batch<Arch>& its) {
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  // A double of 2^52 + n has n in its last bits.
  constexpr std::uint64_t kCount = 0x4330000000000000;
  constexpr double kCounted = 4503599627370496.0 + 1023.0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 21 zeros at its end
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr double kMaxDouble = 0x1.fffffffffffffp+1023;
  // sum is 2^k (1 + f), 1 + f from sqrt(1/2) to sqrt(2).
  const Bits<Arch> bits = as_bits<Arch>(sum) + Bits<Arch>(kOne - kRootHalf);
  const Batch<Arch> k = as_doubles<Arch>((bits >> 52) | Bits<Arch>(kCount)) - kCounted;
  const Batch<Arch> f =
      as_doubles<Arch>((bits & Bits<Arch>(kMantissa)) + Bits<Arch>(kRootHalf)) - 1.0;
  // log(1 + f) = 2 artanh(s), |s| <= .1716.
  const Batch<Arch> s = f / (2.0 + f);
  const Batch<Arch> t = s * s;
  const Batch<Arch> tail =
      polynomial<Arch>(t, {1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                           1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0});
  const Batch<Arch> log_f = 2.0 * s + 2.0 * s * t * tail;
  const Batch<Arch> result = k * kLn2High + (log_f + (k * kLn2Low + lost / sum));
  return xsimd::select(its <= Batch<Arch>(kMaxDouble), result, its);
}

template <class Arch>
void log1p_positive(double* x, std::size_t size) {
  for_batches<Arch>(size, [&](std::size_t i, auto part) {
    const Batch<Arch> its = load<Arch>(x + i, part);
    const Batch<Arch> sum = 1.0 + its;
    const Batch<Arch> lost =
        xsimd::select(its < Batch<Arch>(1.0), its - (sum - 1.0), 1.0 - (sum - its));
    store<Arch>(log_of_sum<Arch>(sum, lost, its), x + i, part);
  });
}

template <class Arch>
void log1p_near_zero(double* x, std::size_t size) {
  for_batches<Arch>(size, [&](std::size_t i, auto part) {
    const Batch<Arch> its = load<Arch>(x + i, part);
    // 2 artanh(s), |s| <= 1/9.
    const Batch<Arch> s = its / (2.0 + its);
    const Batch<Arch> t = s * s;
    const Batch<Arch> tail = polynomial<Arch>(t, {1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0,
                                                  1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0});
    store<Arch>(2.0 * s + 2.0 * s * t * tail, x + i, part);
  });
}

}  // namespace

}  // namespace pate
