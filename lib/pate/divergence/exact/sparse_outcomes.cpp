#include "pate/divergence/exact/sparse_outcomes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/numerics/sum_of_products.hpp"

namespace pate {

// A function of the nodes: `linear` is e^(log - scale).
struct NodeRow {
  std::vector<double> linear, log;
  double scale = 0.0;
};

namespace {

// The trapezoidal rule of step h errs by less than 2 e^-this, relative to the integral.
constexpr double kExponent = 24.0;
// Of what nodes leave out, relative to their sum, as a logarithm: 1e-11.
constexpr double kLogMayBeLeftOut = -25.3;
// Nodes reach this many standard deviations below and above where integrands are largest.
constexpr double kReachBelow = 22.0;
constexpr double kReachAbove = 12.0;
// A round that goes on with less probability, on any neighbour, is given up: the log of 1e-87.
constexpr double kLogGivenUp = -200.0;
// Products below are taken for 0, sums below are made of logarithms.
constexpr double kLeastProduct = 1e-280;
constexpr double kLeastSum = 1e-200;

NodeRow node_row(std::vector<double> log, double scale) {
  NodeRow row;
  row.scale = scale;
  row.linear.reserve(log.size());
  for (const double value : log) {
    const double linear = std::exp(value - scale);
    row.linear.push_back(linear > kLeastProduct ? linear : 0.0);
  }
  row.log = std::move(log);
  return row;
}

NodeRow scaled_row(std::vector<double> log) {
  const double scale = *std::ranges::max_element(log);
  return node_row(std::move(log), scale);
}

void multiply(NodeRow& product, const NodeRow& factor) {
  for (std::size_t j = 0; j < product.linear.size(); ++j) {
    const double linear = product.linear[j] * factor.linear[j];
    product.linear[j] = linear > kLeastProduct ? linear : 0.0;
    product.log[j] += factor.log[j];
  }
}

// log of the sum of products over the nodes.
double log_sum(const NodeRow& a, const NodeRow& b) {
  double sum = sum_of_products(a.linear, b.linear);
  if (sum > kLeastSum) return std::log(sum) + a.scale + b.scale;
  double largest = -kInfinity;
  for (std::size_t j = 0; j < a.log.size(); ++j) largest = std::max(largest, a.log[j] + b.log[j]);
  sum = 0.0;
  for (std::size_t j = 0; j < a.log.size(); ++j) sum += std::exp(a.log[j] + b.log[j] - largest);
  return std::log(sum) + largest;
}

// Whether the nodes, which are the middle of a log-concave sequence, leave out next to nothing of
// it: beyond its ends it falls at least as geometric sequences do.
bool is_whole(const NodeRow& a, const NodeRow& b, double log_total) {
  const auto tail = [&](std::size_t end, std::size_t inner) {
    const double log_end = a.log[end] + b.log[end];
    const double fall = a.log[inner] + b.log[inner] - log_end;
    return fall > 0.0 ? log_end - log_expm1(fall) : kInfinity;
  };
  const std::size_t last = a.log.size() - 1;
  return log_add(tail(0, 1), tail(last, last - 1)) - log_total < kLogMayBeLeftOut;
}

std::int64_t less(std::int64_t stability) {
  return std::max<std::int64_t>(stability - 1, 0);
}

}  // namespace

// What a query adds to integrands, by its stability.
struct SparseOutcomes::Rows {
  std::vector<std::int64_t> stabilities;
  std::map<std::int64_t, NodeRow> answered;
  std::map<std::int64_t, NodeRow> refused;         // both with the threshold's density
  std::map<std::int64_t, NodeRow> answered_alone;  // and the step
  NodeRow density;                                 // those alone
  NodeRow one;
};

SparseOutcomes::SparseOutcomes(const StabilityTest& test, std::span<const std::int64_t> stabilities,
                               unsigned threads, std::size_t looked_at)
    : test_(test), queries_(std::min(stabilities.size(), looked_at)) {
  if (test.noise() != TestNoise::sparse_gaussian ||
      std::cmp_greater(stabilities.size(), test.max_queries())) {
    throw parameter_error(
        "these outcomes are of PTR's sparse form with Gaussian noise, and of all queries of its "
        "run");
  }
  is_complete_ = queries_ == stabilities.size();
  if (queries_ == 0) return;
  const double sigma = test.threshold_scale();
  const double share = sigma * sigma / (sigma * sigma + test.scale() * test.scale());
  const std::int64_t clearest = *std::ranges::max_element(stabilities) + 1;
  const double peak = (static_cast<double>(clearest) - test.threshold()) * share;
  low_ = -kReachBelow * sigma;
  const double high = std::max(peak, 0.0) + kReachAbove * sigma;
  const double ratio = sigma / test.scale();
  const double width = sigma / std::sqrt(1.0 + static_cast<double>(queries_ + 1) * ratio * ratio);
  step_ = width * std::numbers::pi * std::sqrt(2.0 / kExponent);
  const double count = std::ceil((high - low_) / step_) + 1.0;
  if (!(count <= static_cast<double>(kMaxNodes))) {
    queries_ = 0;
    is_complete_ = false;
    return;
  }
  nodes_ = static_cast<std::size_t>(count);

  Rows rows;
  const auto first = stabilities.first(queries_);
  rows.stabilities.assign(first.begin(), first.end());
  const auto at = [&](std::size_t j) { return low_ + static_cast<double>(j) * step_; };
  std::vector<double> density(nodes_);
  for (std::size_t j = 0; j < nodes_; ++j) {
    density[j] = log_normal_density(at(j) / sigma) + std::log(step_ / sigma);
  }
  for (const std::int64_t stability : rows.stabilities) {
    for (const std::int64_t q : {less(stability), stability, stability + 1}) {
      if (rows.answered.contains(q)) continue;
      std::vector<double> answered(nodes_);
      std::vector<double> alone(nodes_);
      std::vector<double> refused(nodes_);
      for (std::size_t j = 0; j < nodes_; ++j) {
        const double x = (static_cast<double>(q) - test.threshold() - at(j)) / test.scale();
        answered[j] = log_normal_cdf(x);
        alone[j] = answered[j] + density[j];
        refused[j] = log_normal_cdf(-x) + density[j];
      }
      rows.answered.emplace(q, node_row(std::move(answered), 0.0));
      rows.answered_alone.emplace(q, scaled_row(std::move(alone)));
      rows.refused.emplace(q, scaled_row(std::move(refused)));
    }
  }
  rows.density = scaled_row(std::move(density));
  rows.one = node_row(std::vector<double>(nodes_, 0.0), 0.0);
  rounds_.resize(queries_);
  parallel_for(queries_, threads, [&](std::size_t s) { rounds_[s] = round_from(rows, s); });
}

SparseOutcomes::Round SparseOutcomes::round_from(const Rows& rows, std::size_t first) const {
  std::array<NodeRow, 3> answered{rows.one, rows.one, rows.one};  // all queries so far, by side
  Round round;
  const auto asked = [&](Side side) { return log_sum(answered[side], rows.density); };
  for (std::size_t t = first; t < queries_; ++t) {
    const std::int64_t q = rows.stabilities[t];
    const std::array<std::int64_t, 3> its{q, q + 1, less(q)};     // of this query
    const std::array<std::int64_t, 3> before{q, less(q), q + 1};  // of it for those behind
    Query query{};
    bool is_known = asked(most) > kLogGivenUp;
    for (const Side side : {votes, least, most}) {
      const NodeRow& refusal = rows.refused.at(its[side]);
      const NodeRow& answer = rows.answered_alone.at(its[side]);
      query.asked[side] = asked(side);
      const double refused = log_sum(answered[side], refusal);
      const double also = log_sum(answered[side], answer);
      query.refused[side] = refused - query.asked[side];
      query.answered[side] = also - query.asked[side];
      is_known = is_known && is_whole(answered[side], rows.density, query.asked[side]) &&
                 is_whole(answered[side], refusal, refused) &&
                 is_whole(answered[side], answer, also);
    }
    if (!is_known) {
      round.going_on = std::move(answered[votes].linear);
      return round;
    }
    round.queries.push_back(query);
    for (const Side side : {votes, least, most}) {
      multiply(answered[side], rows.answered.at(before[side]));
    }
  }
  for (const Side side : {votes, least, most}) round.end[side] = asked(side);
  if (!is_complete_) round.going_on = std::move(answered[votes].linear);
  return round;
}

}  // namespace pate
