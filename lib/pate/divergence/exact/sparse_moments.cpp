// The moments of runs whose outcomes are known: `SparseOutcomes::rdp`.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "pate/divergence/bounds/sparse_round.hpp"
#include "pate/divergence/exact/sparse_outcomes.hpp"
#include "pate/divergence/rdp/pure_rdp.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/numerics/sum_of_products.hpp"

namespace pate {

namespace {

// What the logarithm of a probability is moved by: ten times the errors of quadratures and
// rounding.
constexpr double kLogMargin = 1e-9;
// More than any factor, or product, loses that is too small for a double.
constexpr double kLost = 1e-280;
// Orders at which the threshold alone costs more for any votes are not looked at.
constexpr double kMostThreshold = 4.0;
// Multiplications of one order; beyond, refusals are not counted.
constexpr double kMaxSteps = 1e8;

// Where products with it may be all that is left, however small it is.
double exp_outwards(double x) {
  return std::exp(x) + kLost;
}

// log( p^order q^(1-order) ) of their logarithms, moved outwards.
double log_term(double log_p, double log_q, double order) {
  return order * (log_p + kLogMargin) - (order - 1.0) * (log_q - kLogMargin);
}

}  // namespace

// What the queries of a round contribute at an order; the round's end is the last query's answer.
struct SparseOutcomes::Terms {
  std::vector<double> outcomes;  // refusals, less a scale
  double scale = -kInfinity;
  double log_end = -kInfinity;  // but for the rounds to follow, where it is given up
  bool given_up = false;
  // By query, with h' at either end: h^order h'^(1-order), and the same of 1 - h.
  struct Pair {
    double refused, answered;
  };
  std::vector<std::array<Pair, 2>> queries;
};

std::vector<SparseOutcomes::Terms> SparseOutcomes::terms_of(Direction direction,
                                                            double order) const {
  const bool forward = direction == Direction::forward;
  const auto log_moment_of = [&](double log_own, double log_other) {
    return forward ? log_term(log_own, log_other, order) : log_term(log_other, log_own, order);
  };
  // The neighbour that an outcome is worst of.
  const Side refusal = forward ? least : most;
  std::vector<Terms> all(queries_);
  const std::vector<double> log_given_up = log_going_on(direction, order);
  for (std::size_t s = 0; s < queries_; ++s) {
    const Round& round = rounds_[s];
    Terms& its = all[s];
    its.given_up = round.given_up;
    its.log_end =
        its.given_up ? log_given_up[s] : log_moment_of(round.end[votes], round.end[refusal]);
    its.outcomes.reserve(round.queries.size());
    for (const Query& query : round.queries) {
      its.outcomes.push_back(log_moment_of(query.asked[votes] + query.refused[votes],
                                           query.asked[refusal] + query.refused[refusal]));
      its.scale = max_or_nan(its.scale, its.outcomes.back());
      if (its.given_up) continue;
      const auto pair_with = [&](Side side) {
        return Terms::Pair{
            exp_outwards(log_moment_of(query.refused[votes], query.refused[side])),
            exp_outwards(log_moment_of(query.answered[votes], query.answered[side]))};
      };
      its.queries.push_back({pair_with(least), pair_with(most)});
    }
    for (double& term : its.outcomes) term = exp_outwards(term - its.scale);
  }
  return all;
}

// With Laplace noise a round is epsilon-DP, outcome by outcome.
double SparseOutcomes::log_pure_going_on(const Round& round, Direction direction,
                                         double order) const {
  const double probability = round.end[direction == Direction::forward ? votes : most];
  return (order - 1.0) * *test_.pure_epsilon() * (1.0 + 1e-15) + probability + kLogMargin;
}

// With Gaussian noise: with z that is moved by one vote, at most
//
//     V integral p(z)^order p(z - 1)^(1-order) A(z) dz,
//
// A the probability that the round goes on, in reverse A(z - 1). The weight is e^(order (order - 1)
// / (2 threshold_sigma^2)) times a normal density about 1 - order; A falls.
std::vector<double> SparseOutcomes::log_going_on(Direction direction, double order) const {
  std::vector<double> result(rounds_.size(), -kInfinity);
  if (std::ranges::none_of(rounds_, &Round::given_up)) return result;
  if (!test_.has_gaussian_noise()) {
    for (std::size_t s = 0; s < rounds_.size(); ++s) {
      if (rounds_[s].given_up) result[s] = log_pure_going_on(rounds_[s], direction, order);
    }
    return result;
  }
  const double sigma = test_.threshold_scale();
  const double centre = direction == Direction::forward ? 1.0 - order : -order;
  const double log_weight = 0.5 * order * (order - 1.0) / sigma / sigma +
                            log_sparse_moment({test_.scale(), test_.max_queries()}, order) +
                            kLogMargin;
  const auto score = [&](std::size_t j) { return (rule_.at[j] - centre) / sigma; };
  std::vector<double> mass;  // from one node to the next
  for (std::size_t j = 0; j + 1 < rule_.size(); ++j) {
    mass.push_back(normal_interval(score(j), score(j + 1)));
  }
  mass.push_back(normal_cdf(-score(rule_.size() - 1)));
  const double before = normal_cdf(score(0));
  for (std::size_t s = 0; s < rounds_.size(); ++s) {
    const std::vector<double>& going_on = rounds_[s].going_on;
    if (!rounds_[s].given_up) continue;
    result[s] = std::log(before + kLost + sum_of_products(going_on, mass)) + log_weight;
  }
  return result;
}

std::int64_t SparseOutcomes::most_rounds() const {
  return std::min(test_.max_refusals(), test_.has_gaussian_noise() ? test_.max_queries() : run_);
}

double SparseOutcomes::log_moment(Direction direction, double order, double any_votes) const {
  const std::vector<Terms> terms = terms_of(direction, order);
  double steps = 0.0;
  for (const Terms& its : terms) {
    steps += static_cast<double>(its.outcomes.size() + 4 * its.queries.size());
  }
  const std::int64_t rounds = most_rounds();
  // More refusals only add to the moment: where counting them takes long, one pass for however
  // many.
  const bool counts = steps * static_cast<double>(rounds) <= kMaxSteps;
  std::vector<double> log_w(queries_ + 1, 0.0);  // of rounds that begin with each query
  std::vector<double> w(queries_ + 1);           // of those after a refusal, less a scale
  for (std::int64_t left = 1; left <= (counts ? rounds : 1); ++left) {
    const std::vector<double> before = std::move(log_w);
    log_w.assign(queries_ + 1, 0.0);
    if (!is_complete_) {
      log_w[queries_] = any_votes * static_cast<double>(counts ? left : rounds);
    }
    const std::vector<double>& following = counts ? before : log_w;
    double scale = 0.0;
    for (const double value : following) scale = max_or_nan(scale, value);
    double largest = following[queries_];  // of the rounds that begin later
    w[queries_] = exp_outwards(largest - scale);
    for (std::size_t s = queries_; s-- > 0;) {
      const Terms& its = terms[s];
      const double sum =
          kLost + sum_of_products(its.outcomes, std::span(w).subspan(s + 1, its.outcomes.size()));
      const double end = its.given_up ? its.log_end + largest : its.log_end;
      log_w[s] = log_add(std::log(sum) + its.scale + scale, end);
      if (!its.given_up) {
        double v = exp_outwards(-scale);
        for (std::size_t i = its.queries.size(); i-- > 0;) {
          const auto& [low, high] = its.queries[i];
          const double after = w[s + i + 1];
          v = kLost + max_or_nan(low.refused * after + low.answered * v,
                                 high.refused * after + high.answered * v);
        }
        const double by_query = std::log(v) + scale;
        if (by_query < log_w[s]) log_w[s] = by_query;
      }
      log_w[s] += kLogMargin;
      w[s] = exp_outwards(following[s] - scale);
      largest = max_or_nan(largest, following[s]);
    }
  }
  return log_w.front();
}

double SparseOutcomes::any_round(double order) const {
  if (const std::optional<double> epsilon = test_.pure_epsilon()) return pure_rdp(*epsilon, order);
  return sparse_round_cost({test_.scale(), test_.max_queries()}, order);
}

double SparseOutcomes::rdp(double order) const {
  const double of_round = any_round(order);
  const double any_votes = static_cast<double>(most_rounds()) * of_round;
  if (queries_ == 0) return is_complete_ ? 0.0 : any_votes;
  if (test_.has_gaussian_noise() && !(order / test_.scale() / test_.scale() <= kMostThreshold)) {
    return any_votes;
  }
  const double log_of_round = (order - 1.0) * of_round;
  const double cost = max_or_nan(log_moment(Direction::forward, order, log_of_round),
                                 log_moment(Direction::reverse, order, log_of_round)) /
                      (order - 1.0);
  return cost < any_votes ? cost : any_votes;
}

}  // namespace pate
