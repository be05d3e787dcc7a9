#include "pate/inspection/orientation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

constexpr std::int64_t kDrawn = 96;
constexpr std::int64_t kFewest = 3;
constexpr std::int64_t kFewestOfOther = 20;  // where there are less than kEnough of one
constexpr std::int64_t kEnough = 5;
constexpr double kMargin = 0.05;
constexpr double kErrors = 5.0;

// Up to kDrawn of 0..count - 1, in increasing order; at random, as what lies at regular distances
// may have one class.
std::vector<std::int64_t> drawn(std::int64_t count, std::uint64_t seed) {
  const std::int64_t most = std::min(count, kDrawn);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < most; ++i) {
    // One of each of `most` stretches of the same length.
    const std::int64_t begin = i * count / most;
    const std::int64_t end = (i + 1) * count / most;
    const std::uint64_t bits = mix_bits(seed + static_cast<std::uint64_t>(i));
    result.push_back(begin +
                     static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(end - begin)));
  }
  return result;
}

// The mean over the lines of the share of equal pairs in them, and its standard error.
struct MeanShare {
  std::vector<double> shares;

  void add(std::span<const std::int64_t> line) {
    std::unordered_map<std::int64_t, double> times;
    for (const std::int64_t id : line) times[id] += 1.0;
    double pairs = 0.0;
    for (const auto& [id, count] : times) pairs += count * (count - 1.0);
    const auto size = static_cast<double>(line.size());
    shares.push_back(pairs / (size * (size - 1.0)));
  }
  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double share : shares) sum += share;
    return sum / static_cast<double>(shares.size());
  }
  [[nodiscard]] double error() const {
    const double center = mean();
    double squares = 0.0;
    for (const double share : shares) squares += (share - center) * (share - center);
    const auto size = static_cast<double>(shares.size());
    return std::sqrt(squares / (size * (size - 1.0)));
  }
};

}  // namespace

std::optional<Agreement> agreement_of(const NumericTable& ids) {
  const auto [fewer, more] = std::minmax({ids.rows(), ids.columns()});
  if (fewer < kFewest || (fewer < kEnough && more < kFewestOfOther)) return {};
  const std::vector<std::int64_t> rows = drawn(ids.rows(), 0);
  const std::vector<std::int64_t> columns = drawn(ids.columns(), 1U << 20U);
  std::vector<std::int64_t> cells;
  for (const std::int64_t row : rows) {
    for (const std::int64_t column : columns) {
      std::array<std::int64_t, 1> id{};
      ids.read_integers(row, 1, column, 1, id);
      cells.push_back(id[0]);
    }
  }
  MeanShare in_rows;
  MeanShare in_columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    in_rows.add(std::span(cells).subspan(i * columns.size(), columns.size()));
  }
  std::vector<std::int64_t> line(rows.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) line[i] = cells[i * columns.size() + j];
    in_columns.add(line);
  }
  MeanShare of_all;
  of_all.add(cells);
  return Agreement{in_rows.mean(),
                   in_columns.mean(),
                   in_rows.error(),
                   in_columns.error(),
                   of_all.mean(),
                   static_cast<double>(rows.size()),
                   static_cast<double>(columns.size())};
}

bool varies_instead(double other, double query, double by_chance, double lines, double length) {
  constexpr double kVaries = 2.0;
  constexpr double kVariesErrors = 10.0;
  constexpr double kOfIt = 0.25;
  const double beyond = other - by_chance;
  const double ratio = 1.0 + (length - 1.0) * beyond / (1.0 - by_chance);
  return ratio >= kVaries && ratio - 1.0 >= kVariesErrors * std::sqrt(2.0 / (lines - 1.0)) &&
         query - by_chance < kOfIt * beyond;
}

bool agrees_more(double other, double other_error, double query, double query_error) {
  return other - query > kMargin && other - query > kErrors * std::hypot(other_error, query_error);
}

}  // namespace pate
