#include "pate/divergence/complex/win_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Where phi is below rounding, on the side where nobody is ahead.
constexpr double kLowestNode = 9.0;
constexpr double kMostReach = 60.0;  // differences, in standard deviations of the noise
constexpr double kMostTilt = 200.0;
constexpr std::size_t kPadding = kLanes - 1;

// The error of the rule falls as e^(-2 pi^2 / (classes ahead and one) / step^2).
double node_step(std::int64_t classes) {
  if (classes <= 10) return 0.2;
  return classes <= 100 ? 0.1 : 0.05;
}

}  // namespace

WinRows::WinRows(const GaussianNoisyMax& noise, std::int64_t teachers, std::int64_t classes,
                 std::span<const double> tilts)
    : sigma_(noise.sigma), reach_(teachers + 2), step_(node_step(classes)) {
  validate(noise);
  const double tilt = tilts.empty() ? 0.0 : *std::ranges::max_element(tilts);
  const double far = static_cast<double>(reach_) / sigma_;
  if (!(far <= kMostReach) || !(2.0 * tilt / sigma_ <= kMostTilt)) {
    throw parameter_error(
        fmt::format("complex orders of votes within a distance need noise of a sixtieth of the "
                    "teachers, and orders of less than 100 times it: sigma is {} for {} teachers, "
                    "the largest real part {}",
                    sigma_, teachers, tilt));
  }
  first_ = -kLowestNode;
  // One who is behind wins with noise of up to the difference.
  const double last = kLowestNode + far + 2.0 * tilt / sigma_;
  const auto size = static_cast<std::size_t>(std::ceil((last - first_) / step_)) + 1;
  nodes_ = (size + kPadding) / kLanes * kLanes;
  for (std::size_t k = 0; k < nodes_; ++k) {
    weights_.push_back(step_ *
                       std::exp(log_normal_density(first_ + static_cast<double>(k) * step_)));
    weight_sum_ += weights_.back();
  }
  plain_ = rows(0.0);
  for (const double a : tilts) {
    tilted_.push_back({rows(2.0 * a), rows(a), rows(-a), rows(-2.0 * a)});
  }
}

WinRows::Rows WinRows::rows(double shift) const {
  Rows result;
  for (std::int64_t difference = -reach_; difference <= reach_; ++difference) {
    const double by = (static_cast<double>(difference) + shift) / sigma_;
    for (std::size_t k = 0; k < nodes_; ++k) {
      result.push_back(log_normal_cdf(first_ + static_cast<double>(k) * step_ + by));
    }
  }
  return result;
}

double WinRows::log_wins(std::span<const ClassKind> kinds, std::size_t i, bool moved) const {
  thread_local std::vector<double> exponents;
  exponents.assign(nodes_, 0.0);
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    const auto times = static_cast<double>(kinds[j].classes - (i == j ? 1 : 0));
    if (times == 0.0) continue;
    const double* const add =
        row(plain_, kinds[i].count - kinds[j].count + (moved ? kinds[i].move - kinds[j].move : 0));
    for (std::size_t k = 0; k < nodes_; ++k) exponents[k] += times * add[k];
  }
  double largest = -kInfinity;
  for (std::size_t k = 0; k < nodes_; ++k) {
    const double z = first_ + static_cast<double>(k) * step_;
    exponents[k] -= 0.5 * z * z;
    largest = std::max(largest, exponents[k]);
  }
  constexpr double kNegligible = 50.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < nodes_; ++k) {
    if (exponents[k] > largest - kNegligible) sum += std::exp(exponents[k] - largest);
  }
  return largest + std::log(sum * step_) + log_normal_density(0.0);
}

double WinRows::wins_tilted(std::span<const ClassKind> kinds, std::size_t i,
                            std::size_t tilt) const {
  constexpr double kRelative = 1e-9;
  constexpr double kAbsolute = 1e-14;
  std::array<WeightedRow, 16> terms{};
  std::size_t size = 0;
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    const auto times = static_cast<double>(kinds[j].classes - (i == j ? 1 : 0));
    if (times == 0.0) continue;
    const std::int64_t difference = kinds[i].count - kinds[j].count;
    const int moves = kinds[i].move - kinds[j].move;
    const Rows& from =
        moves == 0 ? plain_
                   : tilted_[tilt][static_cast<std::size_t>(moves < 0 ? moves + 2 : moves + 1)];
    terms[size++] = {row(from, difference), times};
  }
  const double loses = kernels().sum_one_minus_exp(terms.data(), size, weights_.data(), 0, nodes_);
  const double wins = std::max(weight_sum_ - loses, 0.0);
  return static_cast<double>(kinds[i].classes) * (wins * (1.0 + kRelative) + kAbsolute);
}

}  // namespace pate
