#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pate {

/// Costs are integers here, in units of 2^-40, rounded up: sums over queries and comparisons are
/// exact, and what votes far away cost is the maximum of stored numbers.
using CostUnits = std::int64_t;
inline constexpr int kUnitExponent = -40;

/// A computed cost with its margin of 1e-9, in units; at least 1. Throws `validity_error` for one
/// that units do not hold.
[[nodiscard]] CostUnits units_of(double cost, double margin);
[[nodiscard]] double cost_of_units(CostUnits units);

/// So many times as much, rounded up and at most 2^61 of either sign: an estimate of other runs.
[[nodiscard]] CostUnits scaled_units(CostUnits units, double times);

/// Throws `parameter_error` where a stored cost is less than one that is computed now, by more than
/// another processor may round.
void require_no_less(CostUnits stored, CostUnits computed);

/// Numbers that were stored one after the other, to be taken in that order.
class StoredUnits {
 public:
  explicit StoredUnits(std::span<const CostUnits> numbers) : left_(numbers) {}
  /// The next `count`. Throws `parameter_error` where there are fewer.
  [[nodiscard]] std::span<const CostUnits> take(std::int64_t count);
  [[nodiscard]] CostUnits next() { return take(1).front(); }
  [[nodiscard]] bool done() const { return left_.empty(); }

 private:
  std::span<const CostUnits> left_;
};

}  // namespace pate
