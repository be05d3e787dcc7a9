#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/release/curve/curve_release.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

namespace pate_test {

/// A run whose threshold, and noise, are large beside its teachers.
inline pate::CostSpec curve_question(std::int64_t teachers, std::int64_t classes, double order) {
  pate::CostSpec question;
  const auto m = static_cast<double>(teachers);
  question.aggregator.selection = pate::ThresholdCheck{0.7 * m, 0.6 * m};
  question.aggregator.noisy_max = pate::GaussianNoisyMax{0.16 * m};
  question.teachers = teachers;
  question.classes = classes;
  question.order = order;
  question.cost = pate::default_cost(question.aggregator, question.neighbours, teachers, classes);
  return question;
}

/// Votes in which the favoured class has about so large a share.
inline pate::VoteProfile favouring_votes(const pate::CostSpec& question, double share, int queries,
                                         std::uint64_t seed) {
  Random random(seed);
  std::vector<ProfiledQuery> result;
  for (int i = 0; i < queries; ++i) {
    Histogram counts(static_cast<std::size_t>(question.classes), 0);
    for (std::int64_t t = 0; t < question.teachers; ++t) {
      const bool favoured = random.uniform(0.0, 1.0) < share;
      ++counts[favoured ? 0U : static_cast<std::size_t>(random.integer(0, question.classes - 1))];
    }
    result.push_back({counts, *std::ranges::max_element(counts), true});
  }
  return profile_of(question.aggregator, result, question.neighbours);
}

}  // namespace pate_test
