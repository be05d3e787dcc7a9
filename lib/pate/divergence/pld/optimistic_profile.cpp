#include "pate/divergence/pld/optimistic_profile.hpp"

#include <algorithm>
#include <cmath>

#include "pate/base/error.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Inward: what rounding does to the masses, with every query and at all.
constexpr double kQueryMargin = 1e-13;
constexpr double kMargin = 1e-12;
constexpr int kHalvings = 60;
constexpr double kForgottenShare = 1e-20;

// Cells that are worked on together. As many on either side of those that are in use are 0, so
// that blocks may reach beyond these.
constexpr auto kBlock = static_cast<std::ptrdiff_t>(kNodeBlock);

std::size_t at(std::ptrdiff_t k) {
  return static_cast<std::size_t>(k + kBlock);
}

// What merging outcomes may take of the second moment of a query's losses, in all.
constexpr double kMerged = 1e-6;

// The table with outcomes of nearly the same loss as one: who sees less learns no more.
DistributionPair merged(DistributionPair table) {
  std::ranges::sort(table, {}, &OutcomeMass::loss);
  double moment = 0.0;
  double finite = 0.0;
  for (const OutcomeMass& o : table) {
    if (!(o.p > 0.0 && std::isfinite(o.loss))) continue;
    moment += o.p * o.loss * o.loss;
    finite += 1.0;
  }
  const double allowed = kMerged * moment / finite;
  DistributionPair result;
  for (const OutcomeMass& o : table) {
    if (!(o.p > 0.0)) continue;
    if (!result.empty() && std::isfinite(o.loss)) {
      OutcomeMass& last = result.back();
      const double apart = o.loss - last.loss;
      // What the two add to the moment about their mean.
      if (last.p * o.p / (last.p + o.p) * apart * apart <= allowed) {
        last.loss += o.p / (last.p + o.p) * apart;
        last.p += o.p;
        last.q += o.q;
        continue;
      }
    }
    result.push_back(o);
  }
  return result;
}

}  // namespace

OptimisticProfile::OptimisticProfile(double step, double lowest, double highest, double least_delta)
    : step_(step),
      highest_(highest),
      forgotten_(kForgottenShare * least_delta),
      first_(static_cast<std::int64_t>(std::floor(lowest / step))) {
  if (!(step > 0.0 && lowest <= 0.0 && highest >= 0.0 && (highest - lowest) / step < kMostSteps &&
        least_delta >= 0.0 && least_delta < 1.0)) {
    throw parameter_error("a profile from below needs a step > 0 and a range around 0");
  }
  const auto last = static_cast<std::int64_t>(std::ceil(highest / step));
  size_ = last - first_ + 1;
  p_.assign(at(size_ + kBlock), 0.0);
  q_ = p_;
  begin_ = -first_;
  end_ = begin_ + 1;
  p_[at(begin_)] = q_[at(begin_)] = 1.0;
}

void OptimisticProfile::append(const DistributionPair& table, std::int64_t times) {
  if (table.empty()) return;
  const DistributionPair few = merged(table);
  for (std::int64_t i = 0; i < times; ++i) step(few);
}

// A shift of all losses moves every history alike, and tells none from another. Of the shifts that
// put one outcome on a whole number of steps this is the one that puts the others nearest to those;
// what is shifted in all stays within half a step.
double OptimisticProfile::shift(const DistributionPair& table) const {
  double best = 0.0;
  double least = kInfinity;
  for (const OutcomeMass& aligned : table) {
    if (!(aligned.p > 0.0 && std::isfinite(aligned.loss))) continue;
    double moment = 0.0;
    double mean = 0.0;
    double mass = 0.0;
    for (const OutcomeMass& o : table) {
      if (!(o.p > 0.0 && std::isfinite(o.loss))) continue;
      const double steps = (o.loss - aligned.loss) / step_;
      const double off = std::round(steps) - steps;
      moment += o.p * off * off;
      mean += o.p * off;
      mass += o.p;
    }
    const double spread = moment - mean * mean / mass;
    if (spread < least) {
      least = spread;
      best = aligned.loss / step_;
    }
  }
  // The shift is whole - best, and shifted_ is to stay near 0.
  return std::round(best - shifted_) - best;
}

