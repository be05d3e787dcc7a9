#pragma once

#include "pate/numerics/kernels/generic/expm1_minus_x.hpp"
#include "pate/numerics/kernels/generic/key_sums.hpp"
#include "pate/numerics/kernels/generic/logarithms.hpp"
#include "pate/numerics/kernels/generic/moduli.hpp"
#include "pate/numerics/kernels/generic/node_sums.hpp"
#include "pate/numerics/kernels/generic/outcome_sums.hpp"
#include "pate/numerics/kernels/generic/raise_excess.hpp"
#include "pate/numerics/kernels/generic/sum_one_minus_exp.hpp"
#include "pate/numerics/kernels/generic/win_sums.hpp"

namespace pate {

namespace {

template <class Arch>
constexpr Kernels kernels_of() {
  return {
      .name = Arch::name(),
      .sum_one_minus_exp = sum_one_minus_exp<Arch>,
      .win_sums = win_sums<Arch>,
      .sum_behind_cells = sum_behind_cells<Arch>,
      .node_sums = node_sums<Arch>,
      .largest_sums = largest_sums<Arch>,
      .expm1_minus_x = expm1_minus_x<Arch>,
      .log1p_positive = log1p_positive<Arch>,
      .log1p_near_zero = log1p_near_zero<Arch>,
      .add_products = add_products<Arch>,
      .add_columns = add_columns<Arch>,
      .largest_size = largest_size<Arch>,
      .sum_changes = sum_changes<Arch>,
      .sum_excess = sum_excess<Arch>,
      .product_sums = product_sums<Arch>,
      .cell_win_sums = cell_win_sums<Arch>,
      .raise_joint_excess = raise_joint_excess<Arch>,
      .exponentials = exponentials<Arch>,
      .multiples_of_angle = multiples_of_angle<Arch>,
      .raise_moduli = raise_moduli<Arch>,
      .outward_logs = outward_logs<Arch>,
      .raise_to = raise_to<Arch>,
      .raise_excess = raise_excess<Arch>,
  };
}

}  // namespace

}  // namespace pate
