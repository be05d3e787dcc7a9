#include "pate/tuning/tuning_grid.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "pate/base/error.hpp"
#include "pate/base/read_double.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

namespace {

// One specification while it is read; knows how to complain.
class Specification {
 public:
  Specification(std::string_view text, std::string_view axis, Shares shares)
      : text_(text), axis_(axis), shares_(shares) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw parameter_error(fmt::format("{} '{}': {}", axis_, text_, what));
  }

  // A finite number, of which all of the specification or none must be shares.
  double number(std::string_view field) {
    const bool share = field.ends_with('%');
    if (share) field.remove_suffix(1);
    if (share && shares_ == Shares::refused) {
      fail("only thresholds may be shares of the teachers");
    }
    if (numbers_++ > 0 && share != share_) fail("either all values are shares like 60% or none");
    share_ = share;
    return plain(field);
  }

  double plain(std::string_view field) const {
    double value = 0.0;
    const auto [end, code] = read_double(field.data(), field.data() + field.size(), value);
    if (field.empty() || code != std::errc() || end != field.data() + field.size() ||
        !std::isfinite(value)) {
      fail(
          fmt::format("expected start:stop:step, a list like 50,100 or log:start:stop:count, "
                      "found '{}' for a number",
                      field));
    }
    return value;
  }

  [[nodiscard]] bool share() const { return share_; }

 private:
  std::string_view text_, axis_;
  Shares shares_;
  int numbers_ = 0;
  bool share_ = false;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

void require_distinct(const std::vector<double>& values, const Specification& specification) {
  if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end()) {
    specification.fail("the values are too close together to tell apart");
  }
}

std::vector<double> range(const std::vector<std::string_view>& fields, Specification& spec) {
  const double start = spec.number(fields[0]);
  const double stop = spec.number(fields[1]);
  const double step = spec.number(fields[2]);
  if (!(step > 0.0)) spec.fail(fmt::format("the step must be > 0, got {}", step));
  if (stop < start) spec.fail(fmt::format("the stop, {}, is below the start, {}", stop, start));
  // A stop that is hit but for rounding is hit.
  const double steps = (stop - start) / step * (1.0 + 1e-12) + 1e-9;
  if (!(steps < static_cast<double>(kMaxAxis))) {
    spec.fail(fmt::format("may have at most {} values", kMaxAxis));
  }
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(steps) + 1);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(steps); ++k) {
    values.push_back(to_12_digits(start + static_cast<double>(k) * step));
  }
  require_distinct(values, spec);
  return values;
}

std::vector<double> logarithmic(const std::vector<std::string_view>& fields, Specification& spec) {
  const double start = spec.number(fields[0]);
  const double stop = spec.number(fields[1]);
  const double count = spec.plain(fields[2]);
  if (!(start > 0.0)) spec.fail(fmt::format("the start must be > 0, got {}", start));
  if (stop < start) spec.fail(fmt::format("the stop, {}, is below the start, {}", stop, start));
  if (!(count >= 1.0) || count != std::floor(count)) {
    spec.fail(fmt::format("the count must be a whole number >= 1, got {}", count));
  }
  if (!(count <= static_cast<double>(kMaxAxis))) {
    spec.fail(fmt::format("may have at most {} values", kMaxAxis));
  }
  if (count == 1.0 && start != stop) spec.fail("one value cannot be both start and stop");
  if (count > 1.0 && start == stop)
    spec.fail("start and stop are the same, so the count must be 1");
  const auto n = static_cast<std::size_t>(count);
  std::vector<double> values;
  values.reserve(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double share = n == 1 ? 0.0 : static_cast<double>(k) / static_cast<double>(n - 1);
    values.push_back(to_12_digits(start * std::exp(share * std::log(stop / start))));
  }
  values.front() = start;
  values.back() = stop;
  require_distinct(values, spec);
  return values;
}

void require_positive_axis(const std::vector<double>& values, const char* name) {
  require(!values.empty(), "{} has no values", name);
  for (const double value : values) require_positive(value, name);
}

std::size_t blocks_per_row(const TuningGrid& grid) {
  return (grid.thresholds() + kBlockThresholds - 1) / kBlockThresholds;
}

// The first point of a block; the size of the grid for the one behind the last.
std::size_t first_of_block(const TuningGrid& grid, std::size_t block) {
  const std::size_t row = block / blocks_per_row(grid);
  return row * grid.thresholds() + block % blocks_per_row(grid) * kBlockThresholds;
}

}  // namespace

