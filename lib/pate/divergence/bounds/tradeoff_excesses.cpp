#include "pate/divergence/bounds/tradeoff_excesses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// How far a sum of costs may be raised by bounds between values of q, relative. In the middle of a
// stretch, where it is three times what it is on average, it may be kEven of that for the stretch's
// own costs, or kShared of that for those of all larger q.
constexpr double kRaise = 1e-7;
constexpr double kEven = 2.0;
constexpr double kShared = 1e-3;
constexpr double kMaxRaise = 1e-2;  // of any value

// Of stretches in log q.
constexpr double kFirstWidth = 1e-2;
constexpr double kMinWidth = 1e-7;
constexpr double kMaxWidth = 1.0;
// A width is chosen a little smaller than it may be, so that few are tried in vain.
constexpr double kCautious = 0.9;

// e^x - 1 and log(1 + x) to 1e-15, relative: where x is near 0 by short series.
constexpr double kSeriesUpTo = 0.03;

double near_expm1(double x) {
  if (!(std::abs(x) < kSeriesUpTo)) return std::expm1(x);
  double sum = 1.0;
  for (int k = 8; k > 1; --k) sum = 1.0 + sum * x / k;
  return x * sum;
}

double near_log1p(double x) {
  if (!(std::abs(x) < kSeriesUpTo)) return std::log1p(x);
  double sum = 0.0;
  for (int k = 10; k > 0; --k) sum = 1.0 / k - sum * x;
  return x * sum;
}

// Guesses the best split of q from those at the two values before, on a line in log q.
class SplitGuess {
 public:
  [[nodiscard]] double at(double log_q) const {
    const double line =
        alpha_ + (alpha_ - alpha_before_) * (log_q - log_q_) / (log_q_ - log_q_before_);
    return std::abs(line - alpha_) < kMaxChange ? line : alpha_;
  }
  void found(double log_q, double alpha) {
    if (log_q == log_q_) return;
    log_q_before_ = log_q_;
    alpha_before_ = alpha_;
    log_q_ = log_q;
    alpha_ = alpha;
  }

 private:
  // A line through values that are very close together leads anywhere.
  static constexpr double kMaxChange = 0.1;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double log_q_before_ = kNone, alpha_before_ = kNone, log_q_ = kNone, alpha_ = kNone;
};

// Log excesses in one direction, from the largest q on downwards.
class ExcessesDownwards {
 public:
  ExcessesDownwards(Direction direction, double mu, double order)
      : direction_(direction), mu_(mu), order_(order) {}

  // Calls write(i, log excess) for every value.
  template <class Write>
  void each(std::span<const double> log_q, std::span<const double> weights, const Write& write) {
    if (log_q.empty()) return;
    std::size_t right = log_q.size() - 1;
    TwoTailTangent upper = tangent(log_q[right], 0.0);
    write(right, upper.most.log_excess);
    while (right > 0) {
      std::size_t left = right - 1;
      while (left > 0 && log_q[right] - log_q[left - 1] <= width_) --left;
      TwoTailTangent lower = {};
      while (left + 1 < right) {
        lower = tangent(log_q[left], log_q[right] - log_q[left]);
        const double may = allowed(weights.subspan(left, right - left), upper);
        const double ratio = raise(lower, upper, log_q[left], log_q[right]) / may;
        // How far a parabola is off grows with the third power of the width.
        set_width(kCautious * (log_q[right] - log_q[left]) *
                  std::clamp(1.0 / std::cbrt(ratio), 0.1, 3.0));
        if (ratio <= 1.0) break;
        std::size_t next = left + 1;
        while (next + 1 < right && log_q[right] - log_q[next] > width_) ++next;
        left = next;
      }
      if (left + 1 == right) {
        lower = tangent(log_q[left], 0.0);
        set_width(1.5 * width_);
      } else if (is_flat(lower, upper)) {
        for (std::size_t i = right - 1; i > left; --i) write(i, upper.most.log_excess);
      } else {
        const Parabolas bound(lower, upper, log_q[left], log_q[right]);
        for (std::size_t i = right - 1; i > left; --i) write(i, bound.log_excess(log_q[i]));
      }
      write(left, lower.most.log_excess);
      total_ += sum(weights.subspan(left, right - left)) * log1pexp(lower.most.log_excess);
      right = left;
      upper = lower;
    }
  }

