#include "pate/tuning/grid_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "pate/error.hpp"

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
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
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

double to_12_digits(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
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
  if (!(steps < static_cast<double>(kLargestGrid))) {
    spec.fail(fmt::format("a grid may have at most {} points", kLargestGrid));
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
  if (!(count <= static_cast<double>(kLargestGrid))) {
    spec.fail(fmt::format("a grid may have at most {} points", kLargestGrid));
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

}  // namespace

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

}  // namespace pate
