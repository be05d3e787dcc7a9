#include "pate/release/curve/public_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/release/curve/curve_values.hpp"

namespace pate {

namespace {

constexpr double kCoveredMargin = 1e-10;
constexpr double kCap = 2.0;  // times ub_max: where the curve ends
// U is computed at so many places at most, about evenly spread, and each time looks at all of the
// noise: nobody waits for more than so many numbers in all.
constexpr std::int64_t kMaxPlaces = 32768;
constexpr double kMaxLooks = 1e9;

// Sorts what is a few rising and falling stretches one after the other.
template <class Value, class Less>
void sort_stretches(std::vector<Value>& values, const Less& less) {
  const auto begin = values.begin();
  for (auto first = begin; first != values.end();) {
    auto last = first + 1;
    if (last != values.end()) {
      const bool falls = less(*last, *first);
      while (last != values.end() && less(*last, *(last - 1)) == falls) ++last;
      if (falls) std::reverse(first, last);
    }
    std::inplace_merge(begin, first, last, less);
    first = last;
  }
}

// log x within 1e-2, for x > 0 that is normal.
double rough_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52U) - 1023);
  const double mantissa =
      std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL) - 1.0;
  return std::numbers::ln2 * (exponent + mantissa * (1.3465 - 0.3465 * mantissa));
}

// The smallest of log b - power log a over the pairs it is told; those that are roughly the
// smallest are looked at.
class SmallestShare {
 public:
  explicit SmallestShare(double power) : power_(power) {}
  void add(double a, double b) {
    if (!(a > 1e-290) || !(b > 1e-290)) return;
    const double rough = rough_log(b) - power_ * rough_log(a);
    if (!(rough < least_ + 0.05 * (1.0 + power_))) return;
    least_ = std::min(least_, std::log(b) - power_ * std::log(a));
  }
  [[nodiscard]] double value() const { return least_; }

 private:
  double power_;
  double least_ = kInfinity;
};

double checked_order(double order) {
  require(order >= kLowestOrder && order <= 1000,
          "the order of a release must be from 1 + 1e-9 to 1000, got {}", order);
  return order;
}

// Throws unless U at so many places, so wide, is computed in reasonable time.
void require_looks(const DiscreteGaussian& noise, double places, double width) {
  const double looks = std::min(places, static_cast<double>(kMaxPlaces)) * (2.0 * width + 1.0);
  if (looks <= kMaxLooks) return;
  throw validity_error(fmt::format(
      "with noise s = {} on the index U would have to be computed at {:.3g} places, from {:.3g} "
      "points of the curve at each: choose a smaller s, a larger beta or a smaller order",
      noise.s(), places, 2.0 * width + 1.0));
}

double checked_delta(double delta) {
  validate_delta(delta);
  return delta;
}

}  // namespace

void validate(const CurveParameters& parameters) {
  checked_order(parameters.order);
  const DiscreteGaussian noise(parameters.s);
  require(parameters.beta >= 1e-6 && parameters.beta <= 10.0,
          "beta of a curve must be in [1e-6, 10], got {}", parameters.beta);
}

std::int64_t noise_half_width(double order, double s, double span) {
  return static_cast<std::int64_t>(
      std::ceil(s * std::sqrt(2.0 * (90.0 + (order - 1.0) * (span + 1.0))) + order));
}

CoveredCost::CoveredCost(double order, double delta, const DiscreteGaussian& noise,
                         std::int64_t half_width)
    : order_(order),
      conversion_(std::log((order - 1.0) / order) -
                  (std::log(delta) + std::log(order)) / (order - 1.0)),
      half_width_(half_width) {
  double sum = -kInfinity;
  for (std::int64_t z = -half_width; z <= half_width; ++z) {
    log_p_.push_back(noise.log_probability(z));
    sum = log_add(sum, log_p_.back());
    log_cumulative_.push_back(sum);
    step_.push_back(noise.log_ratio(z, 1));
    p_.push_back(std::exp(log_p_.back()));
    cumulative_.push_back((cumulative_.empty() ? 0.0 : cumulative_.back()) + p_.back());
    p_before_.push_back(std::exp(log_p_.back() - step_.back()));
  }
  for (std::size_t i = 0; i < step_.size(); ++i) {
    ratio_after_.push_back(std::exp(-step_[step_.size() - 1 - i]));
  }
}

