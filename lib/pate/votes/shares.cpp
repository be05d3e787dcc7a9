#include "pate/votes/shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pate {

namespace {

constexpr std::int64_t kMaxTeachers = 10'000;
constexpr double kShareSum = 1e-3;
constexpr double kNearCount = 1e-6;     // of a share: as text has it, and float32
constexpr double kStoredWithin = 1e-7;  // float32 has about seven digits
constexpr int kMostDecimals = 6;        // beyond them no count is within `kNearCount` by rounding
constexpr double kChance = 1e-6;

// Shares that differ, one and its complement once; 0 and 1 fit any number of teachers.
std::vector<double> different_shares(std::span<const double> values) {
  std::vector<double> shares;
  for (const double value : values) {
    const double share = std::min(value, 1.0 - value);
    if (share > kNearCount) shares.push_back(share);
  }
  std::ranges::sort(shares);
  const auto same = [](double a, double b) { return std::abs(a - b) <= kStoredWithin; };
  shares.erase(std::unique(shares.begin(), shares.end(), same), shares.end());
  return shares;
}

// 10 to the number of decimals that all values are rounded to, or 0 where there are many.
std::int64_t scale_of_decimals(std::span<const double> values) {
  std::int64_t scale = 1;
  for (int digits = 0; digits <= kMostDecimals; ++digits, scale *= 10) {
    const auto by = static_cast<double>(scale);
    if (std::ranges::all_of(values, [by](double value) {
          return std::abs(value * by - std::round(value * by)) <= kStoredWithin * by;
        })) {
      return scale;
    }
  }
  return 0;
}

// How far the furthest value is from a count, as a share; none where one is further than `near`, or
// the counts of a row are of other teachers.
std::optional<double> error_of_counts(std::span<const double> values, std::size_t width,
                                      double teachers, double near) {
  double furthest = 0.0;
  double in_row = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double count = std::round(values[i] * teachers);
    const double error = std::abs(values[i] - count / teachers);
    if (!(error <= near)) return {};
    furthest = std::max(furthest, error);
    in_row = i % width == 0 ? count : in_row + count;
    if ((i + 1) % width == 0 && in_row != teachers) return {};
  }
  return furthest;
}

// The part of all values that is within `error` of a count.
double part_that_fits(std::int64_t teachers, std::int64_t scale, double error) {
  const auto m = static_cast<double>(teachers);
  if (scale == 0) return std::min(1.0, 2.0 * std::max(error, kStoredWithin) * m);
  // The multiples of 1/scale, times the number of teachers, are spread over multiples of step.
  const double step = static_cast<double>(std::gcd(teachers, scale)) / static_cast<double>(scale);
  return std::min(1.0, step * (2.0 * std::floor((error + kStoredWithin) * m / step) + 1.0));
}

// What does not depend on the number of teachers.
struct Shares {
  std::span<const double> values;
  std::size_t width = 0;
  std::int64_t scale = 0;
  std::size_t different = 0;
};

bool fit(const Shares& shares, std::int64_t teachers, std::int64_t tried) {
  const auto error =
      error_of_counts(shares.values, shares.width, static_cast<double>(teachers), kNearCount);
  if (!error) return false;
  const double part = part_that_fits(teachers, shares.scale, *error);
  return std::pow(part, static_cast<double>(shares.different)) <=
         kChance / static_cast<double>(tried);
}

// Whether fewer teachers have shares that are rounded to these.
bool fewer_fit(const Shares& shares, std::int64_t teachers) {
  if (shares.scale == 0) return false;
  const double half = 0.5 / static_cast<double>(shares.scale) + kStoredWithin;
  for (std::int64_t fewer = 1; fewer < teachers; ++fewer) {
    if (error_of_counts(shares.values, shares.width, static_cast<double>(fewer), half)) return true;
  }
  return false;
}

Shares shares_of(std::span<const double> values, std::size_t width) {
  return {values, width, scale_of_decimals(values), different_shares(values).size()};
}

}  // namespace

bool rows_are_shares(std::span<const double> values, std::size_t width) {
  if (width < 2) return false;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    double sum = 0.0;
    for (const double value : values.subspan(i, width)) {
      if (!(value >= 0.0 && value <= 1.0 + kShareSum)) return false;
      sum += value;
    }
    if (!(std::abs(sum - 1.0) <= kShareSum)) return false;
  }
  return true;
}

bool are_shares_of(std::span<const double> values, std::size_t width, std::int64_t teachers) {
  if (!(teachers > 0 && teachers <= kMaxTeachers) || width < 2) return false;
  const Shares shares = shares_of(values, width);
  return fit(shares, teachers, 1) && !fewer_fit(shares, teachers);
}

std::optional<std::int64_t> teachers_of_shares(std::span<const double> values, std::size_t width) {
  if (width < 2) return {};
  const Shares shares = shares_of(values, width);
  for (std::int64_t teachers = 1; teachers <= kMaxTeachers; ++teachers) {
    if (!fit(shares, teachers, kMaxTeachers)) continue;
    if (fewer_fit(shares, teachers)) return {};
    return teachers;
  }
  return {};
}

}  // namespace pate