void OptimisticProfile::step(const DistributionPair& table) {
  ++queries_;
  const std::ptrdiff_t size = size_;
  const double shift = this->shift(table);
  shifted_ += shift;
  // Where an outcome moves a history, in cells: wherever that is, nothing becomes too large.
  std::vector<std::ptrdiff_t> moves;
  std::ptrdiff_t low = size - 1;
  std::ptrdiff_t high = 0;
  for (const OutcomeMass& outcome : table) {
    const auto reach = static_cast<double>(size);
    const double cells = std::round(std::clamp(outcome.loss / step_ + shift, -reach, reach));
    moves.push_back(static_cast<std::ptrdiff_t>(cells));
    if (!(outcome.p > 0.0) || outcome.loss == kInfinity) continue;
    low = std::min(low, std::clamp<std::ptrdiff_t>(begin_ + moves.back(), 0, size - 1));
    high = std::max(high, std::clamp<std::ptrdiff_t>(end_ - 1 + moves.back(), 0, size - 1));
  }
  after_p_.resize(p_.size());
  after_q_.resize(q_.size());
  if (low > high) {  // every outcome is one that the neighbour never has
    low = high = 0;
    after_p_[at(0)] = after_q_[at(0)] = 0.0;
  }
  for (std::ptrdiff_t first = low; first <= high; first += kBlock) {
    offsets_.clear();
    weights_p_.clear();
    weights_q_.clear();
    for (std::size_t o = 0; o < table.size(); ++o) {
      const OutcomeMass& outcome = table[o];
      if (!(outcome.p > 0.0) || outcome.loss == kInfinity) continue;
      const std::ptrdiff_t from = first - moves[o];
      if (from + kBlock <= begin_ || from >= end_) continue;
      offsets_.push_back(static_cast<std::int32_t>(from));
      weights_p_.push_back(outcome.p);
      weights_q_.push_back(outcome.q);
    }
    kernels().node_sums(&p_[at(0)], {offsets_.data(), weights_p_.data(), offsets_.size(), 0.0},
                        &after_p_[at(first)]);
    kernels().node_sums(&q_[at(0)], {offsets_.data(), weights_q_.data(), offsets_.size(), 0.0},
                        &after_q_[at(first)]);
  }
  for (auto* const after : {&after_p_, &after_q_}) {
    std::fill_n(&(*after)[at(low - kBlock)], kBlock, 0.0);
    std::fill_n(&(*after)[at(high + 1)], kBlock, 0.0);
  }
  // What leaves the range is merged at its ends; of an infinite loss only p is left.
  for (std::size_t o = 0; o < table.size(); ++o) {
    const OutcomeMass& outcome = table[o];
    if (!(outcome.p > 0.0)) continue;
    if (outcome.loss == kInfinity) {
      for (std::ptrdiff_t k = begin_; k < end_; ++k) infinity_mass_ += p_[at(k)] * outcome.p;
      continue;
    }
    for (std::ptrdiff_t k = begin_; k < std::min(end_, -moves[o]); ++k) {
      after_p_[at(0)] += outcome.p * p_[at(k)];
      after_q_[at(0)] += outcome.q * q_[at(k)];
    }
    for (std::ptrdiff_t k = std::max(begin_, size - moves[o]); k < end_; ++k) {
      after_p_[at(size - 1)] += outcome.p * p_[at(k)];
      after_q_[at(size - 1)] += outcome.q * q_[at(k)];
    }
  }
  p_.swap(after_p_);
  q_.swap(after_q_);
  begin_ = low;
  end_ = high + 1;
  while (begin_ + 1 < end_ && p_[at(begin_)] < forgotten_) {
    p_[at(begin_)] = q_[at(begin_)] = 0.0;
    ++begin_;
  }
  while (begin_ + 1 < end_ && p_[at(end_ - 1)] < forgotten_) {
    --end_;
    p_[at(end_)] = q_[at(end_)] = 0.0;
  }
}

double OptimisticProfile::delta(double epsilon) const {
  const double margin = kQueryMargin * static_cast<double>(queries_) + kMargin;
  const double factor = std::exp(epsilon) * (1.0 + margin);
  CompensatedSum sum;
  sum.add(infinity_mass_ * (1.0 - margin));
  for (std::ptrdiff_t k = begin_; k < end_; ++k) {
    if (!(q_[at(k)] > 0.0)) continue;  // it may have underflown
    const double gain = p_[at(k)] * (1.0 - margin) - factor * q_[at(k)];
    if (gain > 0.0) sum.add(gain);
  }
  return sum.value() * (1.0 - kMargin);
}

double OptimisticProfile::epsilon(double delta) const {
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
