#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"
#include "pate/numerics/kernels/generic/sum_one_minus_exp.hpp"

namespace pate {

namespace {

template <class Arch>
[[gnu::always_inline]] inline Batch<Arch> weighted_rows(const WeightedRow* rows, std::size_t size,
                                                        std::size_t k) {
  Batch<Arch> x = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    x += rows[i].weight * load<Arch>(rows[i].row + k, Whole{});
  }
  return x;
}

template <class Arch>
void win_sums(const WeightedRow* rows, std::size_t size, const CellRows& cells,
              const double* weights, std::size_t first, std::size_t last, double* result) {
  Lanes<Arch> loses;
  Lanes<Arch> wins[CellRows::kMost];  // NOLINT(*-avoid-c-arrays): no function of std::array
  for (std::size_t start = first; start < last; start += kLanes) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      const std::size_t k = start + j * kWidth<Arch>;
      const ExpParts<Arch> x = exp_parts_below<Arch>(weighted_rows<Arch>(rows, size, k));
      const Batch<Arch> one_minus = (1.0 - x.power) - x.power * x.p;
      // Not 1 - that: of a small power nothing is left, and densities may be as large as it is
      // small.
      const Batch<Arch> power = x.power + x.power * x.p;
      loses.of[j] += load<Arch>(weights + k, Whole{}) * one_minus;
      for (std::size_t i = 0; i < cells.size; ++i) {
        wins[i].of[j] += load<Arch>(cells.densities[i] + k, Whole{}) * power;
      }
    }
  }
  result[0] = loses.total();
  for (std::size_t i = 0; i < cells.size; ++i) result[i + 1] = wins[i].total();
}

template <class Arch>
double sum_behind_cells(const WeightedRow* rows, std::size_t size, const CellRows& cells,
                        const double* weights, std::size_t first, std::size_t last) {
  Lanes<Arch> sums;
  for (std::size_t start = first; start < last; start += kLanes) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      const std::size_t k = start + j * kWidth<Arch>;
      const ExpParts<Arch> x = exp_parts_below<Arch>(weighted_rows<Arch>(rows, cells.size, k));
      const Batch<Arch> power = x.power + x.power * x.p;
      const Batch<Arch> behind =
          one_minus_exp<Arch>(weighted_rows<Arch>(rows + cells.size, size - cells.size, k));
      Batch<Arch> density = load<Arch>(weights + k, Whole{});
      for (std::size_t i = 0; i < cells.size; ++i) {
        density += load<Arch>(cells.densities[i] + k, Whole{});
      }
      sums.of[j] += density * (power * behind);
    }
  }
  return sums.total();
}

}  // namespace

}  // namespace pate
