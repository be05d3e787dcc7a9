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

void refuse_long_table(const NumericTable& table) {
  const ColumnHeader header = table.header();
  const std::vector<std::string>& names = header.names;
  if (names.size() != 3 || !std::ranges::all_of(names, can_be_shown)) return;
  const auto query =
      column(names, {"query", "queries", "sample", "image", "example", "item", "row", "x"});
  const auto teacher =
      column(names, {"teacher", "model", "worker", "annotator", "client", "expert", "party"});
  const auto kind = column(names, {"class", "label", "prediction", "pred", "vote", "answer", "y"});
  const auto count = column(names, {"votes", "count", "counts", "n", "size", "freq", "teachers"});
  std::string layout;
  std::string pivot;
  if (query && teacher && kind) {
    layout = "a row for each vote, to be read with --layout predictions-by-query --classes K";
    pivot = fmt::format(R"(t.pivot(index="{}", columns="{}", values="{}"))", names[*query],
                        names[*teacher], names[*kind]);
  } else if (query && kind && count) {
    layout =
        "a row for each class of a query, to be read as counts with --header yes, a class that "
        "nobody voted for added";
    pivot = fmt::format(R"(t.pivot(index="{}", columns="{}", values="{}").fillna(0).astype(int))",
                        names[*query], names[*kind], names[*count]);
  } else {
    return;
  }
  throw input_error(fmt::format(
      "{}: expected votes with a row for each query or teacher, found columns {}, as of a table "
      "with a row for each of its entries. What makes of {}: {}",
      table.name(), fmt::join(names, ", "), layout, frame_line(table.name(), header, pivot)));
}

}  // namespace pate
