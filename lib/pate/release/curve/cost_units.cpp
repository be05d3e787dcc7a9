#include "pate/release/curve/cost_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr std::int64_t kBlock = 16;
constexpr CostUnits kNoCost = -1;
constexpr double kUnitsInOne = 0x1p40;
static_assert(kUnitExponent == -40);

std::int64_t blocks_of(std::int64_t size) {
  return (size + kBlock - 1) / kBlock;
}

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
  if (count < 0 || count > static_cast<std::int64_t>(left_.size())) {
    throw parameter_error("there are fewer stored numbers than the costs need");
  }
  const auto taken = left_.first(static_cast<std::size_t>(count));
  left_ = left_.subspan(taken.size());
  return taken;
}

RowMaxima::RowMaxima(std::int64_t width, std::vector<CostUnits> values)
    : width_(width), values_(std::move(values)) {
  const auto rows = static_cast<std::int64_t>(values_.size()) / width;
  const auto maxima = [&](const std::vector<CostUnits>& of, std::int64_t of_width) {
    const std::int64_t per_row = blocks_of(of_width);
    std::vector<CostUnits> blocks(static_cast<std::size_t>(rows * per_row), kNoCost);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < of_width; ++i) {
        CostUnits& block = blocks[static_cast<std::size_t>(row * per_row + i / kBlock)];
        block = std::max(block, of[static_cast<std::size_t>(row * of_width + i)]);
      }
    }
    return blocks;
  };
  blocks_ = maxima(values_, width_);
  large_blocks_ = maxima(blocks_, blocks_of(width_));
}

CostUnits RowMaxima::largest(std::int64_t row, std::int64_t from, std::int64_t to) const {
  const std::int64_t per_row = blocks_of(width_);
  const CostUnits* const values = values_.data() + row * width_;
  const CostUnits* const blocks = blocks_.data() + row * per_row;
  const CostUnits* const large_blocks = large_blocks_.data() + row * blocks_of(per_row);
  CostUnits result = kNoCost;
  if (from > to) return result;
  // Blocks that have nothing larger are passed over.
  constexpr std::int64_t kLarge = kBlock * kBlock;
  for (std::int64_t i = from / kLarge; i <= to / kLarge; ++i) {
    if (large_blocks[i] <= result) continue;
    for (std::int64_t j = std::max(i * kBlock, from / kBlock);
         j <= std::min(i * kBlock + kBlock - 1, to / kBlock); ++j) {
      if (blocks[j] <= result) continue;
      for (std::int64_t k = std::max(j * kBlock, from); k <= std::min(j * kBlock + kBlock - 1, to);
           ++k) {
        result = std::max(result, values[k]);
      }
    }
  }
  return result;
}

}  // namespace pate