 private:
  // The smaller of two parabolas above the excess, in units of that on the left: each has the
  // greatest second derivative there is between.
  class Parabolas {
   public:
    Parabolas(const TwoTailTangent& lower, const TwoTailTangent& upper, double left, double right)
        : left_(left),
          log_excess_(lower.most.log_excess),
          curvature_(0.5 * lower.curvature),
          rise_(std::exp(lower.log_greatest_slope + left - log_excess_)),
          growth_(std::expm1(right - left)),
          end_(std::expm1(upper.most.log_excess - log_excess_)),
          fall_(std::exp(upper.log_least_slope + left - log_excess_)) {}

    [[nodiscard]] double log_excess(double log_q) const {
      return log_excess_ + near_log1p(growth_of(near_expm1(log_q - left_)));
    }
    // In the middle, over the chord; a measure of how far they are above the excess.
    [[nodiscard]] double raise() const {
      const double over_end = growth_ * (rise_ + curvature_ * growth_) - end_;
      return 0.25 * over_end;
    }

   private:
    // Of the excess, where q has grown by this.
    [[nodiscard]] double growth_of(double growth) const {
      const double before_end = growth - growth_;
      const double from_left = growth * (rise_ + curvature_ * growth);
      const double from_right = end_ + before_end * (fall_ + curvature_ * before_end);
      return from_left < from_right ? from_left : from_right;
    }

    double left_, log_excess_, curvature_, rise_, growth_, end_, fall_;
  };

  void set_width(double width) { width_ = std::clamp(width, kMinWidth, kMaxWidth); }
  [[nodiscard]] static double sum(std::span<const double> weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  // Whether there is no other bound than the excess on the right, which is the larger one.
  [[nodiscard]] static bool is_flat(const TwoTailTangent& lower, const TwoTailTangent& upper) {
    return !(lower.is_concave() && upper.is_concave());
  }
  // How far bounds between these two may be above the excesses, relative.
  [[nodiscard]] static double raise(const TwoTailTangent& lower, const TwoTailTangent& upper,
                                    double left, double right) {
    if (is_flat(lower, upper)) return std::expm1(upper.most.log_excess - lower.most.log_excess);
    return Parabolas(lower, upper, left, right).raise();
  }
  // How far bounds of these values may be above the excesses, relative.
  [[nodiscard]] double allowed(std::span<const double> weights, const TwoTailTangent& upper) const {
    // What a relative rise of the excesses adds to the costs.
    const double at_stake = sum(weights) / (1.0 + std::exp(-upper.most.log_excess));
    return std::min(kMaxRaise, kRaise * std::max(kEven, kShared * total_ / at_stake));
  }
  [[nodiscard]] TwoTailTangent tangent(double log_q, double width) {
    const TwoTailTangent result =
        two_tail_tangent(direction_, log_q, mu_, order_, guess_.at(log_q), width);
    guess_.found(log_q, result.most.alpha);
    return result;
  }

  Direction direction_;
  double mu_, order_;
  double width_ = kFirstWidth;
  double total_ = 0.0;  // of weighted log moments so far, from below
  SplitGuess guess_;
};

}  // namespace

std::vector<BothDirections> tradeoff_log_excesses(std::span<const double> log_q,
                                                  std::span<const double> weights, double mu,
                                                  double order, unsigned threads) {
  const double log_cap = log_expm1(0.5 * order * (order - 1.0) * mu * mu);
  std::vector<BothDirections> result(log_q.size(), {-kInfinity, -kInfinity});
  std::size_t first = 0;
  while (first < log_q.size() && log_q[first] == -kInfinity) ++first;
  parallel_for(2, threads, [&](std::size_t k) {
    const Direction direction = k == 0 ? Direction::forward : Direction::reverse;
    const auto part = k == 0 ? &BothDirections::forward : &BothDirections::reverse;
    ExcessesDownwards(direction, mu, order)
        .each(log_q.subspan(first), weights.subspan(first), [&](std::size_t i, double log) {
          result[first + i].*part = log < log_cap ? log : log_cap;
        });
  });
  return result;
}

}  // namespace pate
