#include "pate/divergence/bounds/split_ceiling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pate/divergence/bounds/tail_split.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Intervals that hold no more than this above what is reached are done with.
constexpr double kRoom = 1e-11;
// Splits that are computed at most. Some dozens as a rule; thousands where nearly all is shown, so
// that any split does.
constexpr int kMostSplits = 20000;

// A split: `place` is the log of the lower share of q less that of the upper one. Parts of W are in
// units of what is reached.
struct Point {
  double place;
  double lower, upper, middle;
  double log_ratio_lower, log_ratio_upper;
  double free_lower, free_upper;  // quantiles

  [[nodiscard]] double tails() const { return lower + upper; }
  [[nodiscard]] double total() const { return tails() + middle; }
};

class Splits {
 public:
  Splits(Direction direction, double log_q, double mu, double order, double log_unit)
      : forward_(direction == Direction::forward),
        log_q_(log_q),
        order_(order),
        log_unit_(log_unit),
        split_(direction, log_q, mu, order) {}

  [[nodiscard]] Point at(double place) {
    if (place == -kInfinity) {
      split_.set(-kInfinity);
    } else if (place == kInfinity) {
      split_.set(-normal_upper_quantile(log_q_), log_q_);
    } else if (place < 0.0) {
      const double log_lower = log_q_ + place - log1pexp(place);
      split_.set(-normal_upper_quantile(log_lower), log_lower);
    } else {
      split_.set_upper(normal_upper_quantile(log_q_ - log1pexp(place)));
    }
    const TailSplit::Parts parts = split_.parts();
    return {place,
            std::exp(parts.lower - log_unit_),
            std::exp(parts.upper - log_unit_),
            std::exp(parts.middle - log_unit_),
            split_.log_ratio_lower(),
            split_.log_ratio_upper(),
            split_.free_lower(),
            split_.free_upper()};
  }

  // What W is at most between two splits, a with less in the lower tail.
  [[nodiscard]] double ceiling(const Point& a, const Point& b) const {
    const double coarse = std::max(a.middle, b.middle) + b.lower + a.upper;
    if (std::isinf(a.place) || std::isinf(b.place)) return coarse;
    // By how much the tangents at a and at b rise from a to b, and where they meet.
    const double rise_a = rise(a, a, b);
    const double rise_b = rise(b, a, b);
    const double share = std::clamp((b.tails() - a.tails() - rise_b) / (rise_a - rise_b), 0.0, 1.0);
    const double tails = std::max(a.tails() + rise_a * share, b.tails() - rise_b * (1.0 - share));
    const double between = a.middle + (b.middle - a.middle) * share + tails;
    // Not a number, where slopes are beyond all numbers: then there is the coarse bound.
    if (!(between < coarse)) return coarse;
    return std::max({a.total(), b.total(), between});
  }

 private:
  // The slope of the tails' part by the free mass of the tails, at a split, times the change of
  // that mass from a to b. The excess of both ends is that of a line through the ratio; its slope
  // is what a unit of N weighs, its value at 0 that of B.
  [[nodiscard]] double rise(const Point& at, const Point& a, const Point& b) const {
    const double log_share = at.log_ratio_lower - at.log_ratio_upper;
    const double log_lower = log_power_excess(at.log_ratio_lower, order_);
    const double log_upper = log_power_excess(at.log_ratio_upper, order_);
    const double gained = log_mid_mass(a.free_lower, b.free_lower);
    const double lost = log_mid_mass(a.free_upper, b.free_upper);
    const auto weighed = [&](double log_weight) {
      const double log_scale = log_weight - log_unit_;
      return std::exp(log_scale + gained) - std::exp(log_scale + lost);
    };
    const double difference = forward_ ? weighed(log_lower) - weighed(log_upper + log_share)
                                       : weighed(log_upper - at.log_ratio_upper) -
                                             weighed(log_lower - at.log_ratio_upper);
    return difference / -std::expm1(log_share);
  }

  bool forward_;
  double log_q_, order_, log_unit_;
  TailSplit split_;
};

}  // namespace

double log_split_ceiling(Direction direction, double log_q, double mu, double order,
                         double log_reached) {
  Splits splits(direction, log_q, mu, order, log_reached);
  // Everything shown is more than any split shows.
  const double finest = std::exp(log_expm1(0.5 * order * (order - 1.0) * mu * mu) - log_reached);
  struct Interval {
    Point a, b;
  };
  constexpr std::array kFirst{-kInfinity, -16.0, -4.0, 0.0, 4.0, 16.0, kInfinity};
  std::vector<Interval> left;
  Point before = splits.at(kFirst.front());
  for (std::size_t i = 1; i < kFirst.size(); ++i) {
    const Point next = splits.at(kFirst[i]);
    left.push_back({before, next});
    before = next;
  }
  double reached = 1.0;
  double highest = 1.0;
  for (int i = 0; !left.empty(); ++i) {
    const auto [a, b] = left.back();
    left.pop_back();
    reached = std::max({reached, a.total(), b.total()});
    const double between = splits.ceiling(a, b);
    const double ceiling = between < finest ? between : finest;  // also of what is no number
    if (ceiling <= reached * (1.0 + kRoom) || i >= kMostSplits) {
      highest = max_or_nan(highest, ceiling);
      continue;
    }
    const double place = std::isinf(a.place)   ? 2.0 * b.place
                         : std::isinf(b.place) ? 2.0 * a.place
                                               : 0.5 * (a.place + b.place);
    const Point middle = splits.at(place);
    left.push_back({a, middle});
    left.push_back({middle, b});
  }
  return log_reached + std::log(highest);
}

}  // namespace pate
