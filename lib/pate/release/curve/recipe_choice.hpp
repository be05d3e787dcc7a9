#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

// How public recipes choose the parameters of a curve. A candidate has mean(i): what it publishes
// of ensemble i on average.

/// Three digits, so that they can be told and typed. Domain: x > 0.
[[nodiscard]] inline double three_digits(double x) {
  const double unit = std::pow(10.0, 2.0 - std::floor(std::log10(x)));
  return std::round(x * unit) / unit;
}

/// beta for so much growth of a curve in votes of noise: not less than what lets it grow at all
/// over all distances.
[[nodiscard]] inline double beta_of(double growth, double noise, std::int64_t teachers) {
  const double least = std::max(1e-5, 0.1 / static_cast<double>(teachers));
  return three_digits(std::clamp(growth / noise, least, 10.0));
}

/// One part of the work, from one share of it to another.
[[nodiscard]] inline ProgressCallback part_of(const ProgressCallback& whole, double from,
                                              double to) {
  if (!whole) return {};
  constexpr std::int64_t kTotal = 1'000'000;
  return [=](std::int64_t done, std::int64_t total) {
    const double share = static_cast<double>(done) / static_cast<double>(total);
    whole(std::llround(static_cast<double>(kTotal) * (from + (to - from) * share)), kTotal);
  };
}

/// The smallest means of the first ensembles over all candidates.
template <class Candidate>
[[nodiscard]] std::vector<double> best_means(const std::vector<Candidate>& candidates,
                                             std::size_t ensembles) {
  std::vector<double> best(ensembles, kInfinity);
  for (const Candidate& one : candidates) {
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], one.mean(i));
  }
  return best;
}

/// The candidate that loses least to the best of every one of the first ensembles: the root mean
/// square over them of by how much, relative, its mean exceeds the smallest. Throws
/// `validity_error` where no candidate is usable.
template <class Candidate>
[[nodiscard]] const Candidate& most_robust(const std::vector<Candidate>& candidates,
                                           std::size_t ensembles) {
  const std::vector<double> best = best_means(candidates, ensembles);
  const Candidate* found = nullptr;
  double least = kInfinity;
  for (const Candidate& one : candidates) {
    double regret = 0.0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const double lost = one.mean(i) / best[i] - 1.0;
      regret += lost * lost;
    }
    if (!(regret < least)) continue;
    least = regret;
    found = &one;
  }
  if (found == nullptr) throw validity_error("no parameters of the release are usable");
  return *found;
}

}  // namespace pate
