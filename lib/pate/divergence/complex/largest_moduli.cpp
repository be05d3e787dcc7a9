#include "pate/divergence/complex/largest_moduli.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"

namespace pate {

namespace {

// How well outcome probabilities are known, relative, and losses below 1, absolute.
constexpr double kOutcomeError = 4e-12;
// A probability below is taken for this, with any phase: doubles may not hold it.
constexpr double kFaintProbability = 1e-280;
constexpr double kLogFaint = -644.7238260383328;
// Where squares are no doubles.
constexpr double kMostSquared = 1e150;
// More than a logarithm loses.
constexpr double kCapRounding = 4e-15;

}  // namespace

LargestModuli::LargestModuli(const ComplexOrders& orders)
    : orders_(orders),
      stride_((orders.row() + kLanes - 1) / kLanes * kLanes),
      largest_(orders.reals.size() * stride_, 0.0),
      unknown_(orders.reals.size()) {
  validate(orders);
}

void LargestModuli::clear() {
  is_empty_ = true;
  std::ranges::fill(largest_, 0.0);
}

bool LargestModuli::add_unknown(const LogOutcome& outcome) {
  if (outcome.log_p >= kLogFaint) return false;
  for (std::size_t i = 0; i < unknown_.size(); ++i) {
    // Of a loss that is not a number nothing is known.
    if (std::isnan(outcome.loss) || std::isnan(outcome.log_p)) {
      unknown_[i] = kInfinity;
    } else {
      unknown_[i] += kFaintProbability * std::exp(orders_.reals[i] * std::max(outcome.loss, 0.0));
    }
  }
  return true;
}

void LargestModuli::add(const DistributionPair& table, std::span<const double> rest) {
  outcomes_.clear();
  for (const OutcomeMass& outcome : table) {
    outcomes_.push_back({std::log(outcome.p), outcome.loss});
  }
  add(outcomes_, rest);
}

void LargestModuli::add(std::span<const LogOutcome> table, std::span<const double> rest) {
  if (table.empty() && rest.empty()) return;
  is_empty_ = false;
  std::ranges::fill(unknown_, 0.0);
  std::ranges::copy(rest, unknown_.begin());
  const std::size_t reals = orders_.reals.size();
  const Kernels& its = kernels();
  // Those that have a phase, together.
  known_.clear();
  for (const LogOutcome& outcome : table) {
    if (!add_unknown(outcome)) known_.push_back(outcome);
  }
  const std::size_t size = known_.size();
  cosines_.resize(std::max(cosines_.size(), size * stride_));
  sines_.resize(cosines_.size());
  cosine_rows_.clear();
  sine_rows_.clear();
  for (std::size_t o = 0; o < size; ++o) {
    // Turned on by w l from each k to the next.
    const double loss = known_[o].loss;
    const double angle = std::isfinite(loss) ? orders_.step * loss : 0.0;
    double* const cosines = cosines_.data() + o * stride_;
    double* const sines = sines_.data() + o * stride_;
    its.multiples_of_angle(std::cos(angle), std::sin(angle), stride_, cosines, sines);
    cosine_rows_.push_back(cosines);
    sine_rows_.push_back(sines);
  }
  weights_.assign((reals * size + kLanes - 1) / kLanes * kLanes, 0.0);
  for (std::size_t i = 0; i < reals; ++i) {
    for (std::size_t o = 0; o < size; ++o) {
      weights_[i * size + o] = known_[o].log_p + orders_.reals[i] * known_[o].loss;
    }
  }
  its.exponentials(weights_.data(), weights_.size());
  for (std::size_t i = 0; i < reals; ++i) {
    double* const weights = weights_.data() + i * size;
    double sum = 0.0;
    double loss_sum = 0.0;
    for (std::size_t o = 0; o < size; ++o) {
      if (!(weights[o] < kInfinity)) {
        unknown_[i] = kInfinity;
        weights[o] = 0.0;
        continue;
      }
      sum += weights[o];
      loss_sum += weights[o] * std::max(1.0, std::abs(known_[o].loss));
    }
    // A term p e^{zl} is wrong by the error of p and, of l, by |z| times that.
    const double error = kOutcomeError * (sum + orders_.reals[i] * loss_sum) + unknown_[i];
    const double error_step = kOutcomeError * orders_.step * loss_sum;
    const ModulusTerms terms{cosine_rows_.data(), sine_rows_.data(), weights, size, error,
                             error_step};
    if (sum <= kMostSquared) {
      its.raise_moduli(terms, stride_, largest_.data() + i * stride_);
    } else {
      raise_large(terms, largest_.data() + i * stride_);
    }
  }
}

void LargestModuli::raise_large(const ModulusTerms& terms, double* largest) const {
  for (std::size_t k = 0; k < stride_; ++k) {
    double real = 0.0;
    double imaginary = 0.0;
    for (std::size_t o = 0; o < terms.outcomes; ++o) {
      real += terms.weights[o] * terms.cosines[o][k];
      imaginary += terms.weights[o] * terms.sines[o][k];
    }
    const double error = terms.error + static_cast<double>(k) * terms.error_step;
    largest[k] = max_or_nan(largest[k], std::hypot(real, imaginary) + error);
  }
}

void LargestModuli::logs(std::span<const double> cap, std::span<double> to) const {
  if (is_empty_) {
    std::ranges::fill(to, 0.0);
    return;
  }
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    const double most = orders_.reals[i] * cap[i] * (1.0 + kCapRounding);
    kernels().outward_logs(largest_.data() + i * stride_, most, orders_.row(),
                           to.data() + i * orders_.row());
  }
}

}  // namespace pate
