#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <span>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/curve/recipe_choice.hpp"
#include "pate/release/curve/synthetic_votes.hpp"

namespace pate {

namespace {

// Orders are tried at these multiples of the one that suits a run whatever the votes, s as it is,
// and beta in units of 1/noise.
constexpr auto kOrders = std::to_array<double>({1, 1.15, 1.3, 1.5, 1.7, 1.95, 2.2, 2.5, 2.8, 3.2});
constexpr auto kNoises = std::to_array<double>({2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30});
constexpr auto kGrowths = std::to_array<double>({.2, .3, .4, .5, .6, .7, .8, .9, 1.0, 1.2});
constexpr auto kFewOrders = std::to_array<double>({1, 1.3, 1.7, 2.2, 2.8});
constexpr auto kFewNoises = std::to_array<double>({2, 4, 6, 9, 12, 20});
constexpr auto kFewGrowths = std::to_array<double>({.2, .4, .6, .8, 1.0});

// What is looked at: about so many counts, so many queries, and U once in so much growth.
struct Search {
  std::int64_t counts;
  std::int64_t queries;
  double growth_step;
  std::span<const double> orders, noises, growths;
};
constexpr Search kFull{250, 160, 0.1, kOrders, kNoises, kGrowths};
constexpr Search kCoarse{80, 40, 0.2, kFewOrders, kFewNoises, kFewGrowths};
// For the order, before s and beta are looked for at it.
constexpr Search kForOrder{100, 80, 0.2, kOrders, kNoises, kFewGrowths};

// Larger s are left out where noise would have to be looked at further out than this: the run costs
// so much that they lose. No larger orders are tried where all ensembles lose so much, relative.
constexpr std::int64_t kWidest = 1500;
// The smallest order that is tried, and what a run may cost at it whatever the votes: beyond that
// no epsilon is worth having, and noise had to be looked at ever further out.
constexpr double kMinOrder = 1.25;
constexpr double kMaxCost = 1000.0;
constexpr double kHopeless = 1.15;

// The histograms of a run in `teachers` parts of the votes.
std::map<SyntheticHistogram, std::int64_t> in_parts(const VoteProfile& votes,
                                                    std::int64_t teachers) {
  std::map<SyntheticHistogram, std::int64_t> result;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    SyntheticHistogram counts;
    std::int64_t sum = 0;
    std::int64_t before = 0;
    for (const std::int32_t count : votes.histogram(i)) {
      sum += count;
      const std::int64_t now = (2 * sum * teachers + votes.teachers) / (2 * votes.teachers);
      counts.push_back(static_cast<std::int32_t>(now - before));
      before = now;
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    result[counts] += votes.distinct[i].count;
  }
  return result;
}

// UB at distances 0, step, 2 step, ... of ensembles nobody asked, then of votes if there are any.
struct EstimatedCosts {
  double order = 0.0;
  std::int64_t step = 1;
  double most = 0.0;                    // UB(M)
  std::vector<std::vector<double>> ub;  // by ensemble
};

// What ensembles are made from.
struct Ensembles {
  std::int64_t queries = 0;
  std::span<const double> least_top_shares;
  const VoteProfile* votes = nullptr;
};

// `within(counts, sums, count)` adds so many queries with these counts.
template <class Within>
void add_ensembles(const CostSpec& question, const Ensembles& of, const Search& search,
                   const Within& within, EstimatedCosts& to) {
  const std::int64_t teachers = question.teachers / to.step;
  const std::int64_t some = std::min(of.queries, search.queries);
  const auto add = [&](const std::map<SyntheticHistogram, std::int64_t>& votes, double times) {
    std::vector<CostUnits> sums(static_cast<std::size_t>(teachers) + 1, 0);
    for (const auto& [counts, count] : votes) within(counts, sums, count);
    std::vector<double>& ub = to.ub.emplace_back();
    for (const CostUnits sum : sums) ub.push_back(times * cost_of_units(sum));
    to.most = std::max(to.most, ub.back());
  };
  for (const double share : of.least_top_shares) {
    add(synthetic_votes(teachers, question.classes, share, some),
        static_cast<double>(of.queries) / static_cast<double>(some));
  }
  if (of.votes != nullptr) add(in_parts(*of.votes, teachers), 1.0);
}

EstimatedCosts estimated_costs(const CostsWithinDistance& costs, const Ensembles& of,
                               const Search& search) {
  EstimatedCosts result;
  result.order = costs.question().order;
  add_ensembles(
      costs.question(), of, search,
      [&](const SyntheticHistogram& counts, std::span<CostUnits> sums, std::int64_t count) {
        costs.add(counts, counts[0], count, count, sums);
      },
      result);
  return result;
}

EstimatedCosts estimated_costs(const CostSpec& question, const Ensembles& of, const Search& search,
                               unsigned threads) {
  const bool has_two_keys = question.neighbours.teachers == 1;
  if (question.cost != CurveCost::tilted || question.classes == 2 || !has_two_keys) {
    CostSpec joint = question;
    joint.reading = ReleasedCost::joint;
    if (!has_two_keys && question.cost == CurveCost::tilted) joint.cost = CurveCost::tradeoff;
    return estimated_costs(CostsWithinDistance(joint, threads), of, search);
  }
  // The tilted cost by two keys, which are few, and some of them where there are many teachers.
  EstimatedCosts result;
  result.order = question.order;
  result.step = std::max<std::int64_t>(1, (question.teachers + search.counts - 1) / search.counts);
  const TiltedCost cost(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                        question.teachers, question.classes, question.order, threads);
  const KeyCosts keys(cost, KeyCosts::Keys::two, threads, {}, result.step);
  add_ensembles(
      question, of, search,
      [&](const SyntheticHistogram& counts, std::span<CostUnits> sums, std::int64_t count) {
        const std::vector<CostUnits> costs = keys.within(counts);
        for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += costs[d] * count;
      },
      result);
  return result;
}

// What is published of every ensemble, by a coarse look at the curve.
class PublishedEstimates {
 public:
  PublishedEstimates(const EstimatedCosts& costs, const CurveParameters& parameters, double delta,
                     double growth_step)
      : costs_(costs),
        beta_(parameters.beta),
        noise_(parameters.s),
        covered_(parameters.order, delta, noise_,
                 noise_half_width(parameters.order, parameters.s, 2.0 * costs.most)),
        rho0_(covered_.index_release_cost()),
        spacing_(std::max<std::int64_t>(1, std::llround(growth_step / beta_))) {
    double least = costs.most;
    for (const auto& ub : costs.ub) least = std::min(least, ub.front());
    // About where U is the smallest cost there is.
    first_ = static_cast<std::int64_t>(
        std::floor(std::log(std::max(least / costs.most, 1e-4)) / beta_ - parameters.s));
    const auto last =
        static_cast<std::int64_t>(std::ceil(std::log(2.0) / beta_)) + covered_.half_width();
    // R from first_ - K on, and e^R over that of a reference, which follows as R grows.
    const auto window = static_cast<std::size_t>(2 * covered_.half_width() + 1);
    constexpr double kMostGrowth = 50.0;
    std::vector<double> values;
    std::vector<double> scaled;
    double reference = 0.0;
    for (std::int64_t t = first_; nodes_.empty() || (nodes_.back() < costs.most && t <= last);
         t += spacing_) {
      const auto begin = static_cast<std::size_t>(t - first_);
      while (values.size() < begin + window) {
        values.push_back(
            epsilon(first_ - covered_.half_width() + static_cast<std::int64_t>(values.size())));
      }
      if (scaled.empty() || values.back() > reference + kMostGrowth) {
        reference = values.back();
        scaled.assign(begin, 0.0);  // not looked at again
      }
      while (scaled.size() < values.size()) {
        scaled.push_back(std::exp(values[scaled.size()] - reference));
      }
      nodes_.push_back(covered_.estimate(std::span(values).subspan(begin, window),
                                         std::span(scaled).subspan(begin, window), reference));
    }
  }

