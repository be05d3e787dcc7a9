#pragma once

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

// Of counts.
[[nodiscard]] Signs zeros_between(const FirstVotes& votes);
[[nodiscard]] Signs total_columns(const FirstVotes& votes);
[[nodiscard]] Signs unchanging_columns(const FirstVotes& votes, bool headed);
[[nodiscard]] Signs common_divisor(const FirstVotes& votes);
[[nodiscard]] Signs several_votes(const FirstVotes& votes);
[[nodiscard]] Signs byte_counts(const FirstVotes& votes);
[[nodiscard]] Signs rows_in_order(const FirstVotes& votes);
[[nodiscard]] Signs counts_like_ids(const FirstVotes& votes);
[[nodiscard]] Signs equal_columns(const FirstVotes& votes);

// Of class ids.
[[nodiscard]] Signs headings_beside(const FirstVotes& votes);
[[nodiscard]] Signs one_hot_blocks(const FirstVotes& votes);
[[nodiscard]] Signs common_sum(const FirstVotes& votes);
[[nodiscard]] Signs pairs_once(const FirstVotes& votes);
[[nodiscard]] Signs other_orientation(const FirstVotes& votes);
[[nodiscard]] Signs one_voice(const FirstVotes& votes);
[[nodiscard]] Signs copies(const FirstVotes& votes);
[[nodiscard]] Signs constant_voters(const FirstVotes& votes, bool silent);
[[nodiscard]] Signs minus_for_zero(const FirstVotes& votes);
[[nodiscard]] Signs always_plurality(const FirstVotes& votes);

}  // namespace pate
