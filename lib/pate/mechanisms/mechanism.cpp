#include "pate/mechanisms/mechanism.hpp"

#include <cmath>

#include "pate/base/error.hpp"

namespace pate {

namespace {

[[noreturn]] void throw_not_gaussian() {
  throw parameter_error("Laplace noise has no Gaussian sensitivity");
}

}  // namespace

Mechanism::Mechanism(const Aggregator& aggregator) : which_(aggregator) {
  validate(aggregator);
}

std::string_view Mechanism::name() const {
  return std::visit([](const auto& of) { return of.name(); }, which_);
}

const StabilityTest* Mechanism::sparse() const {
  const StabilityTest* const test = ptr();
  return test != nullptr && test->is_sparse() ? test : nullptr;
}

const Aggregator& Mechanism::noisy() const {
  if (const Aggregator* const found = aggregator()) return *found;
  throw parameter_error("this cost goes with a noisy maximum, not with PTR, which has none");
}

std::optional<AnswerRule> Mechanism::answer_rule() const {
  if (const StabilityTest* const test = ptr()) return *test;
  if (const auto& check = aggregator()->selection) return *check;
  return std::nullopt;
}

double probability_answered(const Mechanism& mechanism, std::int64_t statistic) {
  const auto rule = mechanism.answer_rule();
  return rule ? std::exp(log_answered(*rule, statistic)) : 1.0;
}

const AnswerProbabilities::Both& AnswerProbabilities::of(std::int64_t statistic) {
  if (rule_ && statistic_ != statistic) {
    both_ = {std::exp(log_answered(*rule_, statistic)), std::exp(log_refused(*rule_, statistic))};
    statistic_ = statistic;
  }
  return both_;
}

double squared_gaussian_sensitivity(const Mechanism& mechanism, const Neighbours& neighbours) {
  if (const StabilityTest* const test = mechanism.ptr()) {
    if (!test->is_gaussian()) throw_not_gaussian();
    return 1.0 / test->scale() / test->scale();
  }
  const Aggregator& aggregator = mechanism.noisy();
  const auto noisy_max = aggregator.step(neighbours).squared_mu();
  if (!noisy_max) throw_not_gaussian();
  if (!aggregator.selection) return *noisy_max;
  const double sigma1 = neighbours.per_move(aggregator.selection->sigma1);
  return *noisy_max + 1.0 / sigma1 / sigma1;
}

std::optional<double> pure_epsilon(const Mechanism& mechanism, const Neighbours& neighbours) {
  if (const StabilityTest* const test = mechanism.ptr()) return test->pure_epsilon();
  const Aggregator& aggregator = mechanism.noisy();
  return aggregator.selection ? std::nullopt : aggregator.step(neighbours).pure_epsilon();
}

}  // namespace pate
