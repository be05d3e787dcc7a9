#include "pate/studies/darrm/noise_functions.hpp"

#include <algorithm>
#include <array>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "pate/base/require.hpp"
#include "pate/numerics/log_gamma.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

constexpr std::uint64_t kErrorSeed = 20240917;

Extended log_choose(std::int64_t n, std::int64_t k) {
  const auto gamma = [](std::int64_t x) { return log_gamma(Extended(x + 1)); };
  return gamma(n) - gamma(k) - gamma(n - k);
}

// E[tie or majority of the votes, as -1, 0, 1] among n votes, of which j are ones.
double sign_of(std::int64_t j, std::int64_t n) {
  return 2 * j > n ? 1.0 : 2 * j < n ? -1.0 : 0.0;
}

// Pr[sum of p > K/2 | L = l] for p uniform: given L the p of l votes are Beta(2, 1), of the others
// Beta(1, 2). Fourier series of the sum's distribution function on [0, K], of period K.
double upper_half_given(std::int64_t ones, std::int64_t teachers) {
  const auto k = static_cast<double>(teachers);
  double sum = 0.5;
  for (std::int64_t i = 0; i < 4096; ++i) {
    const double half = static_cast<double>(i) + 0.5;
    const double t = half * 2.0 * std::numbers::pi / k;
    const std::complex<double> turn(std::cos(t), std::sin(t));
    const std::complex<double> f1 =
        2.0 * (turn / std::complex<double>(0.0, t) + (turn - 1.0) / (t * t));
    const std::complex<double> f2 = turn * std::conj(f1);
    const double size = std::pow(std::abs(f1), k);
    const double angle = static_cast<double>(ones) * std::arg(f1) +
                         static_cast<double>(teachers - ones) * std::arg(f2) - t * k / 2.0;
    sum += size * std::sin(angle) / (std::numbers::pi * half);
    if (size < 1e-18 * half) break;
  }
  return sum;
}

}  // namespace

std::vector<double> subsampling_gamma(std::int64_t teachers, std::int64_t subsample) {
  require(subsample >= 1 && subsample <= teachers, "a subsample must have 1 .. {} teachers, got {}",
          teachers, subsample);
  using std::exp;
  std::vector<double> result;
  for (std::int64_t l = least_majority(teachers); l <= teachers; ++l) {
    double sum = 0.0;
    for (std::int64_t j = std::max<std::int64_t>(0, subsample - (teachers - l));
         j <= std::min(subsample, l); ++j) {
      const Extended log_probability = log_choose(l, j) + log_choose(teachers - l, subsample - j) -
                                       log_choose(teachers, subsample);
      sum += sign_of(j, subsample) * static_cast<double>(exp(log_probability));
    }
    result.push_back(std::clamp(sum, 0.0, 1.0));
  }
  // Larger majorities agree more often; roundings must not make it look otherwise.
  for (std::size_t i = 1; i < result.size(); ++i) result[i] = std::max(result[i], result[i - 1]);
  return result;
}

std::int64_t double_subsample(std::int64_t teachers, double m) {
  const auto whole = static_cast<std::int64_t>(std::floor(m));
  return std::min(2 * whole - 1, teachers - (teachers + 1) % 2);
}

double published_constant(const AnswerTarget& target, const AnswerTarget& all) {
  const double wanted = std::expm1(target.epsilon);
  const double factor = wanted + 1.0;
  // (T - E) / (T + 1) and 1 / (T + 1) without overflow.
  const double odds = std::exp(-all.epsilon);
  const double spread = (1.0 - factor * odds + (1.0 + factor) * all.delta * odds) / (1.0 + odds);
  return std::min(1.0, (wanted + 2.0 * target.delta) / (2.0 * spread + wanted));
}

double best_constant(const PrivateTeachers& teachers, const AnswerTarget& target) {
  const std::vector<double> one(majority_sizes(teachers.teachers), 1.0);
  const auto certificate = WorstCase(teachers, target, true).certify(one);
  return std::min(1.0, certificate.bound / certificate.worst);
}

std::vector<double> one_vote_gamma(std::int64_t teachers, const AnswerTarget& target) {
  validate(PrivateTeachers{teachers, 1.0, 0.0, 1});
  validate(target);
  const double factor = std::exp(target.epsilon) * (1.0 - 1e-15);
  const double delta = target.delta;
  double wrong = (1.0 - delta) / (1.0 + factor);
  if (teachers % 2 == 0) {
    wrong = std::max(0.0, 1.0 - std::min(factor / 2.0 + delta, 1.0 - (0.5 - delta) / factor));
  }
  // A coin in so many answers leaves room for rounding: (E - 1) / 2 of its probability.
  const double coin = std::max(0x1p-36, 1e-14 / std::expm1(target.epsilon));
  require(coin < 0.5, "epsilon = {} of an answer is too small to be certified", target.epsilon);
  std::vector<double> result;
  for (std::size_t i = 0; i < majority_sizes(teachers); ++i) {
    result.push_back(std::max(0.0, (1.0 - 2.0 * wrong)) * (1.0 - coin));
    wrong = std::max(0.0, (wrong - delta) / factor);
  }
  return result;
}