double CoveredCost::at(std::span<const double> values) const {
  const std::size_t size = log_p_.size();
  const double power = order_ / (order_ - 1.0);
  double least = kInfinity;
  // r_z rises with z for k = 0 and k = 1: the sets are those of the smallest z.
  double b_same = -kInfinity;
  double b_up = -kInfinity;
  for (std::size_t i = 0; i < size; ++i) {
    const double log_term = log_p_[i] + values[i];
    b_same = log_add(b_same, log_term);
    b_up = log_add(b_up, log_term - step_[i]);
    least =
        std::min({least, b_same - power * log_cumulative_[i], b_up - power * log_cumulative_[i]});
  }
  std::vector<std::pair<double, double>> down(size);  // r_z, log p_z for k = -1
  for (std::size_t i = 0; i < size; ++i) down[i] = {values[i] - step_[size - 1 - i], log_p_[i]};
  sort_stretches(down, std::less<>());
  double a = -kInfinity;
  double b = -kInfinity;
  for (const auto& [r, log_p] : down) {
    a = log_add(a, log_p);
    b = log_add(b, log_p + r);
    least = std::min(least, b - power * a);
  }
  return least - conversion_;
}

double CoveredCost::estimate(std::span<const double> values, std::span<const double> scaled,
                             double reference) const {
  const std::size_t size = p_.size();
  const double power = order_ / (order_ - 1.0);
  // Beyond that p_z, e^R or their product may underflow.
  if (!(log_p_.front() - step_.front() > -300.0) || !(scaled.front() > 1e-150) ||
      !(step_.front() < 150.0)) {
    return at(values);
  }
  SmallestShare least(power);
  double b_same = 0.0;
  double b_up = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    b_same += p_[i] * scaled[i];
    b_up += p_before_[i] * scaled[i];
    least.add(cumulative_[i], std::min(b_same, b_up));
  }
  struct Part {
    double gain, p;
  };
  std::vector<Part> down(size);
  for (std::size_t i = 0; i < size; ++i) down[i] = {scaled[i] * ratio_after_[i], p_[i]};
  sort_stretches(down, [](const Part& x, const Part& y) { return x.gain < y.gain; });
  double a = 0.0;
  double b = 0.0;
  for (const Part& part : down) {
    a += part.p;
    b += part.p * part.gain;
    least.add(a, b);
  }
  return least.value() + reference - conversion_;
}

double CoveredCost::index_release_cost() const {
  return -at(std::vector<double>(log_p_.size(), 0.0));
}

PublicCurve::PublicCurve(const CurveParameters& parameters, double delta, CostUnits ub_max,
                         unsigned threads)
    : order_(checked_order(parameters.order)),
      delta_(checked_delta(delta)),
      noise_(parameters.s),
      ub_max_(ub_max) {
  validate(parameters);
  const double most = cost_of_units(ub_max);
  const double s = noise_.s();
  rho0_ =
      CoveredCost(order_, delta_, noise_, noise_half_width(order_, s, 4.0)).index_release_cost();
  const std::int64_t width = noise_half_width(order_, s, kCap * most);
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): of what is valid
  t_min_ = first_index(parameters.beta);
  first_ = t_min_ - width;
  const std::int64_t last = last_index(parameters.beta, kCap);
  require_looks(noise_, static_cast<double>(last + width - t_min_), static_cast<double>(width));
  for (std::int64_t y = first_; y <= last; ++y) {
    const double share = std::min(std::exp(parameters.beta * static_cast<double>(y)), kCap);
    values_.push_back(std::max(0.0, curve_value(rho0_ + most * share)));
  }
  tabulate(threads);
}

PublicCurve::PublicCurve(double order, const DiscreteGaussian& noise, double delta,
                         std::int64_t first, std::vector<double> values, std::int64_t t_min,
                         CostUnits ub_max, unsigned threads)
    : order_(checked_order(order)),
      delta_(checked_delta(delta)),
      noise_(noise),
      rho0_(0.0),
      ub_max_(ub_max),
      first_(first),
      values_(std::move(values)),
      t_min_(t_min) {
  require(!values_.empty() && values_.front() >= 0.0 && values_.back() < 1e9,
          "a curve must be >= 0 and below 1e9");
  for (std::size_t i = 1; i < values_.size(); ++i) {
    if (!(values_[i] >= values_[i - 1])) throw parameter_error("a curve must not fall");
  }
  rho0_ = CoveredCost(order_, delta_, noise_, noise_half_width(order_, noise_.s(), 4.0))
              .index_release_cost();
  tabulate(threads);
}

