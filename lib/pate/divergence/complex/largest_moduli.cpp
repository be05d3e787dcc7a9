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
// Two numbers of such logarithms, and their product, are doubles.
constexpr double kPlainLog = 300.0;

std::size_t stride_of(const ComplexOrders& orders) {
  return (orders.row() + kLanes - 1) / kLanes * kLanes;
}

// cos and sin of k w l, turned on by w l from each k to the next.
void turn(double loss, double step, std::size_t size, double* cosines, double* sines) {
  const double angle = std::isfinite(loss) ? step * loss : 0.0;
  kernels().multiples_of_angle(std::cos(angle), std::sin(angle), size, cosines, sines);
}

// Whether e^{log p + a l} is a plain number at every real part; false of NaN.
bool is_plain_outcome(const ComplexOrders& orders, double log_p, double loss) {
  const double most = orders.reals.back() * std::abs(loss);
  return std::abs(log_p) + most <= kPlainLog;
}

}  // namespace

LargestModuli::LargestModuli(const ComplexOrders& orders)
    : orders_(orders),
      stride_(stride_of(orders)),
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
    turn(known_[o].loss, orders_.step, stride_, cosines_.data() + o * stride_,
         sines_.data() + o * stride_);
    cosine_rows_.push_back(cosines_.data() + o * stride_);
    sine_rows_.push_back(sines_.data() + o * stride_);
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
    raise(i, terms, sum);
  }
}

LargestModuli::Answer::Answer(const ComplexOrders& orders, const LogBernoulliPair& pair,
                              bool refused)
    : pair_(pair),
      refused_(refused),
      is_plain_(is_plain_outcome(orders, pair.log_p, pair.log_ratio) &&
                (!refused || is_plain_outcome(orders, pair.log_not_p, pair.log_not_ratio))) {
  if (!is_plain_) return;
  if (refused) {
    cosines_.resize(stride_of(orders));
    sines_.resize(cosines_.size());
    turn(pair.log_not_ratio - pair.log_ratio, orders.step, cosines_.size(), cosines_.data(),
         sines_.data());
  }
  for (const double a : orders.reals) {
    answered_.push_back(std::exp(pair.log_p + a * pair.log_ratio));
    not_answered_.push_back(refused ? std::exp(pair.log_not_p + a * pair.log_not_ratio) : 0.0);
  }
}

void LargestModuli::set_answers(std::span<const LogOutcome> outcomes) {
  answers_.assign(outcomes.begin(), outcomes.end());
  is_plain_ = std::ranges::all_of(answers_, [&](const LogOutcome& its) {
    return is_plain_outcome(orders_, its.log_p, its.loss);
  });
  if (!is_plain_) return;
  const std::size_t size = answers_.size();
  const std::size_t reals = orders_.reals.size();
  answer_cosines_.resize(std::max(answer_cosines_.size(), size * stride_));
  answer_sines_.resize(answer_cosines_.size());
  for (std::size_t o = 0; o < size; ++o) {
    turn(answers_[o].loss, orders_.step, stride_, answer_cosines_.data() + o * stride_,
         answer_sines_.data() + o * stride_);
  }
  answer_weights_.assign((reals * size + kLanes - 1) / kLanes * kLanes, 0.0);
  for (std::size_t i = 0; i < reals; ++i) {
    for (std::size_t o = 0; o < size; ++o) {
      answer_weights_[i * size + o] = answers_[o].log_p + orders_.reals[i] * answers_[o].loss;
    }
  }
  kernels().exponentials(answer_weights_.data(), answer_weights_.size());
}

void LargestModuli::add(const Answer& answer, std::span<const double> rest) {
  const LogBernoulliPair& pair = answer.pair_;
  if (!is_plain_ || !answer.is_plain_) {
    all_.clear();
    if (answer.refused_) all_.push_back({pair.log_not_p, pair.log_not_ratio});
    for (const LogOutcome& its : answers_) {
      all_.push_back({pair.log_p + its.log_p, pair.log_ratio + its.loss});
    }
    add(all_, rest);
    return;
  }
  is_empty_ = false;
  const std::size_t size = answers_.size();
  cosine_rows_.clear();
  sine_rows_.clear();
  if (answer.refused_) {
    cosine_rows_.push_back(answer.cosines_.data());
    sine_rows_.push_back(answer.sines_.data());
  }
  for (std::size_t o = 0; o < size; ++o) {
    cosine_rows_.push_back(answer_cosines_.data() + o * stride_);
    sine_rows_.push_back(answer_sines_.data() + o * stride_);
  }
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    weights_.clear();
    double sum = 0.0;
    double loss_sum = 0.0;
    const auto take = [&](double weight, double loss) {
      weights_.push_back(weight);
      sum += weight;
      loss_sum += weight * std::max(1.0, std::abs(loss));
    };
    if (answer.refused_) take(answer.not_answered_[i], pair.log_not_ratio);
    for (std::size_t o = 0; o < size; ++o) {
      take(answer.answered_[i] * answer_weights_[i * size + o], pair.log_ratio + answers_[o].loss);
    }
    const double error = kOutcomeError * (sum + orders_.reals[i] * loss_sum) + rest[i];
    const double error_step = kOutcomeError * orders_.step * loss_sum;
    raise(i,
          {cosine_rows_.data(), sine_rows_.data(), weights_.data(), weights_.size(), error,
           error_step},
          sum);
  }
}

void LargestModuli::raise(std::size_t real, const ModulusTerms& terms, double sum) {
  if (sum <= kMostSquared) {
    kernels().raise_moduli(terms, stride_, largest_.data() + real * stride_);
  } else {
    raise_large(terms, largest_.data() + real * stride_);
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
