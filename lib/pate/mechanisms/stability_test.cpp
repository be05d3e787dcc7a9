#include "pate/mechanisms/stability_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// More than a threshold can be off by, relative to it.
constexpr double kThresholdMargin = 1e-13;

// log Pr[standard Laplace noise <= x].
double log_laplace_cdf(double x) {
  return x <= 0.0 ? x - std::numbers::ln2 : std::log1p(-0.5 * std::exp(-x));
}

// log( F(b + h) / F(b) ) of it, without cancellation; the step is given apart, as b + h may not
// hold its digits.
double log_laplace_cdf_ratio(double b, double h) {
  const double to = b + h;
  if (b <= 0.0 && to <= 0.0) return h;
  const double direct = log_laplace_cdf(to) - log_laplace_cdf(b);
  if (std::abs(direct) > 0.5) return direct;
  double step = 0.0;  // F(to) - F(b)
  if (b > 0.0 && to > 0.0) {
    step = h > 0.0 ? -0.5 * std::exp(-b) * std::expm1(-h) : 0.5 * std::exp(-to) * std::expm1(h);
  } else if (b <= 0.0) {
    step = -0.5 * (std::expm1(-to) + std::expm1(b));
  } else {
    step = 0.5 * (std::expm1(to) + std::expm1(-b));
  }
  return std::log1p(step / std::exp(log_laplace_cdf(b)));
}

// Of standard Laplace noise less such noise of half the scale.
double log_difference_cdf(double x) {
  const double below = -std::abs(x);
  const double log_tail = below + std::log((4.0 - std::exp(below)) / 6.0);
  return x <= 0.0 ? log_tail : std::log1p(-std::exp(log_tail));
}

// How many votes must change for class j to take the place of the plurality.
std::int64_t votes_for(std::span<const std::int32_t> counts, std::size_t plurality, std::size_t j) {
  const std::int64_t gap = std::int64_t{counts[plurality]} - counts[j];
  return j > plurality ? gap / 2 + 1 : (gap + 1) / 2;
}

std::size_t plurality_of(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("the histogram must have at least one class");
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;  // more are no doubles

// sqrt(3/2): the standard deviation of both Gaussian noises of the sparse form together, beside
// that of a query.
constexpr double kBothNoises = 1.2247448713915890491;

double score(const StabilityTest& test, std::int64_t q) {
  return (static_cast<double>(q) - test.threshold()) / test.scale();
}

double log_cdf(TestNoise noise, double x) {
  switch (noise) {
    case TestNoise::laplace:
      return log_laplace_cdf(x);
    case TestNoise::gaussian:
      return log_normal_cdf(x);
    case TestNoise::sparse_gaussian:
      return log_normal_cdf(x / kBothNoises);
    case TestNoise::sparse:
      break;
  }
  return log_difference_cdf(x);
}

double log_cdf_ratio(TestNoise noise, double b, double h) {
  switch (noise) {
    case TestNoise::laplace:
      return log_laplace_cdf_ratio(b, h);
    case TestNoise::gaussian:
      return log_normal_cdf_ratio(b, h);
    case TestNoise::sparse_gaussian:
    case TestNoise::sparse:
      break;
  }
  // No cost is made from it.
  return log_cdf(noise, b + h) - log_cdf(noise, b);
}

}  // namespace

std::int64_t votes_to_flip(std::span<const std::int32_t> counts) {
  const std::size_t top = plurality_of(counts);
  if (counts.size() == 1) return std::int64_t{counts[0]} + 1;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (j != top) fewest = std::min(fewest, votes_for(counts, top, j));
  }
  return fewest;
}

std::int64_t stability(std::span<const std::int32_t> counts) {
  return votes_to_flip(counts) - 1;
}

StabilityMoves stability_moves(std::span<const std::int32_t> counts) {
  const std::size_t top = plurality_of(counts);
  const std::int64_t fewest = votes_to_flip(counts);
  StabilityMoves moves;
  std::optional<std::size_t> giver;  // of a vote to the plurality
  std::int64_t stuck = 0;            // classes that stay as close unless the vote is theirs
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (j == top) continue;
    const bool closest = votes_for(counts, top, j) == fewest;
    if (closest && fewest > 1 && !moves.less) moves.less = VoteMove{top, j};
    const bool even = (counts[top] - counts[j]) % 2 == 0;
    if (closest && (j > top) == even) {
      ++stuck;
      giver = j;
    } else if (stuck == 0 && !giver && counts[j] > 0) {
      giver = j;
    }
  }
  if (giver && stuck <= 1 && counts[*giver] > 0) moves.more = VoteMove{*giver, top};
  return moves;
}

