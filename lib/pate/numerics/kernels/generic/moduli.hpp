#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"
#include "pate/numerics/kernels/generic/key_sums.hpp"
#include "pate/numerics/kernels/generic/logarithms.hpp"

namespace pate {

namespace {

template <class Arch>
void exponentials(double* x, std::size_t size) {
  for_batches<Arch>(size, [&](std::size_t i, auto part) {
    store<Arch>(Exponential<Arch>(load<Arch>(x + i, part)).value(), x + i, part);
  });
}

template <class Arch>
void multiples_of_angle(double cosine, double sine, std::size_t size, double* cosines,
                        double* sines) {
  cosines[0] = 1.0;
  sines[0] = 0.0;
  for (std::size_t k = 1; k < kLanes; ++k) {
    cosines[k] = cosines[k - 1] * cosine - sines[k - 1] * sine;
    sines[k] = cosines[k - 1] * sine + sines[k - 1] * cosine;
  }
  // From lane to lane, by kLanes times the angle.
  const Batch<Arch> by_cosine = cosines[kLanes - 1] * cosine - sines[kLanes - 1] * sine;
  const Batch<Arch> by_sine = cosines[kLanes - 1] * sine + sines[kLanes - 1] * cosine;
  for (std::size_t k = 0; k + kLanes < size; k += kWidth<Arch>) {
    const Batch<Arch> c = load<Arch>(cosines + k, Whole{});
    const Batch<Arch> s = load<Arch>(sines + k, Whole{});
    store<Arch>(c * by_cosine - s * by_sine, cosines + k + kLanes, Whole{});
    store<Arch>(c * by_sine + s * by_cosine, sines + k + kLanes, Whole{});
  }
}

template <class Arch>
void raise_moduli(const ModulusTerms& terms, std::size_t size, double* largest) {
  double first[kLanes];  // NOLINT(*-avoid-c-arrays): no function of std::array
  for (std::size_t k = 0; k < kLanes; ++k) first[k] = static_cast<double>(k);
  for (std::size_t k = 0; k < size; k += kWidth<Arch>) {
    Batch<Arch> real = 0.0;
    Batch<Arch> imaginary = 0.0;
    for (std::size_t i = 0; i < terms.outcomes; ++i) {
      const Batch<Arch> weight = terms.weights[i];
      real += weight * load<Arch>(terms.cosines[i] + k, Whole{});
      imaginary += weight * load<Arch>(terms.sines[i] + k, Whole{});
    }
    const Batch<Arch> at =
        load<Arch>(first + k % kLanes, Whole{}) + static_cast<double>(k - k % kLanes);
    const Batch<Arch> error = terms.error + terms.error_step * at;
    const Batch<Arch> most = load<Arch>(largest + k, Whole{});
    const Batch<Arch> square = real * real + imaginary * imaginary;
    // A square root only where it may be more than what there is, or is not a number.
    const Batch<Arch> left = most - error;
    const auto is_less = (square < left * left) & (left > Batch<Arch>(0.0));
    if (xsimd::all(is_less)) continue;
    const Batch<Arch> modulus = xsimd::sqrt(square) + error;
    const auto stays = is_less | (modulus <= most) | xsimd::isnan(most);
    store<Arch>(xsimd::select(stays, most, modulus), largest + k, Whole{});
  }
}

// Of positive numbers; what is infinite or NaN stays that.
template <class Arch>
[[gnu::always_inline]] inline Batch<Arch> logarithm(const Batch<Arch>& x) {
  return log_of_sum<Arch>(x, Batch<Arch>(0.0), x);
}

template <class Arch>
void outward_logs(const double* x, double most, std::size_t size, double* result) {
  constexpr double kRounding = 4e-15;
  for_batches<Arch>(size, [&](std::size_t i, auto part) {
    const Batch<Arch> its = load<Arch>(x + i, part);
    const Batch<Arch> log = logarithm<Arch>(its);
    const Batch<Arch> outward = log + kRounding * (1.0 + xsimd::abs(log));
    const Batch<Arch> bound = most;
    store<Arch>(xsimd::select(outward < bound, outward, bound), result + i, part);
  });
}

template <class Arch>
void raise_to(const double* from, std::size_t size, double* to) {
  for_batches<Arch>(size, [&](std::size_t i, auto part) {
    const Batch<Arch> a = load<Arch>(from + i, part);
    const Batch<Arch> b = load<Arch>(to + i, part);
    store<Arch>(xsimd::select((a <= b) | xsimd::isnan(b), b, a), to + i, part);
  });
}

}  // namespace

}  // namespace pate
