#pragma once

#include <xsimd/xsimd.hpp>

#include "pate/numerics/kernels/kernels.hpp"

// Everything in this folder is compiled once an instruction set, with what that set allows. So it
// has internal linkage and calls no inline function of the standard library: the linker keeps one
// copy of such a function, which might be one that this machine cannot run.

namespace pate {

namespace {

template <class Arch>
using Batch = xsimd::batch<double, Arch>;
template <class Arch>
using Bits = xsimd::batch<std::uint64_t, Arch>;

template <class Arch>
constexpr std::size_t kWidth = Batch<Arch>::size;
template <class Arch>
constexpr std::size_t kBatches = kLanes / kWidth<Arch>;  // in all lanes

// The same bits as numbers of another type. Up to xsimd 8 a batch is named, later its numbers.
template <class Arch>
Bits<Arch> as_bits(const Batch<Arch>& batch) {
#if XSIMD_VERSION_MAJOR < 9
  return xsimd::bitwise_cast<Bits<Arch>>(batch);
#else
  return xsimd::bitwise_cast<std::uint64_t>(batch);
#endif
}
template <class Arch>
Batch<Arch> as_doubles(const Bits<Arch>& bits) {
#if XSIMD_VERSION_MAJOR < 9
  return xsimd::bitwise_cast<Batch<Arch>>(bits);
#else
  return xsimd::bitwise_cast<double>(bits);
#endif
}

// A batch that is there as a whole, or its first numbers only: zeros stand for others.
struct Whole {};
struct First {
  std::size_t size;
};

template <class Arch>
Batch<Arch> load(const double* from, Whole) {
  return Batch<Arch>::load_unaligned(from);
}
template <class Arch>
Batch<Arch> load(const double* from, First first) {
  double padded[kWidth<Arch>] = {};  // NOLINT(*-avoid-c-arrays): no function of std::array
  for (std::size_t i = 0; i < first.size; ++i) padded[i] = from[i];
  return Batch<Arch>::load_unaligned(padded);
}
template <class Arch>
void store(const Batch<Arch>& batch, double* to, Whole) {
  batch.store_unaligned(to);
}
template <class Arch>
void store(const Batch<Arch>& batch, double* to, First first) {
  double padded[kWidth<Arch>];  // NOLINT(*-avoid-c-arrays)
  batch.store_unaligned(padded);
  for (std::size_t i = 0; i < first.size; ++i) to[i] = padded[i];
}

// Calls f(k, part) for a batch from element k on, until all `size` elements were in one.
template <class Arch, class Function>
void for_batches(std::size_t size, const Function& f) {
  std::size_t k = 0;
  for (; k + kWidth<Arch> <= size; k += kWidth<Arch>) f(k, Whole{});
  if (k < size) f(k, First{size - k});
}

// The same of kLanes elements at a time, as f(j, k, part): batch j of the lanes, from element k on.
template <class Arch, class Function>
void for_lanes(std::size_t size, const Function& f) {
  std::size_t k = 0;
  for (; k + kLanes <= size; k += kLanes) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) f(j, k + j * kWidth<Arch>, Whole{});
  }
  for (std::size_t j = 0; k < size; ++j, k += kWidth<Arch>) {
    f(j, k, First{size - k < kWidth<Arch> ? size - k : kWidth<Arch>});
  }
}

// A number in every lane, 0 at first.
template <class Arch>
struct Lanes {
  Batch<Arch> of[kBatches<Arch>];  // NOLINT(*-avoid-c-arrays)

  Lanes() {
    for (Batch<Arch>& its : of) its = 0.0;
  }
  // f(... f(f(0, first lane), second lane) ..., last lane).
  template <class Function>
  [[nodiscard]] double joined(const Function& f) const {
    double lanes[kLanes];  // NOLINT(*-avoid-c-arrays)
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      of[j].store_unaligned(lanes + j * kWidth<Arch>);
    }
    double result = 0.0;
    for (const double lane : lanes) result = f(result, lane);
    return result;
  }
  [[nodiscard]] double total() const {
    return joined([](double sum, double lane) { return sum + lane; });
  }
  [[nodiscard]] double largest() const {
    return joined([](double most, double lane) { return lane > most ? lane : most; });
  }
};

// The polynomial of x with these coefficients, the highest power first, by Horner's rule.
template <class Arch, std::size_t Size>
Batch<Arch> polynomial(const Batch<Arch>& x, const double (&coefficients)[Size]) {
  Batch<Arch> sum = coefficients[0];
  for (std::size_t i = 1; i < Size; ++i) sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace

}  // namespace pate
