#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

// Nodes whose sums are in registers at once.
template <class Arch>
struct Strip {
  static constexpr std::size_t kOf = 8;
  static constexpr std::size_t kNodes = kOf * kWidth<Arch>;
  static_assert(kNodeBlock % kNodes == 0);

  Batch<Arch> of[kOf];  // NOLINT(*-avoid-c-arrays)

  explicit Strip(double start) {
    for (Batch<Arch>& sum : of) sum = start;
  }
  Strip(const double* values, const NodeTerms& terms) : Strip(terms.start) {
    for (std::size_t t = 0; t < terms.size; ++t) {
      const double* const from = values + terms.offsets[t];
      const Batch<Arch> weight = terms.weights[t];
      for (std::size_t j = 0; j < kOf; ++j) {
        of[j] += weight * load<Arch>(from + j * kWidth<Arch>, Whole{});
      }
    }
  }
  void write(double* result) const {
    for (std::size_t j = 0; j < kOf; ++j) of[j].store_unaligned(result + j * kWidth<Arch>);
  }
};

template <class Arch>
void node_sums(const double* values, const NodeTerms& terms, double* result) {
  for (std::size_t i = 0; i < kNodeBlock; i += Strip<Arch>::kNodes) {
    Strip<Arch>(values + i, terms).write(result + i);
  }
}

template <class Arch>
void largest_sums(const double* values, const NodeTerms* tables, std::size_t size, double* result) {
  const Batch<Arch> one = 1.0;
  for (std::size_t i = 0; i < kNodeBlock; i += Strip<Arch>::kNodes) {
    Strip<Arch> most(0.0);
    for (std::size_t k = 0; k < size; ++k) {
      const Strip<Arch> sums(values + i, tables[k]);
      for (std::size_t j = 0; j < Strip<Arch>::kOf; ++j) {
        most.of[j] = xsimd::select(most.of[j] > sums.of[j], most.of[j], sums.of[j]);
      }
    }
    for (Batch<Arch>& its : most.of) its = xsimd::select(its < one, its, one);
    most.write(result + i);
  }
}

}  // namespace

}  // namespace pate