void require_test_delta(double delta, const char* name) {
  require(delta >= kMinTestDelta && delta <= kMaxTestDelta, "{} must be between {} and {}, got {}",
          name, kMinTestDelta, kMaxTestDelta, delta);
}

StabilityTest StabilityTest::with_laplace(double epsilon, double delta) {
  require_positive(epsilon, "ptr-laplace");
  require_test_delta(delta, "ptr-delta");
  const double scale = 1.0 / epsilon;
  require_positive(scale, "1 / ptr-laplace");
  const double scales = -std::numbers::ln2 - std::log(delta);
  return {TestNoise::laplace, scale * scales * (1.0 + kThresholdMargin), scale, delta};
}

StabilityTest StabilityTest::with_gaussian(double sigma, double delta) {
  require_positive(sigma, "ptr-sigma");
  require_test_delta(delta, "ptr-delta");
  const double scales = normal_upper_quantile(std::log(delta));
  return {TestNoise::gaussian, sigma * scales * (1.0 + kThresholdMargin), sigma, delta};
}

StabilityTest StabilityTest::sparse(double epsilon, double delta, std::int64_t max_refusals) {
  require_positive(epsilon, "ptr-sparse");
  require_test_delta(delta, "ptr-delta");
  const double scale = 4.0 / epsilon;
  require_positive(scale, "4 / ptr-sparse");
  const double scales = std::log((2.0 + std::sqrt(4.0 - 6.0 * delta)) / 6.0) - std::log(delta);
  return {TestNoise::sparse, scale * scales * (1.0 + kThresholdMargin), scale, delta, max_refusals};
}

StabilityTest StabilityTest::sparse_gaussian(double sigma, double delta, std::int64_t max_refusals,
                                             std::int64_t max_queries) {
  require_positive(sigma, "ptr-sparse-sigma");
  require_test_delta(delta, "ptr-delta");
  const double scales = kBothNoises * normal_upper_quantile(std::log(delta));
  return {TestNoise::sparse_gaussian,
          sigma * scales * (1.0 + kThresholdMargin),
          sigma,
          delta,
          max_refusals,
          max_queries};
}

StabilityTest::StabilityTest(TestNoise noise, double threshold, double scale, double delta,
                             std::int64_t max_refusals, std::int64_t max_queries)
    : noise_(noise),
      threshold_(threshold),
      scale_(scale),
      delta_(delta),
      max_refusals_(is_sparse() ? max_refusals : 0),
      max_queries_(noise == TestNoise::sparse_gaussian ? max_queries : 0) {
  require_test_delta(delta, "ptr-delta");
  if (is_sparse()) require_count(max_refusals, kMostCounted, "max-refusals");
  if (noise == TestNoise::sparse_gaussian) require_count(max_queries, kMostCounted, "queries");
  require_positive(scale, "sigma1");
  require_threshold(threshold);
  require(log_answered(*this, 0) <= std::log(delta),
          "the threshold of a stability test must leave q = 0 a delta of {}, got {}: too "
          "low",
          delta, threshold);
}

std::string_view StabilityTest::name() const {
  switch (noise_) {
    case TestNoise::laplace:
      return "ptr_laplace";
    case TestNoise::gaussian:
      return "ptr";
    case TestNoise::sparse_gaussian:
      return "ptr_sparse_gaussian";
    case TestNoise::sparse:
      break;
  }
  return "ptr_sparse";
}

double StabilityTest::threshold_scale() const {
  return noise_ == TestNoise::sparse_gaussian ? scale_ / std::numbers::sqrt2 : 0.5 * scale_;
}

std::optional<double> StabilityTest::pure_epsilon() const {
  if (has_gaussian_noise()) return std::nullopt;
  return is_sparse() ? round_epsilon(scale_) : 1.0 / scale_;
}

double log_answered(const StabilityTest& test, std::int64_t q) {
  return log_cdf(test.noise(), score(test, q));
}

double log_refused(const StabilityTest& test, std::int64_t q) {
  return log_cdf(test.noise(), -score(test, q));
}

LogBernoulliPair answer_pair(const StabilityTest& test, std::int64_t q, std::int64_t q_neighbour) {
  const double here = score(test, q);
  const double there = score(test, q_neighbour);
  const double step = static_cast<double>(q - q_neighbour) / test.scale();
  return {log_cdf(test.noise(), here),
          log_cdf(test.noise(), -here),
          log_cdf(test.noise(), there),
          log_cdf(test.noise(), -there),
          log_cdf_ratio(test.noise(), there, step),
          log_cdf_ratio(test.noise(), -there, -step)};
}

double round_epsilon(double scale) {
  return 4.0 / scale;
}

}  // namespace pate
