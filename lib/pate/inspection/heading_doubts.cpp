#include "pate/inspection/heading_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pate/inspection/headings.hpp"
#include "pate/votes/row_sums.hpp"

namespace pate {

namespace {

// What a name without the number at its end is, where it has one: "teacher_" of "teacher_12".
std::optional<std::string_view> numbered_stem(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t size = last == std::string_view::npos ? 0 : last + 1;
  return size < name.size() ? std::optional(name.substr(0, size)) : std::nullopt;
}

// Whether names are numbered, with one stem but for two names at most, and eight at least.
bool are_numbered(const std::vector<std::string>& names) {
  constexpr std::size_t kMostOthers = 2;
  constexpr std::size_t kFewest = 8;
  std::map<std::string_view, std::size_t> times;
  for (const std::string& name : names) {
    if (const auto stem = numbered_stem(name)) ++times[*stem];
  }
  return std::ranges::any_of(times, [&](const auto& stem) {
    return stem.second >= kFewest && stem.second + kMostOthers >= names.size();
  });
}

// What a column is by its name where each is of a teacher; empty: a teacher's votes.
std::string no_teacher(std::string_view name, bool numbered, std::string_view naming) {
  const auto by_it = [&](const char* what) { return fmt::format("{} by its {}", what, naming); };
  if (heads_labels(name)) return by_it("of labels");
  if (heads_index(name)) return by_it("an index");
  if (heads_made_of_votes(name)) return by_it("made of votes, or beside them,");
  if (heads_teachers(name)) return by_it("beside the votes");
  if (numbered && !numbered_stem(name)) return "not numbered as all others are";
  return {};
}

ContentDoubt doubt_of(const VotesLookedAt& looked_at, const std::string& what,
                      const std::string& is, const std::string& line) {
  const bool by_query = looked_at.layout == Layout::predictions_by_query;
  const bool is_array = what.starts_with("the array");
  return {{"label_column",
           fmt::format("{} is {}, and no {}'s votes. What leaves it out: {}; if it holds votes, "
                       "say how many teachers there are with --teachers {}",
                       what, is, by_query || is_array ? "teacher" : "query", line,
                       looked_at.votes.teachers())},
          looked_at.teachers ? Weight::doubtful : Weight::certain,
          VotesDoubt::label_column};
}

}  // namespace

void look_at_headings(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found) {
  const ColumnHeader header = looked_at.table.header();
  const std::vector<std::string>& names = header.names;
  if (looked_at.layout == Layout::predictions_by_query) {
    const bool numbered = are_numbered(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string is = no_teacher(names[i], numbered, "heading");
      if (is.empty()) continue;
      const auto column = static_cast<std::int64_t>(i);
      found.push_back(doubt_of(looked_at, column_in_words(looked_at.table, column), is,
                               line_without_column(looked_at.table, column)));
    }
  } else if (!names.empty() && (heads_index(names[0]) || heads_teachers(names[0]))) {
    // Of teachers x queries only the first column can be beside the votes, and name the teachers.
    found.push_back(doubt_of(looked_at, column_in_words(looked_at.table, 0),
                             "an index by its heading", line_without_column(looked_at.table, 0)));
  }
  const bool numbered = are_numbered(header.rows);
  for (const std::string& name : header.rows) {
    const std::string is = no_teacher(name, numbered, "name");
    if (is.empty()) continue;
    found.push_back(doubt_of(looked_at, fmt::format("the array \"{}\"", name), is,
                             line_without_array(looked_at.table, name)));
  }
}

}  // namespace pate
