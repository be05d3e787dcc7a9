#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pate/inspection/content_doubts.hpp"

namespace pate {

// The statistics of the rules of `content_doubts.cpp`: each returns what it found in the first
// votes, with the probability that honest votes have the same, and judges nothing.

using Lines = std::vector<std::vector<std::int64_t>>;

/// The votes that are looked at.
struct FirstVotes {
  const VotesLookedAt& at;
  std::int64_t teachers = 0, classes = 0;
  Lines counts;                 ///< queries x classes; none of predictions
  Lines teachers_of, by_query;  ///< class ids, teachers x queries and transposed; none of counts
  bool has_all = true;          ///< whether these are all queries
};
[[nodiscard]] FirstVotes first_votes(const VotesLookedAt& looked_at);

/// Something that was found.
struct Sign {
  std::vector<std::string> words;  ///< what the rule's sentence has for {0}, {1}, ...
  /// Logarithm of the probability that honest votes have it.
  double log_chance = -std::numeric_limits<double>::infinity();
  std::optional<std::int64_t> teachers = {};  ///< how many there are if it is so
  Weight most = Weight::certain;              ///< it weighs no more than that
};
using Signs = std::vector<Sign>;

template <class... Words>
[[nodiscard]] std::vector<std::string> words(const Words&... all) {
  return {fmt::format("{}", all)...};
}

/// Finds one kind of sign.
using Statistic = Signs(const FirstVotes& votes);
// Of counts.
Statistic zeros_between, total_columns, common_divisor, several_votes, byte_counts, rows_in_order;
Statistic counts_like_ids, equal_columns;
[[nodiscard]] Signs unchanging_columns(const FirstVotes& votes, bool headed);
// Of class ids.
Statistic headings_beside, one_hot_blocks, common_sum, pairs_once, other_orientation, one_voice;
Statistic copies, minus_for_zero, always_plurality;
[[nodiscard]] Signs constant_voters(const FirstVotes& votes, bool silent);

}  // namespace pate