void PublicCurve::tabulate(unsigned threads) {
  const std::int64_t width = noise_half_width(order_, noise_.s(), values_.back() - values_.front());
  const std::int64_t end = first_ + static_cast<std::int64_t>(values_.size()) - 1;
  const std::int64_t size = std::max<std::int64_t>(end + width - t_min_, 0) + 1;
  require_looks(noise_, static_cast<double>(size), static_cast<double>(width));
  const CoveredCost cost(order_, delta_, noise_, width);
  covered_.resize(static_cast<std::size_t>(size));
  // Between two places U is at least what it is at the first.
  const std::int64_t spacing = (size + kMaxPlaces - 1) / kMaxPlaces;
  const auto compute = [&](std::int64_t i) {
    std::vector<double> around;
    for (std::int64_t z = -width; z <= width; ++z) around.push_back(epsilon(t_min_ + i + z));
    const double units = std::floor(std::ldexp(cost.at(around) - kCoveredMargin, -kUnitExponent));
    return units > -0x1p62 && units < 0x1p62 ? static_cast<CostUnits>(units)
                                             : -(CostUnits{1} << 62);
  };
  parallel_for(static_cast<std::size_t>((size + spacing - 1) / spacing), threads,
               [&](std::size_t place) {
                 const std::int64_t first = static_cast<std::int64_t>(place) * spacing;
                 const CostUnits units = compute(first);
                 for (std::int64_t i = first; i < std::min(first + spacing, size); ++i) {
                   covered_[static_cast<std::size_t>(i)] = units;
                 }
               });
  if (spacing > 1) covered_.back() = compute(size - 1);
  for (std::size_t i = covered_.size() - 1; i-- > 0;) {
    covered_[i] = std::min(covered_[i], covered_[i + 1]);
  }
  if (covered_.back() < ub_max_) {
    throw validity_error(fmt::format(
        "the curve ends below the largest possible cost: it covers {}, but the votes "
        "may cost {}",
        std::ldexp(static_cast<double>(covered_.back()), kUnitExponent), cost_of_units(ub_max_)));
  }
}

std::int64_t PublicCurve::t_max() const {
  return t_min_ + static_cast<std::int64_t>(covered_.size()) - 1;
}

double PublicCurve::epsilon(std::int64_t y) const {
  const auto last = static_cast<std::int64_t>(values_.size()) - 1;
  return values_[static_cast<std::size_t>(std::clamp<std::int64_t>(y - first_, 0, last))];
}

CostUnits PublicCurve::covered(std::int64_t t) const {
  const auto last = static_cast<std::int64_t>(covered_.size()) - 1;
  return covered_[static_cast<std::size_t>(std::clamp<std::int64_t>(t - t_min_, 0, last))];
}

double PublicCurve::excess(std::int64_t t, double x) const {
  const std::int64_t width = noise_half_width(order_, noise_.s(), values_.back() - values_.front());
  double largest = 0.0;
  for (const std::int64_t k : {-1, 0, 1}) {
    double sum = 0.0;
    for (std::int64_t z = -width; z <= width; ++z) {
      const double gain = epsilon(t + z) - noise_.log_ratio(z, k) - x;
      if (gain < 0.0) sum += std::exp(noise_.log_probability(z)) * -std::expm1(gain);
    }
    largest = max_or_nan(largest, sum);
  }
  return largest;
}

std::int64_t PublicCurve::index(std::span<const CostUnits> ub) const {
  std::int64_t g = t_min_;
  for (std::size_t d = 0; d < ub.size(); ++d) {
    const auto found = std::lower_bound(covered_.begin(), covered_.end(), ub[d]);
    if (ub[d] > ub_max_ || found == covered_.end()) {
      throw validity_error("a cost is above the largest possible one");
    }
    g = std::max(g, t_min_ + (found - covered_.begin()) - static_cast<std::int64_t>(d));
  }
  return g;
}

PublicCurve::Moments PublicCurve::published(std::int64_t g) const {
  return published_moments(
      noise_, [&](std::int64_t y) { return epsilon(y); }, g);
}

}  // namespace pate
