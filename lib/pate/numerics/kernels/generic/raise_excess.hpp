#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"

namespace pate {

namespace {

template <class Arch>
void raise_excess(const double* gammas, std::size_t zero, std::size_t size, const double* p,
                  const double* q, double* excess) {
  Lanes<Arch> sum_p;
  Lanes<Arch> sum_q;
  const auto add = [&](std::size_t k, double sign) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      const std::size_t i = k * kLanes + j * kWidth<Arch>;
      sum_p.of[j] += load<Arch>(p + i, Whole{});
      sum_q.of[j] += load<Arch>(q + i, Whole{});
      const Batch<Arch> its = sign * (sum_p.of[j] - gammas[k] * sum_q.of[j]);
      const Batch<Arch> most = load<Arch>(excess + i, Whole{});
      // Not most != most: xsimd 8 has no NaN differ from itself, with AVX.
      store<Arch>(xsimd::select((its <= most) | xsimd::isnan(most), most, its), excess + i,
                  Whole{});
    }
  };
  for (std::size_t k = 0; k < zero; ++k) add(k, -1.0);
  sum_p = sum_q = {};
  for (std::size_t k = size; k-- > zero;) add(k, 1.0);
}

}  // namespace

}  // namespace pate
