#include "pate/votes/weighted_votes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/base/read_double.hpp"
#include "pate/base/require.hpp"

namespace pate {

namespace {

// Weights are read as multiples of 1e-6.
constexpr int kDigits = 6;
constexpr std::int64_t kScale = 1'000'000;
constexpr std::int64_t kMostUnits = 2147483647;
constexpr int kMostWholeDigits = 9;
constexpr std::size_t kMostExponentDigits = 3;

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The exponent of a number, "e+00" and the like; none for another text.
std::optional<int> parse_exponent(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.size() > kMostExponentDigits || !all_digits(text)) return {};
  int value = 0;
  for (const char c : text) value = 10 * value + (c - '0');
  return is_negative ? -value : value;
}

// Digits, and by which power of ten they are units of 1e-6; none for no number above 0.
struct WeightDigits {
  std::string digits;
  std::int64_t power = 0;
};

std::optional<WeightDigits> parse_digits(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const auto exponent = e == std::string_view::npos ? 0 : parse_exponent(text.substr(e + 1));
  const std::string_view number = text.substr(0, e);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view{} : number.substr(point + 1);
  if (!exponent || whole.empty() || !all_digits(whole) || !all_digits(fraction)) return {};
  if (point != std::string_view::npos && fraction.empty()) return {};
  std::string digits = std::string(whole) + std::string(fraction);
  auto power =
      static_cast<std::int64_t>(kDigits) + *exponent - static_cast<std::int64_t>(fraction.size());
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++power;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return {};
  return WeightDigits{std::move(digits), power};
}

// A decimal, also with an exponent, as a multiple of 1e-6; none for another text. One of more
// digits is what it is as a double where that is the double of such a multiple: numpy and others
// write .1 as 1.00000000000000005551e-01. To whoever counts in doubles the two are the same weight.
std::optional<std::int64_t> parse_weight(std::string_view text) {
  auto its = parse_digits(text);
  if (its && its->power < 0) {
    double real = 0.0;
    const auto read = read_double(text.data(), text.data() + text.size(), real);
    if (read.ec != std::errc()) return {};
    its = parse_digits(fmt::format("{}", real));  // the shortest decimal of that double
  }
  const std::int64_t most = kMostWholeDigits + kDigits;
  if (!its || its->power < 0 || static_cast<std::int64_t>(its->digits.size()) + its->power > most) {
    return {};
  }
  auto& [digits, power] = *its;
  std::int64_t units = 0;
  for (const char c : digits) units = 10 * units + (c - '0');
  for (; power > 0; --power) units *= 10;
  return units;
}

}  // namespace

std::int64_t TeacherWeights::heaviest() const {
  return *std::ranges::max_element(units);
}

std::int64_t TeacherWeights::total() const {
  return std::accumulate(units.begin(), units.end(), std::int64_t{0});
}

double TeacherWeights::weight_of(std::int64_t of_units) const {
  const auto scale = static_cast<double>(kScale);
  return static_cast<double>(of_units * std::llround(unit * scale)) / scale;
}

TeacherWeights parse_weights(std::span<const std::string> texts, const std::string& name) {
  TeacherWeights weights;
  std::int64_t divisor = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto weight = parse_weight(texts[i]);
    if (!weight) {
      const std::string& text = texts[i];
      const bool has_point = text.find('.') != std::string::npos;
      const bool is_rounded = has_point && text.find_first_of("0123456789") == 0;
      throw input_error(fmt::format(
          "{}: line {}: expected a weight > 0 below 1e9 with at most {} digits after the point, "
          "found '{}'{}",
          name, i + 1, kDigits, io::printable(text, 40),
          is_rounded ? fmt::format("; numpy.savetxt rounds to these with fmt=\"%.{}f\"", kDigits)
                     : ""));
    }
    weights.units.push_back(*weight);
    divisor = std::gcd(divisor, *weight);
  }
  if (divisor == 0) throw input_error(fmt::format("{}: expected weights", name));
  std::int64_t total = 0;
  for (std::int64_t& units : weights.units) {
    units /= divisor;
    if (units > kMostUnits - total) {
      throw input_error(fmt::format(
          "{}: the weights together are more than {} times their common unit, {}: round them", name,
          kMostUnits, static_cast<double>(divisor) / static_cast<double>(kScale)));
    }
    total += units;
  }
  weights.unit = static_cast<double>(divisor) / static_cast<double>(kScale);
  return weights;
}

void add_votes(std::span<const std::int32_t> ids, std::span<const std::int64_t> units,
               std::span<std::int32_t> histogram) {
  for (std::size_t t = 0; t < ids.size(); ++t) {
    histogram[static_cast<std::size_t>(ids[t])] += static_cast<std::int32_t>(units[t]);
  }
}

WeightedVotes::WeightedVotes(const PredictionVotes& votes, TeacherWeights weights)
    : votes_(votes), weights_(std::move(weights)) {
  require(
      votes.queries() <= 0 || static_cast<std::int64_t>(weights_.units.size()) == votes.teachers(),
      "every teacher needs a weight: there are {} teachers and {} "
      "weights",
      votes.teachers(), weights_.units.size());
}

void WeightedVotes::read(std::int64_t first, std::int64_t count,
                         std::span<std::int32_t> out) const {
  const auto teachers = static_cast<std::size_t>(votes_.teachers());
  const auto classes = static_cast<std::size_t>(votes_.classes());
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count) * teachers);
  votes_.read_votes(first, count, ids);
  std::ranges::fill(out, 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    add_votes(std::span(ids).subspan(i * teachers, teachers), weights_.units,
              out.subspan(i * classes, classes));
  }
}

}  // namespace pate
