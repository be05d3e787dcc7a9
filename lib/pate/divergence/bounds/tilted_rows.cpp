#include "pate/divergence/bounds/tilted_rows.hpp"

#include <cmath>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/numerics/whole_division.hpp"

namespace pate {

namespace {

constexpr double kHighestNode = 9.0;
constexpr std::size_t kRowsGoOn = kLanes - 1;  // zeros behind the last
constexpr std::size_t kRowsPerTask = 64;
// With more teachers gaps share rows, if they are then at most a quarter as many.
constexpr std::int64_t kMostTeachersOfOwnRows = 400;
constexpr std::int64_t kLeastGapsInRow = 4;
// Nodes are at least so many fractions of a vote apart: their distance is within an eighth of what
// the rule allows.
constexpr double kLeastFractions = 8.0;

// Between the nodes of the trapezoidal rule. Its error falls as e^(-c / step^2), where c is the
// smaller the more classes may win at once; with these it is a few 1e-14 at most.
double step_for(std::int64_t classes) {
  if (classes <= 5) return 0.36;
  if (classes <= 10) return 0.3;
  if (classes <= 20) return 0.25;
  if (classes <= 150) return 0.15;
  if (classes <= 1000) return 0.12;
  return classes <= 100'000 ? 0.085 : 0.06;
}

// Calls use(set, row) for all rows of each set, some rows a task.
template <class Use>
void for_each_row(std::size_t sets, std::size_t rows, unsigned threads, const Use& use) {
  const std::size_t pieces = (rows + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(pieces * sets, threads, [&](std::size_t task) {
    const std::size_t begin = task % pieces * kRowsPerTask;
    for (std::size_t row = begin; row < std::min(begin + kRowsPerTask, rows); ++row) {
      use(task / pieces, row);
    }
  });
}

}  // namespace

TiltedRows::TiltedRows(double sigma, double order, std::int64_t teachers, std::int64_t classes,
                       Gaps gaps, unsigned threads, std::int64_t moved)
    : sigma_(sigma),
      order_(order),
      gaps_(gaps),
      moved_(static_cast<double>(moved)),
      room_(2 * moved + 1),
      step_(step_for(classes)) {
  const double in_votes = step_ * sigma_;
  const double parts = std::max(std::ceil(kLeastFractions / in_votes), 1.0);
  const Fraction apart{std::floor(in_votes * parts * (1.0 + 1e-12)), parts};
  const bool is_shared =
      teachers > kMostTeachersOfOwnRows &&
      apart.votes * static_cast<double>(kLeastGapsInRow) <= static_cast<double>(gaps.last) * parts;
  if (is_shared) step_ = apart.votes * (1.0 / (parts * sigma_));
  place_nodes();
  if (is_shared) {
    fill_shared_rows(apart, threads);
  } else {
    fill_own_rows(threads);
  }
  if (gaps_.last_of_cells >= 0) fill_densities(threads);
}

void TiltedRows::place_nodes() {
  const bool has_cells = gaps_.last_of_cells >= 0;
  const double lowest =
      kHighestNode + (static_cast<double>(gaps_.last) + 2.0 * order_ * moved_) / (2 * sigma_);
  const double highest = kHighestNode + (has_cells ? 2.0 * (order_ + 1.0) * moved_ / sigma_ : 0.0);
  const double below = std::ceil(lowest / step_);
  first_node_ = -below * step_;
  nodes_ = static_cast<std::size_t>(below + std::ceil(highest / step_)) + 1;
  for (std::size_t k = 0; k < nodes_; ++k) {
    const double z = first_node_ + static_cast<double>(k) * step_;
    weights_.push_back(step_ * std::exp(log_normal_density(z)));
  }
  weights_.resize(nodes_ + kRowsGoOn);
}

void TiltedRows::fill_own_rows(unsigned threads) {
  const auto size = static_cast<std::size_t>(rows());
  for (std::size_t row = 0; row < size; ++row) places_.push_back(row * nodes_);
  for (auto& to : log_below_) to.resize(size * nodes_ + kRowsGoOn);
  for_each_row(log_below_.size(), size, threads, [&](std::size_t set, std::size_t row) {
    const double shift = row_shift(tilt_of(set), static_cast<std::int64_t>(row) - room_);
    double* const to = log_below_[set].data() + places_[row];
    for (std::size_t k = 0; k < nodes_; ++k) {
      to[k] = log_normal_cdf(first_node_ + static_cast<double>(k) * step_ + shift);
    }
  });
}

// A gap is gap * parts / votes nodes. Its row is that of the remainder of gap * parts by votes,
// from another node on.
void TiltedRows::fill_shared_rows(const Fraction& apart, unsigned threads) {
  const auto votes = static_cast<std::int64_t>(apart.votes);
  const auto parts = static_cast<std::int64_t>(apart.parts);
  const double unit = 1.0 / (apart.parts * sigma_);
  // Of the first gap, -room_, in nodes rounded down.
  const std::int64_t lowest_node = floor_divide(-room_ * parts, votes);
  const std::int64_t length =
      static_cast<std::int64_t>(nodes_ + kRowsGoOn) - lowest_node + rows() * parts / votes + 1;
  for (std::int64_t gap = -room_; gap < rows() - room_; ++gap) {
    const std::int64_t node = floor_divide(gap * parts, votes);
    const std::int64_t remainder = gap * parts - node * votes;
    places_.push_back(static_cast<std::size_t>(remainder * length + node - lowest_node));
  }
  for (auto& to : log_below_) to.resize(static_cast<std::size_t>(votes * length));
  parallel_for(static_cast<std::size_t>(votes) * log_below_.size(), threads, [&](std::size_t task) {
    const int tilt = tilt_of(task % log_below_.size());
    const auto remainder = static_cast<std::int64_t>(task / log_below_.size());
    double* const to = log_below_[set_of(tilt)].data() + remainder * length;
    for (std::int64_t j = 0; j < length; ++j) {
      const double at = static_cast<double>((j + lowest_node) * votes + remainder) * unit;
      to[j] = log_normal_cdf(first_node_ + at + tilt_shift(tilt));
    }
  });
}

void TiltedRows::fill_densities(unsigned threads) {
  const auto size = static_cast<std::size_t>(gaps_.last_of_cells + 2 * room_ + 1);
  density_length_ = nodes_ + kRowsGoOn;
  for (auto& to : densities_) to.resize(size * density_length_);
  for_each_row(densities_.size(), size, threads, [&](std::size_t set, std::size_t row) {
    const double shift = row_shift(tilt_of(set), static_cast<std::int64_t>(row) - room_);
    const double* const below = log_below_[set].data() + places_[row];
    double* const to = densities_[set].data() + row * density_length_;
    for (std::size_t k = 0; k < nodes_; ++k) {
      const double z = first_node_ + static_cast<double>(k) * step_;
      to[k] = step_ * std::exp(log_normal_cdf(z) + log_normal_density(z + shift) - below[k]);
    }
  });
}

}  // namespace pate
