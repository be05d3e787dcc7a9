#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numbers>

#include "pate/error.hpp"
#include "pate/math/log_space.hpp"
#include "pate/release/curve/curve_release.hpp"

namespace pate {

namespace {

using SyntheticHistogram = std::vector<std::int32_t>;

constexpr double kOrders[] = {5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr double kNoises[] = {3, 4, 5, 6, 8, 9, 10, 11, 12, 15};
constexpr double kGrowths[] = {.2, .3, .4, .5, .6, .7, .8, .9, 1.0, 1.2};
// Estimates look at about so many counts, and at U once in so much growth of the curve.
constexpr std::int64_t kCounts = 250;
constexpr double kGrowthStep = 0.1;
constexpr double kLeastTopShare = 0.5;  // of the votes, for the top class of synthetic histograms

std::int32_t top_count(std::int64_t teachers, double least, std::int64_t k, std::int64_t queries) {
  const double share = (static_cast<double>(k) + 0.5) / static_cast<double>(queries);
  const double top = static_cast<double>(teachers) * (least + (1.0 - least) * share);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(std::llround(top), 1, teachers));
}

// Top shares between `least` and 1, all counts divided by `step`.
std::map<SyntheticHistogram, std::int64_t> synthetic_votes(const CostQuestion& question,
                                                           std::int64_t queries, double least,
                                                           std::int64_t step) {
  std::map<SyntheticHistogram, std::int64_t> result;
  const std::int64_t teachers = question.teachers / step;
  for (std::int64_t k = 0; k < queries; ++k) {
    auto left = static_cast<std::int32_t>(teachers);
    const std::int32_t top = top_count(teachers, least, k, queries);
    SyntheticHistogram counts{top};
    left -= top;
    for (std::int64_t j = 1; j < question.classes; ++j) {
      const bool last = j + 1 == question.classes;
      counts.push_back(last ? left : std::min((left + 1) / 2, top));
      left -= counts.back();
    }
    std::sort(counts.begin(), counts.end(), std::greater<>());
    ++result[counts];
  }
  return result;
}

// An estimate of UB at distances 0, step, 2 step, ...
struct EstimatedCosts {
  std::int64_t step = 1;
  std::vector<double> ub;
};

EstimatedCosts estimated_costs(const DistanceCosts& costs,
                               const std::map<SyntheticHistogram, std::int64_t>& votes) {
  EstimatedCosts result;
  std::vector<CostUnits> sums(static_cast<std::size_t>(costs.question().teachers) + 1, 0);
  for (const auto& [counts, count] : votes) costs.add(counts, counts[0], count, count, sums);
  for (const CostUnits sum : sums) result.ub.push_back(cost_of_units(sum));
  return result;
}

EstimatedCosts estimated_costs(const CostQuestion& question, std::int64_t queries, double least,
                               unsigned threads) {
  EstimatedCosts result;
  // The tilted cost by two keys, which are few, and some of them where there are many teachers.
  const bool tilted = question.cost == CurveCost::tilted && question.classes > 2;
  if (tilted) result.step = std::max<std::int64_t>(1, (question.teachers + kCounts - 1) / kCounts);
  const auto votes = synthetic_votes(question, queries, least, result.step);
  std::vector<CostUnits> sums(static_cast<std::size_t>(question.teachers / result.step) + 1, 0);
  if (tilted) {
    const TiltedCost cost(question.aggregator.noisy_max.gaussian(), question.aggregator.selection,
                          question.teachers, question.classes, question.order);
    const KeyCosts keys(cost, KeyCosts::Keys::two, threads, {}, result.step);
    for (const auto& [counts, count] : votes) {
      const std::vector<CostUnits> costs = keys.within(counts);
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += costs[d] * count;
    }
  } else {
    CostQuestion joint = question;
    joint.reading = ReleasedCost::joint;
    return estimated_costs(DistanceCosts(joint, threads), votes);
  }
  for (const CostUnits sum : sums) result.ub.push_back(cost_of_units(sum));
  return result;
}

// The mean published epsilon by a coarse look at the curve.
class MeanEstimate {
 public:
  MeanEstimate(const EstimatedCosts& costs, const CurveParameters& parameters, double delta)
      : costs_(costs),
        beta_(parameters.beta),
        noise_(parameters.s),
        covered_(parameters.order, delta, noise_,
                 noise_half_width(parameters.order, parameters.s, 2.0 * costs.ub.back())),
        rho0_(covered_.of_telling()),
        spacing_(std::max<std::int64_t>(1, std::llround(kGrowthStep / beta_))) {}

