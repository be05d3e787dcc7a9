#include "pate/accounting/best_of_tries.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

// log(1 + 1/(order - 1)), rounded downwards: smaller epsilons have larger deltas.
double largest_epsilon(double order) {
  return std::log1p(1.0 / (order - 1.0)) * (1.0 - 4e-15);
}

std::optional<double> pure_epsilon_of(const MechanismCounts& steps) {
  const auto pure = steps.pure_steps();
  if (!pure) return std::nullopt;
  double total = 0.0;
  for (const PureSteps& its : *pure) total += static_cast<double>(its.count) * its.epsilon;
  return with_margin(total, kSumMargin);
}

}  // namespace

BestOfTriesCost::BestOfTriesCost(const NumberOfTries& tries, const MechanismCounts& one_try)
    : tries_(tries), steps_(one_try) {
  validate(tries);
  require(one_try.delta() == 0.0,
          "the best of several tries: steps with a delta of their own (PTR) have no Renyi cost");
  if (one_try.empty()) return;  // nothing is spent
  for (const double order : default_orders()) {
    of_one_try_.push_back(one_try.rdp(order).total());
  }
  squared_mu_ = one_try.squared_mu();
  pure_ = pure_epsilon_of(one_try);
  // E[K] >= 1 is rounded upwards; so is its logarithm.
  log_expected_ = std::max(std::log(tries.expected()), 0.0) * (1.0 + 4e-16);
  if (tries.law != TriesLaw::poisson) {
    second_term_ = least_second_term(tries.law == TriesLaw::geometric ? 1.0 : 0.0);
  }
  const std::span<const double> orders = default_orders();
  least_above_.resize(orders.size());
  double least = kInfinity;
  // All orders of pure steps at once: both of the theorem go to infinity.
  if (pure_ && tries.law != TriesLaw::poisson)
    least = with_margin(*pure_ + second_term_, kSumMargin);
  for (std::size_t j = orders.size(); j-- > 0;) {
    least = std::min(least, at(orders[j], of_one_try_[j]));
    least_above_[j] = least;
  }
}

double BestOfTriesCost::least_second_term(double eta) const {
  const double spread = -std::log(tries_.parameter) * (1.0 + 4e-16);
  const auto term = [&](double order, double rdp) {
    return (1.0 - 1.0 / order) * rdp + spread / order;
  };
  const std::span<const double> orders = default_orders();
  std::vector<double> terms;
  for (std::size_t j = 0; j < orders.size(); ++j) terms.push_back(term(orders[j], of_one_try_[j]));
  double least = optimal_order(
                     orders, terms,
                     [&](double order) { return term(order, steps_.rdp(order).total()); }, false)
                     .epsilon;
  least = std::min(least, spread);  // at the order 1
  if (pure_) least = std::min(least, *pure_);
  return with_margin((1.0 + eta) * least, kSumMargin);
}

double BestOfTriesCost::delta_of_one_try(double epsilon) const {
  if (pure_ && *pure_ <= epsilon) return 0.0;
  if (squared_mu_) {
    const double mu = std::sqrt(*squared_mu_) * (1.0 + 4e-15);
    return std::min(with_margin(std::exp(log_gaussian_dp_delta(mu, epsilon)), kEpsilonMargin), 1.0);
  }
  const std::span<const double> orders = default_orders();
  double least = 0.0;  // log delta
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double above = orders[j] - 1.0;
    const double shrink = -std::log1p(1.0 / above);  // log((order - 1) / order)
    const double exponent = above * (of_one_try_[j] - epsilon + shrink) - std::log(orders[j]);
    const double rounding =
        kConversionRounding * (above * (of_one_try_[j] + epsilon - shrink) + std::log(orders[j]));
    least = std::min(least, exponent + rounding);
  }
  return with_margin(std::exp(least), kEpsilonMargin);
}

double BestOfTriesCost::at(double order, double rdp_of_one_try) const {
  const double of_number = log_expected_ / (order - 1.0);
  const double second = tries_.law == TriesLaw::poisson
                            ? tries_.parameter * delta_of_one_try(largest_epsilon(order))
                            : second_term_;
  return with_margin(rdp_of_one_try + second + of_number, kSumMargin);
}

double BestOfTriesCost::rdp(double order) const {
  if (!(order > 1.0)) throw parameter_error("the best of several tries: orders must be above 1");
  if (steps_.empty()) return 0.0;
  const double here = at(order, steps_.rdp(order).total());
  const std::span<const double> orders = default_orders();
  const auto above = std::ranges::lower_bound(orders, order);
  if (above == orders.end()) {
    return pure_ && tries_.law != TriesLaw::poisson
               ? std::min(here, with_margin(*pure_ + second_term_, kSumMargin))
               : here;
  }
  return std::min(here, least_above_[static_cast<std::size_t>(above - orders.begin())]);
}

}  // namespace pate
