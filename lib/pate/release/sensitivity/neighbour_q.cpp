#include "pate/release/sensitivity/neighbour_q.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "pate/base/error.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Several times what evaluation can lose.
double margin(double log_q, double result) {
  return 1e-13 * (1.0 + std::abs(log_q) + std::abs(result));
}

double log_cap(std::int64_t classes) {
  return std::log1p(-1.0 / static_cast<double>(classes));
}

// log(e^a - e^b) for a >= b; nothing is left also where b is above a by rounding.
double log_subtract(double a, double b) {
  if (b >= a) return -kInfinity;
  return b == -kInfinity ? a : a + log1mexp(b - a);
}

// Phi^-1(e^log_p) for log_p <= log 1/2, that of no mass at all included.
double quantile(double log_p) {
  return log_p == -kInfinity ? -kInfinity : -normal_upper_quantile(log_p);
}

// The normal quantiles of the masses of the class whose gap moves by two and of each other class.
struct Shares {
  double special;
  double other;
};

// q of a split by the quantile of each other class: log q, and its first two derivatives.
class SplitMass {
 public:
  SplitMass(double offset, double others) : offset_(offset), log_others_(std::log(others)) {}

  struct At {
    double log_q, slope, curvature;
  };
  [[nodiscard]] At at(double x) const {
    const double a = special(x);
    const double mills_a = mills_ratio(std::min(-a, 1e150));
    const double mills_b = mills_ratio(-x);
    const double part_a = log_normal_density(a) + std::log(mills_a);
    const double part_b = log_others_ + log_normal_density(x) + std::log(mills_b);
    const double log_q = log_add(part_a, part_b);
    // Densities relative to q.
    const double density_a = std::exp(part_a - log_q) / mills_a;
    const double density_b = std::exp(part_b - log_q) / mills_b;
    const double slope = 0.5 * density_a + density_b;
    return {log_q, slope, -0.25 * a * density_a - x * density_b - slope * slope};
  }
  /// The quantile of the class whose gap moves by two: that q grows by as much with either.
  [[nodiscard]] double special(double x) const { return 0.5 * x + offset_; }
  [[nodiscard]] double log_others() const { return log_others_; }
  /// Where no class has more than 1/2.
  [[nodiscard]] double highest() const { return offset_ > 0.0 ? -2.0 * offset_ : 0.0; }

 private:
  double offset_;
  double log_others_;
};

// Halley's iteration from x to the split of q, kept between low and high: by halves where it leaves
// them or does not come to an end. Nothing if it leaves a side that has no end.
std::optional<NearbySplit> solve(const SplitMass& mass, double log_q, double x, double low,
                                 double high) {
  constexpr int kBeforeHalving = 50;
  for (int i = 0; i < 250; ++i) {
    const SplitMass::At at = mass.at(x);
    (at.log_q > log_q ? high : low) = x;
    const double newton = (at.log_q - log_q) / at.slope;
    const double step = newton / (1.0 - 0.5 * newton * at.curvature / at.slope);
    // The convergence is cubic: after a step of 1e-6 / x the error is far below rounding. Far from
    // the root the step can be short as well, Newton's is not.
    const double size = 1.0 + std::abs(x);
    const bool is_last = std::abs(step) * size <= 1e-6 && std::abs(newton) * size <= 2e-6;
    double next = x - step;
    if (!is_last && (i >= kBeforeHalving || !(next > low && next < high))) {
      if (low == -kInfinity || high == kInfinity) return std::nullopt;
      next = 0.5 * (low + high);
    }
    const double moved = std::abs(next - x);
    x = next;
    if (is_last || moved <= 4e-16 * std::abs(x)) return NearbySplit{log_q, x, at.slope};
  }
  return std::nullopt;
}

