#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/aggregators/aggregator.hpp"
#include "pate/bounds/q_cells.hpp"
#include "pate/bounds/tradeoff_table.hpp"

namespace pate {

/// The excess of the forward trade-off bound of an aggregator's noisy maximum as a function of q,
/// at one order: X(q) = e^((order-1) beta(q)) - 1, at most that of the data-independent cost.
///
/// What is interpolated and what is not depends on the ensemble and the order alone, never on
/// votes, so that X(q) is the same number in every run. Accuracy: log X within 1e-10 (relative
/// where it is above 1); non-decreasing in q as far as that.
class ExcessCurve {
 public:
  /// Covers log_q in (-inf, log(1 - 1/classes)].
  ExcessCurve(const Aggregator& aggregator, std::int64_t teachers, std::int64_t classes,
              double order, unsigned threads);
  ExcessCurve(const ExcessCurve&) = delete;
  ExcessCurve& operator=(const ExcessCurve&) = delete;
  ~ExcessCurve() = default;

  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] double log_cap() const { return log_cap_; }
  [[nodiscard]] double log_excess(double log_q) const;

  /// A log q below which X is less than e^-90: there is no use in telling such values apart. At
  /// least that of unanimous votes.
  [[nodiscard]] double log_q_floor() const { return floor_; }
  /// log q of unanimous votes, the smallest there is.
  [[nodiscard]] double log_q_unanimous() const { return unanimous_; }

 private:
  [[nodiscard]] double direct(double log_q) const;

  Aggregator aggregator_;
  double order_;
  double log_cap_;
  double floor_;
  double unanimous_;
  std::optional<QCells> cells_;
  std::optional<GaussianTradeoffTable> table_;
  GaussianTradeoffTable::AtOrder at_order_;
};

}  // namespace pate