double to_12_digits(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

GridAxis parse_grid_axis(std::string_view text, std::string_view axis, Shares shares) {
  Specification spec(text, axis, shares);
  if (text.empty()) spec.fail("must not be empty");
  GridAxis result;
  if (text.starts_with("log:")) {
    const auto fields = split(text.substr(4), ':');
    if (fields.size() != 3) spec.fail("expected log:start:stop:count");
    result.values = logarithmic(fields, spec);
  } else if (text.find(':') != std::string_view::npos) {
    const auto fields = split(text, ':');
    if (fields.size() != 3) spec.fail("expected start:stop:step");
    result.values = range(fields, spec);
  } else {
    for (const std::string_view field : split(text, ',')) {
      result.values.push_back(spec.number(field));
    }
    std::sort(result.values.begin(), result.values.end());
    result.values.erase(std::unique(result.values.begin(), result.values.end()),
                        result.values.end());
  }
  result.shares = spec.share();
  return result;
}

Mechanism TuningGrid::mechanism(std::size_t point) const {
  if (!ptr) return aggregator(point);
  const double parameter = sigma1[sigma1_of(point)];
  const double delta = noise[noise_of(point)];
  return *ptr == TestNoise::gaussian ? StabilityTest::with_gaussian(parameter, delta)
                                     : StabilityTest::with_laplace(parameter, delta);
}

Aggregator TuningGrid::aggregator(std::size_t point) const {
  if (ptr) return mechanism(point).noisy();
  Aggregator result;
  const double scale = noise[noise_of(point)];
  if (laplace && one_noise) {
    result.noisy_max = OneLaplaceNoise{scale};
  } else if (laplace) {
    result.noisy_max = LaplaceNoisyMax{scale};
  } else {
    result.noisy_max = GaussianNoisyMax{scale};
  }
  if (has_selection()) {
    result.selection = ThresholdCheck{threshold[threshold_of(point)], sigma1[sigma1_of(point)]};
    result.interactive = interactive;
  }
  return result;
}

double test_parameter(const StabilityTest& test) {
  if (test.is_gaussian()) return test.scale();
  const double found = 1.0 / test.scale();
  // What people give has few digits.
  for (const double near : {to_12_digits(found), std::nextafter(found, 0.0)}) {
    if (1.0 / near == test.scale()) return near;
  }
  return found;
}

void validate(const TuningGrid& grid) {
  validate(grid.neighbours);
  if (grid.one_noise && grid.laplace) require(Asked::one_noise, grid.neighbours);
  if (grid.ptr) {
    require(Asked::ptr, grid.neighbours);
    const bool is_laplace = *grid.ptr == TestNoise::laplace;
    require_positive_axis(grid.sigma1, is_laplace ? "ptr-laplace" : "ptr-sigma");
    if (grid.noise.empty()) throw parameter_error("ptr-delta has no values");
    for (const double delta : grid.noise) require_test_delta(delta, "ptr-delta");
  } else {
    require_positive_axis(grid.noise, grid.laplace ? "laplace-scale" : "sigma2");
  }
  if (grid.has_selection()) {
    require_positive_axis(grid.sigma1, "sigma1");
    for (const double value : grid.threshold) {
      require(std::isfinite(value), "threshold must be finite, got {}", value);
    }
  }
  const double points = static_cast<double>(grid.noise.size()) *
                        static_cast<double>(grid.sigma1_values()) *
                        static_cast<double>(grid.thresholds());
  if (!(points <= static_cast<double>(kMaxGrid))) {
    throw parameter_error(
        fmt::format("a grid may have at most {} points, got {:.0f} ({} {} x {} sigma1 x {} "
                    "threshold values)",
                    kMaxGrid, points, grid.noise.size(), grid.laplace ? "laplace-scale" : "sigma2",
                    grid.sigma1_values(), grid.thresholds()));
  }
}

std::pair<std::size_t, std::size_t> points_of_shard(const TuningGrid& grid, const Shard& shard) {
  require(shard.index >= 1 && shard.index <= shard.of,
          "a shard i/n must have 1 <= i <= n, got {}/{}", shard.index, shard.of);
  const auto blocks =
      static_cast<std::int64_t>(blocks_per_row(grid) * grid.noise.size() * grid.sigma1_values());
  return {first_of_block(grid, static_cast<std::size_t>(shard.begin(blocks))),
          first_of_block(grid, static_cast<std::size_t>(shard.end(blocks)))};
}

}  // namespace pate