  [[nodiscard]] std::vector<PublicCurve::Moments> moments() const {
    std::vector<PublicCurve::Moments> result;
    for (const auto& ub : costs_.ub) {
      auto g = static_cast<double>(first_);
      for (std::size_t i = 0; i < ub.size(); ++i) {
        g = std::max(g, std::ceil(index_of(ub[i] * (1.0 - 1e-9))) -
                            static_cast<double>(costs_.step) * static_cast<double>(i));
      }
      double mean = 0.0;
      double square = 0.0;
      const auto width = static_cast<std::int64_t>(8.0 * noise_.s());
      for (std::int64_t z = -width; z <= width; ++z) {
        const double p = std::exp(noise_.log_probability(z));
        const double value = epsilon(static_cast<std::int64_t>(g) + z);
        mean += p * value;
        square += p * value * value;
      }
      result.push_back({mean, std::sqrt(std::max(square - mean * mean, 0.0))});
    }
    return result;
  }

 private:
  [[nodiscard]] double epsilon(std::int64_t y) const {
    return rho0_ + costs_.most * std::min(std::exp(beta_ * static_cast<double>(y)), 2.0);
  }
  // Where U reaches a cost, between nodes by its logarithm.
  [[nodiscard]] double index_of(double cost) const {
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), cost);
    const auto i = static_cast<double>(found - nodes_.begin());
    const auto at = [&](double node) {
      return static_cast<double>(first_) + static_cast<double>(spacing_) * node;
    };
    if (found == nodes_.begin() || found == nodes_.end()) return at(i);
    const double low = *(found - 1);
    const double share =
        low > 0.0 ? std::log(cost / low) / std::log(*found / low) : (cost - low) / (*found - low);
    return at(i - 1.0 + share);
  }

