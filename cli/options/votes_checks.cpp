#include "cli/options/votes_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "pate/base/error.hpp"

namespace pate::cli {

void check_teachers(const VotesLookedAt& looked_at, std::int64_t said) {
  const VoteSource& votes = looked_at.votes;
  if (votes.queries() == 0 || votes.teachers() == said) return;
  throw input_error(fmt::format("{}: --teachers says {} teachers, but the votes have {}{}",
                                votes.name(), said, votes.teachers(),
                                why_other_teachers(looked_at, said)));
}

void refuse_doubted(const std::string& name, std::span<const ContentDoubt> doubts,
                    std::span<const VotesDoubt> accepted, bool publishes) {
  for (const ContentDoubt& doubt : doubts) {
    const bool refuses =
        doubt.weight == Weight::certain || (publishes && doubt.weight == Weight::likely);
    if (!refuses || !doubt.kind || std::ranges::count(accepted, *doubt.kind) > 0) continue;
    const std::string& message = doubt.notice.message;
    const bool says_so = message.find("--accept") != std::string::npos;
    throw input_error(fmt::format(
        "{}: {}{}", name, message,
        says_so ? "" : fmt::format("; or accept it with --accept {}", option_word(*doubt.kind))));
  }
}

void check_class_names(const NumericTable& counts, const NumericTable& scores) {
  const std::vector<std::string> of_counts = counts.header().names;
  const std::vector<std::string> of_scores = scores.header().names;
  if (of_counts == of_scores || !std::ranges::is_permutation(of_counts, of_scores)) return;
  const auto [counted, scored] = std::ranges::mismatch(of_counts, of_scores);
  throw input_error(fmt::format(
      "{}: column {} is called \"{}\", and that of the votes \"{}\": expected the "
      "classes in the order of the votes, which is {}",
      scores.name(), scored - of_scores.begin(), *scored, *counted, fmt::join(of_counts, ",")));
}

}  // namespace pate::cli
