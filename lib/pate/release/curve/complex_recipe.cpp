#include "pate/release/curve/complex_recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/key_moduli.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_moments.hpp"
#include "pate/release/curve/recipe_choice.hpp"
#include "pate/release/curve/synthetic_votes.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/declared/complex_costs.hpp"

namespace pate {

namespace {

// Floors are tried at these shares of what any votes may cost; s in units of the square root of
// noise over that, which is where the curve's own slope and the noise of the index cost the same;
// beta in units of 1/noise.
constexpr auto kFloors = std::to_array<double>({.05, .15, .25, .35, .45});
constexpr auto kIndexNoises = std::to_array<double>({1.5, 2, 2.5, 3.1});
constexpr auto kShapes = std::to_array<double>({.2, .3, .45, .7, 1.1});
constexpr double kLeastIndexNoise = 1.0;
constexpr double kMostIndexNoise = 30.0;
// By which an epsilon is looked for that orders are to suit: Renyi's are enough.
constexpr auto kRoughReals = std::to_array<double>({.25, .5, 1, 2, 4, 7, 11, 16, 24, 40});
// What is looked at: so many queries, about so many distances, and the curve once in so much
// growth.
constexpr std::int64_t kQueries = 80;
constexpr double kGrowthStep = 0.15;
constexpr std::int64_t kDistances = 40;
// Of the growth of a curve: no index is looked at below.
constexpr double kLeastShare = 1e-4;
// Of the time, what the moduli take.
constexpr double kCostsShare = 0.7;

// Ensembles nobody asked; costs of so many queries are `times` as much.
struct ExpectedEnsembles {
  std::vector<VoteProfile> votes;
  double times = 1.0;
};

ExpectedEnsembles ensembles_of(const CostSpec& question, std::int64_t queries) {
  ExpectedEnsembles result;
  const std::int64_t some = std::min(queries, kQueries);
  result.times = static_cast<double>(queries) / static_cast<double>(some);
  for (const TopShares& shares :
       expected_top_shares(question.aggregator.selection, question.teachers, question.classes)) {
    VoteProfile& votes = result.votes.emplace_back();
    votes.aggregator = question.aggregator;
    votes.neighbours = question.neighbours;
    votes.teachers = question.teachers;
    votes.classes = question.classes;
    votes.queries = some;
    for (const auto& [counts, count] :
         synthetic_votes(question.teachers, question.classes, shares, some)) {
      votes.add({static_cast<std::int64_t>(counts.front()), 0.0, count, 0}, counts);
    }
  }
  return result;
}

void scale(ComplexCosts& costs, double times) {
  for (auto& units : costs.units) {
    for (CostUnits& one : units) one = scaled_units(one, times);
  }
}

// An epsilon of the ensembles, on average, by Renyi's orders and two keys.
double rough_epsilon(const CostSpec& question, const ExpectedEnsembles& ensembles, double delta,
                     unsigned threads) {
  const CertificateRule rule = certificate_rule(Certificate::complex, question);
  ComplexOrders orders;
  for (const double a : kRoughReals) {
    if (a <= rule.most_real) orders.reals.push_back(a);
  }
  orders.step = 1.0;
  orders.terms = 1;
  const KeyModuli moduli(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                         question.teachers, question.classes, orders, true, KeyModuli::Keys::two);
  std::vector<std::vector<KeyCount>> keys;
  for (const VoteProfile& votes : ensembles.votes) keys.push_back(keys_of(votes));
  double sum = 0.0;
  for (ComplexCosts& costs : complex_costs(moduli, keys, 1, threads)) {
    scale(costs, ensembles.times);
    sum += costs.certificate(0).epsilon(delta);
  }
  return sum / static_cast<double>(keys.size());
}

// What is published of every ensemble, by a coarse look at the curve.
class Estimates {
 public:
  Estimates(std::span<const ComplexCosts> costs, double delta)
      : orders_(costs.front().orders),
        delta_(delta),
        most_(costs.front().units.back()),
        teachers_(costs.front().teachers) {
    const std::int64_t step = std::max<std::int64_t>(1, teachers_ / kDistances);
    for (const ComplexCosts& its : costs) {
      auto& sides = sides_.emplace_back();
      for (std::int64_t d = 0; d <= teachers_; d += step) {
        sides.push_back({d, {orders_, its.units[static_cast<std::size_t>(d)], d}});
      }
      epsilons_.push_back(its.certificate(0).epsilon(delta));
    }
  }

