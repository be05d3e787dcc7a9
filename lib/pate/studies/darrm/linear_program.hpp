#pragma once

#include <memory>
#include <span>
#include <vector>

namespace pate {

/// Maximise c x subject to a_i x <= b_i for every row and 0 <= x <= 1; rows are added as they are
/// found. Solved by COIN-OR CLP's simplex methods, each time from the last optimum on. CLP is
/// loaded when it is first asked for, unless the program was linked with it: it comes with a
/// LAPACK, which every other command would wait for and map in vain.
class LinearProgram {
 public:
  /// Whether this library was built with the solver, and finds it.
  [[nodiscard]] static bool is_available();

  /// Throws `validity_error` saying what to install where the solver is missing.
  explicit LinearProgram(std::span<const double> objective);
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;
  ~LinearProgram();

  /// row x <= most
  void add_row(std::span<const double> row, double most = 1.0);

  struct Solution {
    std::vector<double> x;  ///< within the bounds; rows to about 1e-9
    /// No feasible x has more: sum y_i b_i + sum_j max(0, c_j - (y A)_j) with the solver's prices y
    /// >= 0, which holds whatever their accuracy, to the rounding of these sums.
    double upper = 0.0;
  };
  /// Throws `validity_error` where the solver gives up.
  [[nodiscard]] Solution solve();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace pate
