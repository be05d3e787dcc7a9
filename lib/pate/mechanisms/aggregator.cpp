#include "pate/mechanisms/aggregator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/base/error.hpp"

namespace pate {

std::string_view Aggregator::name() const {
  if (!selection) return noisy_max.names().aggregator;
  if (is_sparse_vector()) return "ptr_sparse";
  if (is_ptr()) return selection->laplace ? "ptr_laplace" : "ptr";
  return interactive ? "interactive" : "confident";
}

Aggregator protecting(Aggregator aggregator, const Neighbours& neighbours) {
  aggregator.noisy_max.neighbours = neighbours;
  if (aggregator.selection) aggregator.selection->neighbours = neighbours;
  return aggregator;
}

Aggregator tested_plurality(TestNoise noise, double parameter, double delta) {
  Aggregator aggregator;
  aggregator.selection = stability_test(noise, parameter, delta);
  aggregator.noisy_max = PtrPlurality{delta};
  validate(aggregator);
  return aggregator;
}

Aggregator sparse_plurality(double epsilon, double delta, std::int64_t max_refusals) {
  Aggregator aggregator;
  aggregator.selection = sparse_stability_test(epsilon, delta);
  aggregator.noisy_max = PtrPlurality{delta};
  aggregator.max_refusals = max_refusals;
  validate(aggregator);
  return aggregator;
}

void validate(const Aggregator& aggregator) {
  validate(aggregator.noisy_max);
  if (aggregator.selection && aggregator.selection->neighbours != aggregator.neighbours()) {
    throw parameter_error("both steps of an aggregator must be for the same neighbours");
  }
  if (aggregator.is_sparse_vector()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;  // more are no doubles
    if (*aggregator.max_refusals < 1 || *aggregator.max_refusals > kMost) {
      throw parameter_error(fmt::format("max-refusals must be >= 1 and <= {}, got {}", kMost,
                                        *aggregator.max_refusals));
    }
    const auto& test = aggregator.selection;
    if (!aggregator.is_ptr() || !test || !test->laplace ||
        !(test->threshold_scale == 0.5 * test->sigma1)) {
      throw parameter_error(
          "the sparse form of PTR needs a test whose threshold has half the noise of its queries");
    }
  } else if (aggregator.selection && aggregator.selection->threshold_scale != 0.0) {
    throw parameter_error("a noisy threshold goes with a number of refusals: max-refusals");
  }
  if (aggregator.is_ptr()) {
    if (!aggregator.selection || aggregator.interactive) {
      throw parameter_error("PTR needs a stability test, and no student");
    }
    validate(*aggregator.selection);
    const double delta = aggregator.noisy_max.delta();
    if (!(log_answered(*aggregator.selection, 0) <= std::log(delta))) {
      throw parameter_error(fmt::format(
          "the threshold of a stability test must leave q = 0 a delta of {}, got {}: too low",
          delta, aggregator.selection->threshold));
    }
    return;
  }
  if (aggregator.selection) {
    validate(*aggregator.selection);
    if (!aggregator.is_gaussian() || aggregator.selection->laplace) {
      throw parameter_error(
          "a threshold check goes with Gaussian noise (sigma2), not with Laplace");
    }
  } else if (aggregator.interactive) {
    throw parameter_error("the interactive aggregator needs a threshold and sigma1");
  }
}

void require_noisy_maximum(const Aggregator& aggregator, const char* what) {
  if (!aggregator.is_ptr()) return;
  throw parameter_error(
      fmt::format("{} goes with a noisy maximum, not with PTR, which has none", what));
}

void require_not_sparse(const Aggregator& aggregator, const char* what, const char* why) {
  if (!aggregator.is_sparse_vector()) return;
  throw parameter_error(fmt::format("{} does not go with the sparse form of PTR, {}", what, why));
}

double probability_answered(const Aggregator& aggregator, std::int64_t statistic) {
  return aggregator.selection ? std::exp(log_answered(*aggregator.selection, statistic)) : 1.0;
}

const AnswerProbabilities::Both& AnswerProbabilities::of(std::int64_t statistic) {
  if (aggregator_.selection && statistic_ != statistic) {
    both_ = {std::exp(log_answered(*aggregator_.selection, statistic)),
             std::exp(log_refused(*aggregator_.selection, statistic))};
    statistic_ = statistic;
  }
  return both_;
}

double squared_gaussian_sensitivity(const Aggregator& aggregator) {
  const auto noisy_max = aggregator.noisy_max.squared_mu();
  if (!noisy_max || (aggregator.selection && aggregator.selection->laplace)) {
    throw parameter_error("Laplace noise has no Gaussian sensitivity");
  }
  if (!aggregator.selection) return *noisy_max;
  const double sigma1 = aggregator.selection->sigma1_per_move();
  return *noisy_max + 1.0 / sigma1 / sigma1;
}

std::optional<double> pure_epsilon(const Aggregator& aggregator) {
  const auto noisy_max = aggregator.noisy_max.pure_epsilon();
  if (!noisy_max || !aggregator.selection) return noisy_max;
  if (!aggregator.selection->laplace) return std::nullopt;
  if (aggregator.is_sparse_vector()) return round_epsilon(*aggregator.selection);
  return *noisy_max + 1.0 / aggregator.selection->sigma1;
}

}  // namespace pate
