#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/inspection/beside_votes.hpp"
#include "pate/inspection/content_doubts.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate::cli {

/// What the numbers of `--indices` are, where they look like something else.
enum class IndicesAre { rows };
/// Where the list of `--indices` comes from: drawn at random, public, or an earlier file of rows.
/// None of them depends on these votes.
enum class RowsFrom { random, public_list, earlier };

}  // namespace pate::cli

template <>
inline constexpr std::array<pate::Named<pate::cli::IndicesAre>, 1>
    pate::kNames<pate::cli::IndicesAre>{{
        {pate::cli::IndicesAre::rows, "rows"},
    }};

template <>
inline constexpr std::array<pate::Named<pate::cli::RowsFrom>, 3> pate::kNames<pate::cli::RowsFrom>{{
    {pate::cli::RowsFrom::random, "random"},
    {pate::cli::RowsFrom::public_list, "public"},
    {pate::cli::RowsFrom::earlier, "earlier"},
}};

namespace pate::cli {

/// Throws `input_error` where the votes are not those of `said` teachers, with the likely reason.
void check_teachers(const VotesLookedAt& looked_at, std::int64_t said);

/// Throws `input_error` with the first doubt that is certain, or, where something is made or
/// published of the votes, likely, but for those that are accepted; it names what settles it.
void refuse_doubted(const std::string& name, std::span<const ContentDoubt> doubts,
                    std::span<const VotesDoubt> accepted, bool publishes);

/// Throws `input_error` where the columns of scores are called as those of the counts are, but in
/// another order.
void check_class_names(const NumericTable& counts, const NumericTable& scores);

}  // namespace pate::cli