  const EstimatedCosts& costs_;
  double beta_;
  DiscreteGaussian noise_;
  CoveredCost covered_;
  double rho0_;
  std::int64_t spacing_;
  std::int64_t first_ = 0;
  std::vector<double> nodes_;  // U
};

struct Candidate {
  CurveParameters parameters;
  std::vector<PublicCurve::Moments> published;  // by ensemble

  [[nodiscard]] double mean(std::size_t ensemble) const { return published[ensemble].mean; }
};

double noise_in_votes(const CostSpec& question) {
  const double parameter = question.aggregator.noisy_max.parameter();
  if (question.aggregator.is_gaussian()) return parameter;
  // One noise of a scale is on both counts one of sqrt 2 times that.
  const bool is_one = question.aggregator.noisy_max.is_of_two_classes();
  return (is_one ? 2.0 : std::numbers::sqrt2) * parameter;
}

// The grid of s and beta at one order.
std::vector<Candidate> candidates_at(const CostSpec& question, const EstimatedCosts& costs,
                                     const Search& search, double delta, unsigned threads) {
  std::vector<Candidate> candidates;
  for (const double s : search.noises) {
    if (s > search.noises[0] && noise_half_width(costs.order, s, 2.0 * costs.most) > kWidest) {
      break;
    }
    for (const double growth : search.growths) {
      const double beta = beta_of(growth, noise_in_votes(question), question.teachers);
      if (!candidates.empty() && candidates.back().parameters.s == s &&
          candidates.back().parameters.beta == beta) {
        continue;
      }
      candidates.push_back({{costs.order, s, beta}, {}});
    }
  }
  parallel_for(candidates.size(), threads, [&](std::size_t i) {
    Candidate& one = candidates[i];
    one.published = PublishedEstimates(costs, one.parameters, delta, search.growth_step).moments();
  });
  return candidates;
}

// The order that suits a run of which nothing but its steps is known.
double order_of_any_votes(const CostSpec& question, std::int64_t queries, double delta) {
  constexpr double kOrder = 2.0;
  const double slope =
      static_cast<double>(queries) *
      data_independent_cost(question.aggregator, question.neighbours, kOrder).total() / kOrder;
  return std::clamp(1.0 + std::sqrt(-std::log(delta) / slope), 1.5, 300.0);
}

// In round numbers, so that they can be told and typed.
std::vector<double> orders_to_try(double centre, std::span<const double> factors) {
  std::vector<double> orders;
  for (const double factor : factors) {
    const double order = factor * centre;
    const double unit = order < 5.0 ? 0.25 : order < 20.0 ? 1.0 : 5.0;
    const double round = std::max(kMinOrder, unit * std::round(order / unit));
    if (orders.empty() || orders.back() != round) orders.push_back(round);
  }
  return orders;
}

