#include "pate/votes/class_headings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/conversion_line.hpp"
#include "pate/votes/tables/text_field.hpp"

namespace pate {

namespace {

constexpr std::size_t kShownHeadings = 6;
constexpr double kMostClasses = 1e6;  // what is larger numbers something else

// The whole number that a heading is, which pandas may write as 3.0.
std::optional<std::int64_t> whole_number(const std::string& heading) {
  using Kind = io::FieldNumber::Kind;
  const io::FieldNumber number = io::parse_field(heading);
  if (number.kind != Kind::integer && number.kind != Kind::real) return {};
  const double value =
      number.kind == Kind::integer ? static_cast<double>(number.integer) : number.real;
  if (!(value >= 0.0 && value < kMostClasses) || std::trunc(value) != value) return {};
  return static_cast<std::int64_t>(value);
}

}  // namespace

void check_class_headings(const NumericTable& table, std::optional<std::int64_t> classes) {
  const ColumnHeader header = table.header();
  std::int64_t largest = -1;
  bool in_order = true;
  bool counts_from_one = !header.names.empty();
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const auto number = whole_number(header.names[i]);
    if (!number) return;
    in_order = in_order && *number == static_cast<std::int64_t>(i);
    counts_from_one = counts_from_one && *number == static_cast<std::int64_t>(i) + 1;
    largest = std::max(largest, *number);
  }
  // Whether class 0 has no votes, or the first class is called 1, the number of classes says.
  if (in_order || (counts_from_one && classes == largest)) return;
  std::vector<std::string> shown(header.names.begin(),
                                 header.names.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                            header.names.size(), kShownHeadings)));
  throw input_error(fmt::format(
      "{}: expected columns 0 to {} in this order, which are the classes, found columns called "
      "{}{}: {}what puts them into order, with a 0 where nobody voted, to be read with --header "
      "yes: "
      "{}; where "
      "these are names, give the columns other names (c1, c2, ...)",
      table.name(), header.names.size() - 1, fmt::join(shown, ", "),
      shown.size() < header.names.size() ? ", ..." : "",
      counts_from_one ? fmt::format("where classes count from 1, add --classes {}; else ", largest)
                      : "",
      frame_line(table.name(), header,
                 fmt::format("t.reindex(columns=range({}), fill_value=0)",
                             std::max(largest + 1, classes.value_or(0))),
                 "; t.columns = t.columns.astype(float).astype(int)")));
}

}  // namespace pate
