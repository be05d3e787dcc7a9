#include "pate/sensitivity/neighbour_q.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/normal.hpp"

namespace pate {

namespace {

// Several times what evaluation can lose.
double margin(double log_q, double result) {
  return 1e-13 * (1.0 + std::abs(log_q) + std::abs(result));
}

double log_cap(std::int64_t classes) {
  return std::log1p(-1.0 / static_cast<double>(classes));
}

// log(e^a - e^b) for a >= b.
double log_subtract(double a, double b) {
  return b == -kInfinity ? a : a + log1mexp(b - a);
}

// The normal quantiles of the masses of the class whose gap moves by two and of each other class.
struct Shares {
  double special;
  double other;
};

// The split of q at which moving mass between the classes changes nothing, or the nearest to it
// with no mass above 1/2. There the quantiles satisfy special = other / 2 + offset, so that q is an
// increasing function of one of them: Newton's iteration on log q, kept in a bracket.
Shares stationary_split(double log_q, double offset, double others) {
  const double log_others = std::log(others);
  const auto log_mass = [&](double other) {
    return log_add(log_normal_cdf(0.5 * other + offset), log_others + log_normal_cdf(other));
  };
  // With all mass in either part the other quantile is at most this.
  double high = std::min(-normal_upper_quantile(std::min(log_q - log_others, -1e-300)), 0.0);
  if (offset > 0.0) high = std::min(high, -2.0 * offset);
  if (log_mass(high) <= log_q) {
    if (high < 0.0 && high == -2.0 * offset) {  // the special class is at its largest mass, 1/2
      const double rest = log_subtract(log_q, -std::numbers::ln2) - log_others;
      return {0.0, rest < 0.0 ? -normal_upper_quantile(rest) : 0.0};
    }
    if (high == 0.0) {  // the others are, each at 1/2
      const double rest = log_subtract(log_q, log_others - std::numbers::ln2);
      return {rest == -kInfinity ? -kInfinity : -normal_upper_quantile(rest), 0.0};
    }
    return {0.5 * high + offset, high};
  }
  double low = high - 1.0;
  while (log_mass(low) > log_q) low = high - 2.0 * (high - low);
  double x = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double a = 0.5 * x + offset;
    const double part_a = log_normal_cdf(a);
    const double part_b = log_others + log_normal_cdf(x);
    const double mass = log_add(part_a, part_b);
    (mass > log_q ? high : low) = x;
    // d log mass / dx, from the densities relative to the masses.
    const double slope = 0.5 * std::exp(part_a - mass) / mills_ratio(std::min(-a, 1e150)) +
                         std::exp(part_b - mass) / mills_ratio(-x);
    double next = x - (mass - log_q) / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = std::abs(next - x);
    x = next;
    if (!(step > 4e-16 * std::abs(x))) break;
  }
  return {0.5 * x + offset, x};
}

double shifted(const Shares& shares, double mu, double others) {
  const double special =
      shares.special == -kInfinity ? -kInfinity : log_normal_cdf(shares.special + mu);
  if (others == 0.0) return special;
  return log_add(special, std::log(others) + log_normal_cdf(shares.other + 0.5 * mu));
}

QCoordinate coordinate(const GaussianNoisyMax& noise) {
  return {noise.mu(), true};
}

QCoordinate coordinate(const LaplaceNoisyMax& noise) {
  return {2.0 * noise.gamma(), false};
}

[[noreturn]] void throw_no_q() {
  throw parameter_error("PTR has no q, and no sensitivity of its costs is known");
}

QCoordinate coordinate(const TestedPlurality& /*tested*/) {
  throw_no_q();
}

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kSmallestProbability = 1e-250;
constexpr double kOutwards = 1e-12;
constexpr double kNegligible = 1e-15;

}  // namespace

NeighbourQ neighbour_q(const GaussianNoisyMax& noise, double log_q, std::int64_t classes) {
  // In quantiles, 1/2 erfc(erfcinv(u) -+ 1/sigma) is Phi(Phi^-1(u/2) +- mu).
  const double mu = noise.mu();
  const auto others = static_cast<double>(classes - 2);
  NeighbourQ result;
  if (classes == 2) {
    const Shares all{-normal_upper_quantile(log_q), 0.0};
    result = {shifted(all, -mu, 0.0), shifted(all, mu, 0.0)};
  } else {
    const double offset = 0.375 * mu;
    result.log_upper = shifted(stationary_split(log_q, -offset, others), mu, others);
    result.log_lower = shifted(stationary_split(log_q, offset, others), -mu, others);
  }
  result.log_upper = std::min(result.log_upper + margin(log_q, result.log_upper), log_cap(classes));
  result.log_lower -= margin(log_q, result.log_lower);
  return result;
}

