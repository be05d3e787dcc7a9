#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pate/mechanisms/stability_test.hpp"

namespace pate_test {

/// Runs of PTR's sparse forms, enumerated apart from the library: by trapezoidal rules over the
/// noise of a threshold.
class SparseTranscripts {
 public:
  explicit SparseTranscripts(const pate::StabilityTest& test) : test_(test) {}

  /// The probability of every run, by its answers ('+') and refusals ('-').
  std::map<std::string, double> of(const std::vector<std::int64_t>& stabilities) {
    std::map<std::string, double> result;
    extend(stabilities, "", {}, 0, 1.0, result);
    return result;
  }

  /// The probability that a round answers queries of these stabilities and, where `refuses`,
  /// refuses the last of them instead.
  [[nodiscard]] double round_probability(const std::vector<std::int64_t>& round,
                                         bool refuses) const {
    const bool is_gaussian = test_.has_gaussian_noise();
    const int steps = is_gaussian ? 500 : 40'000;
    const double scale = is_gaussian ? test_.scale() / std::sqrt(2.0) : test_.scale() / 2.0;
    double sum = 0.0;
    double mass = 0.0;
    for (int i = -steps; i <= steps; ++i) {
      const double x = (is_gaussian ? 15.0 : 40.0) * i / steps;
      double p = std::exp(is_gaussian ? -0.5 * x * x : -std::abs(x));
      mass += p;
      for (std::size_t k = 0; k < round.size(); ++k) {
        const double needed = test_.threshold() + scale * x - static_cast<double>(round[k]);
        const bool refused = refuses && k + 1 == round.size();
        p *= above((refused ? -needed : needed) / test_.scale());
      }
      sum += p;
    }
    return sum / mass;
  }

 private:
  // Pr[noise of a query >= x], in its scale.
  [[nodiscard]] double above(double x) const {
    if (test_.has_gaussian_noise()) return 0.5 * std::erfc(x / std::sqrt(2.0));
    return x >= 0.0 ? 0.5 * std::exp(-x) : 1.0 - 0.5 * std::exp(x);
  }

  double known(const std::vector<std::int64_t>& round, bool refuses) {
    if (round.empty()) return 1.0;
    const auto [at, is_new] = known_.try_emplace({round, refuses});
    if (is_new) at->second = round_probability(round, refuses);
    return at->second;
  }

  void extend(const std::vector<std::int64_t>& all, const std::string& so_far,
              std::vector<std::int64_t> round, std::int64_t refused, double before,
              std::map<std::string, double>& result) {
    if (so_far.size() == all.size() || refused == test_.max_refusals()) {
      result[so_far] = before * known(round, false);
      return;
    }
    round.push_back(all[so_far.size()]);
    extend(all, so_far + "-", {}, refused + 1, before * known(round, true), result);
    extend(all, so_far + "+", round, refused, before, result);
  }

  const pate::StabilityTest& test_;
  std::map<std::pair<std::vector<std::int64_t>, bool>, double> known_;
};

/// D_order(p || q) of runs.
inline double renyi(const std::map<std::string, double>& p, const std::map<std::string, double>& q,
                    double order) {
  std::vector<double> logs;
  for (const auto& [run, its] : p) {
    logs.push_back(order * std::log(its) - (order - 1.0) * std::log(q.at(run)));
  }
  const double largest = *std::ranges::max_element(logs);
  double sum = 0.0;
  for (const double log : logs) sum += std::exp(log - largest);
  return (largest + std::log(sum)) / (order - 1.0);
}

/// Calls visit with every list that differs by at most 1 in every place, and is not negative.
inline void for_each_neighbour(const std::vector<std::int64_t>& stabilities,
                               const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < stabilities.size(); ++i) count *= 3;
  for (std::size_t code = 0; code < count; ++code) {
    std::vector<std::int64_t> moved = stabilities;
    std::size_t rest = code;
    for (std::int64_t& q : moved) {
      q += static_cast<std::int64_t>(rest % 3) - 1;
      rest /= 3;
    }
    if (std::ranges::all_of(moved, [](std::int64_t q) { return q >= 0; })) visit(moved);
  }
}

}  // namespace pate_test
