#include "pate/studies/multilabel/tau_vote.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "pate/base/require.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

std::int64_t marked(std::span<const std::uint8_t> marks) {
  return std::count(marks.begin(), marks.end(), std::uint8_t{1});
}

// The position of a value in a list that holds it or is made to.
std::size_t position(std::vector<double>& values, double value) {
  const auto found = std::ranges::find(values, value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

double TauVote::share(std::int64_t marked) const {
  const auto labels = static_cast<double>(marked);
  return labels <= positives ? 1.0 : std::sqrt(positives / labels);
}

double TauVote::squared_sensitivity(std::int64_t labels) const {
  return std::min(2.0 * positives, static_cast<double>(labels));
}

GaussianNoisyMax TauVote::as_noisy_max(std::int64_t labels) const {
  return {sigma * (std::numbers::sqrt2 / std::sqrt(squared_sensitivity(labels)))};
}

void validate(const TauVote& vote, std::int64_t labels) {
  require(vote.positives > 0.0 && std::isfinite(vote.positives),
          "the T of tau:T must be > 0 and finite, got {}", vote.positives);
  require_positive(vote.sigma, "sigma2");
  validate(vote.as_noisy_max(labels), "sigma2 of tau voting over sqrt(T)");
}

TauQuery::TauQuery(const TauVote& vote, const LabelBallots& ballots, std::int64_t query)
    : vote_(vote), values_{0.0}, targets_{0.0} {
  const auto labels = static_cast<std::size_t>(ballots.labels());
  // How many ballots of so many labels give a label: sums do not depend on the order of teachers.
  std::map<std::int64_t, std::vector<std::int64_t>> given;
  std::map<std::string, std::uint32_t> known;
  for (std::int64_t teacher = 0; teacher < ballots.teachers(); ++teacher) {
    const auto ballot = ballots.ballot(query, teacher);
    const std::int64_t r = marked(ballot);
    auto& counts = given.try_emplace(r, labels, 0).first->second;
    for (std::size_t k = 0; k < labels; ++k) counts[k] += ballot[k];
    const auto [found, is_new] = known.try_emplace(std::string(ballot.begin(), ballot.end()),
                                                   static_cast<std::uint32_t>(known.size()));
    if (is_new) {
      distinct_.push_back(
          {{ballot.begin(), ballot.end()}, r == 0 ? 0 : position(values_, vote.share(r))});
    }
    of_teacher_.push_back(found->second);
  }
  const double half = 0.5 * static_cast<double>(ballots.teachers());
  for (std::size_t k = 0; k < labels; ++k) {
    double sum = 0.0;
    for (const auto& [r, counts] : given) {
      if (counts[k] > 0) sum += vote.share(r) * static_cast<double>(counts[k]);
    }
    scores_.push_back((sum - half) / vote.sigma);
    log_turned_.push_back(log_normal_cdf(-std::abs(scores_.back())));
  }
  // Ballots that are not scaled, and those that are, which have a value for each number of labels.
  const auto whole =
      static_cast<std::int64_t>(std::floor(std::min(vote.positives, static_cast<double>(labels))));
  alternatives_.push_back({whole > 0 ? position(targets_, 1.0) : 0, 0, whole});
  for (std::int64_t r = whole + 1; r <= ballots.labels(); ++r) {
    alternatives_.push_back({position(targets_, vote.share(r)), r, r});
  }
}

double TauQuery::log_q() const {
  double log_sum = -kInfinity;
  for (const double log_turned : log_turned_) log_sum = log_add(log_sum, log_turned);
  // The sum is no less, and here as good: the product would be one.
  if (log_sum < -40.0) return log_sum;
  double log_none = 0.0;  // that the noise turns none
  for (const double log_turned : log_turned_) log_none += log1mexp(log_turned);
  return log1mexp(std::min(log_none, 0.0));
}

LogBernoulliPair TauQuery::pair(std::size_t label, double step) const {
  const double here = scores_[label];
  const double there = here + step;
  return {log_normal_cdf(here),
          log_normal_cdf(-here),
          log_normal_cdf(there),
          log_normal_cdf(-there),
          log_normal_cdf_ratio(there, -step),
          log_normal_cdf_ratio(-there, step)};
}

BothDirections TauQuery::cost(const LogBernoulliPair& pair, double step, double order) {
  if (step == 0.0) return {};
  const double cap = with_margin(0.5 * order * step * step);
  return {cost_of_log_excess(log_bernoulli_excess(pair, order), order, cap),
          cost_of_log_excess(log_bernoulli_excess(reversed(pair), order), order, cap)};
}

BothDirections TauQuery::replace_cost(std::span<const std::uint8_t> from,
                                      std::span<const std::uint8_t> to, double order) const {
  const double had = vote_.share(std::max<std::int64_t>(1, marked(from)));
  const double has = vote_.share(std::max<std::int64_t>(1, marked(to)));
  BothDirections sum;
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    const double step = (has * to[k] - had * from[k]) / vote_.sigma;
    const BothDirections of_label = cost(pair(k, step), step, order);
    sum.forward += of_label.forward;
    sum.reverse += of_label.reverse;
  }
  return sum;
}

std::vector<std::vector<BothDirections>> TauQuery::replace_costs(
    std::span<const double> orders) const {
  const std::size_t labels = scores_.size();
  // What a label costs by what it had, then by what it has, then by order.
  const std::size_t row = targets_.size() * orders.size();
  std::vector<BothDirections> costs(labels * values_.size() * row);
  const auto at = [&](std::size_t label, std::size_t value, std::size_t target) {
    return costs.begin() + static_cast<std::ptrdiff_t>((label * values_.size() + value) * row +
                                                       target * orders.size());
  };
  for (std::size_t k = 0; k < labels; ++k) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      for (std::size_t w = 0; w < targets_.size(); ++w) {
        const double step = (targets_[w] - values_[v]) / vote_.sigma;
        const LogBernoulliPair its = pair(k, step);
        auto to = at(k, v, w);
        for (const double order : orders) *to++ = cost(its, step, order);
      }
    }
  }
  std::vector<std::vector<BothDirections>> result(orders.size(),
                                                  std::vector<BothDirections>(distinct_.size()));
  std::vector<std::pair<double, std::size_t>> gains(labels);
  // The largest sum over the labels, of one direction of one ballot at one order.
  const auto largest = [&](const Ballot& ballot, std::size_t o, double BothDirections::*direction) {
    double most = 0.0;
    for (const Alternative& other : alternatives_) {
      const auto of = [&](std::size_t k, std::size_t target) {
        const auto first = at(k, ballot.marks[k] != 0 ? ballot.value : 0, target);
        return first[static_cast<std::ptrdiff_t>(o)].*direction;
      };
      for (std::size_t k = 0; k < labels; ++k) gains[k] = {of(k, other.value) - of(k, 0), k};
      std::ranges::sort(gains, [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
      });
      double sum = 0.0;
      std::int64_t taken = 0;
      for (const auto& [gain, k] : gains) {
        const bool takes = taken < other.least || (taken < other.most && gain > 0.0);
        if (takes) ++taken;
        sum += of(k, takes ? other.value : 0);
      }
      most = max_or_nan(most, sum);
    }
    return most;
  };
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (std::size_t b = 0; b < distinct_.size(); ++b) {
      result[o][b] = {largest(distinct_[b], o, &BothDirections::forward),
                      largest(distinct_[b], o, &BothDirections::reverse)};
    }
  }
  return result;
}

}  // namespace pate
