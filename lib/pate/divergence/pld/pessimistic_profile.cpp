#include "pate/divergence/pld/pessimistic_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

constexpr std::size_t kBlock = kNodeBlock;
// What is kept, of the smallest delta that is asked for; grows so that rounding cannot keep the
// window from being trimmed.
constexpr double kForgottenShare = 1e-6;
constexpr double kGrowth = 1.0 + 1e-12;
// e^-s is nothing beside 1 from here on.
constexpr double kFarLoss = 40.0;
// A probability, rounded.
constexpr double kMostWeight = 1.0 + 1e-6;
// Finer ones would overflow the numbers of nodes.
constexpr double kFinestStep = 0x1p-24;
// In steps: far below any window.
constexpr double kMinOffset = -0x1p30;
// Outward: what rounding does to the values, and to losses of every query.
constexpr double kValueMargin = 1e-9;
constexpr double kLossMargin = 4e-12;

// The weight of the right end of a cell for a loss at `part` of its width `step`, on a scale on
// which V is convex: (1 - e^-part) / (1 - e^-step).
double right_share(double part, double step) {
  return std::expm1(-part) / std::expm1(-step);
}

double left_share(double part, double step) {
  return std::exp(-part) * std::expm1(part - step) / std::expm1(-step);
}

}  // namespace

PessimisticProfile::PessimisticProfile(const Grid& grid)
    : PessimisticProfile(grid, [](double s) { return std::max(-std::expm1(-s), 0.0); }) {}

PessimisticProfile::PessimisticProfile(const Grid& grid, const std::function<double(double)>& start)
    : step_(grid.step), forgotten_(kForgottenShare * grid.least_delta) {
  if (!(grid.step >= kFinestStep && grid.step <= 1.0 && grid.highest > 0.0 && grid.highest <= 1e4 &&
        grid.least_delta > 0.0 && grid.least_delta < 1.0)) {
    throw parameter_error(
        "a profile needs a step in [2^-24, 1], losses up to 10,000, delta in (0, 1)");
  }
  highest_ = static_cast<std::int64_t>(std::ceil(grid.highest / grid.step));
  while (start(static_cast<double>(lowest_) * step_) > forgotten_) --lowest_;
  for (std::int64_t k = lowest_; k <= highest_; ++k) {
    values_.push_back(start(static_cast<double>(k) * step_));
  }
}

double PessimisticProfile::at(std::int64_t k) const {
  if (k < lowest_) return values().front();
  if (k <= highest_) return values()[static_cast<std::size_t>(k - lowest_)];
  const double beyond = static_cast<double>(k - highest_) * step_;
  return 1.0 - (1.0 - values().back()) * std::exp(-beyond);
}

DiscretizedPairs::DiscretizedPairs(std::span<const DistributionPair> neighbours, double step) {
  require(step >= kFinestStep && step <= 1.0, "losses need a step in [2^-24, 1]");
  std::vector<std::pair<std::int32_t, double>> parts;
  for (const DistributionPair& table : neighbours) {
    parts.clear();
    double at_infinity = 0.0;
    for (const OutcomeMass& outcome : table) {
      if (!(outcome.p >= 0.0 && outcome.p <= kMostWeight) || std::isnan(outcome.loss)) {
        throw parameter_error("outcomes need probabilities in [0, 1] and losses that are numbers");
      }
      if (outcome.p == 0.0) continue;
      if (!(outcome.loss < kFarLoss)) {
        at_infinity += outcome.p;
        continue;
      }
      // Beyond the range of offsets V is 0 but for what is forgotten.
      const double position = std::floor(outcome.loss / step);
      if (!(position >= kMinOffset)) {
        parts.emplace_back(static_cast<std::int32_t>(kMinOffset), outcome.p);
        continue;
      }
      const auto k = static_cast<std::int32_t>(position);
      const double part = std::clamp(outcome.loss - position * step, 0.0, step);
      parts.emplace_back(k, outcome.p * left_share(part, step));
      parts.emplace_back(k + 1, outcome.p * right_share(part, step));
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < parts.size();) {
      double weight = 0.0;
      const std::int32_t offset = parts[i].first;
      for (; i < parts.size() && parts[i].first == offset; ++i) weight += parts[i].second;
      if (!(weight > 0.0)) continue;
      offset_.push_back(offset);
      weight_.push_back(weight);
    }
    first_.push_back(offset_.size());
    infinity_mass_.push_back(at_infinity);
  }
}

void PessimisticProfile::compose_query(const DiscretizedPairs& query, std::size_t begin,
                                       std::size_t end, std::int64_t times) {
  if (begin == end) return;
  for (std::int64_t i = 0; i < times; ++i) step(query, begin, end);
}

