#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pate/numerics/normal.hpp"
#include "pate/release/declared/complex_costs.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

namespace pate_test {

using namespace pate;

/// A small ensemble whose costs by complex orders are looked at: what is public of it.
struct SmallComplex {
  std::int64_t teachers = 2;
  std::int64_t classes = 2;
  std::int64_t queries = 1;
  GaussianNoisyMax noise;
  std::optional<ThresholdCheck> check;
  ComplexOrders orders;
  KeyModuli::Keys keys = KeyModuli::Keys::three;
};

/// Every third by two keys.
inline SmallComplex with_keys(SmallComplex its, int n) {
  if (n % 3 == 0) its.keys = KeyModuli::Keys::two;
  return its;
}

/// One with at most 4 classes, 11 teachers and 2 queries.
inline SmallComplex random_small(Random& random) {
  SmallComplex its;
  its.queries = random.integer(1, 2);
  its.classes = random.integer(2, 4);
  its.teachers = its.queries == 2 ? random.integer(2, its.classes == 2 ? 8 : 3)
                                  : random.integer(2, its.classes == 2 ? 11 : 6);
  its.noise.sigma = random.log_uniform(0.9, 9.0);
  if (random.integer(0, 4) > 0) {
    its.check = ThresholdCheck{random.uniform(0.0, static_cast<double>(its.teachers) + 1.0),
                               random.log_uniform(0.6, 8.0)};
  }
  const std::vector<double> all{0.5, 1.5, 3.0, 5.0, 8.0};
  for (const double a : all) {
    if (random.integer(0, 2) > 0) its.orders.reals.push_back(a);
  }
  if (its.orders.reals.empty()) its.orders.reals.push_back(2.0);
  its.orders.step = random.log_uniform(0.4, 4.0);
  its.orders.terms = 40;
  its.orders.smoothing = random.integer(0, 1) == 0 ? 0.0 : 0.03;
  return its;
}

/// The key of a histogram.
inline KeyCount key_of(Histogram counts) {
  std::ranges::sort(counts, std::greater<>());
  return {counts[0], counts[1], counts.size() > 2 ? counts[2] : 0, 1};
}

/// All votes of a small run: what comes out of it, and its costs within a distance.
class ComplexWorld {
 public:
  struct Votes {
    std::vector<double> outcomes;
    ComplexCosts costs;
  };

  explicit ComplexWorld(const SmallComplex& its)
      : its_(its),
        histograms_(all_histograms(static_cast<std::int32_t>(its.teachers),
                                   static_cast<std::size_t>(its.classes))) {
    const KeyModuli moduli(its.noise, its.check, its.teachers, its.classes, its.orders, true,
                           its.keys);
    std::map<std::vector<std::int64_t>, ComplexCosts> of_key;
    const auto size = static_cast<std::size_t>(its.teachers) + 1;
    for (const Histogram& counts : histograms_) {
      const KeyCount key = key_of(counts);
      auto& costs = of_key[{key.v, key.x2, key.x3}];
      if (costs.units.empty()) costs = complex_costs(moduli, std::vector{key}, size, 1);
      one_.push_back({outcomes_of(counts), costs});
      auto& close = close_.emplace_back();
      for (std::size_t h = 0; h < histograms_.size(); ++h) {
        if (distance(counts, histograms_[h]) <= 1) close.push_back(h);
      }
    }
    if (its.queries == 1) {
      all_ = one_;
      return;
    }
    for (const Votes& first : one_) {
      for (const Votes& second : one_) {
        Votes both{{}, first.costs};
        for (const double p : first.outcomes) {
          for (const double q : second.outcomes) both.outcomes.push_back(p * q);
        }
        for (std::size_t d = 0; d < size; ++d) {
          for (std::size_t i = 0; i < both.costs.units[d].size(); ++i) {
            both.costs.units[d][i] += second.costs.units[d][i];
          }
        }
        all_.push_back(std::move(both));
      }
    }
  }

  [[nodiscard]] const std::vector<Votes>& all() const { return all_; }
  [[nodiscard]] const std::vector<Histogram>& histograms() const { return histograms_; }
  [[nodiscard]] const Votes& one(std::size_t h) const { return one_[h]; }

  template <class Visit>
  void for_neighbours(const Visit& visit) const {
    const std::size_t each = histograms_.size();
    for (std::size_t n = 0; n < all_.size(); ++n) {
      for (const std::size_t a : close_[its_.queries == 1 ? n : n / each]) {
        if (its_.queries == 1) {
          visit(n, a);
          continue;
        }
        for (const std::size_t b : close_[n % each]) visit(n, a * each + b);
      }
    }
  }

 private:
  [[nodiscard]] std::vector<double> outcomes_of(const Histogram& counts) const {
    std::vector<double> one;
    double answered = 1.0;
    if (its_.check) {
      const double v = *std::ranges::max_element(counts);
      answered = normal_cdf((v - its_.check->threshold) / its_.check->sigma1);
      one.push_back(normal_cdf((its_.check->threshold - v) / its_.check->sigma1));
    }
    for (const long double p : gaussian_outcomes(counts, its_.noise.sigma)) {
      one.push_back(answered * static_cast<double>(p));
    }
    return one;
  }

  const SmallComplex& its_;
  std::vector<Histogram> histograms_;
  std::vector<Votes> one_;
  std::vector<std::vector<std::size_t>> close_;
  std::vector<Votes> all_;
};

}  // namespace pate_test
