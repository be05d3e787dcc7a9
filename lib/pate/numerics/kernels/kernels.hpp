#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pate {

/// How many sums a kernel keeps of one total: element i is added to sum i mod kLanes, and the sums
/// are added up in a fixed order. So a total has the same bits in vectors of any width.
inline constexpr std::size_t kLanes = 8;

/// A row of logarithms, and how often it counts. `kLanes` - 1 numbers can be read behind its end.
struct WeightedRow {
  const double* row;
  double weight;
};

/// Rows of up to `kMost` classes that are told apart, to be multiplied with e^x. `kLanes` - 1 zeros
/// can be read behind the end of each.
struct CellRows {
  static constexpr std::size_t kMost = 2;
  const double* const* densities;
  std::size_t size;
};

/// Of a noisy count at every node: how likely it is below, and its density times the distance of
/// nodes.
struct CountRow {
  const double* below;
  const double* density;
};

/// Of classes behind the first two: how likely all of them are below; the same with the density of
/// one class, the third, in the place of it being below; and of any of the others.
struct CellWinRows {
  const double* below;
  const double* third_wins;
  const double* rest_wins;
};

/// Who wins before and after a move: logarithms of the probabilities of the top class and of up to
/// two more, and q / (1 - q) of the probability q that the top class does not.
struct MoveWins {
  static constexpr std::size_t kMost = 2;
  double log_top, log_top_after;
  double odds, odds_after;
  double log_cells[kMost], log_cells_after[kMost];  // NOLINT(*-avoid-c-arrays)
  std::size_t cells;
};

/// A sum of outcomes turned by multiples k of an angle each: weights[i] (cosines[i][k] + i
/// sines[i][k]), and what its modulus may be less than it should, error + k error_step.
struct ModulusTerms {
  const double* const* cosines;
  const double* const* sines;
  const double* weights;
  std::size_t outcomes;
  double error, error_step;
};

/// How many nodes `node_sums` and `largest_sums` compute at a time.
inline constexpr std::size_t kNodeBlock = 64;

/// start + sum over terms of weights[t] * values[i + offsets[t]], added up in the order of the
/// terms.
struct NodeTerms {
  const std::int32_t* offsets;
  const double* weights;
  std::size_t size;
  double start;
};

/// The largest |z| of `Kernels::expm1_minus_x`.
inline constexpr double kMaxExpArgument = 16.0;

/// Where `Kernels::log1p_near_zero` holds: -1/5 <= x <= 1/4.
[[nodiscard]] inline bool is_near_zero(double x) {
  return x >= -0.2 && x <= 0.25;
}

/// The inner loops that run in vectors, for one instruction set. Each is written once
/// (`generic/`), for any width, without fused products: all sets give the same bits.
struct Kernels {
  /// Of the instruction set, as xsimd calls it.
  const char* name;

  /// sum over nodes k, first <= k < last, of weights[k] (1 - e^x_k), where x_k <= 0 is the sum over
  /// rows of weight * row[k]. Nodes up to a multiple of `kLanes` behind `first` are added too, so
  /// weights and rows go on there. Relative accuracy of a term 4e-16.
  double (*sum_one_minus_exp)(const WeightedRow* rows, std::size_t size, const double* weights,
                              std::size_t first, std::size_t last);

  /// The same sum as result[0], and as result[i + 1] the sum over the same nodes of
  /// densities[i][k] e^x_k, i < cells.size.
  void (*win_sums)(const WeightedRow* rows, std::size_t size, const CellRows& cells,
                   const double* weights, std::size_t first, std::size_t last, double* result);

  /// sum over nodes of (weights[k] + the densities[i][k], i < cells.size) e^x_k (1 - e^y_k), x_k of
  /// the first `cells.size` rows and y_k of the others.
  double (*sum_behind_cells)(const WeightedRow* rows, std::size_t size, const CellRows& cells,
                             const double* weights, std::size_t first, std::size_t last);

  /// result[i], i < kNodeBlock: that sum of `NodeTerms`.
  void (*node_sums)(const double* values, const NodeTerms& terms, double* result);

  /// result[i], i < kNodeBlock: the largest of those sums over `size` tables, but from 0 to 1.
  void (*largest_sums)(const double* values, const NodeTerms* tables, std::size_t size,
                       double* result);

  /// result[i] = e^z - 1 - z >= 0 of z = factor * l[i], i < size, without the cancellation near 0.
  /// most: at least |z| of all of them, at most kMaxExpArgument. Relative accuracy 2e-14. l and
  /// result do not overlap. What is not finite is not either in the result.
  void (*expm1_minus_x)(const double* l, double factor, double most, std::size_t size,
                        double* result);

  /// x[i] becomes log(1 + x[i]) of x[i] >= 0, to a relative accuracy of 1e-15. What is infinite or
  /// NaN is not finite in the result.
  void (*log1p_positive)(double* x, std::size_t size);

