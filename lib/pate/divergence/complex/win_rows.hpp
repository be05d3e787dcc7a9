#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

/// Classes with the same count, of which a vote takes `move`: 1, -1 or 0.
struct ClassKind {
  std::int64_t count = 0;
  int move = 0;
  std::int64_t classes = 1;
};

/// Who wins a Gaussian noisy maximum, by a trapezoidal rule over the winner's noise:
///
///     Pr[i wins] = integral of phi(z) prod over j != i of Phi(z + (c_i - c_j) / sigma) dz,
///
/// from rows of log Phi that are computed once: for whole counts before and after a vote moved, and
/// for the counts n - a mv of a tilted mean. Thread safe once made.
class WinRows {
 public:
  /// Counts differ by `teachers` at most, votes move by one. `tilts`: the a > 0 of tilted counts.
  /// Throws `parameter_error` for noise below a sixtieth of the teachers, or tilts beyond ten
  /// thousand standard deviations.
  WinRows(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
          std::span<const double> tilts);

  /// log Pr[the class of kind i wins], one class of it, on the counts or, `moved`, after the move.
  /// Absolute accuracy 1e-12.
  [[nodiscard]] double log_wins(std::span<const ClassKind> kinds, std::size_t i, bool moved) const;

  /// An upper bound on the probability that a class of kind i wins, all of them together, on counts
  /// less the tilt's a times their moves: above it by 1e-9 relative and 1e-14 absolute at most.
  [[nodiscard]] double wins_tilted(std::span<const ClassKind> kinds, std::size_t i,
                                   std::size_t tilt) const;

 private:
  using Rows = std::vector<double>;  // by difference of the counts, then node
  [[nodiscard]] Rows rows(double shift) const;
  [[nodiscard]] const double* row(const Rows& rows, std::int64_t difference) const {
    return rows.data() + static_cast<std::size_t>(difference + reach_) * nodes_;
  }

  double sigma_;
  std::int64_t reach_;  // differences are within
  double step_ = 0.0;
  double first_ = 0.0;  // node
  std::size_t nodes_ = 0;
  std::vector<double> weights_;
  double weight_sum_ = 0.0;
  Rows plain_;
  std::vector<std::array<Rows, 4>> tilted_;  // by tilt, then difference of moves: -2, -1, 1, 2
};

}  // namespace pate