  [[nodiscard]] std::vector<double> means(const ComplexParameters& parameters) const {
    const DiscreteGaussian noise(parameters.s);
    const double growth = flat_epsilon(orders_, noise, delta_, most_, teachers_) - parameters.floor;
    std::vector<double> result;
    if (!(growth > 0.0)) {
      result.assign(sides_.size(), kInfinity);
      return result;
    }
    const auto epsilon = [&](std::int64_t y) {
      return parameters.floor +
             growth * std::min(std::exp(parameters.beta * static_cast<double>(y)), kCurveCap);
    };
    const CurveMoments moments(orders_, noise, kCurveCap * growth);
    const std::int64_t half = moments.half_width();
    const auto spacing = std::max<std::int64_t>(1, std::llround(kGrowthStep / parameters.beta));
    const double least = (std::ranges::min(epsilons_) - parameters.floor) / growth;
    const auto first = static_cast<std::int64_t>(
        std::floor(std::log(std::max(least, kLeastShare)) / parameters.beta - 2.0 * parameters.s));
    const auto last = static_cast<std::int64_t>(
        std::ceil(std::log(kCurveCap) / parameters.beta + 6.0 * parameters.s) +
        static_cast<double>(spacing));
    struct Node {
      std::vector<double> logs, shares;
    };
    std::vector<Node> nodes;
    CurveMoments::Scratch scratch;
    const std::size_t width = CurveMoments::kShifts * orders_.reals.size();
    std::vector<double> values;
    for (std::int64_t t = first; t <= last; t += spacing) {
      values.clear();
      for (std::int64_t z = -half; z <= half; ++z) values.push_back(epsilon(t + z));
      Node& node = nodes.emplace_back();
      node.logs.resize(width);
      node.shares.resize(width * orders_.row());
      moments.compute(values, scratch, node.logs, node.shares);
    }
    const double log_delta = std::log(delta_);
    const auto excess = [&](const CurveSide& side, std::size_t node) {
      double smallest = kInfinity;
      for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
        smallest = std::min(
            smallest, log_curve_excess(side, orders_, i, nodes[node].logs, nodes[node].shares));
      }
      return smallest - log_delta;
    };
    for (const auto& sides : sides_) {
      auto g = static_cast<double>(first);
      for (const Side& side : sides) {
        const std::size_t high = nodes.size() - 1;
        // Not before what is known already.
        const double known = (g + static_cast<double>(side.distance) - static_cast<double>(first)) /
                             static_cast<double>(spacing);
        if (known >= static_cast<double>(high)) continue;
        auto low = static_cast<std::size_t>(std::max(known, 0.0));
        if (excess(side.its, low) <= 0.0) continue;
        low = bisect(low, high, [&](std::size_t node) { return excess(side.its, node) > 0.0; });
        const double at_low = excess(side.its, low);
        const double at_high = std::min(excess(side.its, low + 1), 0.0);
        const double share = at_low / (at_low - at_high);
        const double t = static_cast<double>(first) +
                         static_cast<double>(spacing) * (static_cast<double>(low) + share);
        g = std::max(g, t - static_cast<double>(side.distance));
      }
      double mean = 0.0;
      const auto reach = static_cast<std::int64_t>(8.0 * parameters.s);
      for (std::int64_t z = -reach; z <= reach; ++z) {
        mean += std::exp(noise.log_probability(z)) *
                epsilon(static_cast<std::int64_t>(std::ceil(g)) + z);
      }
      result.push_back(mean);
    }
    return result;
  }

 private:
  struct Side {
    std::int64_t distance;
    CurveSide its;
  };
  ComplexOrders orders_;
  double delta_ = 0.0;
  std::vector<CostUnits> most_;
  std::int64_t teachers_ = 0;
  std::vector<std::vector<Side>> sides_;
  std::vector<double> epsilons_;
};

struct ComplexCandidate {
  ComplexParameters parameters;
  std::vector<double> means;  // by ensemble

  [[nodiscard]] double mean(std::size_t ensemble) const { return means[ensemble]; }
};

}  // namespace

ComplexParameters default_complex_parameters(const CostSpec& question, std::int64_t queries,
                                             double delta, const CurveTableSource& source,
                                             unsigned threads, const ProgressCallback& progress) {
  validate_delta(delta);
  const ExpectedEnsembles ensembles = ensembles_of(question, queries);
  // What telling an epsilon takes, less what Renyi's orders and two keys make of it.
  constexpr double kTelling = 1.1;
  const double epsilon = kTelling * rough_epsilon(question, ensembles, delta, threads);
  if (!(epsilon < kMostOrdersFor)) {
    throw validity_error(
        "there is so little noise that no epsilon is certified whatever the votes are");
  }
  const double orders_for = three_digits(std::max(epsilon, kLeastOrdersFor));
  std::vector<ComplexCosts> costs =
      source.complex_costs(question, curve_orders(question, orders_for, delta), ensembles.votes,
                           threads, part_of(progress, 0.0, kCostsShare));
  for (ComplexCosts& its : costs) scale(its, ensembles.times);
  // Of so much noise that any votes are certified for nothing, too.
  const double most = std::max(
      costs.front().certificate(costs.front().units.size() - 1).epsilon(delta), kLeastOrdersFor);
  if (!(most < kMostOrdersFor)) {
    throw validity_error("the run may cost more than a release can count, whatever the votes");
  }
  const Estimates estimates(costs, delta);
  const double sigma = question.aggregator.noisy_max.gaussian().sigma;
  std::vector<ComplexCandidate> candidates;
  for (const double floor : kFloors) {
    for (const double noise : kIndexNoises) {
      const double s =
          std::clamp(noise * std::sqrt(sigma / most), kLeastIndexNoise, kMostIndexNoise);
      for (const double growth : kShapes) {
        candidates.push_back({{orders_for, three_digits(floor * most), three_digits(s),
                               beta_of(growth, sigma, question.teachers)},
                              {}});
      }
    }
  }
  parallel_for(candidates.size(), threads, [&](std::size_t i) {
    candidates[i].means = estimates.means(candidates[i].parameters);
  });
  return most_robust(candidates, ensembles.votes.size()).parameters;
}

}  // namespace pate
