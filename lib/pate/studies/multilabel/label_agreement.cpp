#include "pate/studies/multilabel/label_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/numerics/normal.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Whether more than half of the teachers gave the label.
bool has_majority(std::int32_t positives, std::int64_t teachers) {
  return 2 * std::int64_t{positives} > teachers;
}

// The mean over the queries of what `of_query` says of each, added in their order.
LabelAgreement mean_of(std::int64_t queries, unsigned threads,
                       const std::function<LabelAgreement(std::int64_t query)>& of_query) {
  std::vector<LabelAgreement> each(static_cast<std::size_t>(queries));
  parallel_for(each.size(), threads,
               [&](std::size_t i) { each[i] = of_query(static_cast<std::int64_t>(i)); });
  CompensatedSum labels;
  CompensatedSum answers;
  for (const LabelAgreement& query : each) {
    labels.add(query.labels);
    answers.add(query.answers);
  }
  const auto all = static_cast<double>(queries);
  return {std::min(labels.value() / all, 1.0), std::min(answers.value() / all, 1.0)};
}

// Of labels that are given independently where a score plus standard normal noise is above 0.
LabelAgreement of_scores(std::span<const double> scores, std::span<const std::int32_t> positives,
                         std::int64_t teachers) {
  LabelAgreement result{0.0, 1.0};
  for (std::size_t k = 0; k < scores.size(); ++k) {
    result.labels += normal_cdf(has_majority(positives[k], teachers) ? scores[k] : -scores[k]);
    result.answers *= normal_cdf(std::abs(scores[k]));
  }
  result.labels /= static_cast<double>(scores.size());
  return result;
}

// How many labels of a set are as the majority has them.
double agreeing(std::span<const std::uint8_t> set, std::span<const std::int32_t> positives,
                std::int64_t teachers) {
  std::int64_t labels = 0;
  for (std::size_t k = 0; k < set.size(); ++k) {
    if ((set[k] != 0) == has_majority(positives[k], teachers)) ++labels;
  }
  return static_cast<double>(labels);
}

LabelAgreement powerset_of_query(const GaussianNoisyMax& noise, const LabelBallots& ballots,
                                 std::span<const std::int32_t> positives, std::int64_t query) {
  const auto labels = static_cast<double>(ballots.labels());
  // By label 0 first: the order of the sets' numbers is that of their digits from the last on.
  std::map<std::string, std::int32_t> votes;
  for (std::int64_t teacher = 0; teacher < ballots.teachers(); ++teacher) {
    const auto ballot = ballots.ballot(query, teacher);
    ++votes[std::string(ballot.rbegin(), ballot.rend())];
  }
  std::vector<std::int32_t> counts;
  std::vector<double> agreements;
  for (const auto& [set, count] : votes) {
    counts.push_back(count);
    const std::vector<std::uint8_t> marks(set.rbegin(), set.rend());
    agreements.push_back(agreeing(marks, positives, ballots.teachers()));
  }
  const double sets = std::exp2(labels);
  const double unseen = sets - static_cast<double>(counts.size());
  const auto plurality =
      static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  LabelAgreement result;
  std::map<std::int32_t, double> known;  // sets with equal counts are equally likely
  double seen = 0.0;
  double agreeing_unseen = 0.5 * labels * sets;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(counts[i]);
    if (is_new) {
      found->second =
          outcome_probability(noise, counts, i, static_cast<std::size_t>(std::max(unseen, 0.0)));
    }
    seen += found->second;
    agreeing_unseen -= agreements[i];
    result.labels += found->second * agreements[i];
    if (i == plurality) result.answers = found->second;
  }
  if (unseen > 0.0) result.labels += std::max(1.0 - seen, 0.0) * agreeing_unseen / unseen;
  result.labels /= labels;
  return result;
}

}  // namespace

LabelAgreement binary_agreement(const GaussianNoisyMax& noise, const LabelCounts& counts) {
  const auto teachers = static_cast<double>(counts.teachers());
  return mean_of(counts.queries(), 1, [&](std::int64_t query) {
    const auto positives = counts.positives(query);
    std::vector<double> scores;
    for (const std::int32_t positive : positives) {
      scores.push_back((2.0 * positive - teachers) / (std::numbers::sqrt2 * noise.sigma));
    }
    return of_scores(scores, positives, counts.teachers());
  });
}

LabelAgreement tau_agreement(const TauVote& vote, const LabelBallots& ballots,
                             const LabelCounts& counts, unsigned threads) {
  return mean_of(counts.queries(), threads, [&](std::int64_t query) {
    return of_scores(TauQuery(vote, ballots, query).scores(), counts.positives(query),
                     counts.teachers());
  });
}

LabelAgreement powerset_agreement(const GaussianNoisyMax& noise, const LabelBallots& ballots,
                                  const LabelCounts& counts, unsigned threads) {
  return mean_of(ballots.queries(), threads, [&](std::int64_t query) {
    return powerset_of_query(noise, ballots, counts.positives(query), query);
  });
}

}  // namespace pate
