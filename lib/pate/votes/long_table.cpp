#include "pate/votes/long_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"

namespace pate {

namespace {

// Letters alone, small ones: "Teacher_ID" is "teacher".
std::string plain(std::string_view heading) {
  std::string letters;
  for (const char c : heading) {
    if (c >= 'a' && c <= 'z') letters += c;
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
  }
  if (letters.size() > 2 && letters.ends_with("id")) letters.resize(letters.size() - 2);
  return letters;
}

// The first column that is called so.
std::optional<std::size_t> column(const std::vector<std::string>& names,
                                  std::initializer_list<std::string_view> words) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(words, plain(names[i])) != words.end()) return i;
  }
  return {};
}

bool can_be_shown(const std::string& name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string help_with_long_table(const std::string& name, const ColumnHeader& header, bool names) {
  const std::vector<std::string>& headings = header.names;
  if (headings.size() != 3 || !std::ranges::all_of(headings, can_be_shown)) return {};
  const auto query =
      column(headings, {"query", "queries", "sample", "image", "example", "item", "row", "x"});
  const auto teacher =
      column(headings, {"teacher", "model", "worker", "annotator", "client", "expert", "party"});
  const auto kind =
      column(headings, {"class", "label", "prediction", "pred", "vote", "answer", "y"});
  const auto count =
      column(headings, {"votes", "count", "counts", "n", "size", "freq", "teachers"});
  if (!query || !kind || !(teacher || count)) return {};
  std::string pivot =
      fmt::format(R"(t.pivot(index="{}", columns="{}", values="{}"))", headings[*query],
                  headings[teacher ? *teacher : *kind], headings[teacher ? *kind : *count]);
  std::string then;
  if (names) {
    // Queries stay in the order in which they come; classes go by the alphabet, which is printed.
    pivot += fmt::format(R"(.reindex(t["{}"].unique()))", headings[*query]);
    if (teacher) {
      then = fmt::format(
          R"(; v = t["{0}"]; k = p.api.types.is_numeric_dtype(v); i, c = p.factorize(v, sort=True); )"
          R"(t["{0}"] = v if k else i; k or print(*c, sep=","))",
          headings[*kind]);
    }
  }
  if (!teacher) pivot += ".fillna(0).astype(int)";
  return fmt::format(
      "; columns {} are those of a table with a row for each of its entries. What makes of {}: {}",
      fmt::join(headings, ", "),
      teacher ? "a row for each vote, to be read with --layout predictions-by-query --classes K"
              : "a row for each class of a query, to be read as counts with --header yes, a class "
                "that nobody voted for added",
      frame_line(name, header, pivot, then));
}

void refuse_long_table(const NumericTable& table) {
  const std::string help = help_with_long_table(table.name(), table.header(), false);
  if (help.empty()) return;
  throw input_error(
      fmt::format("{}: expected votes with a row for each query or teacher{}", table.name(), help));
}

}  // namespace pate
