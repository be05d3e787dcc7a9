#include "pate/profile/upper_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"

// The inner loop is compiled for wider vectors too; additions are the same in each.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__)
#define PATE_WIDER_VECTORS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define PATE_WIDER_VECTORS
#endif

namespace pate {

namespace {

// Nodes whose sums are held in registers at once.
constexpr std::size_t kStrip = 16;
// What is kept, of the smallest delta that is asked for; grows so that rounding cannot keep the
// window from being trimmed.
constexpr double kForgottenShare = 1e-6;
constexpr double kGrowth = 1.0 + 1e-12;
// e^-s is nothing beside 1 from here on.
constexpr double kFarLoss = 40.0;
// Outward: what rounding does to the values, and to losses of every query.
constexpr double kValueMargin = 1e-9;
constexpr double kLossMargin = 4e-12;

// result[i] = max(result[i], start + sum over taps of weight * values[i + offset]), i < size, a
// multiple of kStrip; sums in the order of the taps.
PATE_WIDER_VECTORS void raise_to_sums(const double* values, const std::int64_t* offsets,
                                      const double* weights, std::size_t taps, double start,
                                      std::size_t size, double* result) {
  for (std::size_t i = 0; i < size; i += kStrip) {
    std::array<double, kStrip> sums;
    for (double& sum : sums) sum = start;
    for (std::size_t t = 0; t < taps; ++t) {
      const double* const from = values + (static_cast<std::int64_t>(i) + offsets[t]);
      const double weight = weights[t];
      for (std::size_t j = 0; j < kStrip; ++j) sums[j] += weight * from[j];
    }
    for (std::size_t j = 0; j < kStrip; ++j) {
      result[i + j] = result[i + j] > sums[j] ? result[i + j] : sums[j];
    }
  }
}

// The weight of the right end of a cell for a loss at `part` of its width `step`, on a scale on
// which V is convex: (1 - e^-part) / (1 - e^-step).
double right_share(double part, double step) {
  return std::expm1(-part) / std::expm1(-step);
}

double left_share(double part, double step) {
  return std::exp(-part) * std::expm1(part - step) / std::expm1(-step);
}

}  // namespace

UpperProfile::UpperProfile(const Grid& grid)
    : UpperProfile(grid, [](double s) { return std::max(-std::expm1(-s), 0.0); }) {}

UpperProfile::UpperProfile(const Grid& grid, const std::function<double(double)>& start)
    : step_(grid.step), forgotten_(kForgottenShare * grid.least_delta) {
  if (!(grid.step > 0.0 && grid.step <= 1.0) || !(grid.highest > 0.0 && grid.highest <= 1e4) ||
      !(grid.least_delta > 0.0 && grid.least_delta < 1.0)) {
    throw parameter_error("a profile needs a step in (0, 1], losses up to 10,000, delta in (0, 1)");
  }
  highest_ = static_cast<std::int64_t>(std::ceil(grid.highest / grid.step));
  while (start(static_cast<double>(lowest_) * step_) > forgotten_) --lowest_;
  for (std::int64_t k = lowest_; k <= highest_; ++k) {
    values_.push_back(start(static_cast<double>(k) * step_));
  }
}

double UpperProfile::at(std::int64_t k) const {
  if (k < lowest_) return values_.front();
  if (k <= highest_) return values_[static_cast<std::size_t>(k - lowest_)];
  const double beyond = static_cast<double>(k - highest_) * step_;
  return 1.0 - (1.0 - values_.back()) * std::exp(-beyond);
}

UpperProfile::Taps UpperProfile::taps(const OutcomeTable& table) const {
  Taps result;
  std::map<std::int64_t, double> weights;
  // No node reads further down than from the highest to below the lowest.
  const std::int64_t least = lowest_ - highest_ - 2;
  for (const OutcomePair& outcome : table) {
    if (!(outcome.p > 0.0)) continue;
    if (!(outcome.loss < kFarLoss)) {
      result.at_infinity += outcome.p;
      continue;
    }
    const double position = std::floor(outcome.loss / step_);
    if (!(position >= static_cast<double>(least))) {
      weights[least] += outcome.p;
      continue;
    }
    const auto k = static_cast<std::int64_t>(position);
    const double part = std::clamp(outcome.loss - position * step_, 0.0, step_);
    weights[k] += outcome.p * left_share(part, step_);
    weights[k + 1] += outcome.p * right_share(part, step_);
  }
  for (const auto& [offset, weight] : weights) {
    if (!(weight > 0.0)) continue;
    result.offset.push_back(offset);
    result.weight.push_back(weight);
  }
  return result;
}

void UpperProfile::prepend(std::span<const OutcomeTable> neighbours) {
  if (neighbours.empty()) return;
  ++queries_;
  std::vector<Taps> all;
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const OutcomeTable& table : neighbours) {
    all.push_back(taps(table));
    if (all.back().offset.empty()) continue;
    least = std::min(least, all.back().offset.front());
    most = std::max(most, all.back().offset.back());
  }
  const std::int64_t first = lowest_ - most;
  const auto nodes = static_cast<std::size_t>(highest_ - first + 1);
  const std::size_t padded = (nodes + kStrip - 1) / kStrip * kStrip;
  std::vector<double> values;
  values.reserve(padded + static_cast<std::size_t>(most - least));
  for (std::int64_t k = first + least;
       values.size() < padded + static_cast<std::size_t>(most - least); ++k) {
    values.push_back(at(k));
  }
  std::vector<double> raised(padded, 0.0);
  for (const Taps& taps : all) {
    raise_to_sums(values.data() - least, taps.offset.data(), taps.weight.data(), taps.offset.size(),
                  taps.at_infinity, padded, raised.data());
  }
  raised.resize(nodes);
  forgotten_ *= kGrowth;
  std::size_t cut = 0;
  while (cut + 1 < nodes && raised[cut + 1] <= forgotten_) ++cut;
  values_.assign(raised.begin() + static_cast<std::ptrdiff_t>(cut), raised.end());
  for (double& value : values_) value = std::min(value, 1.0);
  lowest_ = first + static_cast<std::int64_t>(cut);
}

double UpperProfile::delta(double epsilon) const {
  const double s = kLossMargin * static_cast<double>(queries_) - epsilon;
  const double position = std::floor(s / step_);
  if (!(position >= static_cast<double>(lowest_))) {
    return std::min(values_.front() * (1.0 + kValueMargin), 1.0);
  }
  const auto k = static_cast<std::int64_t>(position);
  const double part = std::clamp(s - position * step_, 0.0, step_);
  const double value = left_share(part, step_) * at(k) + right_share(part, step_) * at(k + 1);
  return std::min(value * (1.0 + kValueMargin), 1.0);
}

double UpperProfile::epsilon(double delta) const {
  if (!(delta >= values_.front())) return kInfinity;
  const auto above = std::upper_bound(values_.begin(), values_.end(), delta);
  const auto k = lowest_ + (above - values_.begin()) - 1;
  const double s = static_cast<double>(k) * step_;
  double epsilon = -s;
  if (above != values_.end()) {
    // The chord in e^-s between the nodes.
    const double below = *std::prev(above);
    const double share = (delta - below) / (*above - below);
    epsilon += std::log1p(share * std::expm1(-step_));
  }
  return std::max(epsilon, 0.0) * (1.0 + kValueMargin) +
         kLossMargin * static_cast<double>(queries_);
}

}  // namespace pate
