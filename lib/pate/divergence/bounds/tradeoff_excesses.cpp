#include "pate/divergence/bounds/tradeoff_excesses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// Values that one thread bounds one after the other.
constexpr std::size_t kChunk = 2048;
// The tangents at two values this far apart in log q meet at most 1e-7 above the excess: the
// largest gap between q^s and its tangents is s (1 - s) width^2 / 8, and s falls with q.
constexpr double kTangentWidth = 1.1e-3;

// Where short series do.
constexpr double kNear = 2.0 * kTangentWidth;

// e^x - 1 and log(1 + x) to 1e-15, relative, for |x| < kNear.
double near_expm1(double x) {
  return x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0))));
}

double near_log1p(double x) {
  if (!(std::abs(x) < kNear)) return std::log1p(x);
  return x * (1.0 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5 - x / 6)))));
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

// Log excesses in one direction at increasing log q.
class ExcessesUpwards {
 public:
  ExcessesUpwards(Direction direction, double mu, double order)
      : direction_(direction), mu_(mu), order_(order) {}

  // Calls write(i, log excess) for every value.
  template <class Write>
  void each(std::span<const double> log_q, const Write& write) {
    for (std::size_t left = 0; left < log_q.size();) {
      std::size_t end = left + 1;
      while (end < log_q.size() && log_q[end] - log_q[left] <= kTangentWidth) ++end;
      // The last of those nearby is the first of what comes next.
      const std::size_t next = std::max(end - 1, left + 1);
      if (next < left + 2 || !write_between(log_q, left, next, write)) {
        for (std::size_t i = left; i < next; ++i) write(i, computed(log_q[i]));
      }
      left = next;
    }
  }

 private:
  // Bounds the values from `left` on and before `right` by tangents at these two; false where that
  // cannot be done.
  template <class Write>
  bool write_between(std::span<const double> log_q, std::size_t left, std::size_t right,
                     const Write& write) {
    const TwoTailTangent lower = tangent(log_q[left], log_q[right] - log_q[left]);
    if (!lower.is_concave) return false;
    const TwoTailTangent upper = tangent(log_q[right], 0.0);
    if (!upper.is_concave) return false;
    const double rise = std::exp(lower.log_greatest_slope + log_q[left] - lower.most.log_excess);
    const double fall = std::exp(upper.log_least_slope + log_q[right] - upper.most.log_excess);
    const double more = std::expm1(upper.most.log_excess - lower.most.log_excess);
    write(left, lower.most.log_excess);
    for (std::size_t i = left + 1; i < right; ++i) {
      // What both tangents add to the excess on the left, in units of it.
      const double from_left = rise * near_expm1(log_q[i] - log_q[left]);
      const double from_right = more + (1.0 + more) * fall * near_expm1(log_q[i] - log_q[right]);
      write(i, lower.most.log_excess + near_log1p(from_left < from_right ? from_left : from_right));
    }
    return true;
  }

  [[nodiscard]] double computed(double log_q) {
    const TwoTailMaximum most =
        maximize_two_tails(direction_, log_q, mu_, order_, guess_.at(log_q));
    guess_.found(log_q, most.alpha);
    return most.log_excess;
  }
  [[nodiscard]] TwoTailTangent tangent(double log_q, double width) {
    const TwoTailTangent result =
        two_tail_tangent(direction_, log_q, mu_, order_, guess_.at(log_q), width);
    guess_.found(log_q, result.most.alpha);
    return result;
  }

  Direction direction_;
  double mu_, order_;
  SplitGuess guess_;
};

}  // namespace

std::vector<BothDirections> tradeoff_log_excesses(std::span<const double> log_q, double mu,
                                                  double order, unsigned threads) {
  const double log_cap = log_expm1(0.5 * order * (order - 1.0) * mu * mu);
  std::vector<BothDirections> result(log_q.size(), {-kInfinity, -kInfinity});
  std::size_t first = 0;
  while (first < log_q.size() && log_q[first] == -kInfinity) ++first;
  const std::size_t chunks = (log_q.size() - first + kChunk - 1) / kChunk;
  parallel_for(chunks, threads, [&](std::size_t k) {
    const std::size_t begin = first + k * kChunk;
    const auto values = log_q.subspan(begin, std::min(kChunk, log_q.size() - begin));
    ExcessesUpwards(Direction::forward, mu, order).each(values, [&](std::size_t i, double log) {
      result[begin + i].forward = log < log_cap ? log : log_cap;
    });
    ExcessesUpwards(Direction::reverse, mu, order).each(values, [&](std::size_t i, double log) {
      result[begin + i].reverse = log < log_cap ? log : log_cap;
    });
  });
  return result;
}

}  // namespace pate
