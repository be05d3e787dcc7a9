#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace pate {

/// Cells of the axis of log(-log q), on which bounds at a fixed order are smooth, for evaluating a
/// bound at very many values of q: where a cell holds more values than it has nodes, the bound is
/// computed at the cell's Chebyshev nodes only and interpolated. Which cells are in use depends on
/// the values given at construction alone, never on their order or the number of threads.
class QCells {
 public:
  static constexpr std::size_t kNodes = 12;
  using Nodes = std::array<double, kNodes>;

  /// log_q: the values that will be asked for, finite and < 0.
  explicit QCells(std::span<const double> log_q);

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  /// log q at the nodes of a cell.
  [[nodiscard]] Nodes nodes(std::size_t cell) const;

  /// Where a value lies and how the nodes of its cell weigh: found once, used for every function.
  struct Position {
    double log_q;
    std::size_t cell;  ///< or kNoCell
    Nodes weights;
  };
  static constexpr std::size_t kNoCell = static_cast<std::size_t>(-1);
  [[nodiscard]] Position locate(double log_q) const;

  /// The interpolated value of a function with these values at the nodes.
  [[nodiscard]] static double interpolate(const Position& position, const Nodes& values) {
    double even = 0.0;
    double odd = 0.0;
    for (std::size_t k = 0; k < kNodes; k += 2) {
      even += position.weights[k] * values[k];
      odd += position.weights[k + 1] * values[k + 1];
    }
    return even + odd;
  }

  /// Whether the interpolant of these values has converged: the last two Chebyshev coefficients are
  /// below 2e-11 scale. The interpolation error is of their size. False for values that are not
  /// finite.
  [[nodiscard]] static bool converged(const Nodes& values, double scale);
  /// The sum of the last two Chebyshev coefficients' absolute values.
  [[nodiscard]] static double tail(const Nodes& values);

 private:
  std::vector<long> cells_;  // numbers of the cells in use, increasing
};

}  // namespace pate
