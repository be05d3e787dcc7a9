#include "pate/mechanisms/outcomes.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

#include "pate/base/require.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Distances by which the winner leads the other classes, in units of the noise; equal ones once.
struct Lead {
  double distance;
  double classes;
};

std::vector<Lead> leads(std::span<const std::int32_t> counts, std::size_t winner, std::size_t zeros,
                        double unit) {
  require(winner < counts.size(), "the winner must be one of {} classes, got {}", counts.size(),
          winner);
  std::vector<std::int32_t> others(counts.begin(), counts.end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(winner));
  std::sort(others.begin(), others.end());
  std::vector<Lead> result;
  const auto add = [&](std::int32_t other, double classes) {
    const double distance = (static_cast<double>(counts[winner]) - other) / unit;
    if (result.empty() || result.back().distance != distance) result.push_back({distance, 0.0});
    result.back().classes += classes;
  };
  if (zeros > 0) add(0, static_cast<double>(zeros));
  for (const std::int32_t other : others) add(other, 1.0);
  return result;
}

// log of phi(z) prod Phi(z + d), up to the constant of phi.
double log_gaussian_integrand(const std::vector<Lead>& leads, double z) {
  double sum = -0.5 * z * z;
  for (const Lead& lead : leads) sum += lead.classes * log_normal_cdf(z + lead.distance);
  return sum;
}

// Where that is largest: its derivative -z + sum phi/Phi(z + d) falls with slope <= -1.
double gaussian_peak(const std::vector<Lead>& leads) {
  double low = 0.0;
  double high = 1.0;
  const auto slope = [&](double z) {
    double sum = -z;
    for (const Lead& lead : leads) sum += lead.classes / mills_ratio(-(z + lead.distance));
    return sum;
  };
  while (slope(high) > 0.0) high *= 2.0;
  // The rule needs the peak to a fraction of a standard deviation only.
  while (high - low > 0.05) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;  // so far out that doubles are wider apart
    (slope(middle) > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Laplace distribution function and integrand in units of the scale, z from the winner's count.
double laplace_cdf(double u) {
  return u < 0.0 ? 0.5 * std::exp(u) : 1.0 - 0.5 * std::exp(-u);
}

double laplace_integrand(const std::vector<Lead>& leads, double z) {
  double product = 0.5 * std::exp(-std::abs(z));
  for (const Lead& lead : leads) {
    const double cdf = laplace_cdf(z + lead.distance);
    product *= lead.classes == 1.0 ? cdf : std::pow(cdf, lead.classes);
  }
  return product;
}

}  // namespace

double outcome_probability(const GaussianNoisyMax& noise, std::span<const std::int32_t> counts,
                           std::size_t winner, std::size_t zeros) {
  validate(noise);
  const std::vector<Lead> ahead = leads(counts, winner, zeros, noise.sigma);
  if (ahead.empty()) return 1.0;
  constexpr double kStep = 0.125;
  constexpr double kSqrtTwoPi = 2.5066282746310005024;
  const double peak = gaussian_peak(ahead);
  const double log_scale = log_gaussian_integrand(ahead, peak);
  // The integral is at most e^log_scale sqrt(2 pi): it underflows.
  if (log_scale < -800.0) return 0.0;
  double sum = 1.0;
  for (const double direction : {-1.0, 1.0}) {
    double term = 1.0;
    // Log-concave: terms fall from the peak on, faster than a Gaussian's.
    for (int i = 1; term > 1e-17 * sum; ++i) {
      term = std::exp(log_gaussian_integrand(ahead, peak + direction * kStep * i) - log_scale);
      sum += term;
    }
  }
  return std::min(std::exp(log_scale) * sum * kStep / kSqrtTwoPi, 1.0);
}

double outcome_probability(const LaplaceNoisyMax& noise, std::span<const std::int32_t> counts,
                           std::size_t winner, std::size_t zeros) {
  validate(noise);
  const std::vector<Lead> ahead = leads(counts, winner, zeros, noise.scale);
  if (ahead.empty()) return 1.0;
  // Kinks at the counts; beyond the outermost the integrand is gone after 45 scales.
  std::vector<double> kinks{0.0};
  for (const Lead& lead : ahead) kinks.push_back(-lead.distance);
  const auto [lowest, highest] = std::minmax_element(kinks.begin(), kinks.end());
  const double first = *lowest - 45.0;
  const double last = *highest + 45.0;
  kinks.push_back(first);
  kinks.push_back(last);
  std::sort(kinks.begin(), kinks.end());
  kinks.erase(std::unique(kinks.begin(), kinks.end()), kinks.end());
  // Between kinks far apart the mass lies near the ends, where the rule must look.
  for (std::size_t k = 0, size = kinks.size(); k + 1 < size; ++k) {
    if (kinks[k + 1] - kinks[k] <= 90.0) continue;
    kinks.push_back(kinks[k] + 45.0);
    kinks.push_back(kinks[k + 1] - 45.0);
  }
  std::sort(kinks.begin(), kinks.end());
  const auto integrand = [&](double z) { return laplace_integrand(ahead, z); };
  std::size_t peak = 0;
  double height = 0.0;
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    const double value = integrand(kinks[k]);
    if (value > height) {
      height = value;
      peak = k;
    }
  }
  // On a piece of length L the rule is exact to degree 46, and on the ellipse 8 around it (radius
  // 2 L) the integrand is at most (3 e^(2.6 L))^classes times its least value there: where that
  // over 8^46 is below e^-36, halving pieces would only chase roundings.
  double others = 0.0;
  for (const Lead& lead : ahead) others += lead.classes;
  const double room = 46.0 * std::log(8.0) - 36.0;
  const auto piece = [&](std::size_t k) {
    const double length = kinks[k + 1] - kinks[k];
    const unsigned depth = (others + 1.0) * (1.1 + 2.6 * length) < room ? 0 : 12;
    return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        integrand, kinks[k], kinks[k + 1], depth, 1e-12);
  };
  // Outwards from the peak until nothing is left; log-concavity leaves no second hill.
  double sum = 0.0;
  for (std::size_t k = peak; k + 1 < kinks.size() && integrand(kinks[k]) > 1e-20 * height; ++k) {
    sum += piece(k);
  }
  for (std::size_t k = peak; k > 0 && integrand(kinks[k]) > 1e-20 * height; --k) {
    sum += piece(k - 1);
  }
  return std::min(sum, 1.0);
}

double outcome_probability(const OneLaplaceNoise& noise, std::span<const std::int32_t> counts,
                           std::size_t winner, std::size_t zeros) {
  validate(noise);
  const std::vector<Lead> ahead = leads(counts, winner, zeros, 2.0 * noise.scale);
  require_classes({noise}, static_cast<std::int64_t>(counts.size() + zeros));
  const double lead = ahead.front().distance;
  return lead < 0.0 ? 0.5 * std::exp(lead) : 1.0 - 0.5 * std::exp(-lead);
}

double outcome_probability(const NoisyMax& noisy_max, std::span<const std::int32_t> counts,
                           std::size_t winner, std::size_t zeros) {
  return noisy_max.visit(
      [&](const auto& noise) { return outcome_probability(noise, counts, winner, zeros); });
}

}  // namespace pate
