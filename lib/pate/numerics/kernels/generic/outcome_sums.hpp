#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

// sums[r][b] += weights[i] * (1 + up[i][rows[r]]) * down[i][b], for so many rows and nodes i: a sum
// is read and written once for them.
template <class Arch, std::size_t Rows, std::size_t Nodes>
void add_some_products(const double* weights, const double* up, const double* down,
                       std::size_t size, const std::uint32_t* rows, double* sums) {
  Batch<Arch> w[Rows][Nodes];  // NOLINT(*-avoid-c-arrays)
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t i = 0; i < Nodes; ++i) w[r][i] = weights[i] * (1.0 + up[i * size + rows[r]]);
  }
  for (std::size_t b = 0; b < size; b += kWidth<Arch>) {
    Batch<Arch> x[Nodes];  // NOLINT(*-avoid-c-arrays)
    for (std::size_t i = 0; i < Nodes; ++i) x[i] = load<Arch>(down + i * size + b, Whole{});
    for (std::size_t r = 0; r < Rows; ++r) {
      Batch<Arch> sum = load<Arch>(sums + r * size + b, Whole{});
      for (std::size_t i = 0; i < Nodes; ++i) sum += w[r][i] * x[i];
      store<Arch>(sum, sums + r * size + b, Whole{});
    }
  }
}

template <class Arch, std::size_t Rows>
void add_rows_of_products(const double* weights, std::size_t nodes, const double* up,
                          const double* down, std::size_t size, const std::uint32_t* rows,
                          double* sums) {
  constexpr std::size_t kAtOnce = 4;
  std::size_t i = 0;
  for (; i + kAtOnce <= nodes; i += kAtOnce) {
    add_some_products<Arch, Rows, kAtOnce>(weights + i, up + i * size, down + i * size, size, rows,
                                           sums);
  }
  for (; i < nodes; ++i) {
    add_some_products<Arch, Rows, 1>(weights + i, up + i * size, down + i * size, size, rows, sums);
  }
}

template <class Arch>
void add_products(const double* weights, std::size_t nodes, const double* up, const double* down,
                  std::size_t size, const std::uint32_t* rows, std::size_t count, double* sums) {
  std::size_t r = 0;
  for (; r + 2 <= count; r += 2) {
    add_rows_of_products<Arch, 2>(weights, nodes, up, down, size, rows + r, sums + r * size);
  }
  if (r < count) {
    add_rows_of_products<Arch, 1>(weights, nodes, up, down, size, rows + r, sums + r * size);
  }
}

template <class Arch>
void add_columns(double weight, const double* up, const double* down, std::size_t size,
                 const std::uint32_t* columns, std::size_t count, double* sums) {
  for (std::size_t c = 0; c < count; ++c) {
    const Batch<Arch> one = down[columns[c]];
    double* const to = sums + c * size;
    for (std::size_t a = 0; a < size; a += kWidth<Arch>) {
      const Batch<Arch> product = weight * (1.0 + load<Arch>(up + a, Whole{})) * one;
      store<Arch>(load<Arch>(to + a, Whole{}) + product, to + a, Whole{});
    }
  }
}

template <class Arch>
double largest_size(const double* x, std::size_t size) {
  Lanes<Arch> most;
  for_lanes<Arch>(size, [&](std::size_t j, std::size_t e, auto part) {
    const Batch<Arch> its = xsimd::abs(load<Arch>(x + e, part));
    most.of[j] = xsimd::select(its > most.of[j], its, most.of[j]);
  });
  return most.largest();
}

template <class Arch>
double sum_changes(const double* weights, const double* l, const double* expm1_minus_x,
                   std::size_t size) {
  Lanes<Arch> sums;
  for_lanes<Arch>(size, [&](std::size_t j, std::size_t e, auto part) {
    sums.of[j] += load<Arch>(weights + e, part) *
                  (load<Arch>(l + e, part) + load<Arch>(expm1_minus_x + e, part));
  });
  return sums.total();
}

template <class Arch>
void sum_excess(const double* weights, const double* forward, const double* reverse,
                const double* expm1_minus_x, std::size_t size, double order, double* result) {
  Lanes<Arch> there;
  Lanes<Arch> back;
  for_lanes<Arch>(size, [&](std::size_t j, std::size_t e, auto part) {
    const Batch<Arch> weight = load<Arch>(weights + e, part);
    const Batch<Arch> tail = load<Arch>(expm1_minus_x + e, part);
    there.of[j] += weight * (load<Arch>(forward + e, part) + (order - 1.0) * tail);
    back.of[j] += weight * (load<Arch>(reverse + e, part) - order * tail);
  });
  result[0] = there.total();
  result[1] = back.total();
}

}  // namespace

}  // namespace pate
