#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/divergence/exact/sampled_outcomes.hpp"
#include "pate/numerics/extended.hpp"

// How many votes of a class are in a sample of the teachers, and what that is like under the noise.
namespace pate {

[[nodiscard]] Extended whole_power(Extended base, std::int32_t exponent);

// Pr[B = b] of a binomial number of n: from the likeliest b outwards, of which none underflows that
// matters, and made to add up to 1.
[[nodiscard]] std::vector<Extended> binomial_masses(std::int32_t n, double rate);

// The check, by the top count m of a sample.
class SampledCheck {
 public:
  explicit SampledCheck(const SampledQuery& query)
      : sigma_(query.noise.sigma1), threshold_(query.threshold) {}

  // Pr[answered | m].
  [[nodiscard]] Extended passes(std::int64_t m) const;
  // By how much that is more at m + 1.
  [[nodiscard]] Extended rise(std::int64_t m) const;
  [[nodiscard]] Extended fails(std::int64_t m) const;

 private:
  [[nodiscard]] Extended at(std::int64_t m) const;

  double sigma_, threshold_;
};

// A class with some number of votes: how many of them are in the sample, and what it looks like
// from the points where no more than m of them are.
struct SampledCount {
  std::vector<Extended> mass;  // by b
  Extended at_most = 0;        // Pr[B <= m]
  std::vector<Extended> below, density;
};

// How many votes the points span, and how many points a vote has.
struct PointSpan {
  double range = 0.0;
  std::int64_t per_vote = 1;
};

// Throws `parameter_error` where there would be too many points.
[[nodiscard]] PointSpan span_of_points(double sigma, std::int64_t top, double classes);

// Where the noise is looked at.
class NoisePoints {
 public:
  NoisePoints(double sigma, std::int32_t top, double classes)
      : NoisePoints(sigma, top, span_of_points(sigma, top, classes)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  // Adds the class of exactly b votes in the sample.
  void add(std::int64_t b, SampledCount& to) const;

 private:
  NoisePoints(double sigma, std::int32_t top, const PointSpan& span);

  std::int64_t per_vote_;
  std::size_t size_, shift_;
  std::vector<Extended> below_, density_;  // from the point of top + 1 votes less on
};

}  // namespace pate
