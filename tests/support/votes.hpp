#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/mechanisms/union_bound.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate_test {

using Histogram = std::vector<std::int32_t>;

/// The votes of one run from its histograms, which have the same numbers of classes and votes.
class HistogramVotes final : public pate::VoteSource {
 public:
  explicit HistogramVotes(std::vector<Histogram> queries) : queries_(std::move(queries)) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::int64_t queries() const override {
    return static_cast<std::int64_t>(queries_.size());
  }
  [[nodiscard]] std::int64_t classes() const override {
    return static_cast<std::int64_t>(queries_.front().size());
  }
  [[nodiscard]] std::int64_t teachers() const override {
    return std::accumulate(queries_.front().begin(), queries_.front().end(), std::int64_t{0});
  }
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override {
    auto to = out.begin();
    for (std::int64_t i = first; i < first + count; ++i) {
      const Histogram& query = queries_[static_cast<std::size_t>(i)];
      to = std::copy(query.begin(), query.end(), to);
    }
  }

 private:
  std::string name_ = "votes of a test";
  std::vector<Histogram> queries_;
};

/// So many votes over classes in about these shares; what rounding leaves is for the first.
inline Histogram histogram_by_shares(const std::vector<double>& shares, std::int64_t teachers) {
  double sum = 0.0;
  for (const double share : shares) sum += share;
  Histogram counts;
  auto left = static_cast<std::int32_t>(teachers);
  for (const double share : shares) {
    counts.push_back(static_cast<std::int32_t>(static_cast<double>(teachers) * share / sum));
    left -= counts.back();
  }
  counts[0] += left;
  return counts;
}

/// Every histogram of `teachers` votes over `classes` classes.
inline std::vector<Histogram> all_histograms(std::int32_t teachers, std::size_t classes) {
  std::vector<Histogram> result;
  Histogram counts(classes, 0);
  const std::function<void(std::size_t, std::int32_t)> fill = [&](std::size_t from,
                                                                  std::int32_t left) {
    if (from + 1 == classes) {
      counts[from] = left;
      result.push_back(counts);
      return;
    }
    for (std::int32_t n = 0; n <= left; ++n) {
      counts[from] = n;
      fill(from + 1, left - n);
    }
  };
  fill(0, teachers);
  return result;
}

/// How many teachers must change their votes to get from one histogram to the other.
inline std::int32_t distance(const Histogram& a, const Histogram& b) {
  std::int32_t moved = 0;
  for (std::size_t j = 0; j < a.size(); ++j) moved += std::abs(a[j] - b[j]);
  return moved / 2;
}

/// One query of a run, as `profile_of` takes it.
struct ProfiledQuery {
  Histogram counts;
  std::int64_t statistic;
  bool answered = false;
};

/// The profile of a run of these queries, distinct or not.
inline pate::VoteProfile profile_of(const pate::Aggregator& aggregator,
                                    const std::vector<ProfiledQuery>& queries,
                                    const pate::Neighbours& neighbours = {}) {
  pate::VoteProfile votes;
  votes.aggregator = aggregator;
  votes.neighbours = neighbours;
  votes.queries = static_cast<std::int64_t>(queries.size());
  votes.has_decisions = true;
  const Histogram& first = queries.front().counts;
  votes.teachers = std::accumulate(first.begin(), first.end(), std::int64_t{0});
  votes.classes = static_cast<std::int64_t>(first.size());
  std::vector<ProfiledQuery> sorted = queries;
  for (ProfiledQuery& query : sorted) {
    std::sort(query.counts.begin(), query.counts.end(), std::greater<>());
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.statistic != b.statistic ? a.statistic < b.statistic : a.counts < b.counts;
  });
  const pate::UnionBoundTable table(pate::pair_term(aggregator.noisy_max), votes.teachers);
  for (const ProfiledQuery& query : sorted) {
    votes.add({query.statistic, table.log_q(query.counts), 1, query.answered ? 1 : 0},
              query.counts);
    votes.answered += query.answered ? 1 : 0;
  }
  return votes;
}

}  // namespace pate_test
