#include "pate/tuning/threshold_panel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

namespace pate {

namespace {

// A polynomial is raised by this many times its last coefficients, by more than this never.
constexpr double kTails = 10.0;
constexpr double kMaxRaised = 5e-4;
// Half of the width of thresholds, in votes, from which on nodes may be whole votes apart: two of
// them are never the same, and all near those of Chebyshev.
constexpr double kFewVotes = 50.0;

double dot(const ThresholdPanel::Values& a, const ThresholdPanel::Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

ThresholdPanel::ThresholdPanel(std::size_t from, std::size_t to, std::vector<double>& thresholds)
    : begin_(from), end_(to), first_node_(thresholds.size()) {
  const double low = thresholds[begin_];
  const double half = 0.5 * (thresholds[end_ - 1] - low);
  const auto is_whole = [low](double t) {
    return std::abs(t - low - std::round(t - low)) <= kSameFraction * std::max(1.0, std::abs(t));
  };
  const std::span its(thresholds.data() + begin_, end_ - begin_);
  // Thresholds that share leads do so with the nodes too.
  const bool in_votes = half >= kFewVotes && std::ranges::all_of(its, is_whole);
  Values s;  // Chebyshev nodes, or those beside them, from -1 to 1
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) + 0.5) / kNodes;
    const double above = half * (1.0 - std::cos(angle));
    const double node = in_votes ? std::round(above) : above;
    s[k] = node / half - 1.0;
    thresholds.push_back(low + node);
  }
  // Lagrange's basis: of a value at node k, the product of (x - s_j) / (s_k - s_j).
  const auto product = [&s](std::size_t k, double x) {
    double result = 1.0;
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (j != k) result *= x - s[j];
    }
    return result;
  };
  const double sum = std::accumulate(s.begin(), s.end(), 0.0);
  for (std::size_t k = 0; k < kNodes; ++k) {
    // T_n has the leading coefficient 2^(n-1), and none beside it.
    last_[k] = std::ldexp(1.0 / product(k, s[k]), -static_cast<int>(kNodes) + 2);
    last_but_one_[k] = 2.0 * last_[k] * (s[k] - sum);
  }
  for (std::size_t i = begin_; i < end_; ++i) {
    const double x = (thresholds[i] - low) / half - 1.0;
    Values& of = weights_.emplace_back();
    for (std::size_t k = 0; k < kNodes; ++k) of[k] = product(k, x) / product(k, s[k]);
  }
}

double ThresholdPanel::at(std::size_t threshold, const Values& values) const {
  return dot(weights_[threshold - begin_], values);
}

double ThresholdPanel::raising(const Values& values) const {
  const double least = *std::ranges::min_element(values);
  const double raised =
      kTails * (std::abs(dot(last_, values)) + std::abs(dot(last_but_one_, values))) / least;
  return raised <= kMaxRaised ? 1.0 + raised : 0.0;
}

}  // namespace pate
