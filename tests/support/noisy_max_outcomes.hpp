#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace pate_test {

// The noisy maximum itself, by quadrature in long double: what the bounds must hold for. Nothing
// here comes from the library.

using Counts = std::vector<std::int32_t>;
using Probabilities = std::vector<long double>;

inline void normalise(Probabilities& p) {
  long double total = 0.0L;
  for (const long double x : p) total += x;
  for (long double& x : p) x /= total;
}

/// Pr[class j wins] = Integral phi((x - n_j)/sigma)/sigma prod_{k != j} Phi((x - n_k)/sigma) dx for
/// every j, by the trapezoidal rule, whose error for these integrands is below 1e-18.
inline Probabilities gaussian_outcomes(const Counts& counts, double sigma) {
  const auto s = static_cast<long double>(sigma);
  const auto [lowest, highest] = std::minmax_element(counts.begin(), counts.end());
  const long double step = s / 10.0L;
  Probabilities result(counts.size(), 0.0L);
  Probabilities density(counts.size()), below(counts.size());
  for (long double x = *lowest - 12.0L * s; x <= *highest + 12.0L * s; x += step) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const long double z = (x - counts[j]) / s;
      density[j] = std::exp(-0.5L * z * z);
      below[j] = 0.5L * std::erfc(-z / std::numbers::sqrt2_v<long double>);
    }
    for (std::size_t j = 0; j < counts.size(); ++j) {
      long double product = density[j];
      for (std::size_t k = 0; k < counts.size(); ++k) product *= k == j ? 1.0L : below[k];
      result[j] += product;
    }
  }
  normalise(result);
  return result;
}

/// The same for Laplace noise of scale b. The integrand is smooth between neighbouring counts:
/// Gauss rules of 5 points on panels of b/4, cut at the counts.
inline Probabilities laplace_outcomes(const Counts& counts, double scale) {
  constexpr long double kNodes[] = {-0.90617984593866399280L, -0.53846931010568309104L, 0.0L,
                                    0.53846931010568309104L, 0.90617984593866399280L};
  constexpr long double kWeights[] = {0.23692688505618908751L, 0.47862867049936646804L,
                                      0.56888888888888888889L, 0.47862867049936646804L,
                                      0.23692688505618908751L};
  const auto b = static_cast<long double>(scale);
  Probabilities edges(counts.size() + 2);
  std::copy(counts.begin(), counts.end(), edges.begin() + 1);
  std::sort(edges.begin() + 1, edges.end() - 1);
  edges[0] = edges[1] - 50.0L * b;
  edges[counts.size() + 1] = edges[counts.size()] + 50.0L * b;
  Probabilities result(counts.size(), 0.0L);
  Probabilities density(counts.size()), below(counts.size());
  const auto add_point = [&](long double x, long double weight) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const long double z = (x - counts[j]) / b;
      density[j] = std::exp(-std::abs(z));
      below[j] = z < 0.0L ? 0.5L * density[j] : 1.0L - 0.5L * density[j];
    }
    for (std::size_t j = 0; j < counts.size(); ++j) {
      long double product = weight * density[j];
      for (std::size_t k = 0; k < counts.size(); ++k) product *= k == j ? 1.0L : below[k];
      result[j] += product;
    }
  };
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const long double length = edges[e + 1] - edges[e];
    const int panels = static_cast<int>(std::ceil(4.0L * length / b));
    for (int i = 0; i < panels; ++i) {
      const long double half = 0.5L * length / panels;
      const long double centre = edges[e] + (2.0L * static_cast<long double>(i) + 1.0L) * half;
      for (int k = 0; k < 5; ++k) add_point(centre + half * kNodes[k], half * kWeights[k]);
    }
  }
  normalise(result);
  return result;
}

/// The Renyi divergence D_order(p || r), summed without cancellation.
inline double renyi_divergence(const Probabilities& p, const Probabilities& r, double order) {
  long double excess = 0.0L;
  for (std::size_t j = 0; j < p.size(); ++j) {
    const long double log_ratio = std::log1p((p[j] - r[j]) / r[j]);
    excess += r[j] * (std::expm1(order * log_ratio) - order * std::expm1(log_ratio));
  }
  return static_cast<double>(std::log1p(excess) / (static_cast<long double>(order) - 1.0L));
}

/// Calls f(n') for every histogram that differs by one vote.
template <class Function>
void for_each_neighbour(const Counts& counts, Function&& f) {
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (a == b || counts[a] == 0) continue;
      Counts neighbour = counts;
      --neighbour[a];
      ++neighbour[b];
      f(neighbour);
    }
  }
}

/// A histogram of `teachers` votes over `classes` classes.
template <class Rng>
Counts random_histogram(Rng& rng, std::int64_t teachers, std::int64_t classes) {
  Counts counts(static_cast<std::size_t>(classes), 0);
  const std::int64_t favoured = rng.integer(0, teachers);  // votes that go to class 0 for sure
  for (std::int64_t t = 0; t < teachers; ++t) {
    ++counts[t < favoured ? 0U : static_cast<std::size_t>(rng.integer(0, classes - 1))];
  }
  return counts;
}

}  // namespace pate_test
