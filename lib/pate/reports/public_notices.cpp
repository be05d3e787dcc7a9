#include "pate/reports/public_notices.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace pate::reports {

std::vector<Notice> public_notices(const std::vector<Notice>& notices,
                                   const std::vector<std::string>& paths) {
  // By name, so that a notice that is new is none of them until somebody says so. Whether one of
  // these is there follows from settings, the form of files and what was released; the others may
  // be there for some votes and not for others.
  constexpr auto kPublic = std::to_array<std::string_view>({
      "abstentions_class",
      "adaptive_rounds",
      "any_votes_suffice",
      "bound_left_out",
      "comments_left_out",
      "counted_twice",
      "counts_released",
      "curve_above_any_votes",
      "fallback",
      "foreign_numbers",
      "header_left_out",
      "header_names",
      "high_threshold",
      "index_left_out",
      "labels_are_public",
      "large_delta",
      "ledger_torn",
      "ledger_total",
      "lifted_corners",
      "little_noise",
      "low_threshold",
      "majority_is_free",
      "missing_values",
      "no_ledger",
      "no_queries",
      "no_tries",
      "not_a_bound",
      "not_composed",
      "of_records",
      "one_hot",
      "order_fixed_before",
      "parameters_from_votes",
      "private_numbers",
      "stopped_max_answers",
      "stopped_max_epsilon",
      "stopped_max_refusals",
      "rows_from_answers",
      "tables_read",
      "tables_unused",
      "teacher_weights",
      "tries_are_secret",
  });
  const auto is_public = [&](const Notice& notice) {
    // Of an epsilon: where it holds for any votes.
    if (notice.code == "epsilon_clamped" || notice.code == "epsilon_infinite") {
      return notice.message.starts_with("data_independent/");
    }
    return std::ranges::find(kPublic, notice.code) != kPublic.end();
  };
  std::vector<Notice> result;
  for (const Notice& notice : notices) {
    if (!is_public(notice)) continue;
    result.push_back(notice);
    std::string& message = result.back().message;
    for (const std::string& path : paths) {
      if (message.starts_with(path + ": ")) message.erase(0, path.size() + 2);
      const std::size_t place = message.find("(" + path + ", ");
      if (!path.empty() && place != std::string::npos) message.erase(place + 1, path.size() + 2);
    }
  }
  return result;
}

}  // namespace pate::reports
