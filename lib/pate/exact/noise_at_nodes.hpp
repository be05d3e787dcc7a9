#pragma once

#include <cstddef>
#include <vector>

namespace pate {

/// The noise around one count, seen from the nodes of a quadrature rule: arrays, one number a node.
/// F is the noise's distribution function, f its density, n the count; "fallen" and "risen" are the
/// same with n - 1 and n + 1.
struct NoiseRow {
  const double* log_cdf;             ///< log F(x - n)
  const double* log_density;         ///< log f(x - n), plus the log of the node's weight
  const double* fallen_cdf;          ///< F(x - n + 1) / F(x - n) - 1 >= 0
  const double* risen_cdf;           ///< 1 - F(x - n - 1) / F(x - n), in 0..1
  const double* log_fallen_cdf;      ///< log( F(x - n + 1) / F(x - n) )
  const double* log_risen_cdf;       ///< log( F(x - n - 1) / F(x - n) )
  const double* fallen_density;      ///< f(x - n + 1) / f(x - n) - 1
  const double* risen_density;       ///< f(x - n - 1) / f(x - n) - 1
  const double* log_fallen_density;  ///< log( f(x - n + 1) / f(x - n) )
  const double* log_risen_density;   ///< log( f(x - n - 1) / f(x - n) )
};

/// How many numbers a node has in a row.
inline constexpr std::size_t kNoiseArrays = 10;

/// The noise around every count of a query, seen from the nodes of a rule that is exact enough for
/// the query and all its neighbours.
struct NoiseAtNodes {
  std::size_t nodes = 0;
  std::vector<NoiseRow> rows;  ///< one per group of the query
  /// Nodes whose logarithm of the integrand is below that of the largest by more than this are
  /// left out, for the query and, by what a moved vote can change, for its neighbours.
  double depth = 0.0;
  std::size_t widening = 0;     ///< nodes to keep on either side beyond those
  std::vector<double> storage;  ///< of rows that are in no table
};

/// A row whose arrays lie in a block of kNoiseArrays * stride numbers one after the other, in the
/// order of `NoiseRow`.
[[nodiscard]] inline NoiseRow noise_row(const double* block, std::size_t stride) {
  return {block,
          block + stride,
          block + 2 * stride,
          block + 3 * stride,
          block + 4 * stride,
          block + 5 * stride,
          block + 6 * stride,
          block + 7 * stride,
          block + 8 * stride,
          block + 9 * stride};
}

}  // namespace pate
