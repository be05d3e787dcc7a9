#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/mechanisms/sampling/discrete_gaussian.hpp"

namespace pate {

/// Mean and standard deviation of what a release publishes.
struct PublishedMoments {
  double mean = 0.0;
  double sd = 0.0;
};

/// Those of epsilon(g + Z), Z the noise; epsilon is a curve over the integers.
template <class Epsilon>
[[nodiscard]] PublishedMoments published_moments(const DiscreteGaussian& noise,
                                                 const Epsilon& epsilon, std::int64_t g) {
  const auto width = static_cast<std::int64_t>(std::ceil(20.0 * noise.s())) + 20;
  std::vector<double> p;
  for (std::int64_t z = -width; z <= width; ++z) p.push_back(std::exp(noise.log_probability(z)));
  const auto sum = [&](const auto& value) {
    double total = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      total += p[i] * value(epsilon(g - width + static_cast<std::int64_t>(i)));
    }
    return total;
  };
  const double mass = sum([](double) { return 1.0; });
  const double mean = sum([](double e) { return e; }) / mass;
  return {mean, std::sqrt(sum([&](double e) { return (e - mean) * (e - mean); }) / mass)};
}

}  // namespace pate
