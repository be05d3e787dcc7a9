#pragma once

#include "pate/numerics/kernels/generic/batches.hpp"
#include "pate/numerics/kernels/generic/sum_one_minus_exp.hpp"

namespace pate {

namespace {

template <class Arch, std::size_t Rows>
void sums_of_products(const double* a, const double* b, const double* const* rows,
                      std::size_t nodes, double* result) {
  Lanes<Arch> sums[Rows];  // NOLINT(*-avoid-c-arrays): no function of std::array
  for (std::size_t start = 0; start < nodes; start += kLanes) {
    for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
      const std::size_t k = start + j * kWidth<Arch>;
      const Batch<Arch> both = load<Arch>(a + k, Whole{}) * load<Arch>(b + k, Whole{});
      for (std::size_t r = 0; r < Rows; ++r) {
        sums[r].of[j] += both * load<Arch>(rows[r] + k, Whole{});
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) result[r] = sums[r].total();
}

template <class Arch>
void product_sums(const double* a, const double* b, const double* const* rows, std::size_t count,
                  std::size_t nodes, double* result) {
  std::size_t r = 0;
  for (; r + 3 <= count; r += 3) sums_of_products<Arch, 3>(a, b, rows + r, nodes, result + r);
  if (count - r == 2) sums_of_products<Arch, 2>(a, b, rows + r, nodes, result + r);
  if (count - r == 1) sums_of_products<Arch, 1>(a, b, rows + r, nodes, result + r);
}

template <class Arch>
void cell_win_sums(const CountRow& top, const CountRow& second, const CellWinRows* behind,
                   std::size_t count, std::size_t nodes, double* result) {
  for (std::size_t i = 0; i < count; ++i) {
    Lanes<Arch> sums[4];  // NOLINT(*-avoid-c-arrays)
    for (std::size_t start = 0; start < nodes; start += kLanes) {
      for (std::size_t j = 0; j < kBatches<Arch>; ++j) {
        const std::size_t k = start + j * kWidth<Arch>;
        const Batch<Arch> below = load<Arch>(top.below + k, Whole{});
        const Batch<Arch> second_below = load<Arch>(second.below + k, Whole{});
        const Batch<Arch> all = load<Arch>(behind[i].below + k, Whole{});
        const Batch<Arch> both = below * second_below;
        sums[0].of[j] += load<Arch>(top.density + k, Whole{}) * second_below * all;
        sums[1].of[j] += below * load<Arch>(second.density + k, Whole{}) * all;
        sums[2].of[j] += both * load<Arch>(behind[i].third_wins + k, Whole{});
        sums[3].of[j] += both * load<Arch>(behind[i].rest_wins + k, Whole{});
      }
    }
    for (std::size_t r = 0; r < 4; ++r) result[4 * i + r] = sums[r].total();
  }
}

// e^x and e^x - 1, infinite beyond 700 and of what is not a number.
template <class Arch>
struct Exponential {
  ExpParts<Arch> parts;

  explicit Exponential(const Batch<Arch>& x) {
    constexpr double kHuge = 0x1.fffffffffffffp+1023;
    const Batch<Arch> least = -700.0;
    const Batch<Arch> most = 700.0;
    const Batch<Arch> raised = xsimd::select(x < least, least, x);
    const auto is_held = raised <= most;
    parts = exp_parts<Arch>(xsimd::select(is_held, raised, most));
    parts.power = xsimd::select(is_held, parts.power, Batch<Arch>(kHuge) * Batch<Arch>(kHuge));
  }
  // Of a small x the first is exact.
  [[nodiscard]] Batch<Arch> minus_one() const {
    return parts.power * parts.p + (parts.power - 1.0);
  }
  [[nodiscard]] Batch<Arch> value() const { return parts.power * (1.0 + parts.p); }
};

template <class Arch>
void raise_joint_excess(const MoveWins& wins, const double* orders, const double* rest,
                        const double* selection, const double* answered, std::size_t size,
                        double* largest) {
  constexpr double kCancellation = 1e-13;
  for_batches<Arch>(size, [&](std::size_t k, auto part) {
    const Batch<Arch> order = load<Arch>(orders + k, part);
    const Batch<Arch> tilt = order - 1.0;
    const Batch<Arch> top =
        Exponential<Arch>(order * wins.log_top - tilt * wins.log_top_after).minus_one();
    Batch<Arch> cells = 0.0;
    for (std::size_t i = 0; i < wins.cells; ++i) {
      cells +=
          Exponential<Arch>(order * wins.log_cells[i] - tilt * wins.log_cells_after[i]).value();
    }
    const Batch<Arch> other = load<Arch>(rest + k, part);
    const Batch<Arch> rounding =
        (1.0 + top) * (order * wins.odds + tilt * wins.odds_after) + (order + tilt) * cells + other;
    const Batch<Arch> excess = top + cells + other + kCancellation * rounding;
    const Batch<Arch> joint =
        load<Arch>(selection + k, part) + load<Arch>(answered + k, part) * excess;
    const Batch<Arch> most = load<Arch>(largest + k, part);
    store<Arch>(xsimd::select((joint <= most) | xsimd::isnan(most), most, joint), largest + k,
                part);
  });
}

}  // namespace

}  // namespace pate