// The candidates of all orders.
std::vector<Candidate> candidates_of(const CostSpec& question, const Ensembles& of,
                                     const Search& search, double delta, unsigned threads,
                                     const ProgressCallback& progress) {
  const std::vector<double> orders =
      orders_to_try(order_of_any_votes(question, of.queries, delta), search.orders);
  ProgressCounter counter(progress, std::ssize(orders));
  const std::size_t ensembles = of.least_top_shares.size();
  std::vector<Candidate> all;
  CostSpec at_order = question;
  for (const double order : orders) {
    at_order.order = order;
    validate(at_order);
    const std::vector<Candidate> here = candidates_at(
        question, estimated_costs(at_order, of, search, threads), search, delta, threads);
    all.insert(all.end(), here.begin(), here.end());
    counter.add(1);
    const auto is_hopeless = [](double mean, double least) { return mean > kHopeless * least; };
    if (std::ranges::equal(best_means(here, ensembles), best_means(all, ensembles), is_hopeless)) {
      break;
    }
  }
  return all;
}

}  // namespace

CurveRecipe default_parameters(const CostSpec& question, std::int64_t queries, double delta,
                               unsigned threads, const ProgressCallback& progress) {
  validate(question);
  const double least_cost =
      static_cast<double>(queries) *
      data_independent_cost(question.aggregator, question.neighbours, kMinOrder).total();
  if (!(least_cost <= kMaxCost)) {
    throw validity_error(fmt::format(
        "there is so little noise that the run may cost {:.3g} (RDP at order {}): default "
        "parameters are for runs that cost at most {} whatever the votes",
        least_cost, kMinOrder, kMaxCost));
  }
  const std::vector<double> shares = least_top_shares(question.classes);
  const Ensembles of{queries, shares};
  // Measured: what the search takes of the time, the tables of one order the rest.
  const double share = question.teachers <= kFull.counts ? 0.4 : 0.1;
  const double order = most_robust(candidates_of(question, of, kForOrder, delta, threads,
                                                 part_of(progress, 0.0, share)),
                                   shares.size())
                           .parameters.order;
  CostSpec at_order = question;
  at_order.order = order;
  auto tables =
      std::make_shared<const CostsWithinDistance>(at_order, threads, part_of(progress, share, 1.0));
  const EstimatedCosts costs = question.reading == ReleasedCost::joint
                                   ? estimated_costs(*tables, of, kFull)
                                   : estimated_costs(at_order, of, kFull, threads);
  const CurveParameters found =
      most_robust(candidates_at(question, costs, kFull, delta, threads), shares.size()).parameters;
  return {found, std::move(tables)};
}

CurveEstimate estimated_release(const CostSpec& question, const VoteProfile& votes, double delta,
                                unsigned threads) {
  const std::vector<double> shares = least_top_shares(question.classes);
  const std::vector<Candidate> all =
      candidates_of(question, {votes.queries, shares, &votes}, kCoarse, delta, threads, {});
  const Candidate& found = most_robust(all, shares.size());
  return {found.parameters, found.published.back()};
}

CurveParameters parameters_from_labels(const CostSpec& question, std::int64_t queries,
                                       std::int64_t answered, double delta, unsigned threads) {
  validate(question);
  if (!question.aggregator.selection) {
    throw parameter_error("parameters from the labels need a threshold: all queries are answered");
  }
  double low = 1.0 / static_cast<double>(question.classes);
  double high = 1.0;
  const Mechanism mechanism = question.aggregator;
  const auto expected = [&](double least) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < queries; ++k) {
      sum += probability_answered(mechanism,
                                  synthetic_top_count(question.teachers, least, k, queries));
    }
    return sum;
  };
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (expected(middle) < static_cast<double>(answered) ? low : high) = middle;
  }
  const EstimatedCosts costs =
      estimated_costs(question, {queries, std::span<const double>(&high, 1)}, kFull, threads);
  if (noise_half_width(costs.order, kNoises[0], 2.0 * costs.most) > kWidest) {
    throw validity_error(
        fmt::format("there is so little noise that the run may cost {:.3g} (RDP at order {}): "
                    "the labels have no s and beta for it; choose a smaller order",
                    costs.most, costs.order));
  }
  return most_robust(candidates_at(question, costs, kFull, delta, threads), 1).parameters;
}

}  // namespace pate
