#include "pate/release/curve/cost_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr double kUnitsInOne = 0x1p40;
static_assert(kUnitExponent == -40);

}  // namespace

CostUnits units_of(double cost, double margin) {
  const double units = std::ceil(cost * (1.0 + margin) * kUnitsInOne);
  if (!(units < 0x1p62)) throw validity_error("a query costs more than a release can count");
  return std::max<CostUnits>(1, static_cast<CostUnits>(units));
}

double cost_of_units(CostUnits units) {
  const double cost = std::ldexp(static_cast<double>(units), kUnitExponent);
  // Beyond 2^53 units the conversion may have rounded down.
  return units < (std::int64_t{1} << 53) ? cost : std::nextafter(cost, kInfinity);
}

CostUnits scaled_units(CostUnits units, double times) {
  constexpr double kMost = 0x1p61;
  const double result = std::ceil(static_cast<double>(units) * times);
  return static_cast<CostUnits>(std::clamp(result, -kMost, kMost));
}

void require_no_less(CostUnits stored, CostUnits computed) {
  // Far beyond what libraries of mathematics differ by, and below what is worth a lie.
  constexpr double kRoom = 1e-7;
  const double least = static_cast<double>(computed) * (1.0 - kRoom) - 2.0;
  if (static_cast<double>(stored) >= least) return;
  throw parameter_error(fmt::format(
      "a stored cost, picked at random, is {} units, and computed now it is {}", stored, computed));
}

std::span<const CostUnits> StoredUnits::take(std::int64_t count) {
  require(count >= 0 && count <= static_cast<std::int64_t>(left_.size()),
          "there are fewer stored numbers than the costs need");
  const auto taken = left_.first(static_cast<std::size_t>(count));
  left_ = left_.subspan(taken.size());
  return taken;
}

}  // namespace pate