  /// x[i] becomes log(1 + x[i]) where `is_near_zero(x[i])`, to a relative accuracy of 1e-15; others
  /// become any number.
  void (*log1p_near_zero)(double* x, std::size_t size);

  /// sums[r * size + b] += weights[i] * (1 + up[i * size + rows[r]]) * down[i * size + b], r <
  /// count, b < size, node by node i < nodes. `size` is a multiple of `kLanes`; sums overlap
  /// nothing.
  void (*add_products)(const double* weights, std::size_t nodes, const double* up,
                       const double* down, std::size_t size, const std::uint32_t* rows,
                       std::size_t count, double* sums);

  /// sums[c * size + a] += weight * (1 + up[a]) * down[columns[c]], c < count, a < size. `size` is
  /// a multiple of `kLanes`; sums overlap nothing.
  void (*add_columns)(double weight, const double* up, const double* down, std::size_t size,
                      const std::uint32_t* columns, std::size_t count, double* sums);

  /// The largest |x[i]|, i < size; 0 of none. What is NaN is passed over.
  double (*largest_size)(const double* x, std::size_t size);

  /// The sum of weights[i] (e^l[i] - 1), i < size, of expm1_minus_x[i] = e^l[i] - 1 - l[i].
  double (*sum_changes)(const double* weights, const double* l, const double* expm1_minus_x,
                        std::size_t size);

  /// The sums of weights[i] (forward[i] + (order - 1) expm1_minus_x[i]) and of weights[i]
  /// (reverse[i] - order expm1_minus_x[i]), i < size: result[0] and result[1].
  void (*sum_excess)(const double* weights, const double* forward, const double* reverse,
                     const double* expm1_minus_x, std::size_t size, double order, double* result);

  /// result[r], r < count: the sum over nodes k of a[k] b[k] rows[r][k]. `nodes` is a multiple of
  /// `kLanes`.
  void (*product_sums)(const double* a, const double* b, const double* const* rows,
                       std::size_t count, std::size_t nodes, double* result);

  /// result[4 i + j], i < count: the probabilities that the top class wins, the second, the third,
  /// one of the rest. `nodes` is a multiple of `kLanes`.
  void (*cell_win_sums)(const CountRow& top, const CountRow& second, const CellWinRows* behind,
                        std::size_t count, std::size_t nodes, double* result);

  /// Raises largest[k], k < size, to selection[k] + answered[k] E, where E is the sum over the top
  /// class and cells of P^orders[k] P'^(1-orders[k]), and rest[k], less 1, with 1e-13 of what
  /// cancels. What is NaN stays that, and is not finite in the result.
  void (*raise_joint_excess)(const MoveWins& wins, const double* orders, const double* rest,
                             const double* selection, const double* answered, std::size_t size,
                             double* largest);

  /// x[i] becomes e^x[i], to a relative accuracy of 1e-15 where |x[i]| <= 700; below as of -700;
  /// what is above or NaN is infinite.
  void (*exponentials)(double* x, std::size_t size);

  /// cosines[k] = cos(k t) and sines[k] = sin(k t), k < size, of those of t: absolute accuracy
  /// 2e-16 (8 + k). `size` is a multiple of `kLanes`.
  void (*multiples_of_angle)(double cosine, double sine, std::size_t size, double* cosines,
                             double* sines);

  /// Raises largest[k], k < size, to the modulus of those terms and its error. `size` is a multiple
  /// of `kLanes`. What is NaN stays that, and a modulus that is makes it so.
  void (*raise_moduli)(const ModulusTerms& terms, std::size_t size, double* largest);

  /// result[i] = log x[i] of x[i] > 0, i < size, rounded up by 4e-15 of it and 4e-15, but at most
  /// `most`, also of what is not a number.
  void (*outward_logs)(const double* x, double most, std::size_t size, double* result);

  /// to[i] becomes the larger of it and from[i], i < size. What is NaN stays that, and makes it so.
  void (*raise_to)(const double* from, std::size_t size, double* to);

  /// Of `kLanes` tables at once, that of lane i at [k * kLanes + i]: raises the excess at each k <
  /// size to sum_p - gammas[k] sum_q of p and q from k to the end, and for k < zero to gammas[k]
  /// sum_q - sum_p of those up to k. An excess that is NaN stays that, and what is NaN makes it so.
  void (*raise_excess)(const double* gammas, std::size_t zero, std::size_t size, const double* p,
                       const double* q, double* excess);
};

/// Those of the widest vectors that this machine has.
[[nodiscard]] const Kernels& kernels();

/// All that this machine can run, the narrowest first: for tests and benchmarks.
[[nodiscard]] std::span<const Kernels> runnable_kernels();

}  // namespace pate
