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

// Guesses the best split of q from those at the two values before, on a line in log q.
class SplitGuess {
 public:
  [[nodiscard]] double at(double log_q) const {
    const double line =
        alpha_ + (alpha_ - alpha_before_) * (log_q - log_q_) / (log_q_ - log_q_before_);
    return std::abs(line - alpha_) < kMaxChange ? line : alpha_;
  }
  void found(double log_q, double alpha) {
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

  // write(i, log excess) is called for every value.
  template <class Write>
  void each(std::span<const double> log_q, const Write& write) {
    std::size_t left = 0;
    while (left < log_q.size()) {
      std::size_t right = left;
      while (right + 1 < log_q.size() && log_q[right + 1] - log_q[left] <= kTangentWidth) ++right;
      const double width = log_q[right] - log_q[left];
      const TwoTailTangent lower = tangent(log_q[left], right > left + 1 ? width : 0.0);
      write(left, lower.most.log_excess);
      if (lower.is_concave && right > left + 1) {
        const TwoTailTangent upper = tangent(log_q[right], 0.0);
        for (std::size_t i = left + 1; i < right; ++i) {
          write(i, upper.is_concave
                       ? below_tangents(lower, upper, log_q[i] - log_q[left],
                                        log_q[i] - log_q[right], log_q[left], log_q[right])
                       : tangent(log_q[i], 0.0).most.log_excess);
        }
      } else {
        for (std::size_t i = left + 1; i < right; ++i) {
          write(i, tangent(log_q[i], 0.0).most.log_excess);
        }
      }
      left = std::max(right, left + 1);
    }
  }

 private:
  [[nodiscard]] TwoTailTangent tangent(double log_q, double width) {
    const TwoTailTangent result =
        two_tail_tangent(direction_, log_q, mu_, order_, guess_.at(log_q), width);
    guess_.found(log_q, result.most.alpha);
    return result;
  }

  // The smaller of both tangents' values, at distances after the left and before the right.
  static double below_tangents(const TwoTailTangent& left, const TwoTailTangent& right,
                               double after, double before, double log_left, double log_right) {
    const double rise = std::exp(left.log_greatest_slope + log_left - left.most.log_excess);
    const double fall = std::exp(right.log_least_slope + log_right - right.most.log_excess);
    const double from_left = left.most.log_excess + std::log1p(rise * std::expm1(after));
    const double from_right = right.most.log_excess + std::log1p(fall * std::expm1(before));
    return from_left < from_right ? from_left : from_right;
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