AnswerTarget target_of_one_vote(const AnswerTarget& target, std::int64_t votes) {
  if (votes == 1) return target;
  constexpr double kBelow = 1.0 - 1e-14;
  const double epsilon = target.epsilon / static_cast<double>(votes) * kBelow;
  return {epsilon, target.delta * std::expm1(epsilon) / std::expm1(target.epsilon) * kBelow};
}

std::vector<double> uniform_weights(std::int64_t teachers) {
  std::vector<double> weights(majority_sizes(teachers), 2.0 / static_cast<double>(teachers + 1));
  return weights;
}

std::vector<double> binomial_weights(std::int64_t teachers, double mu) {
  const std::vector<double> law = binomial_law(teachers, mu);
  std::vector<double> result;
  for (auto l = static_cast<std::size_t>(least_majority(teachers)); l < law.size(); ++l) {
    result.push_back(law[l] + law[law.size() - 1 - l]);
  }
  return result;
}

std::vector<double> agreement_weights(std::int64_t teachers) {
  constexpr std::array kMeans{0.75, 0.9, 0.99};
  std::vector<double> result(majority_sizes(teachers), 0.0);
  for (const double mean : kMeans) {
    const std::vector<double> weights = binomial_weights(teachers, mean);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] += weights[i] / static_cast<double>(kMeans.size());
    }
  }
  return result;
}

std::vector<double> published_weights(std::int64_t teachers, double mu) {
  const std::vector<double> law = binomial_law(teachers, mu);
  std::vector<double> result;
  for (auto l = static_cast<std::size_t>(least_majority(teachers)); l < law.size(); ++l) {
    result.push_back(std::max(0.0, law[l] - law[law.size() - 1 - l]));
  }
  return result;
}

std::vector<double> total_variation_weights(std::int64_t teachers) {
  const std::vector<double> law = binomial_law(teachers, 0.5);
  std::vector<double> result;
  for (std::int64_t l = least_majority(teachers); l <= teachers; ++l) {
    result.push_back(2.0 * law[static_cast<std::size_t>(l)] *
                     std::max(0.0, 2.0 * upper_half_given(l, teachers) - 1.0));
  }
  return result;
}

double agreement(std::span<const double> gamma, std::int64_t teachers, double p) {
  const std::vector<double> law = binomial_law(teachers, p);
  double sum = 0.0;
  for (std::size_t l = 0; l < law.size(); ++l) {
    sum += law[l] * (1.0 + std::abs(signed_value(gamma, teachers, static_cast<std::int64_t>(l)))) /
           2.0;
  }
  return std::min(sum, 1.0);
}

std::vector<MeanError> mean_errors(std::span<const std::vector<double>> gammas,
                                   std::int64_t teachers, std::int64_t samples) {
  const std::vector<double> weights = total_variation_weights(teachers);
  const auto all = static_cast<std::size_t>(teachers);
  const auto mid = static_cast<std::size_t>(least_majority(teachers));
  std::vector<double> sum(gammas.size());
  std::vector<double> squares(gammas.size());
  boost::random::mt19937_64 engine(kErrorSeed);
  boost::random::uniform_01<double> uniform;
  std::vector<double> p(all);
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    double total = 0.0;
    for (double& one : p) total += one = uniform(engine);
    const double sign = 2.0 * total > static_cast<double>(teachers) ? 1.0 : -1.0;
    const std::vector<double> law = ones_distribution<double>(p);
    for (std::size_t g = 0; g < gammas.size(); ++g) {
      double distance = 0.0;  // twice the error, with its sign
      for (std::size_t l = mid; l <= all; ++l) {
        distance += (law[l] - law[all - l]) * (1.0 - gammas[g][l - mid]);
      }
      const double rest = (std::abs(distance) - sign * distance) / 2.0;
      sum[g] += rest;
      squares[g] += rest * rest;
    }
  }
  std::vector<MeanError> result;
  const auto count = static_cast<double>(samples);
  for (std::size_t g = 0; g < gammas.size(); ++g) {
    double exact = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) exact += weights[i] * (1.0 - gammas[g][i]);
    const double mean = sum[g] / count;
    const double variance = std::max(0.0, squares[g] / count - mean * mean);
    result.push_back({exact / 2.0 + mean, std::sqrt(variance / count)});
  }
  return result;
}

}  // namespace pate