// The split of q at which moving mass between the classes changes nothing, or the nearest to it
// with no mass above 1/2. There the quantiles satisfy special = other / 2 + offset, so that q is an
// increasing function of one of them.
Shares stationary_split(double log_q, double offset, double others, NearbySplit& nearby) {
  const SplitMass mass(offset, others);
  const auto split_of = [&](const std::optional<NearbySplit>& found) {
    nearby = found.value();
    return Shares{mass.special(nearby.x), nearby.x};
  };
  if (nearby.slope > 0.0) {
    const double moved = (log_q - nearby.log_q) / nearby.slope;
    if (std::abs(moved) <= 0.5 * (1.0 + std::abs(nearby.x))) {
      const auto found = solve(mass, log_q, nearby.x + moved, -kInfinity, kInfinity);
      if (found && found->x < mass.highest()) return split_of(found);
    }
  }
  nearby = {};
  // With all mass in either part the other quantile is at most this.
  const double high = std::min(-normal_upper_quantile(std::min(log_q - mass.log_others(), -1e-300)),
                               mass.highest());
  if (mass.at(high).log_q <= log_q) {
    if (high < 0.0 && high == -2.0 * offset) {  // the special class is at its largest mass, 1/2
      const double rest = log_subtract(log_q, -std::numbers::ln2) - mass.log_others();
      return {0.0, rest < 0.0 ? quantile(rest) : 0.0};
    }
    if (high == 0.0) {  // the others are, each at 1/2
      const double rest = log_subtract(log_q, mass.log_others() - std::numbers::ln2);
      return {quantile(rest), 0.0};
    }
    return {mass.special(high), high};
  }
  double low = high - 1.0;
  while (mass.at(low).log_q > log_q) low = high - 2.0 * (high - low);
  return split_of(solve(mass, log_q, 0.5 * (low + high), low, high));
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

QCoordinate coordinate(const OneLaplaceNoise& noise) {
  return {noise.epsilon(), false};
}

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kMinProbability = 1e-250;
constexpr double kOutwards = 1e-12;
constexpr double kNegligible = 1e-15;

// A vote changes every term of q by at most a factor e^eps.
NeighbourQ neighbour_q_within(double eps, double log_q, std::int64_t classes) {
  const double upper = log_q + eps;
  const double lower = log_q - eps;
  return {lower - margin(log_q, lower), std::min(upper + margin(log_q, upper), log_cap(classes))};
}

}  // namespace

NeighbourQ neighbour_q(const GaussianNoisyMax& noise, double log_q, std::int64_t classes,
                       NearbySplits& nearby) {
  // In quantiles, 1/2 erfc(erfcinv(u) -+ 1/sigma) is Phi(Phi^-1(u/2) +- mu).
  const double mu = noise.mu();
  const auto others = static_cast<double>(classes - 2);
  NeighbourQ result;
  if (classes == 2) {
    const Shares all{-normal_upper_quantile(log_q), 0.0};
    result = {shifted(all, -mu, 0.0), shifted(all, mu, 0.0)};
  } else {
    const double offset = 0.375 * mu;
    result.log_upper = shifted(stationary_split(log_q, -offset, others, nearby.upper), mu, others);
    result.log_lower = shifted(stationary_split(log_q, offset, others, nearby.lower), -mu, others);
  }
  result.log_upper = std::min(result.log_upper + margin(log_q, result.log_upper), log_cap(classes));
  result.log_lower -= margin(log_q, result.log_lower);
  return result;
}

NeighbourQ neighbour_q(const LaplaceNoisyMax& noise, double log_q, std::int64_t classes,
                       NearbySplits& /*nearby*/) {
  return neighbour_q_within(2.0 * noise.gamma(), log_q, classes);
}

NeighbourQ neighbour_q(const OneLaplaceNoise& noise, double log_q, std::int64_t classes,
                       NearbySplits& /*nearby*/) {
  require_classes({noise}, classes);
  return neighbour_q_within(noise.epsilon(), log_q, classes);
}

NeighbourQ neighbour_q(const NoisyMax& noisy_max, double log_q, std::int64_t classes,
                       NearbySplits& nearby) {
  return noisy_max.visit(
      [&](const auto& noise) { return neighbour_q(noise, log_q, classes, nearby); });
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

QBoundsByDistance::QBoundsByDistance(const UnionBoundTable& table,
                                     std::span<const std::int32_t> sorted)
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
double QBoundsByDistance::sum_of(const End& end, const Term& term) const {
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

double QBoundsByDistance::log_sum(const End& end) const {
  const std::int64_t nearest = end.top - end.level;
  if (table_->probability(nearest) > kMinProbability) {
    const double q = sum_of(end, [this](std::int64_t gap) { return table_->probability(gap); });
    return std::min(std::log(q), cap_);
  }
  const double largest = table_->log_term(nearest);
  const double q = sum_of(
      end, [this, largest](std::int64_t gap) { return std::exp(table_->log_term(gap) - largest); });
  return std::min(largest + std::log(q), cap_);
}

double QBoundsByDistance::slack(const End& end, double log_q) {
  return kOutwards * static_cast<double>(end.distance + 1) * std::max(1.0, -log_q);
}

void QBoundsByDistance::update_low() {
  const double log_q = log_sum(lowest_);
  low_ = log_q - slack(lowest_, log_q);
}

void QBoundsByDistance::update_high() {
  if (highest_.top <= highest_.level && highest_.distance > 0) high_capped_ = true;
  if (high_capped_) {
    high_ = cap_;
    return;
  }
  const double log_q = log_sum(highest_);
  high_ = std::min(log_q + slack(highest_, log_q), cap_);
}

void QBoundsByDistance::take_in_below() {
  End& end = lowest_;
  end.below = 0.0;
  if (end.next < end.groups.size() && end.groups[end.next].votes == end.level - 1) {
    end.below = end.groups[end.next++].classes;
  }
}

void QBoundsByDistance::step_high() {
  ++highest_.distance;
  --highest_.top;
  ++highest_.level;
  update_high();
}

void QBoundsByDistance::step_low() {
  ++lowest_.distance;
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