NeighbourQ neighbour_q(const LaplaceNoisyMax& noise, double log_q, std::int64_t classes) {
  const double upper = log_q + 2.0 * noise.gamma();
  const double lower = log_q - 2.0 * noise.gamma();
  return {lower - margin(log_q, lower), std::min(upper + margin(log_q, upper), log_cap(classes))};
}

NeighbourQ neighbour_q(const TestedPlurality& /*tested*/, double /*log_q*/,
                       std::int64_t /*classes*/) {
  throw_no_q();
}

NeighbourQ neighbour_q(const NoisyMax& noisy_max, double log_q, std::int64_t classes) {
  return noisy_max.visit([=](const auto& noise) { return neighbour_q(noise, log_q, classes); });
}

double QCoordinate::of(double log_q) const {
  return is_normal ? -normal_upper_quantile(log_q) : log_q;
}

double QCoordinate::log_q(double at) const {
  return is_normal ? log_normal_cdf(at) : at;
}

QCoordinate q_coordinate(const NoisyMax& noisy_max) {
  return noisy_max.visit([](const auto& noise) { return coordinate(noise); });
}

QWalk::QWalk(const UnionBoundTable& table, std::span<const std::int32_t> sorted)
    : table_(&table),
      cap_(std::log1p(-1.0 / static_cast<double>(sorted.size()))),
      classes_behind_(static_cast<double>(sorted.size() - 1)) {
  for (const std::int32_t votes : sorted.subspan(1)) {
    if (lowest_.groups.empty() || lowest_.groups.back().votes != votes) {
      lowest_.groups.push_back({votes, 0.0});
    }
    lowest_.groups.back().classes += 1.0;
  }
  highest_.groups = lowest_.groups;
  highest_.groups.front().classes -= 1.0;
  highest_.top = lowest_.top = sorted[0];
  highest_.level = lowest_.level = sorted[1];
  highest_.at_level = 1.0;
  lowest_.at_level = lowest_.groups.front().classes;
  lowest_.next = 1;
  take_in_below();
  update_low();
  update_high();
}

template <class Term>
double QWalk::sum_of(const End& end, const Term& term) const {
  double left = classes_behind_;
  double sum = 0.0;
  const auto add = [&](std::int64_t votes, double classes) {
    if (classes == 0.0) return true;
    const double each = term(end.top - votes);
    sum += classes * each;
    left -= classes;
    return each * left > kNegligible * sum;
  };
  bool more = add(end.level, end.at_level) && add(end.level - 1, end.below);
  for (std::size_t i = end.next; more && i < end.groups.size(); ++i) {
    more = add(end.groups[i].votes, end.groups[i].classes);
  }
  return sum;
}

double QWalk::log_sum(const End& end) const {
  const std::int64_t nearest = end.top - end.level;
  if (table_->probability(nearest) > kSmallestProbability) {
    const double q = sum_of(end, [this](std::int64_t gap) { return table_->probability(gap); });
    return std::min(std::log(q), cap_);
  }
  const double largest = table_->log_term(nearest);
  const double q = sum_of(
      end, [this, largest](std::int64_t gap) { return std::exp(table_->log_term(gap) - largest); });
  return std::min(largest + std::log(q), cap_);
}

double QWalk::slack(double log_q) const {
  return kOutwards * static_cast<double>(distance_ + 1) * std::max(1.0, -log_q);
}

void QWalk::update_low() {
  const double log_q = log_sum(lowest_);
  low_ = log_q - slack(log_q);
}

void QWalk::update_high() {
  if (highest_.top <= highest_.level && distance_ > 0) high_capped_ = true;
  if (high_capped_) {
    high_ = cap_;
    return;
  }
  const double log_q = log_sum(highest_);
  high_ = std::min(log_q + slack(log_q), cap_);
}

void QWalk::take_in_below() {
  End& end = lowest_;
  end.below = 0.0;
  if (end.next < end.groups.size() && end.groups[end.next].votes == end.level - 1) {
    end.below = end.groups[end.next++].classes;
  }
}

void QWalk::step() {
  ++distance_;
  --highest_.top;
  ++highest_.level;
  update_high();
  if (!low_ended()) {
    ++lowest_.top;
    lowest_.at_level -= 1.0;
    lowest_.below += 1.0;
    if (lowest_.at_level == 0.0) {
      --lowest_.level;
      lowest_.at_level = lowest_.below;
      take_in_below();
    }
  }
  update_low();
}

}  // namespace pate
