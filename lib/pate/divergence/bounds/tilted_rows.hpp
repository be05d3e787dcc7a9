#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pate {

/// What the sums of `TiltedMoment` read at the nodes z of a trapezoidal rule, z being the noise of
/// the top count over sigma. By gap, from -(2 S + 1) to as many above the last where S votes move,
/// and by tilt, from -2 to 2, there are rows over the nodes: with x = z + (gap + tilt S (order-1))
/// / sigma,
///
///     log_below   log Phi(x), of a class that is `gap` votes behind
///     density     step Phi(z) phi(x) / Phi(x), of one that may be a cell
///
/// With few teachers every gap has a row of its own. With many of them nodes are whole votes apart,
/// or a whole number of them is one vote, so that log Phi at one gap is that at another by other
/// nodes: one row serves for many gaps, and all of them stay near the processor.
class TiltedRows {
 public:
  /// The last gap that has rows, and the last that has densities: -1 where no class is a cell.
  struct Gaps {
    std::int64_t last = 0;
    std::int64_t last_of_cells = -1;
  };

  /// No rows at all.
  TiltedRows() = default;
  /// sigma > 0, order > 1, classes >= 2. `teachers` decides whether gaps share rows. `threads` (0:
  /// all processors) changes no bit. `moved`: S.
  TiltedRows(double sigma, double order, std::int64_t teachers, std::int64_t classes, Gaps gaps,
             unsigned threads, std::int64_t moved = 1);

  /// Node k is first_node() + k step().
  [[nodiscard]] double first_node() const { return first_node_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  /// step phi(z), by node; `kLanes` - 1 zeros follow.
  [[nodiscard]] const double* weights() const { return weights_.data(); }

  /// The rows of a class at gap + shift, of at most 2 S + 1; beyond the last gap those of the last.
  [[nodiscard]] const double* log_below(int tilt, std::int64_t gap, std::int64_t shift) const {
    return log_below_[set_of(tilt)].data() + places_[row_of(gap, shift)];
  }
  /// Of one that may be a cell; `kLanes` - 1 zeros follow.
  [[nodiscard]] const double* density(int tilt, std::int64_t gap, std::int64_t shift) const {
    return densities_[set_of(tilt)].data() + row_of(gap, shift) * density_length_;
  }

 private:
  using Sets = std::array<std::vector<double>, 5>;  // by tilt

  // Nodes that rows share are `votes` / `parts` votes apart.
  struct Fraction {
    double votes, parts;
  };
  static std::size_t set_of(int tilt) { return static_cast<std::size_t>(std::int64_t{tilt} + 2); }
  static int tilt_of(std::size_t set) { return static_cast<int>(set) - 2; }
  [[nodiscard]] std::size_t row_of(std::int64_t gap, std::int64_t shift) const {
    return static_cast<std::size_t>(std::min(gap, gaps_.last) + shift + room_);
  }
  [[nodiscard]] std::int64_t rows() const { return gaps_.last + 2 * room_ + 1; }
  [[nodiscard]] double tilt_shift(int tilt) const {
    return tilt * moved_ * (order_ - 1.0) / sigma_;
  }
  [[nodiscard]] double row_shift(int tilt, std::int64_t gap) const {
    return (static_cast<double>(gap) + tilt * moved_ * (order_ - 1.0)) / sigma_;
  }
  void place_nodes();
  void fill_own_rows(unsigned threads);
  void fill_shared_rows(const Fraction& apart, unsigned threads);
  void fill_densities(unsigned threads);

  double sigma_ = 1.0;
  double order_ = 2.0;
  Gaps gaps_;
  double moved_ = 1.0;
  std::int64_t room_ = 3;  // gaps below 0 and above the last
  double step_ = 1.0;
  double first_node_ = 0.0;
  std::size_t nodes_ = 1;
  std::vector<double> weights_;
  Sets log_below_;
  std::vector<std::size_t> places_;  // by gap: where its row begins in log_below_
  Sets densities_;
  std::size_t density_length_ = 0;
};

}  // namespace pate
