#include "pate/release/curve/complex_recipe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/complex/key_moduli.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_moments.hpp"
#include "pate/release/curve/recipe_choice.hpp"
#include "pate/release/curve/synthetic_votes.hpp"
#include "pate/release/declared/complex_costs.hpp"

namespace pate {

namespace {

// Floors are tried at these shares of the epsilon to suit, s as it is, beta in units of 1/noise.
constexpr auto kFloors = std::to_array<double>({.2, .3, .4, .5, .6, .7, .8});
constexpr auto kIndexNoises = std::to_array<double>({2, 3, 4, 5, 6, 8, 10, 12, 15});
constexpr auto kShapes = std::to_array<double>({.2, .3, .4, .5, .6, .8, 1.1});
// What is looked at: so many queries, about so many distances, and the curve once in so much
// growth.
constexpr std::int64_t kQueries = 80;
constexpr double kGrowthStep = 0.15;
constexpr std::int64_t kDistances = 40;
// Of the growth of a curve: no index is looked at below.
constexpr double kLeastShare = 1e-4;

// Ensembles nobody asked, by keys; costs of so many queries are `times` as much.
struct SyntheticKeys {
  std::vector<std::vector<KeyCount>> keys;
  double times = 1.0;
};

SyntheticKeys ensembles_of(const CostSpec& question, std::int64_t queries) {
  SyntheticKeys result;
  const std::int64_t some = std::min(queries, kQueries);
  result.times = static_cast<double>(queries) / static_cast<double>(some);
  for (const double share : least_top_shares(question.classes)) {
    auto& keys = result.keys.emplace_back();
    for (const auto& [counts, count] :
         synthetic_votes(question.teachers, question.classes, share, some)) {
      keys.push_back({counts[0], counts[1], counts.size() > 2 ? counts[2] : 0, count});
    }
  }
  return result;
}

std::vector<ComplexCosts> costs_of(const CostSpec& question, const SyntheticKeys& ensembles,
                                   const ComplexOrders& orders, unsigned threads,
                                   const ProgressCallback& progress) {
  const KeyModuli moduli(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                         question.teachers, question.classes, orders, true, KeyModuli::Keys::two);
  std::vector<ComplexCosts> all = complex_costs(
      moduli, ensembles.keys, static_cast<std::size_t>(question.teachers) + 1, threads, progress);
  for (ComplexCosts& costs : all) {
    for (auto& units : costs.units) {
      for (CostUnits& one : units) {
        one = scaled_units(one, ensembles.times);
      }
    }
  }
  return all;
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

  [[nodiscard]] const ComplexOrders& orders() const { return orders_; }
  // Of the run alone, by ensemble.
  [[nodiscard]] std::span<const double> epsilons() const { return epsilons_; }

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
        std::size_t high = nodes.size() - 1;
        // Not before what is known already.
        const double known = (g + static_cast<double>(side.distance) - static_cast<double>(first)) /
                             static_cast<double>(spacing);
        if (known >= static_cast<double>(high)) continue;
        auto low = static_cast<std::size_t>(std::max(known, 0.0));
        double at_low = excess(side.its, low);
        if (at_low <= 0.0) continue;
        double at_high = 0.0;
        bool has_high = false;
        while (high - low > 1) {
          const std::size_t middle = low + (high - low) / 2;
          const double here = excess(side.its, middle);
          if (here > 0.0) {
            low = middle;
            at_low = here;
          } else {
            high = middle;
            at_high = here;
            has_high = true;
          }
        }
        if (!has_high) at_high = std::min(excess(side.its, high), 0.0);
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
                                             double delta, unsigned threads,
                                             const ProgressCallback& progress) {
  validate_delta(delta);
  const SyntheticKeys ensembles = ensembles_of(question, queries);
  // The epsilon to suit: of the ensemble in the middle, and what telling it takes.
  constexpr double kTelling = 1.15;
  constexpr int kRounds = 4;
  double orders_for = 1.0;
  double next = 1.0;
  std::optional<Estimates> estimates;
  for (int round = 0; round < kRounds; ++round) {
    const ComplexOrders orders = curve_orders(question, next, delta);
    if (estimates && orders == estimates->orders()) break;
    orders_for = next;
    const ProgressCallback part = part_of(progress, static_cast<double>(round) / kRounds,
                                          static_cast<double>(round + 1) / kRounds);
    estimates.emplace(costs_of(question, ensembles, orders, threads, part), delta);
    const auto its = estimates->epsilons();
    next = kTelling * its[its.size() / 2];
    if (!(next < kMostOrdersFor)) {
      throw validity_error(
          "there is so little noise that no epsilon is certified whatever the votes are");
    }
    next = three_digits(std::max(next, kLeastOrdersFor));
  }
  const double middle = next;
  const double sigma = question.aggregator.noisy_max.gaussian().sigma;
  std::vector<ComplexCandidate> candidates;
  for (const double floor : kFloors) {
    for (const double s : kIndexNoises) {
      for (const double growth : kShapes) {
        candidates.push_back({{orders_for, three_digits(floor * middle), s,
                               beta_of(growth, sigma, question.teachers)},
                              {}});
      }
    }
  }
  parallel_for(candidates.size(), threads, [&](std::size_t i) {
    candidates[i].means = estimates->means(candidates[i].parameters);
  });
  return most_robust(candidates, ensembles.keys.size()).parameters;
}

}  // namespace pate