  [[nodiscard]] double mean() {
    auto low = static_cast<std::int64_t>(std::floor(std::log(1e-4) / beta_)) - 1;
    auto high = static_cast<std::int64_t>(std::ceil(std::log(2.0) / beta_)) + covered_.half_width();
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (covers(middle) ? high : low) = middle;
    }
    double sum = 0.0;
    const auto width = static_cast<std::int64_t>(8.0 * noise_.s());
    for (std::int64_t z = -width; z <= width; ++z) {
      sum += std::exp(noise_.log_probability(z)) * epsilon(high + z);
    }
    return sum;
  }

 private:
  [[nodiscard]] double epsilon(std::int64_t y) const {
    return rho0_ + costs_.ub.back() * std::min(std::exp(beta_ * static_cast<double>(y)), 2.0);
  }
  double node(std::int64_t i) {
    const auto [at, fresh] = nodes_.try_emplace(i, 0.0);
    if (fresh) {
      std::vector<double> values;
      for (std::int64_t z = -covered_.half_width(); z <= covered_.half_width(); ++z) {
        values.push_back(epsilon(i * spacing_ + z));
      }
      at->second = covered_.at(values);
    }
    return at->second;
  }
  double covered(std::int64_t t) {
    const std::int64_t i = (t >= 0 ? t : t - spacing_ + 1) / spacing_;
    const double a = node(i);
    if (spacing_ == 1 || t == i * spacing_) return a;
    const double b = node(i + 1);
    const double share = static_cast<double>(t - i * spacing_) / static_cast<double>(spacing_);
    return a > 0.0 && b > 0.0 ? a * std::pow(b / a, share) : a + share * (b - a);
  }
  bool covers(std::int64_t t) {
    for (std::size_t i = 0; i < costs_.ub.size(); ++i) {
      if (covered(t + static_cast<std::int64_t>(i) * costs_.step) < costs_.ub[i] * (1.0 - 1e-9)) {
        return false;
      }
    }
    return true;
  }

  const EstimatedCosts& costs_;
  double beta_;
  DiscreteGaussian noise_;
  CoveredCost covered_;
  double rho0_;
  std::int64_t spacing_;
  std::map<std::int64_t, double> nodes_;
};

struct Candidate {
  CurveParameters parameters;
  double mean = kInfinity;
};

double noise_in_votes(const CostQuestion& question) {
  const double parameter = question.aggregator.noisy_max.parameter();
  return question.aggregator.is_gaussian() ? parameter : std::numbers::sqrt2 * parameter;
}

// The best of the grid of s and beta at the question's order.
Candidate best_of_order(const CostQuestion& question, const EstimatedCosts& costs, double delta,
                        unsigned threads) {
  std::vector<Candidate> candidates;
  for (const double s : kNoises) {
    for (const double growth : kGrowths) {
      const double beta = std::clamp(growth / noise_in_votes(question), 1e-5, 10.0);
      candidates.push_back({{question.order, s, beta}, kInfinity});
    }
  }
  parallel_for(candidates.size(), threads, [&](std::size_t i) {
    candidates[i].mean = MeanEstimate(costs, candidates[i].parameters, delta).mean();
  });
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const auto& a, const auto& b) { return a.mean < b.mean; });
}

}  // namespace

CurveRecipe default_parameters(const CostQuestion& question, std::int64_t queries, double delta,
                               unsigned threads, const ProgressCallback& progress) {
  Candidate best;
  CostQuestion at_order = question;
  for (const double order : kOrders) {
    at_order.order = order;
    validate(at_order);
    const EstimatedCosts costs = estimated_costs(at_order, queries, kLeastTopShare, threads);
    const Candidate candidate = best_of_order(at_order, costs, delta, threads);
    if (candidate.mean < best.mean) best = candidate;
  }
  if (!(best.mean < kInfinity)) throw validity_error("no parameters of the release are usable");
  at_order.order = best.parameters.order;
  auto tables = std::make_shared<const DistanceCosts>(at_order, threads, progress);
  if (question.reading == ReleasedCost::joint && question.teachers <= kCounts + 1) {
    const EstimatedCosts costs =
        estimated_costs(*tables, synthetic_votes(question, queries, kLeastTopShare, 1));
    best = best_of_order(at_order, costs, delta, threads);
  }
  return {best.parameters, std::move(tables)};
}

CurveParameters parameters_from_labels(const CostQuestion& question, std::int64_t queries,
                                       std::int64_t answered, double delta, unsigned threads) {
  validate(question);
  if (!question.aggregator.selection) {
    throw parameter_error("parameters from the labels need a threshold: all queries are answered");
  }
  double low = 1.0 / static_cast<double>(question.classes);
  double high = 1.0;
  const auto expected = [&](double least) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < queries; ++k) {
      sum += probability_answered(question.aggregator,
                                  top_count(question.teachers, least, k, queries));
    }
    return sum;
  };
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (expected(middle) < static_cast<double>(answered) ? low : high) = middle;
  }
  const EstimatedCosts costs = estimated_costs(question, queries, high, threads);
  return best_of_order(question, costs, delta, threads).parameters;
}

}  // namespace pate
