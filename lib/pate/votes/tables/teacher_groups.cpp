#include "pate/votes/tables/teacher_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/tables/teacher_lines.hpp"

namespace pate {

std::size_t TeacherGroups::size_of(std::size_t group) const {
  return static_cast<std::size_t>(std::ranges::count(of_teacher, group));
}

namespace io {

namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::string_view kHeading = "teacher,group";

// What a line of its own above names of groups says: nobody calls a group so.
bool is_heading(std::string_view line) {
  constexpr std::array<std::string_view, 5> kWords{"group", "groups", "groupid", "groupname",
                                                   "teacher"};
  std::string letters;
  for (const char c : line) {
    if (c >= 'a' && c <= 'z') letters += c;
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if (c >= '0' && c <= '9') return false;  // group1
  }
  return std::ranges::find(kWords, letters) != kWords.end();
}

}  // namespace

OpenedGroups open_teacher_groups(const std::string& path, std::int64_t teachers) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::vector<std::string> lines = lines_of(*file);
  const auto refuse = [&](std::size_t line, const std::string& why) {
    throw input_error(fmt::format("{}: line {}: {}", path, line + 1, why));
  };
  const bool is_numbered = !lines.empty() && lines.front() == kHeading;
  const std::size_t first = is_numbered ? 1 : 0;
  if (static_cast<std::int64_t>(lines.size() - first) != teachers) {
    throw input_error(fmt::format(
        "{}: expected a line for each of the {} teachers{}, found {}", path, teachers,
        is_numbered ? " after the heading" : ", without a heading", lines.size() - first));
  }
  if (!is_numbered && !lines.empty() && is_heading(lines.front())) {
    refuse(0, fmt::format("'{}' looks like the heading of a column: leave it out, with a line for "
                          "each of the {} teachers below it; if a group is called so, give it "
                          "another name",
                          lines.front(), teachers));
  }
  TeacherGroups groups;
  std::vector<std::optional<std::size_t>> places(static_cast<std::size_t>(teachers));
  for (std::size_t i = first; i < lines.size(); ++i) {
    std::string_view name = lines[i];
    std::size_t teacher = i - first;
    const std::size_t comma = name.find(',');
    if (is_numbered) {
      const std::string_view number = trimmed(name.substr(0, comma));
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), teacher);
      if (comma == std::string_view::npos || error != std::errc{} ||
          end != number.data() + number.size() || teacher >= places.size()) {
        refuse(i, fmt::format("expected the number of a teacher, 0 to {}, a comma and the name of "
                              "its group, found '{}'",
                              teachers - 1, printable(name, 40)));
      } else if (places[teacher]) {
        refuse(i, fmt::format("teacher {} is there twice", teacher));
      }
      name = trimmed(name.substr(comma + 1));
    } else if (comma != std::string_view::npos) {
      refuse(i, fmt::format("expected the name of a group, found a comma; numbers of teachers with "
                            "names of groups need the first line '{}'",
                            kHeading));
    }
    if (name.empty()) refuse(i, "expected the name of a group, found none");
    if (name.size() > kLongestName) {
      refuse(i, fmt::format("expected a name of at most {} bytes, found {}", kLongestName,
                            name.size()));
    }
    const auto known = std::ranges::find(groups.names, name);
    places[teacher] = static_cast<std::size_t>(known - groups.names.begin());
    if (known == groups.names.end()) groups.names.emplace_back(name);
  }
  for (const auto& place : places) groups.of_teacher.push_back(place.value());
  auto table = column_of(path, {groups.of_teacher.begin(), groups.of_teacher.end()});
  return {std::move(groups), OpenedTable(std::move(table), file)};
}

}  // namespace io

}  // namespace pate
