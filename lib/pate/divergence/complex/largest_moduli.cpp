#include "pate/divergence/complex/largest_moduli.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// How well outcome probabilities are known, relative, and losses below 1, absolute.
constexpr double kOutcomeError = 4e-12;
// A probability below is taken for this, with any phase: doubles may not hold it.
constexpr double kFaintProbability = 1e-280;
// More than a square root and a logarithm lose.
constexpr double kLogRounding = 4e-15;

}  // namespace

LargestModuli::LargestModuli(const ComplexOrders& orders)
    : orders_(orders),
      largest_(orders.size(), 0.0),
      cosines_(orders.row()),
      sines_(orders.row()),
      real_(orders.size()),
      imaginary_(orders.size()),
      sum_(orders.reals.size()),
      loss_sum_(orders.reals.size()),
      unknown_(orders.reals.size()) {
  validate(orders);
}

void LargestModuli::clear() {
  std::ranges::fill(largest_, 0.0);
}

void LargestModuli::add_outcome(const OutcomeMass& outcome) {
  const std::size_t row = orders_.row();
  // Turned on by w l from each k to the next.
  const double angle = std::isfinite(outcome.loss) ? orders_.step * outcome.loss : 0.0;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  cosines_[0] = 1.0;
  sines_[0] = 0.0;
  for (std::size_t k = 1; k < row; ++k) {
    cosines_[k] = cosines_[k - 1] * cosine - sines_[k - 1] * sine;
    sines_[k] = cosines_[k - 1] * sine + sines_[k - 1] * cosine;
  }
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    const double a = orders_.reals[i];
    if (!(outcome.p >= kFaintProbability)) {
      // Of a loss that is not a number nothing is known.
      if (std::isnan(outcome.loss) || std::isnan(outcome.p)) {
        unknown_[i] = kInfinity;
      } else {
        unknown_[i] += kFaintProbability * std::exp(a * std::max(outcome.loss, 0.0));
      }
      continue;
    }
    const double weight = outcome.p * std::exp(a * outcome.loss);
    if (!(weight < kInfinity)) {
      unknown_[i] = kInfinity;
      continue;
    }
    sum_[i] += weight;
    loss_sum_[i] += weight * std::max(1.0, std::abs(outcome.loss));
    double* const real = real_.data() + i * row;
    double* const imaginary = imaginary_.data() + i * row;
    for (std::size_t k = 0; k < row; ++k) {
      real[k] += weight * cosines_[k];
      imaginary[k] += weight * sines_[k];
    }
  }
}

void LargestModuli::add(const DistributionPair& table, std::span<const double> rest) {
  for (auto* const sums : {&real_, &imaginary_, &sum_, &loss_sum_, &unknown_}) {
    std::ranges::fill(*sums, 0.0);
  }
  std::ranges::copy(rest, unknown_.begin());
  for (const OutcomeMass& outcome : table) add_outcome(outcome);
  const std::size_t row = orders_.row();
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    for (std::size_t k = 0; k < row; ++k) {
      const std::size_t j = i * row + k;
      // A term p e^{zl} is wrong by the error of p and, of l, by |z| times that.
      const double error =
          kOutcomeError * (sum_[i] + (orders_.reals[i] + orders_.imaginary(k)) * loss_sum_[i]);
      const double modulus = std::hypot(real_[j], imaginary_[j]);
      largest_[j] = max_or_nan(largest_[j], modulus + error + unknown_[i]);
    }
  }
}

void LargestModuli::logs(std::span<const double> cap, std::span<double> to) const {
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    const double most = orders_.reals[i] * cap[i] * (1.0 + kLogRounding);
    for (std::size_t k = 0; k < orders_.row(); ++k) {
      const std::size_t j = i * orders_.row() + k;
      const double log = largest_[j] == 0.0 ? 0.0 : std::log(largest_[j]);
      const double outward = log + kLogRounding * (1.0 + std::abs(log));
      to[j] = outward < most ? outward : most;
    }
  }
}

}  // namespace pate
