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

/// Runs of PTR's sparse form with Gaussian noise, enumerated apart from the library: by integrals
/// over the noise of a threshold with erfc.
class SparseTranscripts {
 public:
  explicit SparseTranscripts(const pate::StabilityTest& test) : test_(test) {}

  /// The probability of every run, by its answers ('+') and refusals ('-').
  std::map<std::string, double> of(const std::vector<std::int64_t>& stabilities) {
    std::map<std::string, double> result;
    extend(stabilities, "", {}, 0, 1.0, result);
    return result;
  }

 private:
  // Pr[nu >= needed] of the noise of a query.
  [[nodiscard]] double above(double needed) const {
    return 0.5 * std::erfc(needed / test_.scale() / std::sqrt(2.0));
  }

  [[nodiscard]] double integral(const std::vector<std::int64_t>& round, bool refuses) const {
    constexpr int kSteps = 500;
    const double sigma = test_.scale() / std::sqrt(2.0);
    double sum = 0.0;
    double mass = 0.0;
    for (int i = -kSteps; i <= kSteps; ++i) {
      const double x = 15.0 * i / kSteps;
      double p = std::exp(-0.5 * x * x);
      mass += p;
      for (std::size_t k = 0; k < round.size(); ++k) {
        const double needed = test_.threshold() + sigma * x - static_cast<double>(round[k]);
        const bool refused = refuses && k + 1 == round.size();
        p *= above(refused ? -needed : needed);
      }
      sum += p;
    }
    return sum / mass;
  }

  double known(const std::vector<std::int64_t>& round, bool refuses) {
    if (round.empty()) return 1.0;
    const auto [at, is_new] = known_.try_emplace({round, refuses});
    if (is_new) at->second = integral(round, refuses);
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
