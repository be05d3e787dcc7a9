#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

/// Rows of Phi((y_k - c) / sigma) and of its density over nodes y_k of a noisy count, for whole
/// counts c and for counts that are tilted, c - u S (lambda - 1), where S votes move: from few
/// numbers. The distance of
/// nodes is g/q, a fraction of a vote, so that c = a g/q + b/q shifts row b by a nodes.
///
/// A trapezoidal rule over these nodes of a product of such probabilities and one density has a
/// relative error below 1e-13: it falls as e^(-c / step^2), with c the smaller the more classes may
/// win at once.
class CountRows {
 public:
  /// Counts are at most `teachers`, and `moved` less or more after a move; `orders`: all lambda
  /// > 1.
  CountRows(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
            std::span<const double> orders, std::int64_t moved = 1);

  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] const std::vector<double>& orders() const { return orders_; }
  /// S, how many votes move.
  [[nodiscard]] std::int64_t moved() const { return moved_; }
  /// By how much a class is tilted at an order: S (lambda - 1).
  [[nodiscard]] double tilt(std::size_t order) const {
    return static_cast<double>(moved_) * (orders_[order] - 1.0);
  }

  /// Nodes first..first + size - 1 outside of which nothing is to be added where the top count is
  /// from `low` to `high`, and counts are tilted by up to `tilt`: less than e^-36 of anything.
  /// `size` is a multiple of `kLanes`.
  struct Nodes {
    std::int64_t first = 0;
    std::size_t size = 0;
  };
  [[nodiscard]] Nodes nodes_for(std::int64_t low, std::int64_t high, double tilt) const;
  /// Those of all orders, and as many behind as `nodes_for` may give more of.
  [[nodiscard]] Nodes all_nodes(std::int64_t low, std::int64_t high) const;

  /// The row of a whole count from node `first` on.
  [[nodiscard]] CountRow row(std::int64_t count, std::int64_t first) const {
    return at(plain_, count, first);
  }
  /// The row of count - change S (lambda - 1) of order number `order`, -1 <= change <= 1.
  [[nodiscard]] CountRow tilted(std::size_t order, std::int64_t count, int change,
                                std::int64_t first) const {
    if (change == 0) return at(plain_, count, first);
    const Tilt& tilt = tilts_[2 * order + (change > 0 ? 1 : 0)];
    return at(tilt.table, count + tilt.whole, first);
  }
  /// log Phi, and density / Phi, of a whole count 0..teachers.
  [[nodiscard]] const double* log_below(std::int64_t count, std::int64_t first) const {
    return start(log_below_, count, first);
  }
  [[nodiscard]] const double* hazard(std::int64_t count, std::int64_t first) const {
    return start(hazard_, count, first);
  }

 private:
  struct Table {
    std::vector<double> below, density;
  };
  struct Tilt {
    Table table;
    std::int64_t whole = 0;
  };
  [[nodiscard]] Table table(double shift) const;
  [[nodiscard]] std::size_t place(std::int64_t count, std::int64_t first) const;
  [[nodiscard]] const double* start(const std::vector<double>& of, std::int64_t count,
                                    std::int64_t first) const {
    return of.data() + place(count, first);
  }
  [[nodiscard]] CountRow at(const Table& of, std::int64_t count, std::int64_t first) const {
    const std::size_t i = place(count, first);
    return {of.below.data() + i, of.density.data() + i};
  }
  // The next row that some count has; those left out follow the highest count's.
  [[nodiscard]] std::int64_t after(std::int64_t b) const {
    return b == last_row_ ? b + left_out_ + 1 : b + 1;
  }
  // What row b has j nodes from its start: (y - b/q) / sigma.
  [[nodiscard]] double argument(std::int64_t b, std::int64_t j) const;

  double sigma_;
  std::int64_t teachers_;
  std::int64_t classes_;
  std::vector<double> orders_;
  std::int64_t moved_;
  double tilt_;     // the largest S (lambda - 1)
  double reach_;    // how far a sum goes on, in units of noise
  std::int64_t g_;  // nodes are g/q apart
  std::int64_t q_;
  std::int64_t first_shift_ = 0;  // of rows, in nodes
  std::int64_t length_ = 0;
  std::int64_t last_row_ = 0;  // rows after it are of counts below 0
  std::int64_t left_out_ = 0;  // how many of them no count has
  Table plain_;
  std::vector<double> log_below_, hazard_;
  std::vector<Tilt> tilts_;  // by order, then for a change of -1, 1
};

}  // namespace pate
