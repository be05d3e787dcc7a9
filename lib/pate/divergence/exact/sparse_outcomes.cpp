#include "pate/divergence/exact/sparse_outcomes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/sum_of_products.hpp"

namespace pate {

// A function of the nodes: `linear` is e^(log - scale).
struct NodeRow {
  std::vector<double> linear, log;
  double scale = 0.0;
};

namespace {

// Of what nodes leave out, relative to their sum, as a logarithm: 1e-11.
constexpr double kLogMayBeLeftOut = -25.3;
// Of tables of integrands, in numbers: with more queries are not looked at.
constexpr double kMaxTableNumbers = 6e7;
// Products below are taken for 0, sums below are made of logarithms.
constexpr double kLeastProduct = 1e-280;
constexpr double kLeastSum = 1e-200;
constexpr double kLogHalf = -0.693;

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

std::int64_t less(std::int64_t stability) {
  return std::max<std::int64_t>(stability - 1, 0);
}

// The numbers that tables of integrands have.
double table_size(std::span<const std::int64_t> stabilities, std::size_t nodes) {
  std::set<std::int64_t> its;
  for (const std::int64_t q : stabilities) its.insert({less(q), q, q + 1});
  return 6.0 * static_cast<double>(its.size()) * static_cast<double>(nodes);
}

// A rule for the first of these queries, of which fewer are looked at where tables would be too
// large; none where nodes would be too fine.
std::optional<ThresholdRule> rule_for(const StabilityTest& test,
                                      std::span<const std::int64_t> stabilities,
                                      std::size_t& queries) {
  for (;; queries /= 2) {
    if (queries == 0) return std::nullopt;
    const auto first = stabilities.first(queries);
    std::optional<ThresholdRule> rule = threshold_rule(test, first);
    if (rule && !(table_size(first, rule->size()) <= kMaxTableNumbers)) continue;
    if (!rule) queries = 0;
    return rule;
  }
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
    : test_(test),
      run_(static_cast<std::int64_t>(stabilities.size())),
      queries_(std::min(stabilities.size(), looked_at)) {
  if (!test.is_sparse() || (test.has_gaussian_noise() && run_ > test.max_queries())) {
    throw parameter_error("these outcomes are of PTR's sparse form, and of all queries of its run");
  }
  if (queries_ == 0) return;
  if (std::optional<ThresholdRule> rule = rule_for(test, stabilities, queries_)) {
    rule_ = std::move(*rule);
  }
  is_complete_ = queries_ == stabilities.size();
  if (queries_ == 0) return;

  Rows rows;
  const auto first = stabilities.first(queries_);
  rows.stabilities.assign(first.begin(), first.end());
  const std::size_t nodes = rule_.size();
  std::vector<double> density(nodes);
  for (std::size_t j = 0; j < nodes; ++j) density[j] = rule_.log_density[j] + rule_.log_step[j];
  for (const std::int64_t stability : rows.stabilities) {
    for (const std::int64_t q : {less(stability), stability, stability + 1}) {
      if (rows.answered.contains(q)) continue;
      std::vector<double> answered(nodes);
      std::vector<double> alone(nodes);
      std::vector<double> refused(nodes);
      for (std::size_t j = 0; j < nodes; ++j) {
        const double x = (static_cast<double>(q) - test.threshold() - rule_.at[j]) / test.scale();
        answered[j] = log_noise_cdf(test, x);
        alone[j] = answered[j] + density[j];
        refused[j] = log_noise_cdf(test, -x) + density[j];
      }
      rows.answered.emplace(q, node_row(std::move(answered), 0.0));
      rows.answered_alone.emplace(q, scaled_row(std::move(alone)));
      rows.refused.emplace(q, scaled_row(std::move(refused)));
    }
  }
  rows.density = scaled_row(std::move(density));
  rows.one = node_row(std::vector<double>(nodes, 0.0), 0.0);
  rounds_.resize(queries_);
  parallel_for(queries_, threads, [&](std::size_t s) { rounds_[s] = round_from(rows, s); });
}

SparseOutcomes::Round SparseOutcomes::round_from(const Rows& rows, std::size_t first) const {
  std::array<NodeRow, 3> answered{rows.one, rows.one, rows.one};  // all queries so far, by side
  Round round;
  const auto asked = [&](Side side) { return log_sum(answered[side], rows.density); };
  const auto is_whole = [&](const NodeRow& a, const NodeRow& b, double log_total) {
    const double left_out = rule_.log_left_out([&](std::size_t j) { return a.log[j] + b.log[j]; });
    return left_out - log_total < kLogMayBeLeftOut;
  };
  for (std::size_t t = first; t < queries_; ++t) {
    const std::int64_t q = rows.stabilities[t];
    const std::array<std::int64_t, 3> its{q, q + 1, less(q)};     // of this query
    const std::array<std::int64_t, 3> before{q, less(q), q + 1};  // of it for those behind
    Query query{};
    bool is_known = true;
    for (const Side side : {votes, least, most}) {
      const NodeRow& refusal = rows.refused.at(its[side]);
      query.asked[side] = asked(side);
      const double refused = log_sum(answered[side], refusal);
      query.refused[side] = refused - query.asked[side];
      is_known = is_known && query.asked[side] > ThresholdRule::kLeastLog &&
                 is_whole(answered[side], rows.density, query.asked[side]) &&
                 is_whole(answered[side], refusal, refused);
      if (query.refused[side] < kLogHalf) {  // nothing cancels
        query.answered[side] = std::log1p(-std::exp(query.refused[side]));
        continue;
      }
      const double also = log_sum(answered[side], rows.answered_alone.at(its[side]));
      query.answered[side] = also - query.asked[side];
      is_known = is_known && is_whole(answered[side], rows.answered_alone.at(its[side]), also);
    }
    if (!is_known) {
      round.given_up = true;
      round.going_on = std::move(answered[votes].linear);
      return round;  // `end` is of the query before, or 1: no less
    }
    round.end = query.asked;
    round.queries.push_back(query);
    for (const Side side : {votes, least, most}) {
      multiply(answered[side], rows.answered.at(before[side]));
    }
  }
  for (const Side side : {votes, least, most}) round.end[side] = asked(side);
  round.given_up = !is_complete_;
  if (round.given_up) round.going_on = std::move(answered[votes].linear);
  return round;
}

}  // namespace pate
