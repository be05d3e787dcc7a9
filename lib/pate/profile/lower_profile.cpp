#include "pate/profile/lower_profile.hpp"

#include <algorithm>
#include <cmath>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/sums.hpp"

// The inner loop is compiled for wider vectors too; the additions are the same in each.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && \
    !defined(__SANITIZE_ADDRESS__)
#define PATE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PATE_VECTOR_CLONES
#endif

namespace pate {

namespace {

// Inward: what rounding does to the masses, with every query and at all.
constexpr double kQueryMargin = 1e-13;
constexpr double kMargin = 1e-12;
constexpr int kHalvings = 60;

std::size_t at(std::ptrdiff_t k) {
  return static_cast<std::size_t>(k);
}

// Of a cell: less than 1.
constexpr double kLargestPart = 1.0 - 0x1p-53;

// to[k] or to[k + 1] grows by weight * mass[k], the latter where parts[k] and `part` make a whole.
PATE_VECTOR_CLONES void add_moved(const double* mass, const double* parts, std::size_t count,
                                  double weight, double part, double* __restrict to) {
  for (std::size_t k = 0; k < count; ++k) {
    const double moved = weight * mass[k];
    to[k] += parts[k] + part < 1.0 ? moved : 0.0;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double moved = weight * mass[k];
    to[k + 1] += parts[k] + part < 1.0 ? 0.0 : moved;
  }
}

// What merging outcomes may take of the second moment of a query's losses, in all.
constexpr double kMerged = 1e-6;

// The table with outcomes of nearly the same loss as one: who sees less learns no more.
OutcomeTable merged(OutcomeTable table) {
  std::ranges::sort(table, {}, &OutcomePair::loss);
  double moment = 0.0;
  double finite = 0.0;
  for (const OutcomePair& o : table) {
    if (!(o.p > 0.0 && std::isfinite(o.loss))) continue;
    moment += o.p * o.loss * o.loss;
    finite += 1.0;
  }
  const double allowed = kMerged * moment / finite;
  OutcomeTable result;
  for (const OutcomePair& o : table) {
    if (!(o.p > 0.0)) continue;
    if (!result.empty() && std::isfinite(o.loss)) {
      OutcomePair& last = result.back();
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

LowerProfile::LowerProfile(double step, double lowest, double highest)
    : step_(step), highest_(highest), first_(static_cast<std::int64_t>(std::floor(lowest / step))) {
  if (!(step > 0.0) || !(lowest <= 0.0) || !(highest >= 0.0) ||
      !((highest - lowest) / step < 1e8)) {
    throw parameter_error("a profile from below needs a step > 0 and a range around 0");
  }
  const auto last = static_cast<std::int64_t>(std::ceil(highest / step));
  for (std::int64_t k = first_; k <= last; ++k) {
    shrinking_.push_back(std::exp(-static_cast<double>(k) * step_));
  }
  p_.assign(shrinking_.size(), 0.0);
  q_ = part_ = p_;
  begin_ = -first_;
  end_ = begin_ + 1;
  p_[at(begin_)] = q_[at(begin_)] = 1.0;
}

void LowerProfile::append(const OutcomeTable& table, std::int64_t times) {
  if (table.empty()) return;
  const OutcomeTable few = merged(table);
  for (std::int64_t i = 0; i < times; ++i) step(few);
}

void LowerProfile::step(const OutcomeTable& table) {
  ++queries_;
  const auto size = static_cast<std::ptrdiff_t>(p_.size());
  // The loss of a cell's histories, in steps above its lower end. How much is taken from the first
  // terms of the logarithm: wherever a history is put, nothing becomes too large.
  for (std::ptrdiff_t k = begin_; k < end_; ++k) {
    const double more = p_[at(k)] * shrinking_[at(k)] / q_[at(k)] - 1.0;
    const double part = (more - 0.5 * more * more) / step_;
    // Not so where either mass is 0: it stays at the lower end.
    part_[at(k)] = part > 0.0 ? std::min(part, kLargestPart) : 0.0;
  }
  after_p_.assign(p_.size(), 0.0);
  after_q_.assign(q_.size(), 0.0);
  std::ptrdiff_t low = size - 1;
  std::ptrdiff_t high = 0;
  for (const OutcomePair& outcome : table) {
    if (!(outcome.p > 0.0)) continue;
    if (outcome.loss == kInfinity) {
      for (std::ptrdiff_t k = begin_; k < end_; ++k) at_infinity_ += p_[at(k)] * outcome.p;
      continue;
    }
    const auto reach = static_cast<double>(size);
    const double steps = std::clamp(outcome.loss / step_, -reach, reach);
    const auto whole = static_cast<std::ptrdiff_t>(std::floor(steps));
    const double part = steps - std::floor(steps);
    // What leaves the range is merged at its ends.
    const std::ptrdiff_t first = std::clamp(-whole, begin_, end_);
    const std::ptrdiff_t last = std::clamp(size - 1 - whole, first, end_);
    for (std::ptrdiff_t k = begin_; k < end_; ++k) {
      if (k == first) k = last;
      if (k == end_) break;
      const std::ptrdiff_t to = k < first ? 0 : size - 1;
      after_p_[at(to)] += outcome.p * p_[at(k)];
      after_q_[at(to)] += outcome.q * q_[at(k)];
      low = std::min(low, to);
      high = std::max(high, to);
    }
    if (first == last) continue;
    const auto count = static_cast<std::size_t>(last - first);
    const double* const parts = part_.data() + first;
    add_moved(p_.data() + first, parts, count, outcome.p, part, after_p_.data() + first + whole);
    add_moved(q_.data() + first, parts, count, outcome.q, part, after_q_.data() + first + whole);
    low = std::min(low, first + whole);
    high = std::max(high, last + whole);
  }
  p_.swap(after_p_);
  q_.swap(after_q_);
  begin_ = std::min(low, high);
  end_ = std::min(high + 1, size);
}

double LowerProfile::delta(double epsilon) const {
  const double margin = kQueryMargin * static_cast<double>(queries_) + kMargin;
  const double factor = std::exp(epsilon) * (1.0 + margin);
  CompensatedSum sum;
  sum.add(at_infinity_ * (1.0 - margin));
  for (std::ptrdiff_t k = begin_; k < end_; ++k) {
    if (!(q_[at(k)] > 0.0)) continue;  // it may have underflown
    const double gain = p_[at(k)] * (1.0 - margin) - factor * q_[at(k)];
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
