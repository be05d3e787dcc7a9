#include "pate/profile/lower_profile.hpp"

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/sums.hpp"

namespace pate {

namespace {

// Inward: what rounding does to the masses, with every query and at all.
constexpr double kQueryMargin = 1e-13;
constexpr double kMargin = 1e-12;
constexpr int kHalvings = 60;

}  // namespace

LowerProfile::LowerProfile(double step, double lowest, double highest)
    : step_(step), highest_(highest), first_(static_cast<std::int64_t>(std::floor(lowest / step))) {
  if (!(step > 0.0) || !(lowest <= 0.0) || !(highest >= 0.0) ||
      !((highest - lowest) / step < 1e8)) {
    throw parameter_error("a profile from below needs a step > 0 and a range around 0");
  }
  const auto last = static_cast<std::int64_t>(std::ceil(highest / step));
  cells_.resize(static_cast<std::size_t>(last - first_ + 1));
  cells_[static_cast<std::size_t>(-first_)] = {1.0, 1.0};
}

void LowerProfile::append(const OutcomeTable& table) {
  ++queries_;
  std::vector<Mass> after(cells_.size());
  const auto last = static_cast<double>(cells_.size() - 1);
  for (const Mass& mass : cells_) {
    // Without either mass nothing can be told apart any more; what is dropped lowers delta.
    if (!(mass.p > 0.0) || !(mass.q > 0.0)) continue;
    const double loss = std::log(mass.p) - std::log(mass.q);
    for (const OutcomePair& outcome : table) {
      if (outcome.loss == kInfinity) {
        at_infinity_ += mass.p * outcome.p;
        continue;
      }
      const double cell = std::floor((loss + outcome.loss) / step_) - static_cast<double>(first_);
      Mass& to = after[static_cast<std::size_t>(std::clamp(cell, 0.0, last))];
      to.p += mass.p * outcome.p;
      to.q += mass.q * outcome.q;
    }
  }
  cells_ = std::move(after);
}

double LowerProfile::delta(double epsilon) const {
  const double margin = kQueryMargin * static_cast<double>(queries_) + kMargin;
  const double factor = std::exp(epsilon) * (1.0 + margin);
  CompensatedSum sum;
  sum.add(at_infinity_ * (1.0 - margin));
  for (const Mass& mass : cells_) {
    const double gain = mass.p * (1.0 - margin) - factor * mass.q;
    if (gain > 0.0) sum.add(gain);
  }
  return sum.value() * (1.0 - kMargin);
}

double LowerProfile::epsilon(double delta) const {
  if (this->delta(0.0) <= delta) return 0.0;
  double low = 0.0;
  double high = highest_ + step_;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (this->delta(middle) > delta ? low : high) = middle;
  }
  return low;
}

}  // namespace pate