void PessimisticProfile::step(const DiscretizedPairs& query, std::size_t begin, std::size_t end) {
  queries_ += query.queries_;
  // No node reads further down than from the highest to below the lowest.
  const auto furthest = static_cast<std::int32_t>(
      std::max<std::int64_t>(lowest_ - highest_ - 2, std::numeric_limits<std::int32_t>::min()));
  const std::size_t first_term = query.first_[begin];
  const std::size_t last_term = query.first_[end];
  std::int32_t least = 0;
  std::int32_t most = 0;
  offsets_.assign(query.offset_.begin() + static_cast<std::ptrdiff_t>(first_term),
                  query.offset_.begin() + static_cast<std::ptrdiff_t>(last_term));
  for (std::int32_t& offset : offsets_) {
    offset = std::max(offset, furthest);
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
  const std::int64_t first = lowest_ - most;
  const auto nodes = static_cast<std::size_t>(highest_ - first + 1);
  const std::size_t rounded = (nodes + kBlock - 1) / kBlock * kBlock;
  // V at the nodes from first + least on, as `at` has it.
  const std::size_t size = values().size();
  const auto below = static_cast<std::size_t>(most - least);
  const std::size_t above = rounded - size;
  // The window grows by a little with every step: memory must not be asked for each time.
  if (before_ < below || values_.size() < before_ + size + above) {
    std::vector<double> wider(2 * below + size + 2 * above);
    std::ranges::copy(values(), wider.begin() + static_cast<std::ptrdiff_t>(2 * below));
    values_.swap(wider);
    before_ = 2 * below;
  }
  double* const old = values_.data() + before_;
  std::fill(old - below, old, old[0]);
  while (shrinking_.size() < above) {
    shrinking_.push_back(std::exp(-static_cast<double>(shrinking_.size() + 1) * step_));
  }
  const double missing = 1.0 - old[size - 1];
  for (std::size_t i = 0; i < above; ++i) old[size + i] = 1.0 - missing * shrinking_[i];
  // Of all profiles of a thread: what was the values of one is room for the next.
  thread_local std::vector<double> raised;
  const std::size_t room = below + kBlock;
  const std::size_t needed = room + rounded + above + kBlock;
  if (raised.capacity() < needed) raised.reserve(2 * needed);
  raised.resize(needed);
  thread_local std::vector<NodeTerms> tables;
  tables.clear();
  for (std::size_t b = begin; b < end; ++b) {
    const std::size_t from = query.first_[b];
    tables.push_back({offsets_.data() + (from - first_term), query.weight_.data() + from,
                      query.first_[b + 1] - from, query.infinity_mass_[b]});
  }
  for (std::size_t i = 0; i < rounded; i += kBlock) {
    kernels().largest_sums(old - below + i - least, tables.data(), tables.size(),
                           raised.data() + room + i);
  }
  // What is constant below the window grows by the sum of the weights, which covers have above 1.
  double most_weight = 1.0;
  for (std::size_t b = begin; b < end; ++b) {
    double sum = 0.0;
    for (std::size_t i = query.first_[b]; i < query.first_[b + 1]; ++i) sum += query.weight_[i];
    most_weight = std::max(most_weight, sum);
  }
  forgotten_ *= most_weight * kGrowth;
  std::size_t cut = 0;
  while (cut + 1 < nodes && raised[room + cut + 1] <= forgotten_) ++cut;
  values_.swap(raised);
  before_ = room + cut;
  lowest_ = first + static_cast<std::int64_t>(cut);
}

double PessimisticProfile::delta(double epsilon) const {
  const double s = kLossMargin * static_cast<double>(queries_) - epsilon;
  const double position = std::floor(s / step_);
  if (!(position >= static_cast<double>(lowest_))) {
    return std::min(values().front() * (1.0 + kValueMargin), 1.0);
  }
  const auto k = static_cast<std::int64_t>(position);
  const double part = std::clamp(s - position * step_, 0.0, step_);
  const double value = left_share(part, step_) * at(k) + right_share(part, step_) * at(k + 1);
  return std::min(value * (1.0 + kValueMargin), 1.0);
}

double PessimisticProfile::epsilon(double delta) const {
  const std::span<const double> values = this->values();
  if (!(delta >= values.front())) return kInfinity;
  const auto above = std::upper_bound(values.begin(), values.end(), delta);
  const auto k = lowest_ + (above - values.begin()) - 1;
  const double s = static_cast<double>(k) * step_;
  double epsilon = -s;
  if (above != values.end()) {
    // The chord in e^-s between the nodes.
    const double below = *std::prev(above);
    const double share = (delta - below) / (*above - below);
    epsilon += std::log1p(share * std::expm1(-step_));
  }
  return std::max(epsilon, 0.0) * (1.0 + kValueMargin) +
         kLossMargin * static_cast<double>(queries_);
}

}  // namespace pate
